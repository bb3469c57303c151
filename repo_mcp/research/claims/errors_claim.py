"""Say which errors a function raises, and which functions below it fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.claims.errors_besides import describe_bases, describe_documented
from repo_mcp.research.claims.errors_by_type import describe_types
from repo_mcp.research.errors.asked_types import group_by_type
from repo_mcp.research.errors.lines import LINE_CHARS
from repo_mcp.research.errors.made import (
    FAILING,
    MAX_ERRORS,
    iter_errors,
    join_errors,
    list_arising,
    list_errors,
    put_asked_first,
)
from repo_mcp.research.errors.variables import list_collected
from repo_mcp.research.findings.citing import join_names, name_briefly, name_findings, shorten_symbol
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, build_finding
from repo_mcp.text.citations import write_citation

MOST_OF_FUNCTION = 12  # errors of a function and of what it calls
MOST_OWN = 30  # of the function alone, all of which are asked for
MOST_COLLECTING = 4  # functions whose lists of errors are told
# Lines that give a caller the error of what they call, by the ending of the file.
_PASSES_ON = {
    "rs": re.compile(r"[\w)\]]\?(?:[;,.)]|\s*$)"),
    "go": re.compile(r"\breturn\b[^/\n]*\berr\b"),
    "swift": re.compile(r"\btry\b(?![?!])"),
}


def list_named(state: ResearchState) -> list[Finding]:
    """Return the functions that a question names and that have a body."""
    named = [one for one in state.findings if one.role is Role.NAMED]
    return [one for one in named if one.end_line > one.start_line]


def describe_function(state: ResearchState, named: Sequence[Finding]) -> str:
    """Return the errors that a function raises and documents, and what fails below it, or that none does."""
    below = [build_finding(node) for node in state.failures.failing]
    grouped = group_by_type(state.failures.followed)
    if len(grouped) > 1:
        errors, failing = describe_types(state, grouped), ""
    else:
        own = len(list_errors(state, named)[0])
        most = max(MOST_OF_FUNCTION, min(own, MOST_OWN))
        arising, unnamed = list_arising(state, [*named, *below])
        errors = _name_errors(arising, unnamed, most)
        failing = _describe_failing(state, named, below, errors)
    collected = " ".join(_iter_collected(state, [*named, *below]))
    said = (
        errors.strip(),
        describe_bases(state, [*named, *below]),
        describe_documented(state, named),
        collected,
        failing,
        _describe_open(state, named),
    )
    return " ".join(filter(None, said))


def _iter_collected(state: ResearchState, functions: Sequence[Finding]) -> Iterator[str]:
    """Yield a sentence on each list in which a function keeps errors before it raises them."""
    met: set[tuple[str, int]] = set()
    for one in functions[:MOST_COLLECTING]:
        lines = state.source.read_lines(one.path)
        for name, made, caught, raised in list_collected(lines, one.start_line, one.end_line):
            if (one.path, raised[0]) in met:
                continue
            met.add((one.path, raised[0]))
            kept = [f"errors ({_join_lines(made, one.path)})"] if made else []
            path = "" if made else one.path
            kept += [f"what is caught ({_join_lines(caught, path)})"] if caught else []
            yield f"`{name}` keeps {' and '.join(kept)} until it is raised ({_join_lines(raised)})."


def _join_lines(numbers: Sequence[int], path: str = "") -> str:
    """Return the places of the first MAX_ERRORS lines, the first with a path, and the number of others."""
    places = [f":{at}" for at in numbers[:MAX_ERRORS]]
    places += [f"{len(numbers) - MAX_ERRORS} more"] if len(numbers) > MAX_ERRORS else []
    return f"{path}{', '.join(places)}"


def _describe_open(state: ResearchState, named: Sequence[Finding]) -> str:
    """Return which functions that are called are implemented in too many ways to tell their errors."""
    asked = {one.node for one in named}
    open_ones = [name_briefly(node) for node in state.failures.left_open if node not in asked]
    return f"Further errors depend on what implements {join_names(open_ones)}." if open_ones else ""


def describe_near(state: ResearchState, near: Sequence[Finding], asked: str) -> str:
    """Return the errors that findings make, of a single word those with that name; "" if none makes any."""
    name = "" if " " in asked else split_qualified(asked.replace("#", "."))[-1]
    asked_for = [one for one in near if one.symbol.rpartition(".")[2] == name] or near  # unparsed, too
    errors, unnamed = list_errors(state, asked_for[:FAILING])
    return _name_errors(put_asked_first(state, errors), unnamed)


def _name_errors(named: Sequence[str], unnamed: Sequence[str], most: int = MAX_ERRORS) -> str:
    """Return a sentence with some errors or, if none has a name or a text, with their places."""
    if named:
        return f"Errors that arise here: {join_errors(named, most)}. "
    return f"Errors arise at {join_names(unnamed)}. " if unnamed else ""


def _describe_failing(
    state: ResearchState, named: Sequence[Finding], failing: Sequence[Finding], errors: str
) -> str:
    """Return which functions fail below those that a question names, or that none is known to fail.

    Return "" if none fails but `errors` already names errors of the function itself.
    """
    subject = f"{shorten_symbol(named[0])} ({named[0].citation})"
    if failing:
        too = " too" if any(True for one in named for _ in iter_errors(state, one)) else ""
        use = "uses" if len({one.symbol for one in named}) == 1 else "and the others asked about use"
        return f"{subject} {use} {name_findings(failing)}, where errors arise{too}."
    if errors or state.failures.left_open:
        return ""
    passing = _PASSES_ON.get(named[0].path.rpartition(".")[2])
    code = [] if passing is None else state.source.read_lines(named[0].path)
    comments = state.source.read_comment_lines(named[0].path)
    lines = [
        write_citation(named[0].path, number, number)
        for number in range(named[0].start_line, min(named[0].end_line, len(code)) + 1)
        if passing and number not in comments and passing.search(code[number - 1][:LINE_CHARS])
    ]
    if lines:
        return f"{subject} passes on the errors of what it calls at {join_names(lines)}."
    return f"Neither {subject} nor what it calls is known to cause an error."
