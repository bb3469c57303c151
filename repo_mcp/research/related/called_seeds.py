"""Add what the functions call that a question names with their owners: it tells more than words elsewhere.

A call of a function that only makes something, or hands on, leads to the functions of what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.edges.link_order import is_helper
from repo_mcp.research.edges.open_functions import LEAST_STATEMENTS
from repo_mcp.research.edges.shared_members import find_members
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import shorten_in
from repo_mcp.research.findings.named_symbols import (
    DOING,
    admits_node,
    count_lines,
    list_statements,
    read_body,
)
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.named_members import HANDING_LINES, find_handed
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind

SHORT_TYPE = 60  # lines of a type that is shown as a whole
MOST_CALLED = 6  # functions that are added
LINE_CHARS = 400  # read of a line with calls, so that none takes long
FEW_OTHERS = 4  # declarations that only have words of the question, behind those that are named and called
_CALLED_MEMBER = re.compile(r"(?:\.|->)(\w+)\s*\(")


def put_called(state: ResearchState, seeds: Sequence[Seed], first: Collection[Node]) -> list[Seed]:
    """Return the seeds; behind those that the question names come what these call, and few others.

    A type that a named function makes gives way to its functions.
    """
    if not first:
        return [*seeds]
    methods = (node for node in first if node.symbol.kind is SymbolKind.METHOD and node.symbol.parent)
    owners = [*dict.fromkeys(map(state.get_parent, methods))]
    types = {node.qualified_name for node in first if node.symbol.kind in TYPE_KINDS}
    members = [seed for seed in seeds if seed.node is not None and _find_owner(seed.node) in types]
    leading = [seed for seed in seeds if seed.node in first or seed in members]
    known = {seed.node for seed in leading}
    if members:
        leading = [seed for seed in leading if seed.full_name not in types]
    called: dict[Node, Reason] = {}
    for seed in leading:
        for node, reason in _list_called(state, seed.node, owners):
            if node not in known:
                called.setdefault(node, reason)
    added = [build_seed(state, node, seeds[0].worth, why) for node, why in called.items()][:MOST_CALLED]
    known |= {seed.node for seed in added}
    whole = {seed.full_name for seed in added}  # which are shown with their members
    others = [
        seed
        for seed in seeds
        if seed.node is None or (seed.node not in known and _find_owner(seed.node) not in whole)
    ]
    return [*leading, *added, *others[: FEW_OTHERS if added else None]]


def _find_owner(node: Node) -> str:
    return node.qualified_name.rpartition(".")[0]


def _list_called(
    state: ResearchState, node: Node | None, owners: Sequence[Node]
) -> Iterator[tuple[Node, Reason]]:
    """Yield what a function calls, in the order of its lines, each with a reason.

    A call on what has no known type counts as one of a member of the `owners`, if these have one of its name.
    """
    if node is None or node.symbol.kind not in DOING:
        return
    for other, is_sure in _order_calls(state, node, owners):
        if is_helper(state, other, node):
            continue
        perhaps = "" if is_sure else "perhaps "
        caller = shorten_in(node.path, node.qualified_name)
        reason = Reason(f"{perhaps}called by {caller}", Role.DEPENDED_ON)
        handed = find_handed(state, other) or other
        nodes = [handed]
        if handed.symbol.kind in TYPE_KINDS:
            made = f"made by {other.symbol.name}, which {caller} {perhaps}calls"
            if count_lines(handed) > SHORT_TYPE:
                nodes = [one for one in find_members(state, handed).values() if _does_something(state, one)]
                made = f"of {handed.symbol.name}, {made}"
            reason = Reason(made, Role.DEPENDED_ON)
        for one in nodes:
            if one != node and one.symbol.kind is not SymbolKind.CONSTRUCTOR and admits_node(state, one):
                yield one, reason


def _order_calls(state: ResearchState, node: Node, owners: Sequence[Node]) -> Iterator[tuple[Node, bool]]:
    """Yield what a function calls, by the first line that does, each with whether that is sure."""
    edges = state.graph.find_outgoing(node, CALLS, NARROW).edges
    found = {
        state.get_node(edge.other): (edge.lines[0], edge.confidence is not Confidence.POSSIBLE)
        for edge in edges
        if edge.lines
    }
    named = {other.symbol.name for other, (_, is_sure) in found.items() if is_sure}
    members = {name: one for owner in owners for name, one in find_members(state, owner).items()}
    for at, line in enumerate(read_body(state, node), node.symbol.start_line):
        for name in _CALLED_MEMBER.findall(line[:LINE_CHARS]):
            if name in members and name not in named:
                named.add(name)
                found[members[name]] = at, False
    own = [(at, other, is_sure) for other, (at, is_sure) in found.items()]
    for _, other, is_sure in sorted(own, key=lambda one: one[0]):  # stable
        if is_sure or other in members.values():
            yield other, is_sure


def _does_something(state: ResearchState, node: Node) -> bool:
    """Return True for a function of LEAST_STATEMENTS; one of many lines has them."""
    is_long = count_lines(node) > HANDING_LINES
    return node.symbol.kind in DOING and (is_long or len(list_statements(state, node)) >= LEAST_STATEMENTS)
