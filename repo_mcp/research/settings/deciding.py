"""Find the functions that decide about a setting: they take it from several sources, or give it a default.

    self.limit = options.limit                    if (Limit == 0)            max_size.unwrap_or(3)
    self.limit = env.limit or self.limit              Limit = Cores;         getattr(conf, "LIMIT", 3)

Of all the places that declare and set one name, these say which of them counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bodies.statements import QUOTED, is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.named_symbols import admits_node
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import fold_name
from repo_mcp.research.settings.given_values import find_end
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_VALUE_CHARS = 80  # of a value that is quoted
BELOW = 3  # lines below a condition, one of which gives the value
LONG_LINES = 200  # of a function; a longer one decides about everything
LINE_CHARS = 400  # read of a line, so that none takes long
_OTHERWISE = r"(?:\?\?=?|\|\|=?|\bor\b|\?:|\.(?:unwrap_or(?:_else)?|getOrElse|orElse|value_or)\()"
_EMPTY = r"(?:0|null|None|nil|undefined|\"\"|'')(?![\w.])"
# A comment behind code. In Python, two slashes divide.
_COMMENT = re.compile(r"(?:^|[\s;,{}])//.*|\s#\s.*")
_COMMENT_OF_PYTHON = re.compile(r"\s#\s.*")
_KEY = re.compile(r"[\"'`](?:[\w.\- ]*[.:/])?([\w\-]+)[\"'`]\W*$")  # the last part of a quoted name


@dataclass(frozen=True, slots=True)
class Deciding:
    """A function or a value that decides about a setting."""

    node: Node
    given: tuple[tuple[int, str], ...]  # lines that give the name a value, with what they give
    default: tuple[int, str] | None  # the line that gives it if there is no other, with the default
    lines: tuple[int, ...]  # all that matter


def list_deciding(state: ResearchState, name: str, mentions: Sequence[ExactMatch]) -> list[Deciding]:
    """Return what decides about a name in the program: first what takes it from most places.

    Of some lines with the name, each that may give a default leads to the function around it.
    """
    may_give = re.compile(f"{_build_fallback(name)}|{_build_condition(name)}")
    found = []
    for node in dict.fromkeys(
        state.source.find_around(one.path, one.start_line) for one in mentions if may_give.search(one.line)
    ):
        if node is not None and admits_node(state, node) and _may_decide(node):
            deciding = read_deciding(state, name, node)
            found += [deciding] if deciding is not None else []
    return sorted(found, key=lambda one: (-len(one.given), one.default is None))  # stable


def _may_decide(node: Node) -> bool:
    is_short = node.symbol.end_line - node.symbol.start_line <= LONG_LINES
    return node.symbol.kind in CALLABLE_KINDS | VALUE_KINDS and is_short


def read_deciding(state: ResearchState, name: str, node: Node) -> Deciding | None:
    """Return how a function or a value decides about a name; None if it neither chooses nor has a default."""
    lines = _read_lines(state, node)
    comments = state.source.read_comment_lines(node.path)
    own = [at for at in range(node.symbol.start_line, node.symbol.end_line + 1) if at <= len(lines)]
    own = [at for at in own if at not in comments]
    given = [(at, value) for at in own if (value := _read_given(name, lines[at - 1]))]
    behind = ((at, _read_fallback(name, lines[at - 1])) for at in own)
    fallback = next(((at, value) for at, value in behind if value is not None), None)
    if fallback is not None and (whole := _read_around(lines, given, fallback[0])):
        first, last, text = whole
        return Deciding(node, ((first, text),), None, tuple(range(first, last + 1)))
    default, condition = _read_condition(name, lines, own)
    if default is None and fallback is not None and fallback[1]:
        default = fallback
    if default is None and (fallback is None or len(given) < 2):
        return None
    used = {at for at, _ in (*given, *filter(None, (fallback, default)))} | ({condition} - {0})
    return Deciding(node, tuple(given), default, tuple(sorted(used)))


def _read_around(
    lines: Sequence[str], given: Sequence[tuple[int, str]], at: int
) -> tuple[int, int, str] | None:
    """Return the lines and the value of a statement above a line that gives a name what the line is part of.

    `self.wait = max(` before `self.wait or 0,`: neither part is the default. Return None if there is none.
    """
    for first, value in given:
        last = find_end(lines, first) if first < at else first
        if first < at <= last:
            text = " ".join(line.strip() for line in (value.rstrip("…"), *lines[first:last])).rstrip(" ;,")
            return first, last, text.replace("( ", "(").replace(", )", ")")
    return None


def _read_lines(state: ResearchState, node: Node) -> list[str]:
    """Return the lines of a file up to the end of a declaration, without the comments behind them."""
    comment = _COMMENT_OF_PYTHON if node.language == "python" else _COMMENT
    lines = state.source.read_lines(node.path)[: node.symbol.end_line]
    return [comment.sub("", line[:LINE_CHARS]) for line in lines]


def _build_fallback(name: str) -> str:
    quoted = re.escape(name)
    asked = rf"\b{quoted}\b[\"'`]?(?:\(\))?[\])]?\s*{_OTHERWISE}\s*(?P<value>[^;,]*)"
    return rf"{asked}|\bgetattr\([^,()]*,\s*[\"']{quoted}[\"'],\s*(?P<otherwise>[^,()]+)\)"


def _build_condition(name: str) -> str:
    quoted = re.escape(name)
    return (
        rf"\b{quoted}\s*(?:===?|is|<=)\s*{_EMPTY}|\b{quoted}\.(?:nil\?|is_none\(\))"
        rf"|(?:\bnot\s+|!|\bunless\s+)[\w.@>-]*\b{quoted}\b(?!\s*[.(\[=])"
    )


def _read_given(name: str, line: str) -> str:
    """Return what a line gives to a name; "" for nothing."""
    found = re.search(rf"(?:^|[\s.({{>@]){re.escape(name)}\s*(?:\?\?|\|\|)?:?=(?![=>])\s*(.+)", line)
    return _trim(found[1]) if found is not None else ""


def _read_fallback(name: str, line: str) -> str | None:
    """Return what stands behind the sign for a default, "" for the same name; None if none stands there."""
    found = re.search(_build_fallback(name), line)
    is_choice = found is not None and re.search(r"\|\||\bor\b", found[0]) is not None
    if found is None or (is_choice and is_branch(line)):
        return None
    value = _trim(found["value"] or found["otherwise"] or "")
    is_again = re.search(rf"(?:\.|->|[\"'`]){re.escape(name)}\b", value) is not None
    return "" if is_again or _has_name(value, name) else value


def _has_name(value: str, name: str) -> bool:
    """Return True for a value that is the setting again, perhaps of something else."""
    last = re.split(r"\W+", value.rstrip("()…"))[-1]
    return fold_name(last) == fold_name(name)


def _read_condition(
    name: str, lines: Sequence[str], own: Collection[int]
) -> tuple[tuple[int, str] | None, int]:
    """Return the line that gives a value if a name has none, with that value, and the line that asks."""
    asks = re.compile(_build_condition(name))
    for at in own:
        if not asks.search(lines[at - 1]):
            continue
        for below in (one for one in range(at, at + BELOW + 1) if one in own):
            given = _read_given(name, lines[below - 1]) if below > at or is_branch(lines[at - 1]) else ""
            chosen = re.search(r"\?(?![?.:])([^:?]+)(?::|$)", lines[below - 1])
            value = given or (_trim(chosen[1].strip()) if chosen is not None else "")
            if value and not _has_name(value, name):
                return (below, value), at
    return None, 0


def _trim(value: str) -> str:
    """Return a value without what ends its statement; "" for one that is too long to be quoted.

    One that goes on behind what was read ends with an ellipsis.
    """
    value = value.rstrip(" ;,{\t\r\n")
    while any(value.endswith(end) and value.count(begin) < value.count(end) for begin, end in ("()", "{}")):
        value = value[:-1].rstrip(" ;,{")
    bare = QUOTED.sub('""', value)
    goes_on = bare.count("(") > bare.count(")") or bare.count('"') % 2 or bare.count("'") % 2
    return (f"{value}…" if goes_on else value) if len(value) <= MAX_VALUE_CHARS else ""


def is_key(state: ResearchState, node: Node) -> bool:
    """Return True for a value that is no more than the name of a setting: `LIMIT = "app.limit"`."""
    lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
    found = (
        _KEY.search(lines[0][:LINE_CHARS]) if node.symbol.kind in VALUE_KINDS and len(lines) == 1 else None
    )
    return found is not None and fold_name(found[1]) == fold_name(node.symbol.name)
