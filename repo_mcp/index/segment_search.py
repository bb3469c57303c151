"""One segment as a search sees it: live postings, and units as parts of files and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index_format import Level, LiveSegment, PostingList
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.scoring import DECIMALS, F64, I64

Mask = npt.NDArray[np.bool_]
UNITS_PER_CHUNK = 6  # looked at first for each chunk that is wanted; more when they are not enough


@dataclass(frozen=True, slots=True)
class Postings:
    """The live postings of one term in one field of a segment."""

    field: int
    docs: I64
    counts: I64


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """One unit of a ranking."""

    score: float
    segment: int  # place in the snapshot
    unit: int


class SegmentSearch:
    """Safe for several threads."""

    def __init__(self, segment: LiveSegment, place: int) -> None:
        """`place` is the segment's place in the snapshot."""
        self.segment = segment
        self.reader = segment.reader
        self.place = place
        self.first_units = self.reader.files.first_units
        self.units_per_file = np.diff(self.first_units)

    @cached_property
    def _chunk_ends(self) -> I64:
        """For each chunk the first unit behind it."""
        chunks = self.reader.chunks.read_chunks()
        counts = np.diff(self.reader.files.first_chunks)
        ends: I64 = np.repeat(self.first_units[:-1], counts) + chunks.first_units + chunks.unit_counts
        return ends

    @cached_property
    def _own_starts(self) -> I64:
        """For each chunk the first unit that lies in it and in no chunk before."""
        starts = np.concatenate([[0], self._chunk_ends[:-1]])
        return np.minimum(starts, max(0, self.reader.unit_count - 1))

    def find_chunks(self, units: I64) -> I64:
        """The first chunk that each unit lies in."""
        return np.searchsorted(self._chunk_ends, units, side="right")

    def count_chunks(self, matched: Mask) -> int:
        """Chunks with a unit among `matched`, a unit counted for the first chunk it lies in."""
        if not len(self._own_starts):
            return 0
        return int(np.count_nonzero(np.logical_or.reduceat(matched, self._own_starts)))

    def spread(self, files: I64) -> I64:
        """The units of files, file after file."""
        counts = self.units_per_file[files]
        before = np.cumsum(counts) - counts
        return np.repeat(self.first_units[files] - before, counts) + np.arange(int(counts.sum()))

    def find_file(self, unit: int) -> int:
        """The file of a unit."""
        return int(np.searchsorted(self.first_units, unit, side="right")) - 1

    def read_postings(self, term: str) -> list[Postings]:
        """The live postings of a term, field by field; none in a field without any."""
        found = (self._read_live(posting_list) for posting_list in self.reader.find_lists(term.encode()))
        return [postings for postings in found if len(postings.docs)]

    def _read_live(self, posting_list: PostingList) -> Postings:
        docs, counts = self.reader.read_postings(posting_list)
        mask = self.segment.get_live_mask(FIELDS[posting_list.field].level)
        if mask is not None:
            live = mask[docs]
            docs, counts = docs[live], counts[live]
        return Postings(posting_list.field, docs, counts)

    def count_units(self, postings: Postings) -> int:
        """Units that have the term in the field."""
        if FIELDS[postings.field].level is Level.UNIT:
            return len(postings.docs)
        return int(self.units_per_file[postings.docs].sum())

    def add_scores(self, scores: F64, postings: Postings, gains: F64) -> None:
        """Add what each posting gives to the units that it stands for."""
        if FIELDS[postings.field].level is Level.UNIT:
            scores[postings.docs] += gains
        else:
            scores[self.spread(postings.docs)] += np.repeat(gains, self.units_per_file[postings.docs])

    def find_units(self, term: str, fields: Sequence[int]) -> Mask:
        """Which units have a term in any of the fields."""
        found = np.zeros(self.reader.unit_count, dtype=np.bool_)
        for postings in self.read_postings(term):
            if postings.field in fields:
                by_unit = FIELDS[postings.field].level is Level.UNIT
                found[postings.docs if by_unit else self.spread(postings.docs)] = True
        return found

    def has_unit(self, postings: Postings, unit: int) -> bool:
        """True when the postings stand for the unit."""
        wanted = unit if FIELDS[postings.field].level is Level.UNIT else self.find_file(unit)
        place = int(np.searchsorted(postings.docs, wanted))
        return place < len(postings.docs) and int(postings.docs[place]) == wanted

    def choose_best(self, scores: F64, top_k: int) -> list[RankedUnit]:
        """The best unit of each of the best `top_k` chunks, more where scores are equal; scores are rounded.

        Units with a score of 0 are none. Of equal units the first is taken.
        """
        matched = np.flatnonzero(scores)
        values = scores[matched]
        wanted = UNITS_PER_CHUNK * top_k
        while True:
            best = _take_largest(values, wanted)
            units, rounded = matched[best], np.round(values[best], DECIMALS)
            order = np.lexsort((units, -rounded))
            units, rounded = units[order], rounded[order]
            _, firsts = np.unique(self.find_chunks(units), return_index=True)
            if len(firsts) >= top_k or len(best) == len(matched):
                break
            wanted *= 4
        firsts.sort()
        if len(firsts) > top_k:
            firsts = firsts[rounded[firsts] >= rounded[firsts[top_k - 1]]]
        return [RankedUnit(float(rounded[first]), self.place, int(units[first])) for first in firsts.tolist()]


def _take_largest(values: F64, count: int) -> I64:
    """Places of the `count` largest values, in order, and of all that are rounded to the same as the last."""
    if len(values) <= count:
        return np.arange(len(values))
    last = float(np.partition(values, len(values) - count)[len(values) - count])
    return np.flatnonzero(values >= last - 10.0**-DECIMALS)
