"""The calls of the `graph` toolset that follow edges: callers, implementations, dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from repo_mcp.graph.questions import CALLS, NAMED, EdgeType
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.answers import Draft, Part, Result
from repo_mcp.toolsets.arguments import Arguments, find_integer
from repo_mcp.toolsets.graph.rows import render_edge, render_external, render_unresolved
from repo_mcp.toolsets.graph.schemas import DEFAULT_EDGES, MAX_UNRESOLVED_FILES

if TYPE_CHECKING:
    from repo_mcp.graph.edges import Edges
    from repo_mcp.graph.graph import Graph
    from repo_mcp.repository import Repository


INCOMING, OUTGOING = "incoming", "outgoing"
CUT = "a limit of the search was reached: there may be more"


def get_callers(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callers`."""
    return _incoming(repository, arguments, CALLS)


def get_callees(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callees`."""
    return _outgoing(repository, arguments, CALLS)


def get_implementations(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_implementations`."""
    with repository.engines.graph.open() as graph:
        node = graph.get(str(arguments["node_id"]))
        found = graph.find_implementations(node)
        return _draft(repository, graph, found, INCOMING, arguments)


def get_references(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_references`."""
    return _incoming(repository, arguments, NAMED)


def get_dependencies(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependencies`."""
    return _outgoing(repository, arguments, _list_types(arguments))


def get_dependents(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependents`."""
    return _incoming(repository, arguments, _list_types(arguments))


def _list_types(arguments: Arguments) -> tuple[EdgeType, ...]:
    chosen = arguments.get("edge_type")
    return (EdgeType(chosen),) if isinstance(chosen, str) else tuple(EdgeType)


def _incoming(repository: Repository, arguments: Arguments, types: Iterable[EdgeType]) -> Draft:
    with repository.engines.graph.open() as graph:
        found = graph.find_incoming(graph.get(str(arguments["node_id"])), types)
        return _draft(repository, graph, found, INCOMING, arguments)


def _outgoing(repository: Repository, arguments: Arguments, types: Iterable[EdgeType]) -> Draft:
    with repository.engines.graph.open() as graph:
        found = graph.find_outgoing(graph.get(str(arguments["node_id"])), types)
        return _draft(repository, graph, found, OUTGOING, arguments)


def _draft(repository: Repository, graph: Graph, found: Edges, direction: str, arguments: Arguments) -> Draft:
    most = find_integer(arguments, "limit") or DEFAULT_EDGES
    nodes = [(edge, graph.get_node(edge.other)) for edge in found.edges[:most]]
    externals = found.externals[:most]
    places = found.unresolved[:MAX_UNRESOLVED_FILES]
    all_rows = len(found.edges) + len(found.externals)
    notes = [*([CUT] if found.cut else []), *repository.engines.graph.warn()]

    def build(rows: int) -> Part:
        edges, others = _share(min(rows, len(nodes) + len(externals)), len(nodes), len(externals))
        result: Result = {
            "result": [render_edge(edge, node, direction) for edge, node in nodes[:edges]],
            "total": len(found.edges),
            "truncated": found.cut or edges + others < all_rows,
        }
        if direction == OUTGOING:
            result["external"] = [render_external(one) for one in externals[:others]]
            result["external_total"] = len(found.externals)
        result["unresolved"] = sum(one.count for one in found.unresolved)
        result["unresolved_in"] = [render_unresolved(one) for one in places[: rows - edges - others]]
        return Part(result, notes)

    return Draft(build, len(nodes) + len(externals) + len(places), "limit" not in arguments)


def _share(rows: int, edges: int, externals: int) -> tuple[int, int]:
    """Return how many of each to show when there is room for `rows`: half each, and what the other leaves."""
    others = min(externals, max(rows // 2, rows - edges))
    return rows - others, others
