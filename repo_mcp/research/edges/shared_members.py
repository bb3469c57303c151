"""Find the functions that types declare in their own files, and those that two types have in common.

What two types of one kind do differently stands in the functions of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

MOST_SHARED = 6  # names whose functions are shown side by side


def find_members(state: ResearchState, node: Node) -> dict[str, Node]:
    """Return the first function of each name that a type declares in its file, in the order of its lines."""
    members: dict[str, Node] = {}
    for one in state.graph.outline(node.path):
        is_own = one.qualified_name == f"{node.qualified_name}.{one.symbol.name}"
        if is_own and one.symbol.kind in CALLABLE_KINDS:
            members.setdefault(one.symbol.name, one)
    return members


def list_shared_members(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Return the functions whose names two types share, side by side, the longest first; [] for others."""
    if len(nodes) != 2 or not all(node.symbol.kind in TYPE_KINDS for node in nodes):
        return []
    first, second = (find_members(state, node) for node in nodes)
    pairs = [
        (one, second[name])
        for name, one in first.items()
        if name in second and one.symbol.kind is not SymbolKind.CONSTRUCTOR
    ]
    pairs.sort(key=lambda pair: -sum(map(count_lines, pair)))  # stable
    return [node for pair in pairs[:MOST_SHARED] for node in pair]
