"""The calls of the `graph` toolset that follow edges: callers, implementations, dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from repo_mcp.graph.questions import CALLS, NAMED, EdgeType
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.answers import Draft, Part, Result
from repo_mcp.toolsets.arguments import Arguments, find_integer
from repo_mcp.toolsets.cursors import Page
from repo_mcp.toolsets.graph.chosen import open_symbol, render_chosen
from repo_mcp.toolsets.graph.rows import Row, render_edge, render_external, render_unresolved
from repo_mcp.toolsets.graph.schemas import DEFAULT_EDGES, MAX_UNRESOLVED_FILES

if TYPE_CHECKING:
    from repo_mcp.graph.edges import Edge, Edges, External, Unresolved
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository


INCOMING, OUTGOING = "incoming", "outgoing"
CUT = "a limit of the search was reached: there may be more"


EDGE, EXTERNAL, UNRESOLVED = "result", "external", "unresolved_in"  # the fields that rows stand in


def get_callers(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callers`."""
    return _incoming("get_callers", repository, arguments, CALLS)


def get_callees(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callees`."""
    return _outgoing("get_callees", repository, arguments, CALLS)


def get_implementations(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_implementations`."""
    page = Page("get_implementations", arguments)
    with open_symbol(repository, arguments) as (graph, node):
        found = graph.find_implementations(node)
        return _draft(repository, graph, node, found, INCOMING, arguments, page)


def get_references(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_references`."""
    return _incoming("get_references", repository, arguments, NAMED)


def get_dependencies(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependencies`."""
    return _outgoing("get_dependencies", repository, arguments, _list_types(arguments))


def get_dependents(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependents`."""
    return _incoming("get_dependents", repository, arguments, _list_types(arguments))


def _list_types(arguments: Arguments) -> tuple[EdgeType, ...]:
    chosen = arguments.get("edge_type")
    return (EdgeType(chosen),) if isinstance(chosen, str) else tuple(EdgeType)


def _incoming(tool: str, repository: Repository, arguments: Arguments, types: Iterable[EdgeType]) -> Draft:
    page = Page(tool, arguments)
    with open_symbol(repository, arguments) as (graph, node):
        found = graph.find_incoming(node, types)
        return _draft(repository, graph, node, found, INCOMING, arguments, page)


def _outgoing(tool: str, repository: Repository, arguments: Arguments, types: Iterable[EdgeType]) -> Draft:
    page = Page(tool, arguments)
    with open_symbol(repository, arguments) as (graph, node):
        found = graph.find_outgoing(node, types)
        return _draft(repository, graph, node, found, OUTGOING, arguments, page)


def _draft(
    repository: Repository,
    graph: Graph,
    node: Node,
    found: Edges,
    direction: str,
    arguments: Arguments,
    page: Page,
) -> Draft:
    """Draft the rows from the page on: edges and external names in turn, and last what is not resolved."""
    listed = list(_iter_rows(found))
    keys = [_name_row(field, row) for field, row in listed]
    page.check(keys)
    end = _find_end(listed, page.start, find_integer(arguments, "limit") or DEFAULT_EDGES)
    shown = [(field, _render(row, graph, direction)) for field, row in listed[page.start : end]]
    notes = [*([CUT] if found.cut else []), *repository.engines.graph.warn()]

    def build(rows: int) -> Part:
        is_cut = page.start + rows < len(listed)
        result: Result = {**render_chosen(node, arguments), EDGE: _choose(shown[:rows], EDGE)}
        result["total"] = len(found.edges)
        result["truncated"] = found.cut or is_cut
        if direction == OUTGOING:
            result[EXTERNAL] = _choose(shown[:rows], EXTERNAL)
            result["external_total"] = len(found.externals)
        result["unresolved"] = sum(one.count for one in found.unresolved)
        result[UNRESOLVED] = _choose(shown[:rows], UNRESOLVED)
        return Part({**result, **page.follow(keys, rows, is_cut)}, notes)

    return Draft(build, len(shown), "limit" not in arguments)


def _iter_rows(found: Edges) -> Iterator[tuple[str, Edge | External | Unresolved]]:
    """Yield what was found, each with the field that it stands in."""
    for edge, external in zip_longest(found.edges, found.externals):
        if edge is not None:
            yield EDGE, edge
        if external is not None:
            yield EXTERNAL, external
    for place in found.unresolved[:MAX_UNRESOLVED_FILES]:
        yield UNRESOLVED, place


def _find_end(listed: Sequence[tuple[str, object]], start: int, most: int) -> int:
    """Return where a page ends that has at most `most` edges and as many external names."""
    left = {EDGE: most, EXTERNAL: most, UNRESOLVED: len(listed)}
    for position in range(start, len(listed)):
        field = listed[position][0]
        if not left[field]:
            return position
        left[field] -= 1
    return len(listed)


def _name_row(field: str, row: Edge | External | Unresolved) -> str:
    from repo_mcp.graph.edges import Edge, External

    if isinstance(row, Edge):
        return f"{field} {row.type} {row.other.ordinal} {row.other.path}"
    return f"{field} {row.type} {row.name}" if isinstance(row, External) else f"{field} {row.path}"


def _render(row: Edge | External | Unresolved, graph: Graph, direction: str) -> Row:
    from repo_mcp.graph.edges import Edge, External

    if isinstance(row, Edge):
        return render_edge(row, graph.get_node(row.other), direction)
    return render_external(row) if isinstance(row, External) else render_unresolved(row)


def _choose(rows: Iterable[tuple[str, Row]], wanted: str) -> list[Row]:
    return [row for field, row in rows if field == wanted]
