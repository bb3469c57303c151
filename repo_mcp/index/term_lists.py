"""The posting lists of a term as a ranking uses them: what each unit gets, and at most can get.

A term's lists are weighed once for a snapshot, whose statistics do not change, and kept while there
is room: the common words of queries are few.

A gain is a whole multiple of GRAIN. Sums of gains are then exact, whatever their order, so that a
unit's score depends neither on the form of a list nor on the segment that holds the unit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from index_format import (
    BLOCK_BITS,
    BOUND_SCALE,
    SATURATION_B,
    SATURATION_K1,
    BlockList,
    Level,
    LiveSegment,
    PostingList,
    spread_runs,
)
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.scoring import F64, I64, K1, Integers, TermScorer
from repo_mcp.index.scoring import B as SCORING_B

Whole = tuple[I64, F64]  # every unit of a list, and its gain
Mask = npt.NDArray[np.bool_]
LISTS_BYTES = 12 * 1024 * 1024  # of weighed lists that are kept, in all
WHOLES_BYTES = 12 * 1024 * 1024  # of long lists that are kept decoded: 786,000 postings
GRAIN = 2.0**-38  # 14 bits are left in front of the point, for scores up to 16,384
BLOCK_DOCS = 1 << BLOCK_BITS
BLOCKS_AT_ONCE = 16  # decoded in search of the strongest unit
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
assert (SATURATION_K1, SATURATION_B) == (K1, SCORING_B)  # else the bounds of segments bound nothing


class WeighedList(Protocol):
    """The gains of units from one list. Postings of dead units may be among them."""

    field: int
    most: float  # no unit gets more
    size: int  # about how many units get something
    byte_count: int  # what it takes to keep

    def bound_blocks(self) -> F64:
        """For each block of units what none of them gets more than."""
        ...

    def add_to(self, sums: F64) -> None:
        """Add the gain of every unit to its sum."""
        ...

    def add_naming(self, sums: F64) -> I64:
        """The same. Returns the units whose sum was zero."""
        ...

    def read_gains(self, units: I64) -> F64:
        """The gain of each of some ascending units."""
        ...

    def read_whole(self) -> Whole:
        """Every unit that gets something, and its gain."""
        ...

    def read_docs(self) -> I64:
        """The documents of the list, ascending: units, or files for a field of files."""
        ...

    def find_strongest(self, live: Mask | None) -> float:
        """The largest gain of a live unit, exactly. `live` has a row for each unit; None: all live."""
        ...


@dataclass(frozen=True, slots=True)
class TermLists:
    """All lists of one term."""

    segments: tuple[tuple[WeighedList, ...], ...]  # segment by segment, those with a live document
    frequency: int  # live units with the term, in the field where it is commonest


class _Adding:
    """Adds up what `read_whole` gives."""

    def read_whole(self) -> Whole:
        """As WeighedList says."""
        raise NotImplementedError

    def add_to(self, sums: F64) -> None:
        """As WeighedList says."""
        units, gains = self.read_whole()
        sums[units] += gains

    def add_naming(self, sums: F64) -> I64:
        """As WeighedList says."""
        units, gains = self.read_whole()
        before = sums[units]
        sums[units] = before + gains
        named: I64 = units[before == 0.0]
        return named


class ShortList(_Adding):
    """A list that is decoded as a whole."""

    def __init__(self, field: int, units: I64, gains: F64, blocks: int) -> None:
        self.field = field
        self._units = units
        self._gains = gains
        self._blocks = blocks
        self.most = float(gains.max())
        self.size = len(units)
        self.byte_count = 16 * len(units) + 500

    def bound_blocks(self) -> F64:
        """As WeighedList says."""
        bounds = np.zeros(self._blocks)
        blocks = self._units >> BLOCK_BITS
        firsts = np.flatnonzero(np.diff(blocks, prepend=-1))
        bounds[blocks[firsts]] = np.maximum.reduceat(self._gains, firsts)
        return bounds

    def read_whole(self) -> Whole:
        """As WeighedList says."""
        return self._units, self._gains

    def read_gains(self, units: I64) -> F64:
        """As WeighedList says."""
        places = np.minimum(np.searchsorted(self._units, units), len(self._units) - 1)
        gains: F64 = np.where(self._units[places] == units, self._gains[places], 0.0)
        return gains

    def read_docs(self) -> I64:
        """As WeighedList says."""
        return self._units

    def find_strongest(self, live: Mask | None) -> float:
        """As WeighedList says."""
        return self.most


class LongList(_Adding):
    """A list of which only what is asked for is decoded.

    Its bounds come from the segment's own average field length. Where that of the snapshot is larger,
    documents weigh more, by its share at most: tf / (tf + 1 + length / average) grows no faster than
    `average`.
    """

    def __init__(
        self,
        field: int,
        blocks: BlockList,
        scorer: TermScorer,
        take_lengths: Callable[[I64], Integers],
        share: float,
        wholes: _Kept[LongList, Whole],
    ) -> None:
        """`share` is the snapshot's average length by that of the segment; `wholes` keeps what is decoded."""
        self.field = field
        self._blocks = blocks
        self._wholes = wholes
        self._scorer = scorer
        self._take_lengths = take_lengths
        self._scale = scorer.compute_most() * max(1.0, share) / BOUND_SCALE
        self.most = float(self._scale * int(blocks.bounds.max()))
        self.size = blocks.frequency
        self.byte_count = blocks.byte_count

    def bound_blocks(self) -> F64:
        """As WeighedList says."""
        bounds: F64 = self._blocks.bounds * np.float64(self._scale)
        return bounds

    def read_whole(self) -> Whole:
        """As WeighedList says."""
        return self._wholes.get(self, self._decode)

    def _decode(self) -> Whole:
        docs, counts = self._blocks.read()
        return docs, weigh(self._scorer, counts, self._take_lengths(docs))

    def read_gains(self, units: I64) -> F64:
        """As WeighedList says."""
        counts = self._blocks.count(units)
        found = np.flatnonzero(counts)
        gains = np.zeros(len(units))
        gains[found] = weigh(self._scorer, counts[found], self._take_lengths(units[found]))
        return gains

    def read_docs(self) -> I64:
        """As WeighedList says."""
        return self.read_whole()[0]

    def find_strongest(self, live: Mask | None) -> float:
        """As WeighedList says. The blocks of the highest bounds are decoded until no other can win."""
        bounds = self.bound_blocks()
        order = np.argsort(-bounds, kind="stable")
        strongest = 0.0
        for first in range(0, len(order), BLOCKS_AT_ONCE):
            if bounds[order[first]] <= strongest:
                break
            docs, counts = self._blocks.take(np.sort(order[first : first + BLOCKS_AT_ONCE]))
            if live is not None:
                docs, counts = docs[live[docs]], counts[live[docs]]
            gains = weigh(self._scorer, counts, self._take_lengths(docs))
            strongest = max(strongest, float(gains.max(initial=0.0)))
        return strongest


class PathList(_Adding):
    """What the units of files get from a term in the path."""

    def __init__(self, field: int, files: I64, gains: F64, first_units: I64) -> None:
        """`first_units` is that of each file of the segment, with the end as one more row."""
        self.field = field
        self._files = files
        self._gains = gains
        self._starts = first_units[files]
        self._counts = first_units[files + 1] - self._starts
        self._blocks = -(-int(first_units[-1]) // BLOCK_DOCS)
        self.most = float(gains.max())
        self.size = int(self._counts.sum())
        self.byte_count = 32 * len(files) + 500

    def bound_blocks(self) -> F64:
        """As WeighedList says."""
        bounds = np.zeros(self._blocks)
        own = self._counts > 0
        firsts, lasts = self._starts[own] >> BLOCK_BITS, (self._starts + self._counts - 1)[own] >> BLOCK_BITS
        gains = self._gains[own]
        np.maximum.at(bounds, firsts, gains)
        np.maximum.at(bounds, lasts, gains)
        for place in np.flatnonzero(lasts - firsts > 1).tolist():  # files of more than 256 units
            inside = bounds[firsts[place] + 1 : lasts[place]]
            np.maximum(inside, gains[place], out=inside)
        return bounds

    def read_whole(self) -> Whole:
        """As WeighedList says."""
        return spread_runs(self._starts, self._counts), np.repeat(self._gains, self._counts)

    def read_gains(self, units: I64) -> F64:
        """As WeighedList says."""
        places = np.searchsorted(self._starts, units, side="right") - 1
        inside = (places >= 0) & (units < self._starts[places] + self._counts[places])
        gains: F64 = np.where(inside, self._gains[places], 0.0)
        return gains

    def read_docs(self) -> I64:
        """As WeighedList says."""
        return self._files

    def find_strongest(self, live: Mask | None) -> float:
        """As WeighedList says."""
        return self.most


class ScaledList(_Adding):
    """Another list, whose gains count only in part."""

    def __init__(self, one: WeighedList, share: float) -> None:
        """`share` is above 0 and at most 1."""
        self.field, self.size, self.byte_count = one.field, one.size, one.byte_count
        self.most = one.most * share
        self._one = one
        self._share = share

    def bound_blocks(self) -> F64:
        """As WeighedList says."""
        return self._one.bound_blocks() * self._share

    def read_whole(self) -> Whole:
        """As WeighedList says."""
        units, gains = self._one.read_whole()
        return units, self._scale(gains)

    def _scale(self, gains: F64) -> F64:
        scaled: F64 = np.rint(gains * (self._share / GRAIN)) * GRAIN
        return scaled

    def read_gains(self, units: I64) -> F64:
        """As WeighedList says."""
        return self._scale(self._one.read_gains(units))

    def read_docs(self) -> I64:
        """As WeighedList says."""
        return self._one.read_docs()

    def find_strongest(self, live: Mask | None) -> float:
        """As WeighedList says."""
        return float(self._scale(np.array([self._one.find_strongest(live)]))[0])


def weigh(scorer: TermScorer, counts: I64, lengths: Integers) -> F64:
    """The gain of each posting."""
    gains: F64 = np.rint(scorer.score(counts, lengths) * (1.0 / GRAIN)) * GRAIN
    return gains


class _Kept(Generic[Key, Value]):
    """What was used last, up to a number of bytes. Safe for several threads."""

    def __init__(self, most_bytes: int, count_bytes: Callable[[Value], int]) -> None:
        self._most_bytes = most_bytes
        self._count_bytes = count_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key, read: Callable[[], Value]) -> Value:
        """The value that is kept, or that is read now."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = read()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._bytes += self._count_bytes(value)
            while self._bytes > self._most_bytes:
                self._bytes -= self._count_bytes(self._values.popitem(last=False)[1])
        return value


class TermListReader:
    """Reads, weighs and keeps the lists of terms. Safe for several threads."""

    def __init__(self, segments: Sequence[LiveSegment], units: int, average_lengths: Sequence[float]) -> None:
        """`units` and `average_lengths` are those of the snapshot's live units."""
        self._segments = segments
        self._units = units
        self._average_lengths = average_lengths
        self._lists: _Kept[str, TermLists] = _Kept(LISTS_BYTES, _count_bytes)
        self._wholes: _Kept[LongList, Whole] = _Kept(WHOLES_BYTES, lambda whole: 16 * len(whole[0]))

    def read(self, term: str) -> TermLists:
        """The lists of a term, segment by segment. Raises IndexFormatError for damage, OSError."""
        return self._lists.get(term, lambda: self._read(term))

    def _read(self, term: str) -> TermLists:
        read = [
            [_RawList(segment, one) for one in segment.reader.find_lists(term.encode())]
            for segment in self._segments
        ]
        frequencies = [0] * len(FIELDS)
        for raw in (raw for lists in read for raw in lists):
            frequencies[raw.field] += raw.live_units
        scorers = [
            TermScorer(FIELDS[field].name, term, self._units, frequency, self._average_lengths[field])
            if frequency
            else None
            for field, frequency in enumerate(frequencies)
        ]
        weighed = (
            tuple(
                raw.weigh(scorer, self._average_lengths[raw.field], self._wholes)
                for raw in lists
                if raw.live_units and (scorer := scorers[raw.field]) is not None
            )
            for lists in read
        )
        return TermLists(tuple(weighed), max(frequencies))


def _count_bytes(lists: TermLists) -> int:
    return sum(one.byte_count for segment in lists.segments for one in segment) + 1000


class _RawList:
    """One list before it is weighed: its live postings, or its blocks."""

    def __init__(self, segment: LiveSegment, posting_list: PostingList) -> None:
        self.field = posting_list.field
        self._reader = segment.reader
        self._by_unit = FIELDS[self.field].level is Level.UNIT
        self._blocks = self._reader.read_blocks(posting_list) if self._by_unit else None
        if self._blocks is not None:
            self.live_units = posting_list.frequency - _count_dead(segment, self._blocks)
            return
        self._docs, self._counts = self._reader.read_postings(posting_list)
        mask = segment.get_live_mask(FIELDS[self.field].level)
        if mask is not None:
            live = mask[self._docs]
            self._docs, self._counts = self._docs[live], self._counts[live]
        self.live_units = len(self._docs)
        if not self._by_unit:
            firsts = self._reader.files.first_units
            self.live_units = int((firsts[self._docs + 1] - firsts[self._docs]).sum())

    def weigh(self, scorer: TermScorer, average_length: float, wholes: _Kept[LongList, Whole]) -> WeighedList:
        """The list with what its units get; some unit is live."""
        take_lengths = partial(self._reader.norms.take_lengths, self.field)
        units = self._reader.unit_count
        if self._blocks is not None:
            own_average = max(1, self._reader.length_sums[self.field]) / units
            return LongList(
                self.field, self._blocks, scorer, take_lengths, average_length / own_average, wholes
            )
        gains = weigh(scorer, self._counts, take_lengths(self._docs))
        if self._by_unit:
            return ShortList(self.field, self._docs, gains, -(-units // BLOCK_DOCS))
        return PathList(self.field, self._docs, gains, self._reader.files.first_units)


def _count_dead(segment: LiveSegment, blocks: BlockList) -> int:
    """Postings of dead units: only their blocks are decoded."""
    if not len(segment.dead_files):
        return 0
    docs, _ = blocks.take(segment.dead_unit_blocks)
    return int(np.count_nonzero(~segment.live_unit_mask[docs]))
