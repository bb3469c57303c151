"""Find the methods that implement one a type leaves open, in an interface or as an abstract method.

Calling an open method runs one of its implementations; the text does not say which one.
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
    """Return links to what a call of an open method may run, and whether the search was cut short."""
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
