"""Looks up names in Swift: what is private is private to its file, and a list has no member of its items."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.swift.rules import SwiftRules
from repo_mcp.graph.typed.file_scope import FileScope, is_list
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import FoundDeclarations, Path
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind


class SwiftLookup(NamedLookup):
    """Looks up names in files of Swift."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, SwiftRules(program))

    def is_wanted(self, scope: FileScope, kind: SymbolKind, role: ReferenceRole) -> bool:
        """Return whether a name used in a role can mean a symbol of a kind; a macro has a sign before it."""
        return kind is not SymbolKind.MACRO and super().is_wanted(scope, kind, role)

    def find_type(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type that dotted names lead to; for the metatype `Store.Type`, that is Store."""
        found = super().find_type(scope, ordinal, names)
        if names[-1] == "Type" and len(names) > 1 and not found.declarations:
            return super().find_type(scope, ordinal, names[:-1])
        return found

    def _is_extended_for(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        return other in (scope, self.reader) or self.rules.is_reachable(scope, other, ordinal)

    def _is_hidden(self, scope: FileScope, ordinal: int) -> bool:
        return scope is not self.reader and super()._is_hidden(scope, ordinal)

    def _find_alias(self, scope: FileScope, ordinal: int) -> tuple[Declaration, ...]:
        return () if is_list(scope, ordinal) else super()._find_alias(scope, ordinal)
