"""The lists of a term over all segments, read and weighed once for a snapshot: its statistics do not change.

They are cached while there is room: mostly common words and parts of names are used again. For a list that is
decoded as a whole, the scorer is cached; for a long list its bounds and escapes, and its bytes if it was used
lately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from index_format import BlockList, Escapes, Level, LiveSegment, PostingList
from repo_mcp.arrays import I64
from repo_mcp.lru_cache import LruCache, SizeAdjustedCache
from repo_mcp.ranking.scoring.bm25f import LengthNorms, TermScorer, TfNormTable
from repo_mcp.ranking.scoring.gains import Postings, Weigher
from repo_mcp.ranking.scoring.posting_scorers import BLOCK_DOCS, LongList, PathList, PostingScorer, ShortList
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import FIELDS

LISTS_BYTES = 24 * 1024 * 1024  # of weighed lists that are kept, in all: as many as 300 mixed queries use
BLOCKS_BYTES = 4 * 1024 * 1024  # of the bytes of long lists
RECORD_BYTES = 1000  # of a term beside its lists
PATH_UNITS = 8_192  # of the files with a term in their path, above which these are not part of a short list
ALL_FIELDS = frozenset(range(len(FIELDS)))
NO_SHARES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TermScorers:
    """All lists of one term."""

    segments: tuple[tuple[PostingScorer, ...], ...]  # segment by segment, those with a live document
    frequency: int  # live units with the term, in the field where it is commonest
    byte_count: int


class TermScorerReader:
    """Reads, weighs and keeps the lists of terms. Safe for several threads."""

    def __init__(self, segments: Sequence[LiveSegment], units: int, average_lengths: Sequence[float]) -> None:
        """`units` and `average_lengths` are those of the snapshot's live units."""
        self._segments = segments
        self._units = units
        self._average_lengths = average_lengths
        self._tf_norms = TfNormTable(average_lengths)
        self._length_norms = [*map(LengthNorms, average_lengths)]
        self._lists: SizeAdjustedCache[tuple[str, float, frozenset[int]], TermScorers] = SizeAdjustedCache(
            LISTS_BYTES, attrgetter("byte_count")
        )
        self._blocks: LruCache[tuple[str, int], BlockList] = LruCache(
            BLOCKS_BYTES, lambda one: one.byte_count
        )

    def count(self, term: str) -> int:
        """Return how many live units hold a term in its commonest field. Raises IndexFormatError, OSError."""
        counts = [0] * len(FIELDS)  # not weighed: most count less than in full when they are ranked
        for segment in self._segments:
            for one in segment.reader.postings.find_lists(term.encode()):
                is_known = FIELDS[one.field].level is Level.UNIT and not len(segment.dead_files)
                counts[one.field] += one.frequency if is_known else self._load(segment, [one])[0].live_units
        return max(counts)

    def read(
        self,
        terms: Iterable[str],
        shares: Mapping[str, float] = NO_SHARES,
        fields: frozenset[int] = ALL_FIELDS,
    ) -> list[TermScorers]:
        """Return the lists of each term in some fields. Raises IndexFormatError, OSError.

        `shares` names the terms whose gains count in part.
        """
        keys = [(term, shares.get(term, 1.0), fields) for term in terms]
        return self._lists.get_all(keys, self._read)

    def _read(self, key: tuple[str, float, frozenset[int]]) -> TermScorers:
        term, share, fields = key
        raw = [self._read_raw(segment, term.encode(), fields) for segment in self._segments]
        frequencies = [0] * len(FIELDS)
        for one in (one for lists in raw for one in lists):
            frequencies[one.field] += one.live_units
        weighers = {
            field: Weigher(
                TermScorer(FIELDS[field].name, term, self._units, frequency, self._average_lengths[field]),
                self._length_norms[field],
                share,
            )
            for field, frequency in enumerate(frequencies)
            if frequency
        }
        segments = [
            tuple(self._weigh(segment, lists, weighers))
            for segment, lists in zip(self._segments, raw, strict=True)
        ]
        byte_count = RECORD_BYTES + sum(one.byte_count for one in chain.from_iterable(segments))
        return TermScorers(tuple(segments), max(frequencies), byte_count)

    def _read_raw(self, segment: LiveSegment, term: bytes, fields: frozenset[int]) -> list[_RawList]:
        """Return the lists of a term in one segment, in some fields."""
        lists = segment.reader.postings.find_lists(term)
        return self._load(segment, [one for one in lists if one.field in fields])

    def _load(self, segment: LiveSegment, lists: Sequence[PostingList]) -> list[_RawList]:
        loaded = segment.reader.postings.read_all(lists)
        return [_RawList(segment, *one, self._blocks) for one in zip(lists, loaded, strict=True)]

    def _weigh(
        self, segment: LiveSegment, lists: Sequence[_RawList], weighers: dict[int, Weigher]
    ) -> list[PostingScorer]:
        """Return the lists of a term in one segment: the short ones in one."""
        weighed: list[PostingScorer] = []
        short: list[Postings] = []
        reader = segment.reader
        for raw in (raw for raw in lists if raw.live_units):
            weigher, average = weighers[raw.field], self._average_lengths[raw.field]
            if raw.is_long:
                weighed.append(raw.build_long(weigher, average))
                continue
            postings = raw.number(self._tf_norms, weigher)
            if FIELDS[raw.field].level is Level.FILE and raw.live_units > PATH_UNITS:
                weighed.append(PathList(postings, self._tf_norms, reader.files.first_units))
            else:
                short.append(postings)
        if short:
            blocks = -(-reader.unit_count // BLOCK_DOCS)
            weighed.append(ShortList(short, self._tf_norms, reader.files.first_units, blocks))
        return weighed


class _RawList:
    """One list before it is weighed: its live postings, or its blocks."""

    def __init__(
        self,
        segment: LiveSegment,
        posting_list: PostingList,
        loaded: BlockList | tuple[I64, I64],
        blocks: LruCache[tuple[str, int], BlockList],
    ) -> None:
        """`loaded` is the list as it was read; that of long ones goes to the cache `blocks`."""
        self.field = posting_list.field
        self._reader = segment.reader
        by_unit = FIELDS[self.field].level is Level.UNIT
        self.is_long = by_unit and isinstance(loaded, BlockList)
        if isinstance(loaded, BlockList):
            if by_unit:
                key = segment.name, posting_list.offset
                read = partial(_read_blocks, segment, posting_list, loaded.escapes)
                self._read = partial(blocks.get, key, read)
                blocks.put(key, loaded)
                self.live_units = posting_list.frequency - _count_dead(segment, self._read)
                return
            loaded = loaded.read()
        self._docs, self._counts = loaded
        mask = segment.get_live_mask(FIELDS[self.field].level)
        if mask is not None:
            live = mask[self._docs]
            self._docs, self._counts = self._docs[live], self._counts[live]
        self.live_units = len(self._docs)
        if not by_unit:
            firsts = self._reader.files.first_units
            self.live_units = int((firsts[self._docs + 1] - firsts[self._docs]).sum())

    def build_long(self, weigher: Weigher, average_length: float) -> LongList:
        """Return the list by its blocks. `average_length` is that of the snapshot."""
        own_average = max(1, self._reader.length_sums[self.field]) / self._reader.unit_count
        take_lengths = partial(self._reader.norms.take_lengths, self.field)
        return LongList(self.field, self._read, weigher, take_lengths, average_length / own_average)

    def number(self, tf_norms: TfNormTable, weigher: Weigher) -> Postings:
        """Return the live postings, one at least."""
        lengths = self._reader.norms.take_lengths(self.field, self._docs)
        numbers = tf_norms.number(self.field, self._counts, lengths)
        return Postings(self.field, self._docs, numbers, weigher)


def _read_blocks(segment: LiveSegment, posting_list: PostingList, escapes: Escapes) -> BlockList:
    blocks = segment.reader.postings.read_blocks(posting_list, escapes)
    assert blocks is not None
    return blocks


def _count_dead(segment: LiveSegment, read: Callable[[], BlockList]) -> int:
    """Return the number of postings of dead units: only their blocks are decoded."""
    if not len(segment.dead_files):
        return 0
    docs, _ = read().take(segment.dead_unit_blocks)
    return int(np.count_nonzero(~segment.live_unit_mask[docs]))
