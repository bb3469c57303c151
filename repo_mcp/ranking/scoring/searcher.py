"""Ranks the units of a snapshot by BM25F.

A unit's path field is that of its file. Scores are rounded once; ties are broken by path, then start line,
so that an answer depends on the tree alone, not on how it was split into segments.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from operator import attrgetter

import numpy as np

from index_format import Level, Snapshot
from repo_mcp.arrays import I64, Mask
from repo_mcp.lru_cache import LruCache
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.block_max import FEW_UNITS, BlockMaxMaxScore
from repo_mcp.ranking.scoring.bm25f import DECIMALS, TermScorer
from repo_mcp.ranking.scoring.file_masks import FileMasks, Filter
from repo_mcp.ranking.scoring.posting_scorers import BLOCK_DOCS, PostingScorer
from repo_mcp.ranking.scoring.query_units import QueryUnits
from repo_mcp.ranking.scoring.ranked_chunks import (
    NOTHING_HELD,
    ChunkDescriber,
    HeldTerms,
    Points,
    RankedChunk,
)
from repo_mcp.ranking.scoring.segment_search import UNITS_PER_CHUNK, Matches, RankedUnit, SegmentSearch
from repo_mcp.ranking.scoring.term_documents import TermDocuments
from repo_mcp.ranking.scoring.term_scorers import ALL_FIELDS, TermScorerReader, TermScorers
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import BODY, FIELDS

BLOCKS_COUNTED = 64  # of 256 units, looked at first: in a large tree they mostly hold enough
UNITS_COUNTED = 3  # times the wanted chunks: mostly enough, and few enough not to read where all chunks end
COUNTS_KEPT = 4_096  # of terms; half a megabyte
BEGINNINGS_KEPT = 1_000  # of paths that were looked for; 0.1 MB


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best chunks, and totals of the search."""

    chunks: tuple[RankedChunk, ...]
    total: int  # chunks that match
    unknown: tuple[str, ...] = ()  # query terms that no live unit and no path holds
    bound: float = 0.0  # no score can be higher; 0 where it was not computed
    total_is_lower_bound: bool = False  # as many match at least


@dataclass(frozen=True, slots=True)
class BestUnits:
    """The exact best units of a snapshot by BM25F, ties at the cut broken by path."""

    segments: tuple[Matches, ...]  # one per segment: its units, ascending, and their scores
    masks: tuple[Mask | None, ...]  # one per segment: the files that the filter lets through; None: all
    terms: tuple[TermScorers, ...]  # one per query term


class Searcher:
    """Answers ranked queries on one snapshot. Thread-safe. Methods raise IndexFormatError, OSError."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.segments = [
            SegmentSearch(segment, position) for position, segment in enumerate(snapshot.segments)
        ]
        self.average_lengths = [self._average_length(number) for number in range(len(FIELDS))]
        self._lists = TermScorerReader(snapshot.segments, snapshot.unit_count, self.average_lengths)
        # The live units with a term, in the field where it is commonest. Asked again, it calls nothing.
        self.count_units = lru_cache(maxsize=COUNTS_KEPT)(self._lists.count)
        self._finders = [BlockMaxMaxScore(segment) for segment in snapshot.segments]
        self.documents = TermDocuments(self.segments)
        self.units = QueryUnits(self._lists, self.documents)
        self._describer = ChunkDescriber(self.segments)
        self._beginnings: LruCache[tuple[str, bool], bool] = LruCache(BEGINNINGS_KEPT)
        self._masks = FileMasks()

    def _average_length(self, field: int) -> float:
        """Return the average length of a field over live units; a file-level field counts for each unit."""
        units = self.snapshot.unit_count
        if FIELDS[field].level is Level.UNIT:
            total = self.snapshot.sum_lengths(field)
        else:
            total = sum(part.sum_unit_lengths(field) for part in self.segments)
        return total / units if units else 0.0

    def rank(self, query: Query, top_k: int, wanted: Filter | None = None) -> Ranking:
        """Return the best `top_k` chunks by text alone."""
        wanted = wanted or Filter()
        limit = UNITS_PER_CHUNK * top_k
        while True:
            found = self.find_best_units(query, limit, wanted)
            total = self.count_best_chunks(found)
            if total > top_k or sum(len(one.units) for one in found.segments) < limit:
                break
            limit *= 4
        best = [
            unit
            for part, matches in zip(self.segments, found.segments, strict=True)
            for unit in part.choose_best(matches, top_k)
        ]
        return Ranking(tuple(self._describe(query, found, best, top_k)), total)

    def find_best_units(
        self, query: Query, limit: int, wanted: Filter, fields: frozenset[int] = ALL_FIELDS
    ) -> BestUnits:
        """Return the `limit` best units of the wanted files, ties by path, then start line. Exact.

        Only matches in `fields` count.
        """
        terms = self._read_terms(query, ALL_FIELDS)
        counting = terms if fields == ALL_FIELDS else self._read_terms(query, fields)
        masks = [self._masks.find(part, query, wanted) for part in self.segments]
        found: list[Matches] = []
        threshold = 0.0
        for part, finder, mask in zip(self.segments, self._finders, masks, strict=True):
            lists = [one for term in counting for one in term.segments[part.position]]
            if query.coded:  # in comments, the same words say nothing of the code
                lists = [one for one in lists if one.field in (BODY, None)]
            named = self.units.list_named(part, query, mask) if query.names_units else None
            if named is not None and len(named) <= FEW_UNITS:
                top = finder.look_up(lists, named, limit)
            else:
                is_any = named is None and mask is None and not query.excluded
                units = None if is_any else self.units.mark(part, query, mask, named)
                top = finder.find(lists, units, limit, threshold)
            found.append(top)
            if len(top.scores) >= limit:
                threshold = max(threshold, float(np.partition(top.scores, -limit)[-limit]))
        return BestUnits(tuple(self._cut_units(found, limit)), tuple(masks), terms)

    def count_best_chunks(self, best: BestUnits) -> int:
        """Return the number of chunks that hold at least one of the best units."""
        parts = zip(self.segments, best.segments, strict=True)
        return sum([part.count_chunks(own.units) for part, own in parts])

    def count_chunks(self, query: Query, best: BestUnits, most: int) -> int:
        """Return the number of chunks that match the query whose best units are given, or `most` if more do.

        One term in so many units that their chunks must be enough decides without a look. Else units are
        examined in the order of their numbers, some blocks at a time, until there are enough: the commonest
        list, which gains least, mostly has them in the first blocks.
        """
        operators = query.names_units or query.excluded
        is_any = not operators and all(mask is None for mask in best.masks)
        commonest = max((one.frequency for one in best.terms), default=0)
        if is_any and 0 < most * self._most_units <= commonest:  # 0: there is no chunk
            return most
        total = 0
        for part, mask in zip(self.segments, best.masks, strict=True):
            wanted = [self.units.find(part, query, mask), part.segment.get_live_mask(Level.UNIT)]
            lists = [one for term in best.terms for one in term.segments[part.position]]
            lists.sort(key=attrgetter("most"))
            units = np.zeros(0, dtype=np.int64)
            start, size, count = 0, BLOCKS_COUNTED, part.reader.unit_count
            while start * BLOCK_DOCS < count:
                blocks = np.arange(start, min(start + size, -(-count // BLOCK_DOCS)))
                before = units
                for number in dict.fromkeys((1, len(lists))):
                    more = _find_held(lists[:number], blocks, count, wanted)
                    units = np.concatenate([before, more])
                    if total + part.count_chunks(units[: UNITS_COUNTED * most]) >= most:
                        return most
                start, size = start + size, 2 * size
            total += part.count_chunks(units)
            if total >= most:
                return most
        return total

    @cached_property
    def _most_units(self) -> int:
        """Return the number of units of the chunk that has most."""
        return max((part.reader.chunks.find_most_units() for part in self.segments), default=0)

    def _read_terms(self, query: Query, fields: frozenset[int]) -> tuple[TermScorers, ...]:
        """Return the scorers of each query term, weighted as the query says."""
        return tuple(self._lists.read(query.terms, query.weights, fields))

    def find_strongest(self, lists: TermScorers) -> float:
        """Return the most a term can give: the sum over fields of its largest gain for a live unit, exactly.

        A term that occurs nowhere counts as if it occurred once, in a unit of average length.
        """
        if not lists.frequency:
            scorer = TermScorer(FIELDS[BODY].name, "", max(1, self.snapshot.unit_count), 1, 1.0)
            return float(scorer.score(np.ones(1, dtype=np.int64), np.ones(1, dtype=np.int64))[0])
        strongest = [0.0] * len(FIELDS)
        for part in self.segments:
            live = part.segment.get_live_mask(Level.UNIT)
            for one in lists.segments[part.position]:
                found = [one.find_strongest(field, live) for field in range(len(FIELDS))]
                strongest = list(map(max, strongest, found))
        return sum(strongest)

    def has_files(self, wanted: Filter) -> bool:
        """Return True when at least one live file passes the filter."""
        for part in self.segments:
            mask = self._masks.find(part, Query(), wanted)
            live = part.segment.live_file_mask
            if (live if mask is None else live & mask).any():
                return True
        return False

    def has_beginning(self, text: str, *, whole: bool = False) -> bool:
        """Return whether the path of a live file begins with a text, or is the `whole` text. Cached."""
        find = partial(_has_beginning, self.segments, text, whole=whole)
        return self._beginnings.get((text, whole), find)

    def read_path(self, position: int, file: int) -> str:
        """Return the path of one file of the segment at `position`."""
        return self.segments[position].reader.files.read_path(file)

    def describe(
        self,
        query: Query,
        best: BestUnits,
        units: Sequence[RankedUnit],
        held: HeldTerms = NOTHING_HELD,
        points: Sequence[Points] = (),
    ) -> list[RankedChunk]:
        """Return the chunks that hold the units, with everything an answer needs.

        `held` has the terms of those units whose terms are known already, `points` explain their scores.
        """
        addresses = self._describer.locate(units)
        return self._describer.describe(query, best.terms, units, addresses, held, points)

    def _cut_units(self, found: list[Matches], limit: int) -> list[Matches]:
        """Return the `limit` best of all units; ties at the cut go to the first paths and lines."""
        scores = np.concatenate([matches.scores for matches in found]) if found else np.zeros(0)
        if len(scores) <= limit:
            return found
        last = np.round(np.partition(scores, len(scores) - limit)[len(scores) - limit], DECIMALS)
        rounded = [np.round(matches.scores, DECIMALS) for matches in found]
        room = limit - sum(int(np.count_nonzero(values > last)) for values in rounded)
        # Units of a segment are in path order, so the first ties of each segment are enough.
        ties = [
            (part.reader.files.read_path(part.find_file(unit)).encode(), unit, part.position)
            for part, matches, values in zip(self.segments, found, rounded, strict=True)
            for unit in matches.units[np.flatnonzero(values == last)[:room]].tolist()
        ]
        kept = [set[int]() for _ in found]
        for _, unit, position in sorted(ties)[:room]:
            kept[position].add(unit)
        masks = [values > last for values in rounded]
        for matches, mask, own in zip(found, masks, kept, strict=True):
            mask[matches.units.searchsorted(sorted(own))] = True  # np.isin would import numpy.ma: 2 MB
        return [matches.keep(mask) for matches, mask in zip(found, masks, strict=True)]

    def _describe(
        self, query: Query, found: BestUnits, best: list[RankedUnit], top_k: int
    ) -> list[RankedChunk]:
        """Return the best chunks in order, with everything an answer needs."""
        units = _cut(best, top_k)
        described = list(zip(units, self._describer.locate(units), strict=True))
        described.sort(key=lambda row: (-row[0].score, row[1].path.encode(), row[1].span.chunk.start_line))
        first = [unit for unit, _ in described[:top_k]]
        held: HeldTerms = NOTHING_HELD
        if query.coded == query.terms:  # each unit that was found has them all
            held = {(unit.segment, unit.unit): query.terms for unit in first}
        addresses = [address for _, address in described[:top_k]]
        return self._describer.describe(query, found.terms, first, addresses, held)


def _find_held(lists: Sequence[PostingScorer], blocks: I64, count: int, masks: Sequence[Mask | None]) -> I64:
    """Return the units of some adjacent blocks, of `count` in all, that a list holds and all masks want."""
    held = np.zeros(len(blocks) * BLOCK_DOCS, dtype=np.bool_)
    for one in lists:
        held[one.place(blocks)] = True
    first = int(blocks[0]) * BLOCK_DOCS
    held = held[: count - first]
    for mask in masks:
        if mask is not None:
            held &= mask[first : first + len(held)]
    return held.nonzero()[0] + first


def _has_beginning(segments: Sequence[SegmentSearch], text: str, *, whole: bool) -> bool:
    """Return what `has_beginning` does. Paths are in order, by their bytes."""
    wanted = text.encode()
    for part in segments:
        files, live = part.reader.files, part.segment.live_file_mask
        first = bisect_left(
            range(part.reader.file_count), wanted, key=lambda file: files.read_path(file).encode()
        )
        for file in range(first, part.reader.file_count):
            path = files.read_path(file)
            if not path.startswith(text):
                break
            if live[file] and (path == text or not whole):
                return True
    return False


def _cut(best: list[RankedUnit], top_k: int) -> list[RankedUnit]:
    """Keep the first `top_k` and all ties with the last of them; paths decide among ties later."""
    if len(best) <= top_k:
        return best
    worst = sorted((unit.score for unit in best), reverse=True)[top_k - 1]
    return [unit for unit in best if unit.score >= worst]
