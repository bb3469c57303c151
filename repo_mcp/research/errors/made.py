"""List the errors that the functions raise which a question about errors is about, each with its place.

Lines that make errors are told by errors/lines.py; those whose errors leave their function, by
errors/raising_lines.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.errors.guards import Guard, read_guard
from repo_mcp.research.errors.lines import (
    LINE_CHARS,
    OF_ARGUMENT,
    add_value,
    find_errors,
    find_inner,
    find_message,
    join_open,
    leave_out_heads,
    name_made,
)
from repo_mcp.research.errors.raising_lines import (
    MESSAGE_LINES,
    RETURNS_MADE,
    list_raising,
    names_no_error,
    tell_held,
)
from repo_mcp.research.errors.variables import find_maker, find_set, name_held, name_made_by_variable
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import drop_paths, join_names
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, build_finding
from repo_mcp.research.question.error_types import is_error_name
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

_Error = tuple[str, str]  # name and text; one of them may be ""
MAX_ERRORS = 6  # in one sentence
HELPER_LINES = 40  # of a function that makes an error for others
MOST_PLACES = 6  # of one error without a text
FAILING = 8  # best declarations whose errors are named
VARIABLE_LINES = 12  # above an error, in which a variable gets its text
# A variable that an error is given: `this.error(message, {`, `raise ValueError(msg)`.
_GIVES_VARIABLE = re.compile(r"\b(?:\w*[Ee]rror|\w*Exception|Errorf|New)\(\s*([a-z]\w{0,60})\s*[,)]")
# The same by its name: `throw ReadError.Create(path, message)`.
_GIVES_MESSAGE = re.compile(
    r"\b(?:throw|raise)\b[^\"']{0,200}?[(,]\s*(\w{0,30}(?:[Mm]essage|[Mm]sg|[Rr]eason|[Dd]escription|[Tt]ext))\s*[,)]"
)
# `ShelfError.locked(reason: .lost(row))`, the case of an enumeration with what it is given first
_CASE = re.compile(r"\b([A-Z]\w*(?:Error|Failure)\.(?!self\b|init\b)[a-z]\w*)(?:\(\s*(?:\w+:\s*)?(\.\w+))?")
_PANICS = re.compile(r"\s*panic!?\(")  # which is no error that a caller gets
_MAKES_NAMED = re.compile(r"[^=]=\s*(?:new\s)?((?:\w{1,60}(?:::|\.)){0,3}[A-Z]\w{0,60}[a-z]\w{0,60})\(")


def list_errors(
    state: ResearchState,
    near: Sequence[Finding],
    places: Collection[tuple[str, int]] = (),
    *,
    says_when: bool = False,
) -> tuple[list[str], list[str]]:
    """Return the errors that some findings raise with their places, and the places of those without a name.

    An error that lacks a name or a text adds nothing to others that have what it has; of one without a text,
    which may mean anything, all places are told, up to MOST_PLACES. If `places` are given, paths with lines,
    only the errors there count. If it `says_when`, the place has the condition around it, by which one
    without a text in the first finding is another error.
    """
    errors: dict[_Error, dict[str, str]] = {}  # the condition at each place
    apart: set[_Error] = set()
    unnamed: list[str] = []
    for one in near:
        for number, found in _iter_made(state, one):
            if places and (one.path, number) not in places:
                continue
            place = write_citation(one.path, number, number)
            guard = _read_guard(state, one, number) if says_when else Guard()
            unnamed += [] if found else [_join_places({place: guard.text})]
            apart.update(error for error in found if error[0] and guard.text and one is near[0])
            for error in found:
                is_told = error in apart or not _is_covered(error, errors)
                told = errors.setdefault(error, {}) if is_told else {}
                if len(told) < (1 if error[1] else MOST_PLACES):
                    told.setdefault(place, guard.text)
    named = [
        f"{' '.join(filter(None, error))} ({_join_places(told)})"
        for error, told in errors.items()
        if error in apart or not _is_covered(error, errors)
    ]
    return named, unnamed


def list_arising(state: ResearchState, near: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """Return what `list_errors` does with the conditions, errors about arguments last: they say the least."""
    named, unnamed = list_errors(state, near, says_when=True)
    return sorted(named, key=lambda one: one.partition(" ")[0] in OF_ARGUMENT), unnamed  # stable


def _read_guard(state: ResearchState, one: Finding, number: int) -> Guard:
    """Return the condition of a line, with that under which the function that is asked for calls its own."""
    own = read_guard(state, one.path, one.start_line, one.end_line, number)
    above = () if one.node is None else state.failures.called_under.get(one.node, ())
    said = ", ".join(filter(None, (own.text, *above)))
    return Guard(said, own.lines)


def _iter_made(state: ResearchState, one: Finding) -> Iterator[tuple[int, list[_Error]]]:
    """Yield what `iter_errors` does; of a function shown for an error that it makes, what it gives back."""
    found = [*iter_errors(state, one)]
    is_maker = not found and one.role is Role.MAKES_ERROR
    yield from iter_errors(state, one, is_helper=True) if is_maker else found


def _join_places(told: Mapping[str, str]) -> str:
    """Return places with their conditions in one text, each condition and each file once in a row."""
    joined, path, last = "", "", ""
    for place, guard in told.items():
        own = place.partition(":")[0]
        if joined:
            joined += ", " if guard == last else f"{last and ', '}{last}; "
        joined += place.removeprefix(own) if own == path else place
        path, last = own, guard
    return f"{joined}{last and ', '}{last}"


def join_errors(errors: Sequence[str], most: int = MAX_ERRORS, path: str = "") -> str:
    """Return errors with their places in one text, without `path`; many of them name each file only once."""
    return join_names(drop_paths(errors, path) if path or len(errors) > MAX_ERRORS else errors, most)


def put_asked_first(state: ResearchState, errors: Sequence[str]) -> list[str]:
    """Return errors with their places, those with words of the question first if not all can be named."""
    words = list_words(state.request.query) if len(errors) > MAX_ERRORS else []
    return sorted(errors, key=lambda one: -shares_word(one.rpartition(" (")[0], words))  # stable


def iter_errors(
    state: ResearchState, one: Finding, *, is_helper: bool = False
) -> Iterator[tuple[int, list[_Error]]]:
    """Yield the numbers of the lines of a finding that raise errors, and these; none if they are not known.

    Of a helper, which makes an error for others to raise, what it returns counts.
    """
    lines = state.source.read_lines(one.path)
    numbers = list_raising(state, one, is_helper=is_helper)
    makers = {} if is_helper else {at: find_maker(lines, one.start_line, at) for at in numbers}
    for number in numbers:
        if number in makers.values():
            continue
        at = makers.get(number) or number
        line, statement = lines[at - 1][:LINE_CHARS], join_open(lines[at - 1 : at + MESSAGE_LINES])
        made = RETURNS_MADE.match(line) if is_helper else _MAKES_NAMED.search(line) if at != number else None
        found = [name for name in find_errors(leave_out_heads(line)) if not names_no_error(state, name)]
        names = [tell_held(state, find_inner(name, statement), statement) for name in found]
        names = names or ([name_made(made[1])] if made else [])
        names = names or (["panic"] if _PANICS.match(line) else [])
        text = find_message(statement) or _find_variable(lines, one, at)
        names = _find_case(one, line) or [_name_default(one, name) for name in names]
        errors = [(add_value(name, statement), text) for name in names or [""] if name or text]
        if errors and not names and not is_helper:  # `self.fail("no row at all")`
            names = list(dict.fromkeys(name for name, _ in _list_of_helper(state, one, at) if name))
            errors = [(name, text) for name in names] or errors
        if not errors:
            errors += [(name, "") for name in name_made_by_variable(lines, one.start_line, number)]
        held = (_name_default(one, name) for name in name_held(lines, one.start_line, number))
        errors += [(name, "") for name in held if name not in names]
        is_told = is_helper or (text if at != number else errors)  # `ReadError made = makeError(row)`
        yield number, errors if is_told else _list_of_helper(state, one, at) or errors


def _name_default(one: Finding, name: str) -> str:
    """Return the name of an error, or of that which a parameter of its name has by default."""
    parameters = "" if one.node is None else one.node.symbol.parameters
    given = re.search(rf"(?<![\w.]){re.escape(name)}\s*(?::[^=,]*)?=\s*([A-Za-z_][\w.]*)", parameters)
    return given[1] if given is not None else name


def _find_case(one: Finding, line: str) -> list[str]:
    """Return the case of an enumeration of errors that a line of Swift gives, with the reason it has."""
    case = _CASE.search(line) if one.path.endswith(".swift") else None
    return [] if case is None else [f"{case[1]}{f'({case[2]})' if case[2] else ''}"]


def _list_of_helper(state: ResearchState, one: Finding, number: int) -> list[_Error]:
    """Return the errors that a function makes which a line calls: `throw makeError(row)`, `fail(row)`.

    One whose lines do not name it is told by the type that the function returns.
    """
    caller = one.node
    edges = () if caller is None else state.graph.find_outgoing(caller, CALLS, NARROW).edges
    called = (state.get_node(edge.other) for edge in edges if number in edge.lines)
    helpers = [node for node in called if node.symbol.end_line - node.symbol.start_line < HELPER_LINES]
    own = [build_finding(helper) for helper in helpers if helper is not caller]
    made = [
        error for place in own for _, errors in iter_errors(state, place, is_helper=True) for error in errors
    ]
    types = (
        helper.symbol.return_type.strip("&* ").rpartition("::")[2]
        for helper in helpers
        if helper is not caller
    )
    return made or [(name, "") for name in types if is_error_name(name)]


def _find_variable(lines: Sequence[str], one: Finding, number: int) -> str:
    """Return the text of the variable that a line gives an error, as `find_message` does; "" without one."""
    line = lines[number - 1][:LINE_CHARS]
    given = _GIVES_VARIABLE.search(line) or _GIVES_MESSAGE.search(line)
    if given is None:
        return ""
    at = find_set(lines, max(one.start_line, number - VARIABLE_LINES), number, given[1])
    return find_message(join_open(lines[at - 1 : at + MESSAGE_LINES])) if at else ""


def _is_covered(error: _Error, errors: Iterable[_Error]) -> bool:
    """Return True if others already have the name and the text of an error."""
    name, text = error
    return any(
        text in ("", other_text) and (not name or _ends_alike(name, other)) and error != (other, other_text)
        for other, other_text in errors
    )


def _ends_alike(name: str, other: str) -> bool:
    """Return True for two equal names, or if one ends in the other, behind the name of a type."""
    shorter, longer = sorted((name, other), key=len)
    return longer == shorter or longer.endswith((f".{shorter}", f"::{shorter}"))
