"""One segment as a search sees it: its units grouped by file and by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from index_format import CorruptIndex, Level, LiveSegment, UnitSpan, sort_distinct, spread_runs
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.unit_rows import UnitRows
from repo_mcp.record_classes import dataclass

SPARSE_LOOKUPS = 16  # of chunks, file by file, after which tables of all units pay off
UNITS_PER_CHUNK = 3  # units considered first per wanted chunk; more when these do not suffice
FEW_SORTED = 8_192  # units of several lists that are sorted; of more, those held are marked


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """One unit of a ranking and its score."""

    score: float
    segment: int  # position in the snapshot
    unit: int


@dataclass(frozen=True, slots=True)
class Matches:
    """The units of a segment that matched, ascending, and the score of each."""

    units: I64
    scores: F64

    def keep(self, wanted: Mask) -> Matches:
        """Return only the matches that are `wanted` (one bool per match)."""
        return Matches(self.units[wanted], self.scores[wanted])


class SegmentSearch:
    """One live segment with its unit, chunk and file lookups. Safe for several threads."""

    def __init__(self, segment: LiveSegment, position: int) -> None:
        """`position` is the segment's position in the snapshot."""
        self.segment = segment
        self.reader = segment.reader
        self.position = position
        self.first_units = self.reader.files.first_units
        self.units_per_file = np.diff(self.first_units).astype(np.uint32)
        self._lookups = 0

    def sum_unit_lengths(self, field: int) -> int:
        """Return the sum, over live units, of the length of their file in a file-level field."""
        take_lengths, dead = self.reader.norms.take_lengths, self.segment.dead_files
        units = self.units_per_file.astype(np.int64)
        total = int(np.dot(units, self.reader.norms.read_lengths(field)))
        return total - int(np.dot(units[dead], take_lengths(field, dead)))

    def locate(self, units: I64) -> tuple[I64, list[UnitSpan]]:
        """Return the file of each unit, and the unit's span in its first chunk. Raises CorruptIndex."""
        files, chunks = self.find_files(units), self.find_chunks(units)
        firsts, stops = self._read_chunk_spans(files)
        strays = units[(chunks < firsts) | (chunks >= stops)]
        if len(strays):
            raise CorruptIndex(f"{self.segment.name}: unit {strays[0]} lies in no chunk of its file")
        bounds = self.first_units[files], self.first_units[files + 1]
        return files, self.reader.chunks.locate(bounds, chunks, units)

    def _read_chunk_spans(self, files: I64) -> tuple[I64, I64]:
        """Return the half-open range of chunks of each file. Raises CorruptIndex."""
        if self._lookups <= SPARSE_LOOKUPS:
            return self.reader.files.read_chunk_spans(files)
        firsts = self.reader.files.first_chunks
        return firsts[files], firsts[files + 1]

    @cached_property
    def _rows_of_chunks(self) -> UnitRows:
        return UnitRows(self._read_chunk_ends(), self.reader.unit_count)

    @cached_property
    def _rows_of_files(self) -> UnitRows:
        return UnitRows(self.first_units[1:], self.reader.unit_count)

    @cached_property
    def _chunk_ends(self) -> I64:
        return self._read_chunk_ends()

    def _read_chunk_ends(self) -> I64:
        """Return the end unit of each chunk. A unit counts for the first chunk that ends after it."""
        self.reader.chunks.read_ahead()
        self.reader.files.languages.read()
        chunks = self.reader.chunks.read_chunks()
        counts = np.diff(self.reader.files.first_chunks)
        ends: I64 = np.repeat(self.first_units[:-1], counts) + chunks.first_units + chunks.unit_counts
        last = int(ends[-1]) if len(ends) else 0
        if (np.diff(ends, prepend=0) < 0).any() or last != self.reader.unit_count:
            raise CorruptIndex(f"{self.segment.name}: chunks that do not cover their files")
        return ends

    def find_chunks(self, units: I64) -> I64:
        """Return the first chunk that holds each unit. Raises CorruptIndex."""
        self._lookups += 1
        if self._lookups > SPARSE_LOOKUPS or len(units) * SPARSE_LOOKUPS > self.reader.file_count:
            return self._rows_of_chunks.find(units)
        files = sort_distinct(self.find_files(units))
        spans = self.first_units[files], self.first_units[files + 1]
        chunks, ends = self.reader.chunks.find_ends(self.reader.files.read_chunk_spans(files), spans)
        return chunks[np.searchsorted(ends, units, side="right")]

    def find_first_units(self, chunks: I64) -> I64:
        """Return the first unit of each chunk that no earlier chunk holds. Raises CorruptIndex."""
        firsts: I64 = np.where(chunks > 0, self._chunk_ends[chunks - 1], 0)
        return firsts

    def count_chunks(self, units: I64) -> int:
        """Return the number of chunks that hold some ascending units, each in one. Raises CorruptIndex."""
        chunks = self.find_chunks(units)
        return int(np.count_nonzero(chunks[1:] != chunks[:-1])) + (len(chunks) > 0)

    def spread(self, files: I64) -> I64:
        """Return the units of the files, int64, file after file."""
        return spread_runs(self.first_units[files], self.units_per_file[files])

    def list_holding(self, term: str) -> I64:
        """Return the units that hold a term in any field, ascending. Dead ones may be among them."""
        found = []
        for one in self.reader.postings.find_lists(term.encode()):
            docs, _ = self.reader.postings.read(one)
            found.append(docs if self.reader.fields[one.field].level is Level.UNIT else self.spread(docs))
        if len(found) < 2:
            return found[0] if found else np.zeros(0, dtype=np.int64)
        if sum(map(len, found)) <= FEW_SORTED:
            return sort_distinct(np.concatenate(found))
        held = np.zeros(self.reader.unit_count, dtype=np.bool_)
        for units in found:
            held[units] = True
        return held.nonzero()[0]

    def find_files(self, units: I64) -> I64:
        """Return the file of each unit, int64."""
        if self._lookups > SPARSE_LOOKUPS:
            return self._rows_of_files.find(units)
        return self.first_units.searchsorted(units, side="right") - 1

    def find_file(self, unit: int) -> int:
        """Return the file of one unit."""
        return int(self.find_files(np.array([unit]))[0])

    def drop_dead(self, docs: I64, level: Level) -> I64:
        """Return only the live ones of some documents."""
        mask = self.segment.get_live_mask(level)
        return docs if mask is None else docs[mask[docs]]

    def keep_files(self, files: Mask) -> Mask:
        """Return one bool per unit: the value of its file in `files`."""
        kept: Mask = np.repeat(files, self.units_per_file)
        return kept

    def choose_best(self, matches: Matches, top_k: int) -> list[RankedUnit]:
        """Return the best unit of each of the best `top_k` chunks, plus ties; scores are rounded.

        Among a chunk's equal units the first is taken. Raises CorruptIndex.
        """
        matched, values = matches.units, matches.scores
        wanted = UNITS_PER_CHUNK * top_k
        while True:
            best = _take_largest(values, wanted)
            units, scores = matched[best], np.round(values[best], DECIMALS)
            order = np.lexsort((units, -scores))
            units = units[order]
            chosen = _take_firsts(self.find_chunks(units).tolist(), scores[order].tolist(), top_k)
            if len(chosen) >= top_k or len(best) == len(matched):
                break
            wanted *= 4
        numbers = units.tolist()
        return [RankedUnit(score, self.position, numbers[position]) for position, score in chosen]


def find_among(ascending: I64, units: I64) -> Mask:
    """Return a mask of the units that are among some ascending ones."""
    if not len(ascending):
        return np.zeros(len(units), dtype=np.bool_)
    places = np.minimum(ascending.searchsorted(units), len(ascending) - 1)
    found: Mask = ascending.take(places) == units
    return found


def _take_firsts(chunks: Sequence[int], scores: Sequence[float], top_k: int) -> list[tuple[int, float]]:
    """Return the position and score of the first unit of each of the first `top_k` chunks, plus ties."""
    known: set[int] = set()
    chosen: list[tuple[int, float]] = []
    for position, (chunk, score) in enumerate(zip(chunks, scores, strict=True)):
        if len(chosen) >= top_k and score < chosen[top_k - 1][1]:
            break
        if chunk not in known:
            known.add(chunk)
            chosen.append((position, score))
    return chosen


def _take_largest(values: F64, count: int) -> I64:
    """Return the positions of the `count` largest values, ascending, plus all that round to the last one."""
    if len(values) <= count:
        return np.arange(len(values))
    last = float(np.partition(values, len(values) - count)[len(values) - count])
    return np.flatnonzero(values >= last - 10.0**-DECIMALS)
