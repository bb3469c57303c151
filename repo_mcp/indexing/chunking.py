"""Cuts the lines of a file: into chunks as the specification defines them, and into units inside these.

Chunks begin where an installed language adapter proposes it, or at declarations, and do not overlap.
Elsewhere they are `chunk_lines` long and overlap by `overlap_lines`: with 200 and 30, lines 1-200, 171-370
and so on, the last one to the end of the file. Every chunk boundary, start or end, is a unit boundary; the
lines between two boundaries are cut into equal units of at most UNIT_LINES. So units are a partition of the
lines (no text is indexed twice), and a chunk is a run of units. Ranking is better on units of that size
than on chunks: see docs/decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from index_format import sort_distinct
from repo_mcp.record_classes import dataclass

I64 = npt.NDArray[np.int64]
UNIT_LINES = 50
VERSION = 2  # part of the index's configuration: another version means another index


@dataclass(frozen=True, slots=True)
class CutFile:
    """The units and chunks of one file. All counts are 0 for a file without lines."""

    unit_lines: I64  # lines in each unit
    chunk_first_units: I64
    chunk_unit_counts: I64


@lru_cache(maxsize=4096)
def cut_lines(lines: int, chunk_lines: int, overlap_lines: int) -> CutFile:
    """Return the cut of a file of `lines` lines by line numbers alone. The arrays are shared: read only."""
    if lines == 0:
        empty = np.zeros(0, dtype=np.int64)
        return CutFile(empty, empty, empty)
    step = chunk_lines - overlap_lines
    count = 1 + max(0, -(-(lines - chunk_lines) // step))
    starts = step * np.arange(count, dtype=np.int64)
    ends = np.minimum(starts + chunk_lines, lines)
    bounds = sort_distinct(np.concatenate([starts, ends]))
    sizes = chain.from_iterable(_split_evenly(size) for size in np.diff(bounds).tolist())
    units = np.array(list(sizes), dtype=np.int64)
    unit_bounds = np.concatenate([[0], np.cumsum(units)])
    first_units = np.searchsorted(unit_bounds, starts)
    return CutFile(units, first_units, np.searchsorted(unit_bounds, ends) - first_units)


def cut_at(lines: int, first_lines: Sequence[int]) -> CutFile:
    """Return the cut of a file of `lines` lines whose chunks begin at the given lines, the first at 1."""
    chunks = [_split_evenly(last - first) for first, last in pairwise([*first_lines, lines + 1])]
    counts = np.array(list(map(len, chunks)), dtype=np.int64)
    units = np.array(list(chain.from_iterable(chunks)), dtype=np.int64)
    return CutFile(units, np.cumsum(counts) - counts, counts)


def split_long(first_lines: Sequence[int], lines: int, chunk_lines: int) -> list[int]:
    """Return the first lines with more of them wherever a chunk would be longer than `chunk_lines`."""
    spans = pairwise([*first_lines, lines + 1])
    return [line for first, last in spans for line in range(first, last, chunk_lines)]


def _split_evenly(lines: int) -> list[int]:
    """Return sizes of at most UNIT_LINES that differ by at most one, the larger first."""
    count = -(-lines // UNIT_LINES)
    small, more = divmod(lines, count)
    return [small + 1] * more + [small] * (count - more)
