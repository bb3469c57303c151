"""The best units of one segment without scoring those that cannot win.

The query's lists are taken in order of the most that each can give to a unit. At first every posting is
added up. Once all lists that are left together give less than the last of the units wanted so far has, a
unit that no list has named yet cannot win any more, and of the named ones only those that can still
reach that score are looked up in the lists that are left: the long ones. What the lists that are left can
give is known for each block of 256 units (index_format/block_lists.py).

The answer is exact, to the last tie: it is that of scoring everything.
Turtle and Flood, "Query evaluation: strategies and optimizations" (MaxScore), 1995; Ding and Suel,
"Faster top-k document retrieval using block-max indexes", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index_format import BLOCK_BITS, LiveSegment
from repo_mcp.index.scoring import DECIMALS, F64, I64
from repo_mcp.index.term_lists import BLOCK_DOCS, WeighedList

Mask = npt.NDArray[np.bool_]
SLACK = 2 * 10.0**-DECIMALS  # more than rounding, of scores or of bounds, can move a score
MANY_UNITS = 60_000  # named so far: then passing over all units of the segment is faster
SAMPLE_BLOCKS = 48  # looked at for a threshold then, more when many units are wanted
UNITS_PER_BLOCK = 8
KEPT_SUMS = 2  # for the next queries: 6 MB each for the kernel


@dataclass(frozen=True, slots=True)
class TopUnits:
    """Units, the number that was wanted and all that tie with the last of them, and their rounded scores."""

    units: I64
    scores: F64


class TopUnitsFinder:
    """Finds the best units of one segment. Safe for several threads: no two have the same sums."""

    def __init__(self, segment: LiveSegment) -> None:
        self._segment = segment
        self._blocks = -(-segment.reader.unit_count // BLOCK_DOCS)
        self._free: list[F64] = []  # sums that nobody uses; all zero

    def find(
        self, lists: Sequence[WeighedList], wanted: Mask | None, count: int, threshold: float = 0.0
    ) -> TopUnits:
        """The best `count` units among those that are `wanted` (None: all), with ties.

        Units below `threshold` may be left out. Raises IndexFormatError for damage, OSError.
        """
        ordered = sorted(lists, key=lambda one: -one.most)
        rests = np.cumsum([0.0, *(one.most for one in reversed(ordered))])[::-1].tolist()
        sums = _Sums(self._take_sums())
        added = 0
        while added < len(ordered) and rests[added] + SLACK >= threshold:
            sums.add(ordered[added])
            added += 1
            if added < len(ordered) and ordered[added].size >= min(sums.size, MANY_UNITS):
                self._drop_unwanted(sums, wanted)
                threshold = max(threshold, sums.find_threshold(count))
        self._drop_unwanted(sums, wanted)
        found = self._complete(sums, ordered[added:], count, threshold)
        self._give_back(sums)  # not after an error: what it left is no zero
        return found

    def _take_sums(self) -> F64:
        """A zero for each unit of whole blocks."""
        try:
            return self._free.pop()
        except IndexError:
            return np.zeros(self._blocks * BLOCK_DOCS)

    def _give_back(self, sums: _Sums) -> None:
        sums.clear()
        if len(self._free) < KEPT_SUMS:
            self._free.append(sums.values)

    def _drop_unwanted(self, sums: _Sums, wanted: Mask | None) -> None:
        if len(self._segment.dead_files):
            sums.values[self._segment.dead_units] = 0.0
        if wanted is not None:
            sums.values[: len(wanted)] *= wanted

    def _complete(self, sums: _Sums, rest: Sequence[WeighedList], count: int, threshold: float) -> TopUnits:
        """The best of the units that have a sum, once the lists of the rest are looked up for them."""
        bounds = np.zeros(self._blocks)
        for one in rest:
            bounds += one.bound_blocks()
        units = sums.choose(threshold - SLACK - bounds)
        scores = sums.values[units]
        for place, one in enumerate(rest):
            bounds -= one.bound_blocks()
            scores += one.read_gains(units)
            threshold = max(threshold, _find_last(scores, count))
            left = bounds[units // BLOCK_DOCS] if place + 1 < len(rest) else 0.0
            chosen = np.flatnonzero(scores + left >= threshold - SLACK)
            units, scores = units[chosen], scores[chosen]
        scores = np.round(scores, DECIMALS)
        chosen = np.flatnonzero(scores >= max(threshold - SLACK, _find_last(scores, count)))
        return TopUnits(units[chosen], scores[chosen])


class _Sums:
    """What the units of a segment have so far. While they are few they are listed, else passed over."""

    def __init__(self, values: F64) -> None:
        """`values` is a zero for each unit of whole blocks; `clear` leaves it as it was."""
        self.values = values
        self._named: list[I64] = []
        self._largest: F64 | None = None  # of each block, since the last list was added
        self.size = 0

    def add(self, one: WeighedList) -> None:
        """Add the gains of a list."""
        self._largest = None
        if self.size >= MANY_UNITS:
            one.add_to(self.values)
            return
        named = one.add_naming(self.values)
        self._named.append(named)
        self.size += len(named)

    def clear(self) -> None:
        """Make every sum zero."""
        if self.size < MANY_UNITS:
            for units in self._named:
                self.values[units] = 0.0
        else:
            self.values.fill(0.0)

    def _list_units(self) -> I64:
        return np.concatenate(self._named) if self._named else np.zeros(0, dtype=np.int64)

    def find_threshold(self, count: int) -> float:
        """A score that `count` units have reached; of many units the best blocks are a sample."""
        if self.size < MANY_UNITS:
            return _find_last(self.values[self._list_units()], count)
        by_block = self.values.reshape(-1, BLOCK_DOCS)
        sample = max(SAMPLE_BLOCKS, count // UNITS_PER_BLOCK)
        if sample < len(by_block):
            by_block = by_block[np.argpartition(self._find_largest(), -sample)[-sample:]]
        return _find_last(by_block.reshape(-1), count)

    def choose(self, needs: F64) -> I64:
        """The units that have a sum, and as much as their block needs, ascending."""
        needs = np.maximum(needs, np.finfo(np.float64).tiny)
        if self.size < MANY_UNITS:
            units = self._list_units()
            units = units[self.values[units] >= needs[units // BLOCK_DOCS]]
            units.sort()
            return units
        blocks = np.flatnonzero(self._find_largest() >= needs)
        enough = self.values.reshape(-1, BLOCK_DOCS)[blocks] >= needs[blocks, None]
        rows, places = np.nonzero(enough)
        return (blocks[rows] << BLOCK_BITS) + places

    def _find_largest(self) -> F64:
        """For each block a sum that none of its units is above."""
        if self._largest is None:
            self._largest = self.values.reshape(-1, BLOCK_DOCS).max(axis=1)
        return self._largest


def _find_last(scores: F64, count: int) -> float:
    """The score of the `count`th; 0 when there are fewer."""
    if len(scores) < count:
        return 0.0
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])
