"""Resolves names in languages with declared types: Go, Java, Rust, C, C++ and Swift.

What they share is in `repo_mcp/graph/typed/language_resolver.py`; where one of them differs, its own resolver
overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.graph.program import NOTHING, Program, Resolution
from repo_mcp.graph.typed.c_resolver import CResolver
from repo_mcp.graph.typed.go_resolver import GoResolver
from repo_mcp.graph.typed.java_resolver import JavaResolver
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rust_resolver import RustResolver
from repo_mcp.graph.typed.swift_resolver import SwiftResolver
from repo_mcp.symbols.symbol_record import Reference, SymbolRecord

_RESOLVERS: Mapping[str, Callable[[NamedLookup], LanguageResolver]] = {
    "go": GoResolver,
    "java": JavaResolver,
    "rust": RustResolver,
    "c": CResolver,
    "cpp": CResolver,
    "swift": SwiftResolver,
}
LANGUAGES = tuple(_RESOLVERS)


class TypedResolver:
    """Resolves references in files of LANGUAGES. Its caches are valid for one Program."""

    def __init__(self, program: Program) -> None:
        self._lookup = NamedLookup(program)
        self._resolvers: dict[str, LanguageResolver] = {}

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""
        scope = self._lookup.find_scope(path)
        if scope is None:
            return NOTHING
        self._lookup.begin(scope)
        resolver = self._resolvers.get(scope.language)
        if resolver is None:
            resolver = self._resolvers[scope.language] = _RESOLVERS[scope.language](self._lookup)
        return resolver.resolve(scope, reference)
