"""Find the lines that use errors of some names, and tell what each line does with its error.

    throw new LockedException(name);        raises it
    return Mono.error(new LockedException(name));
    return new LockedException(name);       gives it to the caller, who may raise it
    span.error(new LockedException(name));  only makes it
    catch (LockedException ex)              catches it
    if (ex instanceof LockedException)      only names it

Lines are told by their text, so that what no parser reads counts, too. `throws` clauses and imports say
nothing of this. Which errors a function raises, and with which texts, is told in errors/made.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.errors.lines import (
    LINE_CHARS,
    RAISES,
    blank_texts,
    declares_type,
    find_errors,
    makes_error,
)
from repo_mcp.research.errors.variables import find_raising
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.locating import is_program, is_test_place
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Access, SymbolFlag, SymbolKind

MAX_LINES = 800  # with the names
MAX_MAKERS = 8  # functions that make or raise an error for others, whose callers are looked at
RAISING_LINES = 6  # of a function that only raises an error for others
LINES_ABOVE = 3  # of a statement that began above
_RAISES = re.compile(RAISES)
_GLOB_SIGN, _ESCAPED = re.compile(r"[*?\[\]{}\\]"), r"\\\g<0>"  # of a path: `pages/[id].ts`
# What stands before one that is caught.
_CATCHES = re.compile(r"\b(?:catch|except|rescue)\b|\bonError(?:Resume|Return)\w*\(")
# An error of the name {0} that is made: `new Locked(`, `Locked.of(`, `Locked::new`.
_MAKES = (
    r"\bnew\s+(?:[\w$]+\.)*{0}\b|\b{0}(?:::|\.)new\b"
    r"|(?<![\w$]){0}(?:(?:\.|::)(?!(?:as|can|get|has|is)(?:[A-Z_]|\b))\w+)?\s*\("
)
_GIVEN_CLASS = re.compile(r"\bnew\s*\(\s*[\w$]+\(\)\s*\)")  # `new (getLocked())(`
_GIVING_CLASSES = frozenset({"javascript", "typescript"})
_TESTS = re.compile(r"(?:\b(?:instanceof|is)|[=!]=)\s*(?:[\w$]+\.)*$")  # before an error that is only tested
_GIVES = re.compile(r"\breturn\b|=>|->")  # before an error that is made for the caller
_ALONE = re.compile(r"\s*(?:\w+(?:::|\.))*")  # before an error: at most its qualifiers
_GIVE_LAST = frozenset({"elixir", "ruby", "scala"})  # languages without a word for what a function returns
_BY_VALUE = frozenset({"c", "go"})  # languages without a word for raising: what is made is returned
# A line that only names the type: an import, or the head of a function.
_SAYS_NOTHING = re.compile(r"\s*(?:import|using|from|package|#include|use)\b|.*\bthrows\b")
_GOES_ON = re.compile(r"\s*(?:\?|:|\.|\|\||&&|->|=>)")  # a line that continues the one above
# A line that the one below continues, though no bracket is open.
_IS_OPEN = re.compile(r"(?:=|\breturn|\bthrow|->|=>|[-=]>\s*\{)\s*$")


class Use(Enum):
    """A use of an error by a line, in the order in which it is told."""

    RAISES = auto()
    CATCHES = auto()
    GIVES = auto()  # makes it for the caller
    MAKES = auto()  # and hands it to something else
    NAMES = auto()  # nothing of these


MAKING = frozenset({Use.RAISES, Use.GIVES, Use.MAKES})


@dataclass(frozen=True, slots=True)
class ErrorUse:
    """A line that uses an error."""

    path: str
    number: int
    name: str  # of the error
    use: Use
    node: Node | None  # around it
    symbol: str  # the name of what is around it, where no parser reads the file too
    lines: tuple[int, int]  # of that, or else the number twice


def find_written(state: ResearchState, names: Sequence[str]) -> list[ErrorUse]:
    """Return the lines of the program with some names of errors, in files that a parser reads or not."""
    pattern = rf"\b(?:{'|'.join(map(re.escape, names))})\b"
    request = ExactRequest(pattern, regex=True, include_tests=False, limit=MAX_LINES, with_symbols=True)
    answer = state.source.search_exact(request)
    if answer.truncated and state.raising_types:
        paths = dict.fromkeys(node.path for node in state.raising_types)
        globs = (f"/{_GLOB_SIGN.sub(_ESCAPED, path)}" for path in paths)
        own = [state.source.search_exact(replace(request, file_glob=glob)) for glob in globs]
        matches = tuple(match for one in own for match in one.matches)
        answer = replace(own[0], matches=matches, truncated=any(one.truncated for one in own))
    if answer.truncated:
        derived = " or a type that derives from it" if len(names) > 1 else ""
        state.limit(f"lines with {names[0]}{derived}", f"{MAX_LINES} are read")
    word, found = re.compile(pattern), list[ErrorUse]()
    for one in answer.matches:
        if not (is_program(one.path) and state.admits(one.path)):
            continue
        told = _tell(state.source.read_lines(one.path), one.path, one.start_line, word)
        if told is not None and one.start_line not in state.source.read_comment_lines(one.path):
            found.append(_build_use(state, one.path, told, one.symbol or "", one.symbol_lines))
    return found


def find_used(state: ResearchState, node: Node) -> list[ErrorUse]:
    """Return the lines with edges to an error that is declared here, and to no other one of its name."""
    word = re.compile(rf"\b{re.escape(node.symbol.name)}\b")
    found: list[ErrorUse] = []
    for edge in list_users(state, node, NARROW, (*CALLS, EdgeType.REFERENCES)):
        path = edge.other.path
        lines = state.source.read_lines(path)
        told = (_tell(lines, path, at, word) for at in edge.lines)
        found += [_build_use(state, path, one) for one in told if one is not None]
    return found


def find_required_late(state: ResearchState, node: Node) -> list[ErrorUse]:
    """Return the lines that make an error without its name, by a function that gives the class."""
    name, found = node.symbol.name, list[ErrorUse]()
    if find_language(node.path).name not in _GIVING_CLASSES:
        return found
    for edge in list_users(state, node, NARROW):
        path = edge.other.path
        lines = state.source.read_lines(path) if not is_test_place(path) else ()
        told = [_tell(lines, path, at, _GIVEN_CLASS) for at in edge.lines]
        found += [_build_use(state, path, (at, name, use)) for at, _, use in filter(None, told)]
    return found


def follow_makers(state: ResearchState, given: Iterable[ErrorUse]) -> list[ErrorUse]:
    """Return the lines that raise what a function makes for them: `throw refuse(row)`."""
    makers = {one.node: one.name for one in given if one.node and one.node.symbol.kind in CALLABLE_KINDS}
    found: list[ErrorUse] = []
    for maker, name in [*makers.items()][:MAX_MAKERS]:
        for edge in list_users(state, maker, NARROW):
            path, lines = edge.other.path, state.source.read_lines(edge.other.path)
            for at in edge.lines if not is_test_place(path) else ():
                before = lines[at - 1].partition(maker.symbol.name)[0] if at <= len(lines) else ""
                if _RAISES.search(_read_above(lines, at) + before):
                    found.append(_build_use(state, path, (at, name, Use.RAISES)))
    return found


def follow_raising(state: ResearchState, raised: Iterable[ErrorUse]) -> list[ErrorUse]:
    """Return the calls of functions that only raise an error: the conditions are around those.

    static void fail(String why) { throw new LockedException(why); }    if (isLocked) fail("no key");
    """
    helpers = {one.node: one.name for one in raised if one.node and _only_raises(state, one.node)}
    return [
        _build_use(state, edge.other.path, (at, name, Use.RAISES))
        for helper, name in [*helpers.items()][:MAX_MAKERS]
        for edge in list_users(state, helper, NARROW)
        if not is_test_place(edge.other.path)
        for at in edge.lines
    ]


def _only_raises(state: ResearchState, node: Node) -> bool:
    """Return True for a short function without a condition, if no other one can override it."""
    symbol = node.symbol
    is_own = (
        symbol.kind is SymbolKind.FUNCTION
        or symbol.access is Access.PRIVATE
        or symbol.flags & SymbolFlag.STATIC
    )
    if not is_own or symbol.end_line - symbol.start_line >= RAISING_LINES:
        return False
    lines = state.source.read_lines(node.path)[symbol.start_line - 1 : symbol.end_line]
    return not any(is_branch(line[:LINE_CHARS]) for line in lines)


def _build_use(
    state: ResearchState,
    path: str,
    told: tuple[int, str, Use],
    symbol: str = "",
    lines: tuple[int, int] | None = None,
) -> ErrorUse:
    number, name, use = told
    node = state.source.find_around(path, number)
    if node is not None:
        symbol, lines = node.qualified_name, (node.symbol.start_line, node.symbol.end_line)
    return ErrorUse(path, number, name, use, node, symbol, lines or (number, number))


def _tell(lines: Sequence[str], path: str, at: int, word: re.Pattern[str]) -> tuple[int, str, Use] | None:
    """Return the line at which an error is used, its name, and how; None if the line says nothing of it.

    Where a function gives what its last line is, a line that only makes an error gives it to the caller.
    """
    line = blank_texts(lines[at - 1][:LINE_CHARS]) if at <= len(lines) else ""
    found = word.search(line)
    if found is None or _SAYS_NOTHING.match(line) or declares_type(line):
        return None
    name, language = found[0], find_language(path).name
    before = _read_above(lines, at) + line[: found.start()]
    if _CATCHES.search(before):
        return at, name, Use.CATCHES
    if _RAISES.search(before):
        return at, name, Use.RAISES
    if _TESTS.search(before) or not _is_made(line, name):
        return at, name, Use.NAMES
    if language in _BY_VALUE:
        return at, name, Use.RAISES
    if raised := find_raising(lines, at, before):
        return raised, name, Use.RAISES
    is_given = _GIVES.search(before) or (language in _GIVE_LAST and _ALONE.fullmatch(before))
    return at, name, Use.GIVES if is_given else Use.MAKES


def _is_made(line: str, name: str) -> bool:
    """Return True for a line that makes an error of a name, whether by a call or as a value."""
    if re.search(_MAKES.format(re.escape(name)), line):
        return True
    return makes_error(line) and any(name in re.split(r"\W+", found) for found in find_errors(line))


def _read_above(lines: Sequence[str], at: int) -> str:
    """Return the lines above one that belong to its statement."""
    text, first = "", lines[at - 1]
    for number in range(at - 1, max(0, at - 1 - LINES_ABOVE), -1):
        above = blank_texts(lines[number - 1][:LINE_CHARS])
        is_open = above.count("(") > above.count(")") or _IS_OPEN.search(above)
        if not (is_open or _GOES_ON.match(first)):
            break
        text, first = f"{above}\n{text}", above
    return text
