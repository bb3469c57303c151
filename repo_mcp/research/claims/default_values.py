"""Quote the lines that give a setting its default, where a question asks for that.

    DEFAULT_RETRIES = 3                              a constant that holds it by its name
    retries = 3                                      in a constructor, a record or beside a constant
    retries: 3,                                      in what is called `Defaults`
    self.retries = given or DEFAULT_RETRIES
    if config.Retries <= 0 { config.Retries = 3 }    the condition is that the setting is absent

What only sets it, without one of these, is no default. The types from which most others derive come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.graph.nodes import Node
from repo_mcp.research.claims.outcomes import quote_statement
from repo_mcp.research.findings.citing import join_names, shorten
from repo_mcp.research.findings.locating import is_program, is_test
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.derived_types import list_derived
from repo_mcp.research.question.phrase_names import fold_name
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation

MOST_TOLD, MOST_COMPARED = 3, 8  # lines quoted; lines of equal rank whose types are compared
ABOVE = 2  # a value, in which a condition says that there is none
LINE_CHARS = 400  # read of a line, so that none takes long
_ROLES = (Role.SETS, Role.OPTION, Role.DECLARES, Role.NAMED, Role.DEFAULT, Role.PASSES, Role.VALUE)
_HOLDS, _VALUES = (Role.DEFAULT, Role.VALUE), ("constant", "property", "variable")
_ASKS = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_PLAIN = r"(?:-?[\d.]|[\"'`]|true\b|false\b|[A-Z]\w*\.(?:of|from)\w*\(|(?:time|Duration|TimeSpan)\b)"
_NAMED_DEFAULT = re.compile(r"default", re.IGNORECASE)
_OTHERWISE = re.compile(r"\|\||\?\?|\bor\b|\bunwrap_or|\bgetOrElse\b|\bifEmpty\b|\?:|\bget\([^()]{1,60},")
_ABSENT = re.compile(
    r"<=? ?[01]\b|===? ?(?:0|nil|null|None|undefined|\"\")|\bis (?:None|null)\b|\bnot \w|!\w|\bis_none"
)
_BINDINGS = VALUES | {SymbolKind.ENUM_MEMBER}


def describe_defaults(state: ResearchState, name: str) -> str:
    """Return a sentence with the lines that give a setting its default; "" if none is asked for or known."""
    if _ASKS.search(state.request.query) is None:
        return ""
    found: dict[tuple[str, int], tuple[int, str]] = {}
    for one, line in _iter_lines(state, name):
        rank, where = _judge(state, one, line, name)
        if rank:
            place = f"in {shorten(one.symbol)} ({write_citation(one.path, line, line)})"
            quoted = f"`{quote_statement(state, one, line)}` {place}{where}"
            found.setdefault((one.path, line), (rank, quoted))
    best = max((rank for rank, _ in found.values()), default=0)
    places = [place for place, (rank, _) in found.items() if rank == best]
    places.sort(key=lambda place: -_count_below(state, place) if len(places) <= MOST_COMPARED else 0)
    told = [found[place][1] for place in places]
    return f" A default is given by {join_names(told, MOST_TOLD)}." if told else ""


def _iter_lines(state: ResearchState, name: str) -> Iterator[tuple[Finding, int]]:
    """Yield the lines of the program's findings that have the name of the setting."""
    written = re.compile(re.escape(name).replace("_", "[_-]?"), re.IGNORECASE)
    for one in state.findings:
        if one.role in _ROLES and is_program(one.path) and not is_test(one.path, one.symbol):
            lines = state.source.read_lines(one.path)
            if one.role in _HOLDS and one.kind in _VALUES:
                yield one, one.start_line
                continue
            for number in dict.fromkeys((*one.lines, one.start_line)):
                if number <= len(lines) and written.search(lines[number - 1][:LINE_CHARS]):
                    yield one, number


def _judge(state: ResearchState, one: Finding, number: int, name: str) -> tuple[int, str]:
    """Return how sure it is that a line gives a default, 0 for not at all, and the condition for it."""
    if one.role in _HOLDS and one.kind in _VALUES:
        return 4, ""
    lines = state.source.read_lines(one.path)
    line = lines[number - 1][:LINE_CHARS]
    quoted = re.escape(name).replace("_", "[_-]?")
    given = re.search(
        rf"{quoted}[\"'`]?(?:\s*:\s*[\w<>\[\]?|. ]{{1,40}}?)?\s*(?::?=(?![=>])|:)\s*(.+)", line, re.IGNORECASE
    )
    if given is None or not given[1].strip():
        return 0, ""
    value = given[1].strip()
    if _OTHERWISE.search(value) and (_NAMED_DEFAULT.search(value) or re.search(_PLAIN, value)):
        return 3, ""
    is_value = re.match(_PLAIN, value) is not None or _NAMED_DEFAULT.search(value) is not None
    tested = [
        above
        for above in range(max(one.start_line, number - ABOVE), number)
        if re.search(quoted, lines[above - 1], re.IGNORECASE) and _ABSENT.search(lines[above - 1])
    ]
    if is_value and tested:
        return 3, f", where `{quote_statement(state, one, tested[-1])}`"
    around = state.source.find_around(one.path, number)
    owner = "" if around is None else around.qualified_name
    if is_value and _NAMED_DEFAULT.search(f"{owner} {line[: given.start(1)]}"):
        return 3, ""
    return (2 if is_value and around is not None and _is_binding(around, name) else 0), ""


def _is_binding(node: Node, name: str) -> bool:
    """Return True for what holds a value; a property of another name may be a function, as in Python."""
    is_own = node.symbol.kind is not SymbolKind.PROPERTY or fold_name(node.symbol.name) == fold_name(name)
    return is_own and node.symbol.kind in _BINDINGS


def _count_below(state: ResearchState, place: tuple[str, int]) -> int:
    """Return how many types derive from the one in which a line stands."""
    owner = _find_type(state, *place)
    return 0 if owner is None else len(list_derived(state, owner))


def _find_type(state: ResearchState, path: str, line: int) -> Node | None:
    around = [
        node
        for node in state.graph.outline(path)
        if node.symbol.kind in TYPE_KINDS and node.symbol.start_line <= line <= node.symbol.end_line
    ]
    return around[-1] if around else None
