"""One segment as a search sees it: live postings, and units as parts of files and chunks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index_format import CorruptIndex, Level, LiveSegment, PostingList
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.scoring import DECIMALS, F64, I64

Mask = npt.NDArray[np.bool_]
FEW = 16  # times as many units as a query touched make a pass over all of them the slower way
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


@dataclass(frozen=True, slots=True)
class Matches:
    """The units of a segment that matched, ascending, and the score of each, before it is rounded."""

    units: I64
    scores: F64

    def keep(self, wanted: Mask) -> Matches:
        """Those of them that are wanted; `wanted` has a row for each match."""
        return Matches(self.units[wanted], self.scores[wanted])


class SegmentSearch:
    """Safe for several threads: each has its own sums."""

    def __init__(self, segment: LiveSegment, place: int) -> None:
        """`place` is the segment's place in the snapshot."""
        self.segment = segment
        self.reader = segment.reader
        self.place = place
        self.first_units = self.reader.files.first_units
        self.units_per_file = np.diff(self.first_units)
        self._kept = threading.local()

    @cached_property
    def _chunks_of_units(self) -> npt.NDArray[np.int32]:
        """For each unit the first chunk it lies in: that and no chunk before holds the units behind."""
        chunks = self.reader.chunks.read_chunks()
        counts = np.diff(self.reader.files.first_chunks)
        ends = np.repeat(self.first_units[:-1], counts) + chunks.first_units + chunks.unit_counts
        own = np.diff(ends, prepend=0)
        if (own < 0).any() or int(own.sum()) != self.reader.unit_count:
            raise CorruptIndex(f"{self.segment.name}: chunks that do not cover their files")
        return np.repeat(np.arange(len(own), dtype=np.int32), own)

    def find_chunks(self, units: I64) -> npt.NDArray[np.int32]:
        """The first chunk that each unit lies in."""
        return self._chunks_of_units[units]

    def count_chunks(self, units: I64) -> int:
        """Chunks with one of the ascending units, a unit counted for the first chunk it lies in."""
        chunks = self.find_chunks(units)
        return int(np.count_nonzero(chunks[1:] != chunks[:-1])) + (len(chunks) > 0)

    def _are_few(self, units: int) -> bool:
        """True when it is cheaper to handle so many units one by one than to pass over all of the segment."""
        return units * FEW < self.reader.unit_count

    def spread(self, files: I64) -> I64:
        """The units of files, file after file."""
        counts = self.units_per_file[files]
        before = np.cumsum(counts) - counts
        return np.repeat(self.first_units[files] - before, counts) + np.arange(int(counts.sum()))

    def find_files(self, units: I64) -> I64:
        """The file of each unit."""
        return self.reader.files.find_files_of(units)

    def find_file(self, unit: int) -> int:
        """The file of one unit."""
        return int(self.find_files(np.array([unit]))[0])

    def read_postings(self, term: str) -> list[Postings]:
        """The live postings of a term, field by field; none in a field without any."""
        found = (self._read_live(posting_list) for posting_list in self.reader.find_lists(term.encode()))
        return [postings for postings in found if len(postings.docs)]

    def read_field(self, term: str, field: int) -> Postings | None:
        """The live postings of a term in one field; None without any."""
        lists = self.reader.find_lists(term.encode())
        found = [self._read_live(posting_list) for posting_list in lists if posting_list.field == field]
        return found[0] if found and len(found[0].docs) else None

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

    def add_up(self, gains: Sequence[tuple[Postings, F64]]) -> Matches:
        """The units of all postings, with the sum of what each posting gives, added in the given order."""
        sums = self._take_sums()
        touched = []
        for postings, gain in gains:
            if FIELDS[postings.field].level is Level.UNIT:
                touched.append(postings.docs)
                sums[postings.docs] += gain
            else:
                touched.append(self.spread(postings.docs))
                sums[touched[-1]] += np.repeat(gain, self.units_per_file[postings.docs])
        if self._are_few(sum(len(units) for units in touched)):
            units = np.unique(np.concatenate(touched)) if touched else np.zeros(0, dtype=np.int64)
        else:
            units = np.flatnonzero(sums != 0.0)  # of booleans: ten times faster than of floats
        scores = sums[units]
        sums[units] = 0.0
        return Matches(units, scores)

    def _take_sums(self) -> F64:
        """This thread's zero for each unit; who adds to them makes them zero again."""
        if not hasattr(self._kept, "sums"):
            self._kept.sums = np.zeros(self.reader.unit_count)
        sums: F64 = self._kept.sums
        return sums

    def find_units(self, term: str, fields: Sequence[int]) -> Mask:
        """Which units have a term in any of the fields."""
        found = np.zeros(self.reader.unit_count, dtype=np.bool_)
        for postings in self.read_postings(term):
            if postings.field in fields:
                by_unit = FIELDS[postings.field].level is Level.UNIT
                found[postings.docs if by_unit else self.spread(postings.docs)] = True
        return found

    def has_units(self, postings: Postings, units: I64) -> Mask:
        """For which of the units the postings stand."""
        wanted = units if FIELDS[postings.field].level is Level.UNIT else self.find_files(units)
        places = np.searchsorted(postings.docs, wanted)
        found: Mask = postings.docs[np.minimum(places, len(postings.docs) - 1)] == wanted
        return found

    def choose_best(self, matches: Matches, top_k: int) -> list[RankedUnit]:
        """The best unit of each of the best `top_k` chunks, more where scores are equal; scores are rounded.

        Of equal units the first is taken.
        """
        matched, values = matches.units, matches.scores
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
