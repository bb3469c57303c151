"""The map of what was found: symbols or modules, and the edges between them."""

from __future__ import annotations

from repo_mcp.graph.questions import name_kind
from repo_mcp.research.records import Link, MapEdge, MapNode
from repo_mcp.research.research_state import ResearchState

MAX_EDGES = 200


def build_map(state: ResearchState) -> tuple[tuple[MapNode, ...], tuple[MapEdge, ...]]:
    """Return the symbols found and the edges between them, both in the order of discovery."""
    nodes = [
        MapNode(node.node_id, node.qualified_name, name_kind(node.symbol.kind), node.path)
        for node in state.nodes.values()
    ]
    links = [
        link for link in state.links.values() if link.source in state.nodes and link.target in state.nodes
    ]
    if len(links) > MAX_EDGES:
        state.limit(f"{len(links) - MAX_EDGES} edges of the map", f"{MAX_EDGES} are shown")
    return tuple(nodes), tuple(_build_edge(state, link) for link in links[:MAX_EDGES])


def _build_edge(state: ResearchState, link: Link) -> MapEdge:
    source, target = state.nodes[link.source], state.nodes[link.target]
    line = link.lines[0] if link.lines else source.symbol.start_line
    citation = f"{source.path}:{line}-{line}"
    count = max(1, link.line_count)
    return MapEdge(source.node_id, target.node_id, link.kind, link.confidence.value, citation, count)
