"""Find the functions to which the best declarations leave the decision, so that these are shown with them.

    def open(path):                  if not is_inside(path):
        return resolve(path)             abort(404)

What only calls another function says nothing by itself, and what refuses something leaves it to a condition.
If a question asks how something is decided, every condition of the best declaration counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from repo_mcp.bundler.body import Body, list_code
from repo_mcp.bundler.statements import cut_statements, is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.named_symbols import count_lines, read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.kinds.derived_types import GLANCE
from repo_mcp.research.words.asked_decisions import read_decision
from repo_mcp.research.words.error_lines import OF_ERROR, holds_error
from repo_mcp.research.words.rated_seeds import MANY_USERS, Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

LOOKED_AT, MOST_DECIDERS = 3, 2  # best declarations, and functions that decide for each
SHORT_LINES = 30  # of a function that decides; a longer one has parts of its own
# A line that does more than to give a field.
_DOES = re.compile(r"\w\s*\(|[=!<>]=|[<>]|&&|\|\||\b(?:and|or|not|in|is)\b")


def put_deciders(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; functions to which the first ones leave the decision come right behind them."""
    ordered: list[Seed] = []
    known = {seed.node: seed for seed in seeds if seed.node is not None}
    asks_decision = bool(read_decision(state.request.query))
    for position, seed in enumerate(seeds):
        ordered.append(seed)
        lines = _list_deciding(seed.body, only_failing=position > 0 or not asks_decision)
        for node in _list_deciders(state, seed, lines) if position < LOOKED_AT else ():
            own = known.get(node) or build_seed(state, node, seed.worth)
            reason = Reason(f"decides for {seed.name}, which calls it", Role.DECIDES)
            ordered.append(replace(own, reason=reason))
    first = {seed.node: at for at, seed in reversed([*enumerate(ordered)])}
    return [seed for at, seed in enumerate(ordered) if seed.node is None or first[seed.node] == at]


def _list_deciders(state: ResearchState, seed: Seed, lines: Set[int]) -> list[Node]:
    """Return the short functions of the program that a declaration calls on some of its lines."""
    if seed.node is None or not lines:
        return []
    called = [edge for edge in list_uses(state, seed.node, GLANCE) if may_answer(edge.other.path)]
    nodes = [state.get_node(edge.other) for edge in called if not lines.isdisjoint(edge.lines)]
    return [
        node
        for node in dict.fromkeys(nodes)
        if node != seed.node
        and node.symbol.kind in CALLABLE_KINDS
        and 1 < count_lines(node) <= SHORT_LINES
        and state.admits(node.path)
        and not is_test_node(node)
        and any(map(_DOES.search, read_body(state, node)[1:]))
        and len(state.graph.find_incoming(node, CALLS, GLANCE).edges) <= MANY_USERS
    ][:MOST_DECIDERS]


def _list_deciding(body: Body, *, only_failing: bool) -> set[int]:
    """Return the lines of a body that decide: its only statement, or conditions, maybe where it fails alone.

    A test of an error is none: in Go, each call has one.
    """
    code = list_code(body)
    if len(cut_statements(body, code)) <= 2:  # the first is the signature
        return set(code)
    return {
        at
        for at, below in pairwise(code)
        if is_branch(body.lines[at - 1])
        and (not only_failing or holds_error(body.lines[below - 1]))
        and not OF_ERROR.search(body.lines[at - 1])
    }
