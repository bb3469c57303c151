"""Methods that a type leaves open, of an interface or abstract, and those that fill them in.

Where an open one is called, one of those that fill it in runs: which, nothing in the text says.
"""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program.program import Confidence, Declaration
from repo_mcp.graph.questions import EdgeType
from repo_mcp.research.locating import weaker
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_OPEN_TYPES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


def list_filling(state: ResearchState, node: Node, bounds: Bounds) -> tuple[list[Link], bool]:
    """What may run where a method is called that is left open, and whether there may be more of it."""
    if node.symbol.kind not in _MEMBERS or not _is_left_open(state, node):
        return [], False
    found = state.graph.find_incoming(node, (EdgeType.OVERRIDES,), bounds)
    links = [
        Link(node.declaration, edge.other, "overridden_by", weaker(edge.confidence, Confidence.PROBABLE))
        for edge in found.edges
    ]
    return links, found.cut


def _is_left_open(state: ResearchState, node: Node) -> bool:
    around = state.get_node(Declaration(node.path, node.symbol.parent))
    return bool(node.symbol.flags & SymbolFlag.ABSTRACT) or around.symbol.kind in _OPEN_TYPES
