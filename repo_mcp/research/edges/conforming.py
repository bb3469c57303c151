"""Follow a type to what conforms to it, also by an extension, or by having all its methods."""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.edges.hops import (
    IMPLEMENTERS,
    HopFindings,
    Traversal,
)
from repo_mcp.research.edges.structural import list_structural
from repo_mcp.research.findings.locating import weaker
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind

_BOUNDS = Bounds(files=20, references=60)


def _expand(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return links from the types that conform to a type; for an extension, also from the type it extends."""
    found = IMPLEMENTERS.expand(state, node, bounds)
    links: list[Link] = []
    for link in found.links:
        holder = state.get_node(link.source)
        if holder.symbol.kind is SymbolKind.EXTENSION and holder.symbol.name == node.symbol.name:
            continue  # an extension of the subject itself, which is not a conformance
        links.append(link)
        if holder.symbol.kind is SymbolKind.EXTENSION:
            links += _list_extended(state, holder, link)
    known = {link.source for link in links}
    links += [link for link in list_structural(state, node) if link.source not in known]
    return HopFindings(tuple(links), found.cut)


def _list_extended(state: ResearchState, holder: Node, link: Link) -> list[Link]:
    """Return links from the type that an extension extends, because that type conforms as well.

    In `extension Token: Authenticatable {}` (Swift) and `impl Authenticatable for Token {}` (Rust) the
    extension names the protocol, and `Token` conforms to it.
    """
    above = state.graph.find_outgoing(
        holder, (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS), _BOUNDS
    )
    extended = [edge for edge in above.edges if state.get_node(edge.other).symbol.name == holder.symbol.name]
    for edge in extended[:1]:
        state.link(Link(holder.declaration, edge.other, "extension_of", edge.confidence, edge.lines))
    return [
        Link(edge.other, link.target, "conforms_by_extension", weaker(edge.confidence, link.confidence))
        for edge in extended[:1]
    ]


CONFORMING = Traversal(_expand, True, IMPLEMENTERS.first_fan, IMPLEMENTERS.fan, IMPLEMENTERS.width)
