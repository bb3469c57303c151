"""Choose the lines that are shown of what uses a subject, or implements it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.bodies.body import list_code
from repo_mcp.bodies.statements import cut_statements, is_branch, leaves, list_outer
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.excerpts import MAX_LINES, find_name
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import read_code, show_body
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

IMPLEMENTING_CHARS = 3_600  # of the bodies of short types that implement a subject
MAX_BODIES, SHORT_LINES = 16, 24  # if at most so many types implement a subject, shorter ones show their body
MAX_USING, USING_CHARS = 6, 700  # functions that use a subject, and characters of each
MOST_NAMING = 6  # lines of a function with a name; one in more, such as `err`, tells nothing of a call
LINE_CHARS = 400  # read of a line, so that none takes long
MOST_GIVEN_ON = 6  # lines of a long function that use what a call gives
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_RESULT = re.compile(r"\s*(?:[\w<>\[\],.?$]+\s+){0,3}([A-Za-z_$][\w$]*)\s*:?=(?![=>])")


def show_implementers(state: ResearchState) -> None:
    """Show the bodies of short types, if few types implement the subject: their first lines say nothing."""
    near = [one for one in state.findings if one.hop]
    if len(near) > MAX_BODIES:
        return
    for position, one in enumerate(state.findings):
        is_short = one.hop and one.end_line - one.start_line < SHORT_LINES
        if is_short and one.node is not None and one.role is not Role.BY_EXTENSION:
            shown = show_body(state, one.node, IMPLEMENTING_CHARS // len(near))
            state.findings[position] = replace(one, shown=shown)


def show_users(state: ResearchState) -> None:
    """Show what the few functions that use a subject do with it: the lines with what they pass and get.

    Of a long one, only those branches are shown that lead to a use, and what is done with what that gives.
    """
    near = [
        (position, one, one.node)
        for position, one in enumerate(state.findings)
        if one.hop == 1
        and one.lines
        and one.node is not None
        and is_program(one.path)
        and one.node.symbol.kind in CALLABLE_KINDS
    ]
    for position, one, node in near if len(near) <= MAX_USING else ():
        lines = state.source.read_lines(one.path)[: one.end_line]
        named = {at: set(_NAME.findall(lines[at - 1])) for at in range(one.start_line, len(lines) + 1)}
        counts = Counter(name for names in named.values() for name in names)
        used = {name for at in one.lines for name in named.get(at, ()) if counts[name] <= MOST_NAMING}
        held = {at: tuple(sorted(used & names)) for at, names in named.items()}
        body = show_body(state, node, USING_CHARS, held)
        telling = {at for at in body if held.get(at)}
        if one.end_line - one.start_line < SHORT_LINES:
            telling.update(at for at in body if is_branch(lines[at - 1]) or leaves(lines[at - 1]))
        else:
            telling |= _list_leading(state, node, lines, one.lines[:MAX_LINES])
        head = find_name(lines, one.name, one.start_line, len(lines)) or one.start_line
        state.findings[position] = replace(one, shown=tuple(sorted({head, *telling, *one.lines[:MAX_LINES]})))


def _list_leading(state: ResearchState, node: Node, lines: Sequence[str], uses: Sequence[int]) -> set[int]:
    """Return the lines of a long function that lead to some uses, or go on with what these give."""
    given_on = set(_list_given_on(lines, uses)) - state.source.read_comment_lines(node.path)
    return given_on | set(_list_branches_around(state, node, uses))


def _list_branches_around(state: ResearchState, node: Node, uses: Sequence[int]) -> list[int]:
    """Return the first lines of the branches of a function in which some lines lie."""
    body = read_code(state, node)
    statements = cut_statements(body, list_code(body))
    within = [n for n, one in enumerate(statements) if any(one.first <= at <= one.last for at in uses)]
    outer = {at for n in within if n for at in list_outer(body, statements, n)}
    return [statements[at].first for at in outer if is_branch(body.lines[statements[at].first - 1])]


def _list_given_on(lines: Sequence[str], uses: Sequence[int]) -> list[int]:
    """Return the first lines behind some uses that have the name to which a use gives its result."""
    given = {found[1]: at for at in reversed(uses) if (found := _RESULT.match(lines[at - 1][:LINE_CHARS]))}
    held = [
        at
        for name, first in given.items()
        for at in range(first + 1, len(lines) + 1)
        if re.search(rf"(?<![\w.$]){re.escape(name)}\b", lines[at - 1][:LINE_CHARS])
    ]
    return sorted(held)[:MOST_GIVEN_ON]
