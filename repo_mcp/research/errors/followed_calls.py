"""Follow calls from functions: down to what fails, and up to what leads to them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.statements import only_logs
from repo_mcp.graph.edges import Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.edges.filled_functions import MOST_OVERRIDING, list_standing_in
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.errors.caught import find_filter, list_caught
from repo_mcp.research.errors.entered import list_leaving
from repo_mcp.research.errors.given_arguments import Given
from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.errors.raising_lines import fails, list_raising
from repo_mcp.research.errors.reached_lines import join_known, list_unreached, read_call
from repo_mcp.research.findings.bounds import GLANCE, LONG
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, build_finding, list_users, list_uses
from repo_mcp.research.question.error_types import is_of_error
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

FAILING_DEPTH, MAX_CALLING = 3, 24  # levels of calls searched for errors, and functions on each level
NEAR_DEPTH = 5  # levels of what lies in one file, or overrides what is called
LEVELS_ABOVE = 2  # of calls, from a function to those around it
MOST_OVERLOADS = 4  # of one type, one of which a call surely runs
MOST_TRIED = 8  # functions that override one, until one is found that fails
_ALWAYS = re.compile(r"`(?:while \(?(?:true|True|1)\)?|for \(;;\))`")  # a loop that something else ends
_MENTIONS = (*CALLS, EdgeType.REFERENCES)


def find_below(state: ResearchState, named: Sequence[Node], most: int) -> dict[Node, Reason]:
    """Return functions that fail below some others, each with the reason: levels until there are `most`.

    Note among the limits that there may be more further down, if not all was followed.
    """
    failing: dict[Node, Reason] = {}
    level, given = [*named], dict[Node, dict[str, Given]]()  # what all known calls give the parameters
    for depth in range(1, NEAR_DEPTH + 1):
        below: list[Node] = []
        reasons: dict[Node, Reason] = {}
        for node in level[:MAX_CALLING] if len(failing) < most else ():
            for edge, other in _list_run(state, node, depth, given.get(node, {})):
                state.failures.leads.setdefault(node, {})[other] = None
                if other in named:
                    continue
                own = read_call(state, node, edge.lines, other)
                known = own if other not in given else join_known(given[other], own)
                below += [other] if given.get(other) != known and other not in below else []
                given[other] = known
                reasons.setdefault(
                    other, Reason(f"fails, and {node.symbol.name} {edge.type.value} it", Role.FAILS)
                )
                _note_condition(state, node, edge.lines, other, is_direct=depth == 1)
            for other in list_leaving(state, node) if depth == 1 else ():
                reasons.setdefault(other, Reason(f"fails when {node.symbol.name} leaves it", Role.FAILS))
        for other, reason in reasons.items():
            _note_unreached(state, other, given.get(other, {}))
            if other not in failing and fails(state, other):
                failing[other] = reason
        level = below
    if level or len(failing) >= most:
        state.limit("errors that arise further down", f"calls are followed {NEAR_DEPTH} levels at most")
    return failing


def _note_condition(
    state: ResearchState, node: Node, lines: Sequence[int], other: Node, *, is_direct: bool
) -> None:
    """Note the conditions under which a function leads to another one, those that all known calls have.

    They are those of the calls in a function that is asked for, and the clauses around any call on the way.
    """
    known = state.failures.called_under
    for at in lines:
        own = _list_conditions(state, node, at, is_direct=is_direct)
        known[other] = tuple(one for one in known.get(other, own) if one in own)


def _list_conditions(state: ResearchState, node: Node, at: int, *, is_direct: bool) -> tuple[str, ...]:
    symbol, lines = node.symbol, state.source.read_lines(node.path)
    guard = read_guard(state, node.path, symbol.start_line, symbol.end_line, at).text if is_direct else ""
    guard = "" if _ALWAYS.search(guard) else guard
    clause = find_filter(lines, symbol.start_line, symbol.end_line, at)
    own = (guard and f"called under {guard}", clause and f"called in a `try` with `{clause}`")
    return tuple(dict.fromkeys(filter(None, (*state.failures.called_under.get(node, ()), *own))))


def _note_unreached(state: ResearchState, node: Node, given: dict[str, Given]) -> None:
    """Note the lines of a function that fail and that what its calls give it rules out."""
    own = range(node.symbol.start_line, node.symbol.end_line + 1)
    state.failures.unreached.difference_update((node.path, at) for at in own)
    lines = list_raising(state, build_finding(node)) if given else ()
    state.failures.unreached |= {(node.path, at) for at in list_unreached(state, node, given, lines)}


def _list_run(
    state: ResearchState, node: Node, depth: int, given: dict[str, Given]
) -> list[tuple[Edge, Node]]:
    """Return the functions of the program that one uses; what overrides one that does nothing itself.

    That must be a single one, or two right below what was asked for: of several it is not known which runs,
    and it is noted that errors depend on it. Of those deep below, return only the overriding ones and those
    in the same file. What is called where all errors are caught, where what the function is `given` rules it
    out, only logs or makes an error is left out.
    """
    lines = state.source.read_lines(node.path)
    caught = list_caught(lines, node.symbol.start_line, node.symbol.end_line, node.path)
    used = []
    edges = (*list_uses(state, node, LONG, _MENTIONS), *_list_overloads(state, node))
    unreached = list_unreached(state, node, given, {at for edge in edges for at in edge.lines})
    for edge in edges:
        other = state.get_node(edge.other)
        left_out = {at for at in edge.lines if at in caught or any(map(only_logs, lines[at - 1 : at]))}
        left_out |= unreached.intersection(edge.lines)
        if is_of_error(other.qualified_name, other.kind) or (edge.lines and left_out.issuperset(edge.lines)):
            continue
        filled = _list_run_for(state, other, edge.type)
        if len(filled) > MOST_OVERRIDING:  # which of them runs, only a configuration tells
            if depth == 1 and any(fails(state, one) for one in filled[:MOST_TRIED]):
                state.failures.left_open.append(other)
            continue
        for one in filled if len(filled) == 1 or depth == 1 else ():
            is_far = depth > FAILING_DEPTH and one is other and one.path != node.path
            if is_program(one.path) and not is_far:
                used.append((edge, one))
    return used


def _list_overloads(state: ResearchState, node: Node) -> list[Edge]:
    """Return the calls of a function that may run one of a few overloads of one type, and nothing else."""
    edges = state.graph.find_outgoing(node, CALLS, LONG).edges
    possible = [edge for edge in edges if edge.confidence is Confidence.POSSIBLE]
    meant: dict[tuple[str, int], list[Node]] = {}
    for edge in possible:
        other = state.get_node(edge.other)
        for at in edge.lines:
            meant.setdefault((other.symbol.name, at), []).append(other)
    return [
        edge
        for edge in possible
        if len(own := meant[state.get_node(edge.other).symbol.name, edge.lines[0]]) <= MOST_OVERLOADS
        and len({one.qualified_name for one in own}) == 1
    ]


def _list_run_for(state: ResearchState, other: Node, edge_type: EdgeType) -> list[Node]:
    """Return what a use of a declaration runs: a function, or what implements a member without a body.

    Of a type that is called, this is its method `__init__`; other languages have edges to constructors.
    """
    if other.symbol.kind in CALLABLE_KINDS:
        return list_standing_in(state, other)
    if other.symbol.kind in TYPE_KINDS and edge_type is EdgeType.CALLS:
        record = state.graph.scan.find_record(other.path)
        members = [] if record is None else record.list_children(other.symbol.ordinal)
        nodes = (state.get_node(Declaration(other.path, member)) for member in members)
        return [node for node in nodes if node.symbol.name == "__init__"][:1]
    if other.symbol.kind is not SymbolKind.PROPERTY:
        return []
    return [state.get_node(link.source) for link in list_overriding(state, other)]


def find_above(state: ResearchState, nodes: Sequence[Node]) -> set[Node]:
    """Return what surely calls some functions, or calls what does, of MAX_CALLING on each level."""
    above: set[Node] = set()
    level = [*nodes]
    for _ in range(LEVELS_ABOVE):
        edges = [edge for node in level[:MAX_CALLING] for edge in list_users(state, node, GLANCE)]
        level = [
            node for node in map(state.get_node, {edge.other: None for edge in edges}) if node not in above
        ]
        above.update(level)
    return above
