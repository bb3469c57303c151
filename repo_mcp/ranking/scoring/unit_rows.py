"""The row of the file, or of the chunk, that holds each unit of a segment: a table instead of a search.

Searching for a thousand units among 78,000 files or 227,000 chunks takes 85 us, looking them up 15. The table
has the row at the start of each block of units, and for each unit how many more rows have ended by then, in a
byte or two.
"""

from __future__ import annotations

import numpy as np

from index_format import BLOCK_BITS
from repo_mcp.arrays import I64, Integers

BLOCK_DOCS = 1 << BLOCK_BITS
UNITS_AT_ONCE = 1 << 16  # so that building a table takes little memory beside it


class UnitRows:
    """The number of rows that end at or before each unit."""

    def __init__(self, ends: I64, units: int) -> None:
        """`ends` has the unit behind each row, ascending; there are `units` units."""
        self._bases: I64 = ends.searchsorted(np.arange(0, units + BLOCK_DOCS, BLOCK_DOCS), side="right")
        most = int(np.diff(self._bases).max(initial=0))
        self._more: Integers = np.zeros(units, dtype=np.min_scalar_type(most))
        for start in range(0, units, UNITS_AT_ONCE):
            stop = min(start + UNITS_AT_ONCE, units)
            low, high = ends.searchsorted((start, stop), side="left").tolist()
            ended = np.bincount(ends[low:high] - start, minlength=stop - start).cumsum() + low
            ended -= self._bases[start >> BLOCK_BITS : -(-stop >> BLOCK_BITS)].repeat(BLOCK_DOCS)[
                : len(ended)
            ]
            self._more[start:stop] = ended

    def find(self, units: I64) -> I64:
        """Return the row of each unit, int64."""
        rows = self._bases.take(units >> BLOCK_BITS)
        rows += self._more.take(units)
        return rows
