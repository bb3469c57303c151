"""The answers of precise indexers about single references, before those of our resolvers.

What the indexer says of a reference counts where the declaration that it means is known: it is EXACT then.
Where it is not, as for names of other packages, ours counts, but for declarations that the indexer knows
under other symbols: that the reference means none of those is certain.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.program import SCIP, Confidence, Declaration, Resolution, Target
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbol_index.precise_index import PreciseView

MAX_DECLARATIONS = 16  # of one meaning: with more, ours decides
KEPT_MEANINGS = 20_000


class PreciseAnswers:
    """The answers of one program. Used by one call at a time."""

    def __init__(self, view: PreciseView) -> None:
        self._view = view
        self._declarations: LruCache[bytes, tuple[Declaration, ...]] = LruCache(KEPT_MEANINGS)

    def resolve(self, path: str, row: int, resolve: Callable[[], Resolution]) -> Resolution:
        """Return the meaning of the reference in a row of a file; `resolve` returns ours."""
        file = self._view.find(path)
        meaning = None if file is None else file.find_meaning(row)
        if file is None or meaning is None:
            return resolve()
        found = self._declarations.get(meaning, lambda: self._find_declarations(meaning))
        if len(found) == 1 or file.is_added(row):
            return _make(found)
        ours = resolve()
        if found:
            chosen = [one.declaration for one in ours.targets if one.declaration in found]
            return _make(tuple(chosen) or found)
        kept = tuple(one for one in ours.targets if not self._is_known(one.declaration))
        if len(kept) == len(ours.targets):
            return ours
        return Resolution(kept, ours.external, "" if kept else SCIP)

    def _find_declarations(self, meaning: bytes) -> tuple[Declaration, ...]:
        """Return the declarations of a meaning, by path and ordinal; none where some are not known."""
        found: list[Declaration] = []
        for path in self._view.list_defining(meaning)[: MAX_DECLARATIONS + 1]:
            file = self._view.find(path)
            if file is None:  # it was edited since: nobody knows where the declaration is now
                return ()
            found += [Declaration(path, ordinal) for ordinal in file.list_ordinals(meaning)]
        return tuple(found) if len(found) <= MAX_DECLARATIONS else ()

    def _is_known(self, declaration: Declaration) -> bool:
        file = self._view.find(declaration.path)
        return file is not None and file.find_declared(declaration.ordinal) is not None


def _make(found: tuple[Declaration, ...]) -> Resolution:
    return Resolution(tuple(Target(one, Confidence.EXACT) for one in found), source=SCIP)
