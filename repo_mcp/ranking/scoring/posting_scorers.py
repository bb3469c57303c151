"""The posting lists of a term as a ranking uses them: the gain of each unit, and upper bounds on it.

Lists are read block by block (index_format/block_lists.py): gains are computed for some blocks of 256 units,
once the bounds of all lists have shown which blocks may hold one of the best units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from index_format import (
    BLOCK_BITS,
    BOUND_SCALE,
    SATURATION_B,
    SATURATION_K1,
    BlockList,
    find_changes,
    find_low,
    search_low,
    spread_runs,
)
from repo_mcp.arrays import F64, I64, U32, Integers, Mask
from repo_mcp.ranking.scoring.block_runs import build_runs
from repo_mcp.ranking.scoring.bm25f import K1, TfNormTable
from repo_mcp.ranking.scoring.bm25f import B as SCORING_B
from repo_mcp.ranking.scoring.gains import NumberedGains, Postings, Weigher
from repo_mcp.text.schema import FIELDS, PATH

Gains = tuple[I64, F64]  # positions in some blocks, and the gain at each; a position may repeat
BLOCK_DOCS = 1 << BLOCK_BITS
NUMBER_BITS = 32  # of a tf-norm number, packed behind its unit to be sorted
ESCAPE_BYTES = 5  # that an escaped term frequency of a long list mostly takes once it was looked for
BLOCKS_AT_ONCE = 16  # when looking for the strongest unit
assert (SATURATION_K1, SATURATION_B) == (K1, SCORING_B)  # or the bounds in segments would not hold


class PostingScorer(Protocol):
    """The gains of units from one or more lists of a term. Postings of dead units may be included.

    Positions count the units of some given blocks, block after block. See `BlockList.pick`.
    """

    field: int | None  # of all its postings; None: they may be of several
    most: float  # no unit gains more
    byte_count: int  # memory that it takes in a cache

    def bound_blocks(self) -> F64:
        """Return an upper bound on the gains in each block of units: float64, one per block."""
        ...

    def take(self, blocks: I64) -> Gains:
        """Return the gains in ascending blocks."""
        ...

    def place(self, blocks: I64) -> I64:
        """Return the positions that `take` does, without their gains."""
        ...

    def look_up(self, units: I64) -> F64:
        """Return the gain of each of some ascending units."""
        ...

    def hold(self, units: I64) -> list[int]:
        """Return the positions in `units` of those that gain something."""
        ...

    def read_docs(self, field: int) -> I64:
        """Return the documents in one field, int64, ascending: units, or files for a field of files."""
        ...

    def find_strongest(self, field: int, live: Mask | None) -> float:
        """Return the largest gain of a live unit in one field, exactly. `live` has one bool per unit."""
        ...


class ShortList:
    """All decoded lists of a term, merged: block after block, the fields of a unit side by side.
    A posting takes three bytes, and each non-empty block seven.
    """

    def __init__(
        self, postings: Sequence[Postings], tf_norms: TfNormTable, first_units: I64, blocks: int
    ) -> None:
        """`first_units` has the first unit of each file of the segment, and the end as one more row."""
        self.field: int | None = None
        self._block_count = blocks
        self._files = np.zeros(0, dtype=np.uint32)  # with the term in the path, including files without units
        self._strongest_path = 0.0
        self._gains = NumberedGains(postings, tf_norms)
        units, numbers = [], []
        for one in postings:
            units.append(one.docs)
            numbers.append(one.numbers)
            if one.field == PATH:
                self._files = one.docs.astype(np.uint32)
                self._strongest_path = self._gains.find_strongest(one.numbers, PATH)
                counts = first_units[one.docs + 1] - first_units[one.docs]
                units[-1] = spread_runs(first_units[one.docs], counts)
                numbers[-1] = one.numbers.repeat(counts)
        self._lay_out(*_sort_units(units, numbers))

    def _lay_out(self, units: I64, numbers: U32) -> None:
        self._low_bytes = (units & (BLOCK_DOCS - 1)).astype(np.uint8).tobytes()
        self._low = np.frombuffer(self._low_bytes, dtype=np.uint8)
        self._numbers = numbers.astype(np.uint16) if int(numbers.max()) < 1 << 16 else numbers
        firsts = find_changes(units).nonzero()[0]
        blocks = units.take(firsts) >> BLOCK_BITS
        block_firsts = find_changes(blocks).nonzero()[0]
        sums: F64 = np.add.reduceat(self._gains.take(numbers), firsts)
        # As integers, which have the order of floats that are not negative: half the time.
        bounds: F64 = np.maximum.reduceat(sums.view(np.int64), block_firsts).view(np.float64)
        self.most = float(bounds.max())
        self._runs = build_runs(
            blocks.take(block_firsts), firsts.take(block_firsts), len(units), self._block_count
        )
        scaled: F64 = np.minimum(np.ceil(bounds * (BOUND_SCALE / self.most)), BOUND_SCALE)
        self._bounds = self._runs.arrange(scaled.astype(np.uint8))
        arrays = self._low, self._numbers, self._bounds, self._files
        self.byte_count = 1500 + self._runs.byte_count + sum(one.nbytes for one in arrays)

    def bound_blocks(self) -> F64:
        """Return an upper bound for each block. See `PostingScorer`."""
        return self._runs.spread(self._bounds * np.float64(self.most / BOUND_SCALE))

    def take(self, blocks: I64) -> Gains:
        """Return the gains in some blocks. See `PostingScorer`."""
        positions, numbers = self._place(blocks)
        return positions, self._gains.take(self._numbers.take(numbers))

    def place(self, blocks: I64) -> I64:
        """Return the positions alone. See `PostingScorer`."""
        return self._place(blocks)[0]

    def _place(self, blocks: I64) -> tuple[I64, I64]:
        """Return the position of each posting in some blocks, and its place in the list."""
        rows, starts, sizes = self._runs.find_held(blocks)
        numbers = spread_runs(starts, sizes)
        positions = (rows << BLOCK_BITS).repeat(sizes)
        positions |= self._low.take(numbers).astype(np.int64)
        return positions, numbers

    def hold(self, units: I64) -> list[int]:
        """Return the positions of the units that gain something. See `PostingScorer`."""
        starts, sizes = self._runs.find(units >> BLOCK_BITS)
        found = search_low(self._low_bytes, starts, starts + sizes, units)
        return [row for row, place in enumerate(found) if place >= 0]

    def look_up(self, units: I64) -> F64:
        """Return the gain of each unit. See `PostingScorer`."""
        starts, sizes = self._runs.find(units >> BLOCK_BITS)
        rows, firsts, stops = find_low(self._low_bytes, starts, starts + sizes, units, len(FIELDS))
        counts = stops - firsts
        gains = self._gains.take(self._numbers.take(spread_runs(firsts, counts)))
        sums: F64 = np.bincount(rows.repeat(counts), gains, len(units)).astype(np.float64, copy=False)
        return sums

    def read_docs(self, field: int) -> I64:
        """Return the documents in one field. See `PostingScorer`."""
        if field == PATH:
            return self._files.astype(np.int64)
        positions = self._gains.find_places(self._numbers, field)
        docs: I64 = self._runs.find_blocks(positions) << BLOCK_BITS | self._low[positions]
        return docs

    def find_strongest(self, field: int, live: Mask | None) -> float:
        """Return the largest gain in one field; only live postings are stored. See `PostingScorer`."""
        return self._strongest_path if field == PATH else self._gains.find_strongest(self._numbers, field)


def _sort_units(units: Sequence[I64], numbers: Sequence[U32]) -> tuple[I64, U32]:
    """Merge lists of ascending units into one, together with their numbers."""
    if len(units) == 1:
        return units[0], numbers[0]
    packed = np.concatenate(units)
    packed <<= NUMBER_BITS
    packed |= np.concatenate(numbers)
    packed.sort(kind="stable")  # merges runs: half the time of a quicksort
    return packed >> NUMBER_BITS, packed.astype(np.uint32)


class LongList:
    """A list that decodes only the blocks it is asked for.

    Its bounds come from the segment's own average field length. If the snapshot's average is larger,
    documents gain more, by at most the ratio of the two: tf / (tf + 1 + length / average) grows no faster
    than `average`.
    """

    def __init__(
        self,
        field: int,
        read: Callable[[], BlockList],
        weigher: Weigher,
        take_lengths: Callable[[I64], Integers],
        share: float,
    ) -> None:
        """`share` is the snapshot's average length divided by the segment's."""
        self.field: int | None = field
        self._read = read
        self._weigher = weigher
        self._take_lengths = take_lengths
        self._bounds = read().bounds.copy()
        self._scale = weigher.scorer.compute_most() * weigher.share * max(1.0, share) / BOUND_SCALE
        self.most = float(self._scale * int(self._bounds.max()))
        self.byte_count = 1000 + self._bounds.nbytes + ESCAPE_BYTES * read().escapes.most

    def bound_blocks(self) -> F64:
        """Return an upper bound for each block. See `PostingScorer`."""
        bounds: F64 = self._bounds * np.float64(self._scale)
        return bounds

    def take(self, blocks: I64) -> Gains:
        """Return the gains in some blocks. See `PostingScorer`."""
        positions, docs, counts = self._read().pick(blocks)
        return positions, self._weigher.weigh(counts, self._take_lengths(docs))

    def place(self, blocks: I64) -> I64:
        """Return the positions alone. See `PostingScorer`."""
        return self._read().place(blocks)

    def hold(self, units: I64) -> list[int]:
        """Return the positions of the units that gain something. See `PostingScorer`."""
        return self._read().hold(units)

    def look_up(self, units: I64) -> F64:
        """Return the gain of each unit. See `PostingScorer`."""
        gains = np.zeros(len(units))
        rows, counts = self._read().look_up(units)
        if len(rows):
            gains[rows] = self._weigher.weigh(counts, self._take_lengths(units[rows]))
        return gains

    def read_docs(self, field: int) -> I64:
        """Return the documents in one field. See `PostingScorer`."""
        return self._read().read()[0] if field == self.field else np.zeros(0, dtype=np.int64)

    def find_strongest(self, field: int, live: Mask | None) -> float:
        """Return the largest gain, decoding blocks by descending bound until none can win."""
        strongest = 0.0
        if field != self.field:
            return strongest
        bounds = self.bound_blocks()
        order = np.argsort(-bounds, kind="stable")
        for first in range(0, len(order), BLOCKS_AT_ONCE):
            if bounds[order[first]] <= strongest:
                break
            docs, counts = self._read().take(np.sort(order[first : first + BLOCKS_AT_ONCE]))
            if live is not None:
                docs, counts = docs[live[docs]], counts[live[docs]]
            gains = self._weigher.weigh(counts, self._take_lengths(docs))
            strongest = max(strongest, float(gains.max(initial=0.0)))
        return strongest


class PathList:
    """Gains from a term that is in the paths of many files; every unit of a file gains the same."""

    def __init__(self, postings: Postings, tf_norms: TfNormTable, first_units: I64) -> None:
        """`first_units` has the first unit of each file of the segment, and the end as one more row."""
        self.field: int | None = PATH
        self._first_units = first_units
        self._files = postings.docs.astype(np.uint32)
        self._gains, self._numbers = NumberedGains([postings], tf_norms), postings.numbers
        self._bounds = self._find_bounds()
        self.most = self._gains.find_strongest(self._numbers, PATH)
        arrays = self._files, self._numbers, self._bounds
        self.byte_count = 1000 + sum(one.nbytes for one in arrays)

    def _find_bounds(self) -> npt.NDArray[np.float32]:
        bounds = np.zeros(-(-int(self._first_units[-1]) // BLOCK_DOCS))
        starts, ends = self._first_units[self._files], self._first_units[self._files.astype(np.int64) + 1]
        own = np.flatnonzero(ends > starts)
        firsts, lasts = starts[own] >> BLOCK_BITS, (ends[own] - 1) >> BLOCK_BITS
        gains = self._gains.take(self._numbers[own])
        np.maximum.at(bounds, firsts, gains)
        np.maximum.at(bounds, lasts, gains)
        for position in np.flatnonzero(lasts - firsts > 1).tolist():  # files of more than 256 units
            inside = bounds[firsts[position] + 1 : lasts[position]]
            np.maximum(inside, gains[position], out=inside)
        return np.nextafter(bounds.astype(np.float32), np.float32(np.inf))

    def bound_blocks(self) -> F64:
        """Return an upper bound for each block. See `PostingScorer`."""
        return self._bounds.astype(np.float64)

    def take(self, blocks: I64) -> Gains:
        """Return the gains in some blocks. See `PostingScorer`."""
        positions, numbers, sizes = self._place(blocks)
        return positions, self._gains.take(self._numbers[numbers]).repeat(sizes)

    def place(self, blocks: I64) -> I64:
        """Return the positions alone. See `PostingScorer`."""
        return self._place(blocks)[0]

    def _place(self, blocks: I64) -> tuple[I64, I64, I64]:
        """Return the positions of units; the place in the list of each file that has some, and how many."""
        units = self._first_units
        starts = blocks << BLOCK_BITS
        ends = np.minimum(starts + BLOCK_DOCS, units[-1])
        lows, highs = (np.searchsorted(units, edge, side="right") - 1 for edge in (starts, ends - 1))
        firsts = self._files.searchsorted(lows.astype(np.uint32))
        counts = self._files.searchsorted(highs.astype(np.uint32), side="right") - firsts
        numbers, rows = spread_runs(firsts, counts), np.repeat(np.arange(len(blocks)), counts)
        files = self._files[numbers].astype(np.int64)
        begins = np.maximum(units[files], starts[rows])
        sizes = np.minimum(units[files + 1], ends[rows]) - begins
        return spread_runs(begins - starts[rows] + (rows << BLOCK_BITS), sizes), numbers, sizes

    def hold(self, units: I64) -> list[int]:
        """Return the positions of the units that gain something. See `PostingScorer`."""
        held: list[int] = self._find(units)[0].nonzero()[0].tolist()
        return held

    def look_up(self, units: I64) -> F64:
        """Return the gain of each unit. See `PostingScorer`."""
        held, rows = self._find(units)
        gains = self._gains.take(self._numbers.take(rows))
        gains *= held
        return gains

    def _find(self, units: I64) -> tuple[Mask, I64]:
        """Return a mask of the units whose file is in the list, and the row of each one's file."""
        files = self._first_units.searchsorted(units, side="right") - 1
        rows = np.minimum(self._files.searchsorted(files.astype(np.uint32)), len(self._files) - 1)
        held: Mask = self._files.take(rows) == files
        return held, rows

    def read_docs(self, field: int) -> I64:
        """Return the documents in one field. See `PostingScorer`."""
        return self._files.astype(np.int64) if field == PATH else np.zeros(0, dtype=np.int64)

    def find_strongest(self, field: int, live: Mask | None) -> float:
        """Return the largest gain in one field; only live postings are stored. See `PostingScorer`."""
        return self._gains.find_strongest(self._numbers, field)
