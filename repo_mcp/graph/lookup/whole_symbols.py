"""Tell which declarations are one symbol, and which one stands for it.

The parts of a partial class, a namespace, a prototype and its definition, a getter and its setter, and the
variants of which each build has one are one symbol. A type's constructors and extensions do not compete with
the type, nor do types inside others with an outer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repo_mcp.graph.nodes import Node, ProgramNodes
from repo_mcp.graph.program import Declaration
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.roles import is_test_path

# Languages in which declarations of one name in one scope are one symbol: a getter and a setter, the branches
# of an `if`.
_WITHOUT_OVERLOADS = frozenset({"python", "typescript", "javascript"})
# Kinds of which a scope has one of a name: several in a file are the branches of an `#if`.
_WITHOUT_TWINS = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.TYPE})
_NESTED = TYPE_KINDS | {SymbolKind.PROPERTY}
_AROUND_OUTER = frozenset({SymbolKind.FILE, SymbolKind.MODULE})


class WholeSymbols:
    """Merges declarations into whole symbols. Used by one call at a time."""

    def __init__(self, nodes: ProgramNodes, list_places: Callable[[Node], list[Node]]) -> None:
        """`list_places` returns all declarations of one symbol, the defining one first."""
        self._nodes = nodes
        self.list_places = list_places

    def merge(self, nodes: Iterable[Node]) -> list[Node]:
        """Return one node per symbol; the module's docstring defines which nodes are one symbol."""
        merged: dict[Declaration, Node] = {}
        met: set[Declaration] = set()
        named: set[tuple[str, str, SymbolKind]] = set()
        for node in nodes:
            key = name_whole(node)
            if node.declaration in met or key in named:
                continue
            if key is not None:
                named.add(key)
            places = self.list_places(node)
            met.update(one.declaration for one in places)
            for one in places:  # several twins, of which this is the prototype
                merged.pop(one.declaration, None)
            merged[places[0].declaration] = places[0]
        types = {node.symbol.name for node in merged.values() if node.symbol.kind in TYPE_KINDS}
        return [node for node in merged.values() if not self.belongs_to_type(node, types)]

    def drop_nested(self, found: list[Node]) -> list[Node]:
        """Return symbols without what is nested in others if one, outside tests, is a type in none."""
        nested = [node for node in found if self.is_nested(node)] if len(found) > 1 else []
        inner = {node.declaration for node in nested}
        others = [node for node in found if node.declaration not in inner]
        has_outer = any(one.symbol.kind in TYPE_KINDS and not is_test_path(one.path) for one in others)
        return others if has_outer else found

    def list_bodies(self, node: Node) -> list[Node]:
        """Return the definitions for which a prototype stands; any other symbol itself."""
        if not node.symbol.flags & SymbolFlag.FORWARD:
            return [node]
        places = self.list_places(node)
        return [one for one in places if not one.symbol.flags & SymbolFlag.FORWARD] or [node]

    def belongs_to_type(self, node: Node, types: set[str]) -> bool:
        """Return whether a symbol is a constructor or an extension of a type that was also found."""
        if node.symbol.kind is SymbolKind.CONSTRUCTOR:
            parent = self._nodes.get(Declaration(node.path, node.symbol.parent))
            return parent.symbol.name in types and node.symbol.name == parent.symbol.name
        return node.symbol.kind is SymbolKind.EXTENSION and node.symbol.name in types

    def is_nested(self, node: Node) -> bool:
        """Return whether a symbol is a type or a property inside another, of which others need both names."""
        parent = self._nodes.get(Declaration(node.path, node.symbol.parent))
        return node.symbol.kind in _NESTED and parent.symbol.kind not in _AROUND_OUTER

    def choose_variant(self, node: Node, path: str) -> Node:
        """Return the variant of a symbol that a file declares; a symbol without variants itself."""
        if node.language != "go" or node.path == path:
            return node
        return next((one for one in self.list_places(node) if one.path == path), node)


def name_whole(node: Node) -> tuple[str, str, SymbolKind] | None:
    """Return a key that all declarations of one symbol share; None for a symbol that has none."""
    kind = node.symbol.kind
    if kind is SymbolKind.MODULE:  # a namespace may be declared in several files
        return node.language, node.qualified_name, kind
    is_one = node.language in _WITHOUT_OVERLOADS or kind in _WITHOUT_TWINS
    return (node.path, node.qualified_name, kind) if is_one else None


def drop_prototypes(overloads: list[Node]) -> list[Node]:
    """Return overloads without the prototypes that have as many parameters as a definition: they are its."""
    defined = [node for node in overloads if not node.symbol.flags & SymbolFlag.FORWARD]
    counts = {node.symbol.parameter_count for node in defined}
    return [
        node
        for node in overloads
        if not node.symbol.flags & SymbolFlag.FORWARD or node.symbol.parameter_count not in counts
    ]
