"""The C# members that a use can access and, if it is a call, may call."""

from __future__ import annotations

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.members import Members
from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.graph.csharp.signatures import PLAIN, normalize_type, strip_nullable
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.languages.csharp.types import read_type
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, Reference, ReferenceRole, SymbolKind

# Members that a name alone may mean. Their access level is NONE only if they implement an interface
# explicitly.
GUESSED_KINDS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.EVENT})
# FILE is the kind of a declaration whose file is not found.
_MAY_BE_DELEGATES = frozenset({SymbolKind.TYPE, SymbolKind.FILE})
_HIDDEN = frozenset({Access.PRIVATE, Access.PROTECTED})


class AccessibleMembers:
    """Decides which members a use can access."""

    def __init__(self, names: CSharpNames, types: CSharpTypes) -> None:
        self._names = names
        self._types = types

    def keep(self, file: CSharpFile, row: Reference, found: Members) -> Members:
        """Return the members that a use can access.

        Explicit implementations of interfaces are left out, private members of types that do not enclose the
        use and, for a call, values that are no delegates.
        """
        kept = []
        inside: dict[Access, set[str]] | None = None
        for declaration, symbol in found:
            if symbol.access is Access.NONE and symbol.kind in GUESSED_KINDS:
                continue
            other = self._names.find_file(declaration.path)
            if symbol.access in _HIDDEN and other is not None:
                inside = inside or self._list_inside(file, row.symbol)
                if other.get_full_name(symbol.parent) not in inside[symbol.access]:
                    continue
            if row.role is ReferenceRole.CALL and other is not None and self._is_plain_value(other, symbol):
                continue
            kept.append((declaration, symbol))
        return kept

    def _list_inside(self, file: CSharpFile, ordinal: int) -> dict[Access, set[str]]:
        """Return the full names of the types whose private, or protected, members a symbol can access."""
        around = list(file.list_types_around(ordinal))
        own = {file.get_full_name(one) for one in around}
        meanings = (self._types.find_type_around(file, one) for one in around)
        bases = {
            each.full_name for one in meanings if one is not None for each in self._types.list_with_bases(one)
        }
        return {Access.PRIVATE: own, Access.PROTECTED: own | {one.partition("`")[0] for one in bases} | bases}

    def _is_plain_value(self, file: CSharpFile, symbol: DeclaredSymbol) -> bool:
        """Return whether a member is a value that cannot be called, since its type is no delegate."""
        if symbol.kind is not SymbolKind.PROPERTY:
            return False
        written = strip_nullable(normalize_type(symbol.return_type))
        if written in PLAIN or written == "object":
            return True
        found = read_type(symbol.return_type)
        if not found.name or found.is_items or found.is_task:
            return False
        meaning = self._names.find_type(file, symbol.ordinal, found.name, found.qualifier, found.arity)
        kinds = set(map(self._names.get_kind, meaning.parts))
        return bool(kinds) and not kinds & _MAY_BE_DELEGATES
