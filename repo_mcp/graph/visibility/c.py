"""The files that can name a given symbol of C: thousands of others may use its name for something else.

A field, a constant of an `enum` and a `static` declaration can be named only in files that include the file
that declares it. A linked symbol can be named without an include, and so can a macro that the compiler is
given.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.c.includes import COMPILED, IncludeGraph
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.vocabulary import find_family
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

FEW = 40  # so few files are all searched: even without the include, a use probably means the symbol
# Files that may include that of the symbol; if there are more, any header may name the symbol.
MAX_WALKED = 8
CACHED_LISTS = 64
_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER})


class CVisibility:
    """The files that can name symbols of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._includers: LruCache[str, frozenset[str] | None] = LruCache(CACHED_LISTS)

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths; of more than FEW, without the C files that cannot name the target.

        A header may name the target without including its file, if a file that includes both includes that
        one first.
        """
        including = self._list_including(target) if len(paths) > FEW else None
        if including is None:
            return paths
        if len(including) > MAX_WALKED:
            return [one for one in paths if one in including or not one.endswith(COMPILED)]
        includes = IncludeGraph.find(self._program)
        seen = including.union(*map(includes.list_reached, sorted(including)))
        return [one for one in paths if one in seen]

    def _list_including(self, target: Declaration) -> frozenset[str] | None:
        """Return the files that include that of the target; None if none need to, or for too many."""
        record = self._program.find_record(target.path)
        if record is None or find_family(self._program.find_language(target.path)) != "c":
            return None
        kind = record.get_kind(target.ordinal)
        if kind not in _KINDS and not self.is_static(target):
            return None
        includes = IncludeGraph.find(self._program)
        return self._includers.get(target.path, lambda: includes.list_includers(target.path))

    def is_static(self, declaration: Declaration) -> bool:
        """Return whether only its own file can name a declaration of C."""
        record = self._program.find_record(declaration.path)
        return record is not None and bool(int(record.flags[declaration.ordinal]) & SymbolFlag.STATIC)
