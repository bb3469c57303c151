"""Find types that conform through an extension: a Swift extension or a Rust impl block.

    extension Token: Authenticatable {}     impl Authenticatable for Token {}

There the extension names the protocol, and the type that it extends is what conforms.
"""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.questions import EdgeType
from repo_mcp.research.hops import IMPLEMENTERS, HopFindings, Way
from repo_mcp.research.locating import weaker
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import ResearchState
from repo_mcp.research.structural import list_structural
from repo_mcp.symbols.symbol_record import SymbolKind

_BOUNDS = Bounds(files=20, references=60)


def _expand(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return what conforms to a type; for an extension, also the type that it extends."""
    found = IMPLEMENTERS.expand(state, node, bounds)
    links: list[Link] = []
    for link in found.links:
        holder = state.get_node(link.source)
        if holder.symbol.kind is SymbolKind.EXTENSION and _names(holder, node):
            continue  # an extension of the very type that was asked about: no conformance
        links.append(link)
        if holder.symbol.kind is SymbolKind.EXTENSION:
            links += _list_extended(state, holder, link)
    known = {link.source for link in links}
    links += [link for link in list_structural(state, node) if link.source not in known]
    return HopFindings(tuple(links), found.cut)


def _names(holder: Node, node: Node) -> bool:
    return holder.symbol.name == node.symbol.name


def _list_extended(state: ResearchState, holder: Node, link: Link) -> list[Link]:
    """Return links from the type that an extension extends, because that type conforms as well."""
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


CONFORMING = Way(_expand, True, IMPLEMENTERS.first_fan, IMPLEMENTERS.fan, IMPLEMENTERS.width)
