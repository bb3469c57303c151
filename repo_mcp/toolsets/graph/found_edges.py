"""Hold what a tool asks of the edges of a symbol, and the edges found for one page of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.graph.vocabulary import CALLED_KINDS, CALLS, IMPLEMENTED_KINDS, EdgeType, list_implementing
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.toolsets.graph.rows import INCOMING

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import EdgeQuestion, EdgeRow, KnownEdges
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node

DISPATCHING = frozenset({"get_callers", "get_callees"})  # their edges may lead through an overridden method
TEXT_ROWS = 250  # of a page; with more, only the numbers of lines are shown: 500 rows fit into 64 KiB
_NEVER_NAMED = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # code names these only by their paths


@dataclass(frozen=True, slots=True)
class EdgeTool:
    """A tool that lists edges."""

    name: str
    direction: str
    types: tuple[EdgeType, ...] | None  # None: those by which something implements the symbol

    @property
    def is_incoming(self) -> bool:
        """Return True for edges that end at the symbol."""
        return self.direction == INCOMING

    @property
    def dispatches(self) -> bool:
        """Return True if calls that may run an override count."""
        return self.name in DISPATCHING

    @property
    def likely_kinds(self) -> frozenset[SymbolKind]:
        """Return the kinds of symbols of which one is meant if a text fits several; none if any may be."""
        if self.types is None:
            return IMPLEMENTED_KINDS
        return CALLED_KINDS if self.types == CALLS else frozenset()

    def list_types(self, kind: SymbolKind) -> frozenset[EdgeType]:
        """Return the types of the edges of a symbol of this kind."""
        return frozenset(list_implementing(kind) if self.types is None else self.types)


@dataclass(frozen=True, slots=True)
class FoundEdges:
    """The edges of a symbol as far as they were read, and which of them a page shows."""

    tool: EdgeTool
    graph: Graph
    node: Node
    asked: EdgeQuestion
    known: KnownEdges
    start: int  # of the page, in the rows that are known
    end: int

    @property
    def is_first_page(self) -> bool:
        """Return True for the page that tells of the symbol as a whole."""
        return not self.start

    @property
    def rows(self) -> Sequence[EdgeRow]:
        """Return the rows of the page."""
        return self.known.rows[self.start : self.end]

    @property
    def has_text(self) -> bool:
        """Return True if the page shows the lines of its rows, not only their numbers."""
        return self.end - self.start <= TEXT_ROWS

    @property
    def is_named_in_code(self) -> bool:
        """Return True for a symbol that code names, and not only a path."""
        return self.node.symbol.kind not in _NEVER_NAMED
