"""Tell the macros that code uses everywhere, `likely` and `IS_ERR`: they say nothing of a function."""

from __future__ import annotations

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.symbols.symbol_record import SymbolKind

EVERYWHERE = 100  # files that use the name
_LANGUAGES = frozenset({"c", "cpp", "objective-c"})


def is_chore(graph: Graph, node: Node) -> bool:
    """Return True for a macro of C, or a function named like one, that at least EVERYWHERE files use."""
    name = node.symbol.name
    is_macro = node.symbol.kind is SymbolKind.MACRO or name.isupper()
    return is_macro and node.language in _LANGUAGES and graph.name_uses.count_using(name) >= EVERYWHERE
