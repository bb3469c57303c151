"""The places of the postings of each block of units, in a list that is decoded as a whole.

A list with postings in many blocks has a place for every block of the segment, which is read at once. Any
other has the numbers of its blocks, among which those wanted are searched. This takes longer and less memory.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from repo_mcp.arrays import F64, I64, U8, Integers

FEW_HELD = 8  # a list has few blocks if it has one in this many of those looked at, or of the segment's


class BlockRuns(Protocol):
    """The runs of a list's postings, one for each of its blocks."""

    byte_count: int

    def arrange(self, values: U8) -> U8:
        """Return one value for each of the list's blocks as `spread` takes them."""
        ...

    def spread(self, values: F64) -> F64:
        """Return arranged values for each block of the segment, 0 for one that the list has not."""
        ...

    def find(self, blocks: I64) -> tuple[I64, I64]:
        """Return where the postings of each of some blocks begin, and their number."""
        ...

    def find_held(self, blocks: I64) -> tuple[I64, I64, I64]:
        """Return rows of ascending blocks, all with postings among them; where these begin, and how many."""
        ...

    def find_blocks(self, positions: I64) -> I64:
        """Return the block of each of some postings, int64."""
        ...


def build_runs(blocks: I64, firsts: I64, end: int, count: int) -> BlockRuns:
    """Return the runs of `blocks`, ascending and of `count` in all. They begin at `firsts`, the last ends at
    `end`."""
    if len(blocks) * FEW_HELD < count:
        return SparseRuns(blocks, firsts, end, count)
    return DenseRuns(blocks, firsts, end, count)


class DenseRuns:
    """A place for every block of the segment. See `BlockRuns`."""

    def __init__(self, blocks: I64, firsts: I64, end: int, count: int) -> None:
        sizes = np.zeros(count + 1, dtype=np.int64)
        sizes[blocks + 1] = np.diff(firsts, append=end)
        self._firsts: Integers = sizes.cumsum().astype(np.min_scalar_type(end))
        self.byte_count = self._firsts.nbytes

    def arrange(self, values: U8) -> U8:
        """Return one for each block of the segment."""
        arranged = np.zeros(len(self._firsts) - 1, dtype=values.dtype)
        arranged[self._firsts[1:] > self._firsts[:-1]] = values
        return arranged

    def spread(self, values: F64) -> F64:
        """Return them as they are."""
        return values

    def find(self, blocks: I64) -> tuple[I64, I64]:
        """Return the run of each block."""
        starts = self._firsts.take(blocks).astype(np.int64)
        return starts, self._firsts.take(blocks + 1) - starts

    def find_held(self, blocks: I64) -> tuple[I64, I64, I64]:
        """Return all of the blocks."""
        return np.arange(len(blocks)), *self.find(blocks)

    def find_blocks(self, positions: I64) -> I64:
        """Return the block of each posting."""
        return self._firsts.searchsorted(positions, side="right") - 1


class SparseRuns:
    """The numbers of the list's blocks, and a place for each. See `BlockRuns`."""

    def __init__(self, blocks: I64, firsts: I64, end: int, count: int) -> None:
        self._count = count
        kind = np.min_scalar_type(count)
        self._blocks = np.append(blocks, count).astype(
            kind
        )  # closed by one that is not the number of a block
        self._firsts = np.append(firsts, [end, end]).astype(np.min_scalar_type(end))
        self.byte_count = self._blocks.nbytes + self._firsts.nbytes

    def arrange(self, values: U8) -> U8:
        """Return them as they are."""
        return values

    def spread(self, values: F64) -> F64:
        """Return one for each block of the segment."""
        spread = np.zeros(self._count, dtype=values.dtype)
        spread[self._blocks[:-1]] = values
        return spread

    def find(self, blocks: I64) -> tuple[I64, I64]:
        """Return the run of each block, empty for those that the list has not."""
        rows = self._blocks.searchsorted(blocks.astype(self._blocks.dtype))
        starts = self._firsts.take(rows).astype(np.int64)
        return starts, (self._firsts.take(rows + 1) - starts) * (self._blocks.take(rows) == blocks)

    def find_held(self, blocks: I64) -> tuple[I64, I64, I64]:
        """Look up the fewer among the more: mostly the list's few blocks among those given."""
        own = self._blocks[:-1].astype(np.int64)
        if len(own) * FEW_HELD > len(blocks):
            return np.arange(len(blocks)), *self.find(blocks)
        rows = np.minimum(blocks.searchsorted(own), len(blocks) - 1)
        held = (blocks.take(rows) == own).nonzero()[0]
        starts = self._firsts.take(held).astype(np.int64)
        return rows.take(held), starts, self._firsts.take(held + 1) - starts

    def find_blocks(self, positions: I64) -> I64:
        """Return the block of each posting."""
        rows = self._firsts.searchsorted(positions, side="right") - 1
        return self._blocks.take(rows).astype(np.int64)
