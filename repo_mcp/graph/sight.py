"""The files that can name a symbol of C at all: thousands use a common name in another meaning.

A field, a constant of an `enum` and what is `static` can be named where the file that declares it is
included. What is linked can be named without that, and so can a macro that the compiler is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.questions import find_family
from repo_mcp.graph.typed.includes import COMPILED, IncludeGraph
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

FEW = 40  # files that are all read: what none of them includes may still be meant, probably
MAX_WALKED = 8  # files whose includes are followed; if more include a symbol, all headers may name it
CACHED_LISTS = 64
_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER})


class Sight:
    """The files that can name symbols of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._includers: LruCache[str, frozenset[str] | None] = LruCache(CACHED_LISTS)

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths; of more than FEW, not the files of C that cannot name a symbol.

        A header may name it without an include, if one of the files that include both does that first."""
        including = self._list_including(target) if len(paths) > FEW else None
        if including is None:
            return paths
        if len(including) > MAX_WALKED:
            return [one for one in paths if one in including or not one.endswith(COMPILED)]
        includes = IncludeGraph.find(self._program)
        seen = including.union(*map(includes.list_reached, sorted(including)))
        return [one for one in paths if one in seen]

    def _list_including(self, target: Declaration) -> frozenset[str] | None:
        """Return the files that include that of a symbol; None if it can be named without that, or if they
        are too many."""
        record = self._program.find_record(target.path)
        if record is None or find_family(self._program.find_language(target.path)) != "c":
            return None
        kind = SymbolKind(int(record.kinds[target.ordinal]))
        if kind not in _KINDS and not self.is_static(target):
            return None
        includes = IncludeGraph.find(self._program)
        return self._includers.get(target.path, lambda: includes.list_includers(target.path))

    def is_static(self, declaration: Declaration) -> bool:
        """Return True for a declaration of C that only its own file can name."""
        record = self._program.find_record(declaration.path)
        return record is not None and bool(int(record.flags[declaration.ordinal]) & SymbolFlag.STATIC)
