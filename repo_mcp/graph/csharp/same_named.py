"""A member that has the name of its type, as in `Color Color`: the name after the dot tells which one is
meant.

In `Color.Red` the type is meant if it has a static member `Red`, and the member otherwise. The members of an
external type are not known: there a called name is mostly a method of the value.
"""

from __future__ import annotations

import numpy as np

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.program import Confidence, Resolution, Target
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Reference, ReferenceRole, SymbolFlag, SymbolKind

MAX_ROWS = 500  # that are read on one line; generated code has lines with more
_STATIC = TYPE_KINDS | {SymbolKind.ENUM_MEMBER, SymbolKind.CONSTANT}


class SameNamed:
    """Decides between a member and its type, where both have the name before a dot."""

    def __init__(self, names: CSharpNames, types: CSharpTypes) -> None:
        self._names = names
        self._types = types

    def weigh(self, file: CSharpFile, row: Reference, found: Resolution) -> Resolution:
        """Return the meaning of a name before a dot, given its meaning without the dot."""
        if not found.targets or not all(self._is_called_like_its_type(one, row) for one in found.targets):
            return found
        meaning = self._names.find_type(file, row.symbol, row.name, "", 0)
        said = {self._is_of_type(meaning, *one) for one in _list_behind(file, row)}
        if said == {True} and meaning.parts:
            sure = Confidence.POSSIBLE if meaning.is_mixed else meaning.confidence
            return Resolution(tuple(Target(one, sure) for one in meaning.parts))
        if said == {False} and meaning.parts:
            return found
        sure = Confidence.POSSIBLE if said == {True} else Confidence.PROBABLE
        return replace(found, targets=tuple(Target(one.declaration, sure) for one in found.targets))

    def _is_called_like_its_type(self, target: Target, row: Reference) -> bool:
        symbol = self._names.get_symbol(target.declaration)
        if symbol is None or symbol.kind in TYPE_KINDS:
            return False
        return symbol.return_type.rstrip("?").rpartition(".")[2] == row.name

    def _is_of_type(self, meaning: TypeMeaning, name: str, role: ReferenceRole) -> bool | None:
        """Return whether the name after the dot is a member of the type itself, rather than of its values.

        None if that is not known: for an external type, or if members of both sorts have the name.
        """
        if not meaning.parts:
            return role is not ReferenceRole.CALL
        members = self._types.find_members(meaning, name)
        said = {one.kind in _STATIC or bool(one.flags & SymbolFlag.STATIC) for _, one in members}
        return said.pop() if len(said) == 1 else None


def _list_behind(file: CSharpFile, row: Reference) -> list[tuple[str, ReferenceRole]]:
    """Return the members that are named after a name and a dot, in the same symbol and on the same line.

    Returns nothing for a line with too many rows.
    """
    record = file.record
    first, last = np.searchsorted(record.ref_lines, [row.line, row.line + 1])
    if last - first > MAX_ROWS:
        return []
    rows = (record.get_reference(one) for one in range(int(first), int(last)))
    return [(one.name, one.role) for one in rows if one.symbol == row.symbol and one.qualifier == row.name]
