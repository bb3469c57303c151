"""One file of C#: its symbols, namespaces, usings, bases and rows of types, by name.

Left out on purpose: other files (`names.py`).
"""

from __future__ import annotations

from functools import cached_property

from repo_mcp.languages.csharp.types import count_arity
from repo_mcp.symbols.symbol_record import (
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
    iter_around,
    list_references,
    map_binds,
)

MANY_CHILDREN = 50  # of one name, which each call of it compares: decoded once

# of the symbols that the name of a type may mean
NAMED_KINDS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.RECORD,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
    }
)


class CSharpFile:
    """The lookup tables of one symbol record."""

    def __init__(self, path: str, record: SymbolRecord) -> None:
        self.path = path
        self.record = record
        self._full_names: dict[int, str] = {0: ""}
        self._namespaces: dict[int, list[str]] = {}
        self._children: dict[tuple[int, str], tuple[DeclaredSymbol, ...]] = {}

    def get_full_name(self, ordinal: int) -> str:
        """Return the name of a symbol, prefixed with those of all symbols around it."""
        waiting: list[int] = []
        while ordinal not in self._full_names:
            waiting.append(ordinal)
            ordinal = self.record.get_parent(ordinal)
        full = self._full_names.get(ordinal, "")
        for one in reversed(waiting):
            name = self.record.get_name(one)
            full = f"{full}.{name}" if full else name
            self._full_names[one] = full
        return full

    def get_arity(self, ordinal: int) -> int:
        """Return the number of type parameters of a type."""
        return count_arity(self.record.strings[self.record.parameters[ordinal]])

    def list_types_around(self, ordinal: int) -> list[int]:
        """Return the types around a symbol, innermost first."""
        return [one for one in iter_around(self.record, ordinal) if self.record.get_kind(one) in NAMED_KINDS]

    def list_namespaces(self, ordinal: int) -> list[str]:
        """Return the namespaces around a symbol, innermost first, ending with the global one, ""."""
        if ordinal not in self._namespaces:
            around = iter_around(self.record, ordinal)
            spaces = (one for one in around if self.record.get_kind(one) is SymbolKind.MODULE)
            full = next(map(self.get_full_name, spaces), "")
            found = []
            while full:
                found.append(full)
                full = full.rpartition(".")[0]
            self._namespaces[ordinal] = [*found, ""]
        return self._namespaces[ordinal]

    def find_children(self, ordinal: int, name: str) -> tuple[DeclaredSymbol, ...]:
        """Return the symbols with a name directly inside another."""
        found = self._children.get((ordinal, name))
        if found is None:
            found = tuple(map(self.record.get_symbol, self.record.find_children(ordinal, name)))
            if len(found) > MANY_CHILDREN:
                self._children[ordinal, name] = found
        return found

    def list_child_names(self, ordinal: int) -> list[str]:
        """Return the names of the symbols directly inside another."""
        names = self.record.names
        return [self.record.strings[names[one]] for one in self.record.list_children(ordinal)]

    @cached_property
    def usings(self) -> tuple[str, ...]:
        """Return the namespaces that the file uses, and the types by `using static`."""
        return tuple(row.qualifier for row in self._imports if row.name == "*")

    @cached_property
    def aliases(self) -> dict[str, tuple[str, str]]:
        """Map each alias to the qualifier and name of its target."""
        return {row.alias: (row.qualifier, row.name) for row in self._imports if row.name and row.alias}

    @cached_property
    def global_rows(self) -> tuple[Reference, ...]:
        """Return the `global using` rows, which hold for every file."""
        return tuple(row for row in self._imports if row.arguments == 1)

    @cached_property
    def _imports(self) -> list[Reference]:
        return list_references(self.record, ReferenceRole.IMPORT)

    @cached_property
    def binds(self) -> dict[tuple[int, str], list[Reference]]:
        """Map (symbol, variable) to the rows that show its type."""
        return map_binds(self.record)

    @cached_property
    def bases(self) -> dict[int, list[Reference]]:
        """Map a type to the rows of its bases."""
        roles = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND)
        found: dict[int, list[Reference]] = {}
        for reference in list_references(self.record, *roles):
            found.setdefault(reference.symbol, []).append(reference)
        return found
