"""Finds the files that may contain a pattern's words with the required punctuation beside them.

A common word is in most files, but seldom beside a given punctuation character: `neighbour_bloom` knows
where. The other terms that may contain a run are looked up as usual, and their neighbours are left to the
live text. The result includes every file that matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from index_format import LiveSegment
from repo_mcp.exact.file_bitmaps import Bools
from repo_mcp.exact.neighbour_bloom import NeighbourBloom
from repo_mcp.exact.required_terms import All, Need, Run
from repo_mcp.exact.term_finder import FoundTerms, list_long_terms
from repo_mcp.lru_cache import LruCache
from repo_mcp.text.schema import TEXT_FIELDS

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RunOccurrences:
    """The terms and files that may contain a run, whatever is beside it."""

    common: tuple[bytes, ...]  # common words that may contain it
    others: bytes | None  # files of all other such terms, one bit each; None: too many terms


class NeighbourFilter:
    """Looks up, in one segment, needs whose runs have punctuation beside them."""

    def __init__(
        self,
        segment: LiveSegment,
        sides: NeighbourBloom,
        cache: LruCache[Run, RunOccurrences],
        find_terms: Callable[[Run], FoundTerms | None],
    ) -> None:
        """Take `find_terms`, which returns the terms that may contain a run, or None when too many."""
        self._segment = segment
        self._reader = segment.reader
        self._sides = sides
        self._find_terms = find_terms
        self._cache = cache

    def find(self, need: Need) -> Bools | None:
        """Return a mask of the files that may meet a need; None for all files. Raises CorruptIndex."""
        if isinstance(need, Run):
            return self._find_run(need)
        found = [self.find(part) for part in need.parts]
        masks = [mask for mask in found if mask is not None]
        if isinstance(need, All):
            return reduce(np.logical_and, masks) if masks else None
        return reduce(np.logical_or, masks) if len(masks) == len(found) else None

    def _find_run(self, run: Run) -> Bools | None:
        plain = replace(run, before="", behind="")
        found = self._cache.get(plain, lambda: self._look_up(plain))
        if found.others is None:
            return None
        bits = np.unpackbits(np.frombuffer(found.others, dtype=np.uint8), count=self._reader.file_count)
        mask: Bools = bits.astype(np.bool_)
        for term in found.common:
            beside = self._sides.find_beside(term, run.before, run.behind)
            if beside is None:
                return None
            mask |= beside
        return mask

    def _look_up(self, run: Run) -> RunOccurrences:
        found = self._find_terms(run)
        if found is None:
            return RunOccurrences((), None)
        common = [term for term in found.terms if self._sides.is_common(term)]
        if found.span is not None:
            common += self._sides.list_common(*found.span)
        others: Bools = np.zeros(self._reader.file_count, dtype=np.bool_)
        for units in self._iter_other_units(run, found, frozenset(common)):
            others[self._reader.files.find_files_of(units)] = True
        return RunOccurrences(tuple(common), np.packbits(others).tobytes())

    def _iter_other_units(self, run: Run, found: FoundTerms, common: frozenset[bytes]) -> Iterator[I64]:
        """Yield the units of all other terms, in no order."""
        terms = [*(term for term in found.terms if term not in common), *list_long_terms(run)]
        yield self._reader.read_docs(sorted(terms), TEXT_FIELDS)
        if found.span is not None:
            first, end = found.span
            for term in sorted(common):
                if first <= term and (end is None or term < end):
                    yield read_span(self._segment, first, term)
                    first = term + b"\0"
            yield read_span(self._segment, first, end)


def read_span(segment: LiveSegment, first: bytes, end: bytes | None) -> I64:
    """Return the units of all terms [first, end), in no order, perhaps repeated. Raises CorruptIndex."""
    run = segment.reader.read_run(first, end)
    if run is None:
        return np.zeros(0, dtype=np.int64)
    return run.docs[np.repeat(np.isin(run.list_fields, TEXT_FIELDS), run.frequencies)]
