"""The members of a C# type: its own, and those of its bases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.csharp.types import name_arity
from repo_mcp.symbols.symbol_record import DeclaredSymbol, SymbolKind

_INTERFACE = re.compile(r"I[A-Z]")  # the name of an interface, by convention
MAX_BASES = 64

Member = tuple[Declaration, DeclaredSymbol]
Members = list[Member]


class CSharpMembers:
    """Looks up the members of types and of their bases."""

    def __init__(self, names: CSharpNames) -> None:
        self._names = names
        self._line_bases: dict[tuple[str, tuple[Declaration, ...]], tuple[TypeMeaning, ...]] = {}

    # Types and their members

    def find_type_around(self, file: CSharpFile, ordinal: int) -> TypeMeaning | None:
        """Return the innermost type around a symbol, with all its parts, or None."""
        around = file.list_types_around(ordinal)
        if not around:
            return None
        name = file.record.get_name(around[0])
        full = file.get_full_name(around[0])
        own = Declaration(file.path, around[0])
        arity = file.get_arity(around[0])
        found = self._names.choose(file.path, full, self._names.list_types(name).get(full, ()), arity)
        others = (one for one in found.parts if one != own) if found is not None else ()
        return TypeMeaning(full + name_arity(arity), (own, *others))

    def list_with_bases(self, meaning: TypeMeaning) -> tuple[TypeMeaning, ...]:
        """Return a type and its bases, nearest first; external ones have no parts.

        Interfaces come last: a class inherits the members of a base class, but not those of an interface.
        """
        key = (meaning.full_name, meaning.parts)
        if key not in self._line_bases:
            found = [meaning]
            seen = {meaning.full_name}
            for one in found:
                for base in self._iter_bases(one):
                    if base.full_name not in seen and len(found) < MAX_BASES:
                        seen.add(base.full_name)
                        found.append(base)
            self._line_bases[key] = tuple(sorted(found[1:], key=self._is_interface))
        # with the confidence of this meaning, which may not be the first
        return meaning, *self._line_bases[key]

    def _is_interface(self, meaning: TypeMeaning) -> bool:
        file = self._names.find_file(meaning.parts[0].path) if meaning.parts else None
        if file is None:
            return _INTERFACE.match(meaning.full_name.rpartition(".")[2]) is not None
        return bool(file.record.kinds[meaning.parts[0].ordinal] == SymbolKind.INTERFACE)

    def _iter_bases(self, meaning: TypeMeaning) -> Iterator[TypeMeaning]:
        for part in meaning.parts:
            file = self._names.find_file(part.path)
            for row in file.bases.get(part.ordinal, ()) if file is not None else ():
                if file is not None:
                    around = file.record.get_parent(part.ordinal)
                    yield self._names.find_type(file, around, row.name, row.qualifier, row.arguments)

    def find_members(self, meaning: TypeMeaning, name: str) -> Members:
        """Return the members of a name in the type, or else in the nearest base that has any."""
        return next(self.iter_members(meaning, name), [])

    def iter_members(self, meaning: TypeMeaning, name: str) -> Iterator[Members]:
        """Yield the members of a name in the type and in each base that has any, nearest first."""
        for one in self.list_with_bases(meaning):
            found = self.list_own_members(one, name)
            if found:
                yield found

    def list_own_members(self, meaning: TypeMeaning, name: str) -> Members:
        """Return the members of a name in all parts of a type."""
        found = []
        for part in meaning.parts:
            file = self._names.find_file(part.path)
            for symbol in file.find_children(part.ordinal, name) if file is not None else ():
                found.append((Declaration(part.path, symbol.ordinal), symbol))
        return found

    def find_external_base(self, meaning: TypeMeaning) -> str:
        """Return the name of a type or a base of it that is external; "" if there is none."""
        return next((one.full_name for one in self.list_with_bases(meaning) if not one.parts), "")
