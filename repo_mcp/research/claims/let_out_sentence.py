"""Say under which conditions functions let out the errors that they catch.

except ReadError:             load re-raises what it catches only under `if strict` (load.py:4).
    if strict:
        raise
    return None
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from repo_mcp.bundler.body import Body, list_code
from repo_mcp.bundler.statements import cut_statements, list_outer
from repo_mcp.research.findings.citing import join_places, shorten_symbol
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.branches import (
    HANDLES,
    Branch,
    build_body,
    iter_branches,
    quote,
    read_line,
    show_lines,
)
from repo_mcp.text.citations import write_citation

MOST_FUNCTIONS, MOST_CONDITIONS = 2, 3  # that are told, and of each
# `throw;`, `raise`, and `throw error;` of a variable with the name of what is caught
_AGAIN = re.compile(
    r"\b(?:throw|raise|rethrow)\b(?:\s++(?:e|ex|exc|err|error|exception|cause)\b)?\s*+(?:\(\s*+\)\s*+)?"
    r"(?:;|\}|$|(?:if|unless)\b)"
)
_CONDITION = re.compile(r"[\s})]*(?:if|elif|elsif|else\s*if|unless)\b")


def describe_let_out(state: ResearchState, functions: Sequence[Finding], told: Sequence[str]) -> str:
    """Return sentences on the conditions under which some functions let out what they catch; "" for none.

    Nothing is said of a condition that is `told` with the errors of the functions.
    """
    sentences: list[str] = []
    for one in functions:
        body = build_body(state, one.path, one.start_line, one.end_line)
        again = _list_again(body)
        branches = [*_iter_conditional(body, again)][:MOST_CONDITIONS]
        if branches and len(sentences) < MOST_FUNCTIONS:
            show_lines(state, one, [own for branch in branches for own in (branch.condition, branch.end)])
            quoted = [(f"`{quote(body, (own.condition,))}`", own.condition.first) for own in branches]
            named = [
                f"{text} ({write_citation(one.path, at, at)})"
                for text, at in quoted
                if not any(text in errors for errors in told)
            ]
            only = " only" if {branch.end.first for branch in branches} == again else ""
            where = f"{shorten_symbol(one)} re-raises what it catches{only} under {join_places(named)}."
            sentences += [where] if named else []
    return " ".join(sentences)


def _list_again(body: Body) -> set[int]:
    """Return the first lines of the statements that raise again what a handler around them has caught."""
    statements = cut_statements(body, list_code(body))
    found: set[int] = set()
    for at, one in enumerate(statements):
        if _AGAIN.search(read_line(body, one)):
            around = (statements[outer] for outer in (at, *list_outer(body, statements, at)))
            found.update([one.first] if any(HANDLES.match(read_line(body, own)) for own in around) else ())
    return found


def _iter_conditional(body: Body, again: Set[int]) -> Iterator[Branch]:
    """Yield the branches of a body that end with one of some statements, each with its condition."""
    for branch in iter_branches(body):
        is_condition = _CONDITION.match(read_line(body, branch.condition)) is not None
        if is_condition and branch.otherwise is None and branch.end.first in again:
            yield branch
