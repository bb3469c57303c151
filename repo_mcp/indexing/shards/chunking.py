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
from itertools import accumulate, chain, pairwise

from repo_mcp.record_classes import dataclass

UNIT_LINES = 50
VERSION = 2  # part of the index's configuration: another version means another index


@dataclass(frozen=True, slots=True)
class CutFile:
    """The units and chunks of one file. All counts are 0 for a file without lines."""

    unit_lines: Sequence[int]  # lines in each unit
    chunk_first_units: Sequence[int]
    chunk_unit_counts: Sequence[int]


@lru_cache(maxsize=4096)
def cut_lines(lines: int, chunk_lines: int, overlap_lines: int) -> CutFile:
    """Return the cut of a file of `lines` lines by line numbers alone."""
    if lines == 0:
        return CutFile((), (), ())
    step = chunk_lines - overlap_lines
    count = 1 + max(0, -(-(lines - chunk_lines) // step))
    starts = range(0, step * count, step)
    ends = [min(start + chunk_lines, lines) for start in starts]
    bounds = sorted({*starts, *ends})
    units = tuple(chain.from_iterable(_split_evenly(end - start) for start, end in pairwise(bounds)))
    places = {line: place for place, line in enumerate(accumulate(units, initial=0))}
    first_units = tuple(places[start] for start in starts)
    counts = tuple(places[end] - first for end, first in zip(ends, first_units, strict=True))
    return CutFile(units, first_units, counts)


def cut_at(lines: int, first_lines: Sequence[int]) -> CutFile:
    """Return the cut of a file of `lines` lines whose chunks begin at the given lines, the first at 1."""
    chunks = [_split_evenly(last - first) for first, last in pairwise([*first_lines, lines + 1])]
    counts = list(map(len, chunks))
    return CutFile(list(chain.from_iterable(chunks)), list(accumulate(counts[:-1], initial=0)), counts)


def split_long(first_lines: Sequence[int], lines: int, chunk_lines: int) -> list[int]:
    """Return the first lines with more of them wherever a chunk would be longer than `chunk_lines`."""
    spans = pairwise([*first_lines, lines + 1])
    return [line for first, last in spans for line in range(first, last, chunk_lines)]


def _split_evenly(lines: int) -> list[int]:
    """Return sizes of at most UNIT_LINES that differ by at most one, the larger first."""
    count = -(-lines // UNIT_LINES)
    small, more = divmod(lines, count)
    return [small + 1] * more + [small] * (count - more)
