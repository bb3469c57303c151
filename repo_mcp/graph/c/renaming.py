"""Macros of C and C++ that rename whatever has their name: `#define size other_size`.

Where such a macro is visible, the written name does not mean a member or a function of that name, unless the
macro is also visible at its declaration: then both are renamed. A macro with parameters renames only calls,
and one whose text contains its own name renames nothing.

Left out on purpose: `#undef`, and the order of includes.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.c.lookup import CLookup
from repo_mcp.graph.program import Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind

CACHED_PATHS = 100_000  # paths in cached sets of the files that declare a name
CACHED_NAMES = 200_000


class Renaming:
    """The macros of one program that rename other names."""

    def __init__(self, lookup: CLookup) -> None:
        self._lookup = lookup
        self._declaring: LruCache[str, frozenset[str]] = LruCache(CACHED_PATHS, len)
        self._macros: LruCache[tuple[str, str], tuple[Declaration, ...]] = LruCache(CACHED_NAMES)

    def weaken(self, scope: FileScope, reference: Reference, found: Resolution) -> Resolution:
        """Return the meaning of a name; if a macro renames it at its use, the targets are merely possible."""
        if not any(one.confidence is Confidence.EXACT for one in found.targets):
            return found
        macros = self._list_visible(scope, reference, reference.line)
        if not macros:
            return found
        renamed = [one for one in found.targets if not self._is_renamed_too(reference, one, macros)]
        return Resolution(
            tuple(
                Target(one.declaration, Confidence.POSSIBLE) if one in renamed else one
                for one in found.targets
            )
        )

    def _is_renamed_too(self, reference: Reference, target: Target, macros: list[Declaration]) -> bool:
        """Return whether a target is itself a macro, or is renamed at its declaration, too."""
        at = target.declaration
        scope = self._lookup.find_scope(at.path)
        if scope is None or scope.get_kind(at.ordinal) is SymbolKind.MACRO:
            return True
        line = scope.get_symbol(at.ordinal).start_line
        return not set(macros).isdisjoint(self._list_visible(scope, reference, line))

    def _list_visible(self, scope: FileScope, reference: Reference, line: int) -> list[Declaration]:
        """Return the macros that rename a name on a line: defined above it, or in an included file."""
        name = reference.name
        macros = self._macros.get((scope.path, name), lambda: tuple(self._iter_macros(scope, name)))
        found = []
        for one in macros:
            other = self._lookup.find_scope(one.path)
            assert other is not None
            symbol = other.get_symbol(one.ordinal)
            is_applied = not symbol.parameters or reference.role is ReferenceRole.CALL
            if is_applied and (other is not scope or symbol.start_line < line):
                found.append(one)
        return found

    def _iter_macros(self, scope: FileScope, name: str) -> Iterator[Declaration]:
        rules, program = self._lookup.rules, self._lookup.program
        declaring = self._declaring.get(name, lambda: frozenset(program.list_declaring(name)))
        if not declaring:
            return
        seen = declaring & rules.includes.list_reached(scope.path)  # few of the thousands that declare `size`
        for path in sorted(seen | (declaring & {scope.path})):
            other = self._lookup.find_scope(path)
            for one in other.find_named(name) if other is not None else ():
                assert other is not None
                if other.get_kind(one) is SymbolKind.MACRO and not _has_own_name(other, one):
                    yield Declaration(path, one)


def _has_own_name(scope: FileScope, macro: int) -> bool:
    """Return whether the text of a macro contains its own name: `#define stdin stdin`."""
    record = scope.record
    rows = record.find_references(scope.get_name(macro))
    return any(int(record.ref_symbols[row]) == macro for row in rows)
