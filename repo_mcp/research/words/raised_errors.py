"""Find where errors of a type are raised, apart from where they are only made or caught.

    throw new LockedException(name);        raised
    return Mono.error(new LockedException(name));
    LockedException of(String name) { return new LockedException(name); }    made: who calls it may raise it
    span.error(new LockedException(name));  only made
    catch (LockedException ex)              caught

Lines are told by their text, so that what no parser reads counts, too. A type stands for those that derive
from it. `throws` clauses and imports say nothing of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.excerpts import find_name
from repo_mcp.research.findings.locating import is_test_place, may_answer
from repo_mcp.research.findings.named_symbols import is_deprecated
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.words.error_lines import LINE_CHARS, RAISES, declares_type
from repo_mcp.research.words.guards import read_guard
from repo_mcp.research.words.held_errors import find_raising
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.roles import FileRole, find_role

MAX_TYPES = 40  # a type and those that derive from it
MAX_LINES = 800  # with their names
MAX_MAKERS = 8  # functions that make an error for others, whose callers are looked at
LINES_ABOVE = 3  # of a statement that began above
MOST_NOTED = 40  # functions that do the same with errors of a type
MOST_SHOWN, MAX_LINES_SHOWN = 12, 4  # of these with the conditions around their lines; lines of each
_BELOW, _USERS = Bounds(files=100, references=300), Bounds(files=30, references=120)
_RAISES = re.compile(RAISES)
# What stands before one that is caught.
_CATCHES = re.compile(r"\b(?:catch|except|rescue)\b|\bonError(?:Resume|Return)\w*\(")
# An error of the name {0} that is made: `new Locked(`, `Locked.of(`, `Locked::new`.
_MAKES = r"\bnew\s+(?:[\w$]+\.)*{0}\b|(?<![\w$]){0}(?:(?:\.|::)\w+)?\s*\(|\b{0}(?:::|\.)new\b"
_GIVES = re.compile(r"\breturn\b|=>|->")  # before an error that is made for the caller
_ALONE = re.compile(r"\s*(?:\w+(?:::|\.))*")  # before an error: at most its qualifiers
_GIVE_LAST = frozenset({"elixir", "ruby", "scala"})  # languages without a word for what a function returns
# A line that only names the type: an import, or the head of a function.
_SAYS_NOTHING = re.compile(r"\s*(?:import|using|from|package|#include|use)\b|.*\bthrows\b")
_GOES_ON = re.compile(r"\s*(?:\?|:|\.|\|\||&&|->|=>)")  # a line that continues the one above
# A line that the one below continues, though no bracket is open.
_IS_OPEN = re.compile(r"(?:=|\breturn|\bthrow|->|=>|[-=]>\s*\{)\s*$")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,400}\"|'(?:\\.|[^'\\\n]){0,400}'")


class _Use(Enum):
    """A use of an error by a line, in the order in which it is told."""

    RAISES = auto()
    CATCHES = auto()
    GIVES = auto()  # makes it for the caller
    MAKES = auto()  # and hands it to something else


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that uses a type of errors."""

    path: str
    number: int
    name: str  # of the type
    use: _Use
    symbol: str = ""  # around it, where no parser reads the file
    symbol_lines: tuple[int, int] | None = None


_ROLES = {
    _Use.RAISES: (Role.RAISES, "raises {}"),
    _Use.CATCHES: (Role.CATCHES, "catches {}"),
    _Use.GIVES: (Role.GIVES_ERROR, "makes {} for what calls it"),
    _Use.MAKES: (Role.MAKES_ERROR, "makes {} and does not raise it"),
}


def note_raised(state: ResearchState, subject: Subject) -> None:
    """Note the functions that raise the errors of a type, then those that catch them or only make them."""
    types = _list_types(state, [node for node in subject.nodes if node.symbol.kind in TYPE_KINDS])
    name = types[0].symbol.name if types else (subject.name or subject.asked).rpartition(".")[2]
    names = list(dict.fromkeys([name, *(node.symbol.name for node in types)]))
    own = {
        (node.path, at) for node in types for at in range(node.symbol.start_line, node.symbol.end_line + 1)
    }
    found = [one for one in _find_lines(state, names) if (one.path, one.number) not in own]
    found += _follow_makers(state, [one for one in found if one.use is _Use.GIVES])
    words = [word for word in list_words(state.request.query) if not shares_word(name, (word,))]
    for use in _Use:
        used = [one for one in found if one.use is use]
        used.sort(key=lambda one: (one.name != name, *_rate(state, one, words)))  # stable
        _note(state, used, name)
    state.report_hop(state.depth)


def _list_types(state: ResearchState, types: Sequence[Node]) -> list[Node]:
    """Return some types and those of the program that derive from them."""
    found = list(types)
    for one in found:  # which grows
        if len(found) < MAX_TYPES:
            state.check()
            edges = state.graph.find_incoming(one, IMPLEMENTATIONS, _BELOW).edges
            below = (state.get_node(edge.other) for edge in edges)
            found += [node for node in below if node not in found and may_answer(node.path)]
    return found[:MAX_TYPES]


def _find_lines(state: ResearchState, names: Sequence[str]) -> list[_Line]:
    """Return the lines of the program that raise, make or catch errors of some names."""
    pattern = rf"\b(?:{'|'.join(map(re.escape, names))})\b"
    request = ExactRequest(pattern, regex=True, include_tests=False, limit=MAX_LINES, with_symbols=True)
    answer = state.source.search_exact(request)
    if answer.truncated:
        state.limit(f"lines with {names[0]} or a type that derives from it", f"{MAX_LINES} are read")
    word, found = re.compile(pattern), list[_Line]()
    for one in answer.matches:
        is_code = find_role(one.path) is FileRole.CODE and not is_test_place(one.path)
        if not (is_code and state.admits(one.path)):
            continue
        lines = state.source.read_lines(one.path)
        gives_last = find_language(one.path).name in _GIVE_LAST
        told = (
            _tell(lines, one.start_line, word, gives_last=gives_last)
            if one.start_line <= len(lines)
            else None
        )
        if told is not None and one.start_line not in state.source.read_comment_lines(one.path):
            found.append(_Line(one.path, *told, one.symbol or "", one.symbol_lines))
    return found


def _tell(
    lines: Sequence[str], at: int, word: re.Pattern[str], *, gives_last: bool
) -> tuple[int, str, _Use] | None:
    """Return the line at which an error is raised, made or caught, its name, and which; None for neither.

    If a function `gives_last` what its last line is, a line that only makes an error gives it to the caller.
    """
    line = _QUOTED.sub('""', lines[at - 1][:LINE_CHARS])
    found = word.search(line)
    if found is None or _SAYS_NOTHING.match(line) or declares_type(line):
        return None
    before = _read_above(lines, at) + line[: found.start()]
    if _CATCHES.search(before):
        return at, found[0], _Use.CATCHES
    if _RAISES.search(before):
        return at, found[0], _Use.RAISES
    if not re.search(_MAKES.format(re.escape(found[0])), line):
        return None
    if raised := find_raising(lines, at, before):
        return raised, found[0], _Use.RAISES
    is_given = _GIVES.search(before) or (gives_last and _ALONE.fullmatch(before))
    return at, found[0], _Use.GIVES if is_given else _Use.MAKES


def _read_above(lines: Sequence[str], at: int) -> str:
    """Return the lines above one that belong to its statement."""
    text, first = "", lines[at - 1]
    for number in range(at - 1, max(0, at - 1 - LINES_ABOVE), -1):
        above = _QUOTED.sub('""', lines[number - 1][:LINE_CHARS])
        is_open = above.count("(") > above.count(")") or _IS_OPEN.search(above)
        if not (is_open or _GOES_ON.match(first)):
            break
        text, first = f"{above}\n{text}", above
    return text


def _follow_makers(state: ResearchState, made: Iterable[_Line]) -> list[_Line]:
    """Return the lines that raise what a function makes for them: `throw refuse(row)`."""
    around = {node: one.name for one in made if (node := state.source.find_around(one.path, one.number))}
    found: list[_Line] = []
    for maker, name in [*around.items()][:MAX_MAKERS]:
        for edge in list_users(state, maker, _USERS) if maker.symbol.kind in CALLABLE_KINDS else ():
            lines = state.source.read_lines(edge.other.path)
            for at in edge.lines if not is_test_place(edge.other.path) else ():
                before = lines[at - 1].partition(maker.symbol.name)[0] if at <= len(lines) else ""
                if _RAISES.search(_read_above(lines, at) + before):
                    found.append(_Line(edge.other.path, at, name, _Use.RAISES))
    return found


def _rate(state: ResearchState, one: _Line, words: Sequence[str]) -> tuple[int, bool]:
    """Return a key by which functions with words of the question come first, then what is not deprecated."""
    node = state.source.find_around(one.path, one.number)
    if node is None:
        return -shares_word(one.symbol, words), False
    around = state.get_node(Declaration(node.path, node.symbol.parent))
    return -shares_word(node.qualified_name, words), is_deprecated(node) or is_deprecated(around)


def _note(state: ResearchState, used: Iterable[_Line], name: str) -> None:
    """Note the functions around lines that do the same with errors, each with its lines."""
    around: dict[tuple[str, str], list[_Line]] = {}
    for one in used:
        node = state.source.find_around(one.path, one.number)
        first = one.symbol_lines[0] if one.symbol_lines is not None else one.number
        around.setdefault((one.path, str(first) if node is None else node.node_id), []).append(one)
    for position, own in enumerate(list(around.values())[:MOST_NOTED]):
        role, text = _ROLES[own[0].use]
        reason = Reason(text.format(own[0].name), role, "" if own[0].name == name else own[0].name)
        _note_one(state, own, reason, shows_guard=position < MOST_SHOWN)
    if len(around) > MOST_NOTED:
        state.limit(f"{len(around) - MOST_NOTED} more functions", f"{MOST_NOTED} are noted that do the same")


def _note_one(state: ResearchState, own: Sequence[_Line], reason: Reason, *, shows_guard: bool) -> None:
    path = own[0].path
    node = state.source.find_around(path, own[0].number)
    lines = tuple(sorted({one.number for one in own}))
    around = own[0].symbol_lines or (lines[0], lines[-1])
    first, last = (node.symbol.start_line, node.symbol.end_line) if node is not None else around
    text, head = state.source.read_lines(path), first
    if node is not None:
        head = find_name(text, node.symbol.name, first, min(last, len(text))) or first
    guards = (
        [read_guard(state, path, first, last, at) for at in lines[:MAX_LINES_SHOWN]] if shows_guard else []
    )
    shown = {head, *lines[:MAX_LINES_SHOWN], *(at for one in guards for at in one.lines)}
    if node is None:
        symbol = own[0].symbol or path
        state.add_place(
            Finding(
                path, first, last, symbol, "text", None, reason, 1, "text", lines, shown=tuple(sorted(shown))
            )
        )
    else:
        state.add(node, reason, 1, lines=lines, shown=tuple(sorted(shown)) if shows_guard else ())
