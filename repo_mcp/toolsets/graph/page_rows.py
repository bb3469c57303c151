"""Hold the rows of a page of edges: the field of each, its key in a cursor, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.toolsets.graph.rows import INCOMING, Row, render_edge, render_external, render_unresolved

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import EdgeRow
    from repo_mcp.graph.graph import Graph

EDGE, EXTERNAL, UNRESOLVED, NOTHING = "result", "external", "unresolved_in", ""  # fields that hold rows


def name_field(row: EdgeRow) -> str:
    """Return the field of an answer to which a row belongs."""
    fields = {"Edge": EDGE, "External": EXTERNAL, "Unresolved": UNRESOLVED}
    return fields.get(type(row).__name__, NOTHING)


def name_rows(rows: Iterable[EdgeRow]) -> list[str]:
    """Return a key for each row, without its lines: an edit above them makes no cursor stale."""
    from repo_mcp.graph.edge_list import WindowEnd
    from repo_mcp.graph.edges import Edge, External

    keys = []
    for row in rows:
        if isinstance(row, Edge):
            via = "" if row.via is None else f" {row.via.ordinal} {row.via.path}"
            key = f"{row.type} {row.confidence}{row.source} {row.other.ordinal} {row.other.path}{via}"
        elif isinstance(row, WindowEnd):
            key = f"window {row.number}"
        else:
            key = f"{row.type} {row.name}" if isinstance(row, External) else row.path
        keys.append(key)
    return keys


class RowRenderer:
    """Renders the rows of one page about the symbol called `name`."""

    def __init__(self, graph: Graph, direction: str, name: str, *, has_text: bool) -> None:
        self._graph = graph
        self._direction = direction
        self._name = name
        self._has_text = has_text
        self._texts: dict[str, Sequence[str]] = {}

    def render(self, rows: Iterable[EdgeRow]) -> list[tuple[str, Row]]:
        """Return each row with the field to which it belongs."""
        return [(name_field(row), self._render(row)) for row in rows]

    def _render(self, row: EdgeRow) -> Row:
        from repo_mcp.graph.edges import Edge, External, Unresolved

        if isinstance(row, Edge):
            node = self._graph.get_node(row.other)
            via = None if row.via is None else self._graph.get_node(row.via)
            # what a symbol uses is located by its declaration
            text = self._read_lines(node.path) if self._direction == INCOMING else ()
            return render_edge(row, node, self._direction, text, via, self._name)
        if isinstance(row, External):
            return render_external(row)
        if isinstance(row, Unresolved):
            return render_unresolved(row, self._read_lines(row.path), self._name)
        return {}

    def _read_lines(self, path: str) -> Sequence[str]:
        if not self._has_text:
            return ()
        if path not in self._texts:
            self._texts[path] = self._graph.read_lines(path)
        return self._texts[path]
