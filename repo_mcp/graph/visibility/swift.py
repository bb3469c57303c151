"""The files that can name a given symbol of Swift, and the uses that its form rules out.

What is private is named in its own file alone. A call whose labels a function does not take means another
one, and so do a static member after the name of a value and a member of a value after a bare dot. Left out on
purpose: types of arguments, and private members of private types, which may satisfy a protocol that other
files see.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.swift.overloads import is_after_bare_dot
from repo_mcp.graph.swift.rules import accepts_labels, is_of_value
from repo_mcp.symbols.model import SIGN_OF_MACRO
from repo_mcp.symbols.symbol_record import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    Access,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    iter_around,
)

_OF_VALUES = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})  # unless they are static


class SwiftVisibility:
    """The files that can name symbols of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths without those of other files, if the target is private to its own."""
        record = self._find_record(target)
        if record is None or not target.ordinal:
            return paths
        around = iter_around(record, record.get_parent(target.ordinal))
        is_private = _is_private(record, target.ordinal) and not any(
            _is_private(record, one) for one in around if record.get_kind(one) is not SymbolKind.EXTENSION
        )
        return [one for one in paths if one == target.path] if is_private else paths

    def could_mean(self, target: Declaration, record: SymbolRecord, row: int) -> bool:
        """Return False if the labels of a call, or the value before a name, rule out the target."""
        own = self._find_record(target)
        if own is None:
            return True
        symbol, use = own.get_symbol(target.ordinal), record.get_reference(row)
        if use.qualifier == SIGN_OF_MACRO:
            return symbol.kind is SymbolKind.MACRO
        if not _takes_labels(symbol, use):
            return False
        if is_after_bare_dot(use):
            return symbol.kind not in _OF_VALUES or bool(symbol.flags & SymbolFlag.STATIC)
        return not (_is_reached_by_type(symbol) and is_of_value(use))

    def _find_record(self, target: Declaration) -> SymbolRecord | None:
        is_swift = self._program.find_language(target.path) == "swift"
        return self._program.find_record(target.path) if is_swift else None


def adds_members(language: str, record: SymbolRecord, reference: Reference) -> bool:
    """Return whether a reference names the type to which an extension of Swift adds members.

    The extension is a part of that type, and none of those below it.
    """
    is_named = language == "swift" and reference.role is ReferenceRole.EXTEND
    return is_named and record.get_kind(reference.symbol) is SymbolKind.EXTENSION


def _is_private(record: SymbolRecord, ordinal: int) -> bool:
    return int(record.flags[ordinal]) >> ACCESS_SHIFT == Access.PRIVATE


def _takes_labels(symbol: DeclaredSymbol, use: Reference) -> bool:
    is_call = use.role is ReferenceRole.CALL and symbol.kind in CALLABLE_KINDS
    return not is_call or accepts_labels(symbol.parameters, use.alias)


def _is_reached_by_type(symbol: DeclaredSymbol) -> bool:
    is_static = symbol.kind in _OF_VALUES and bool(symbol.flags & SymbolFlag.STATIC)
    return is_static or symbol.kind is SymbolKind.ENUM_MEMBER
