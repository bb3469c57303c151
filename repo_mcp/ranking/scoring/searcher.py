"""Ranks the units of a snapshot by BM25F, and looks up the units and files that hold a term.

A unit's path field is that of its file. Scores are rounded once; ties are broken by path, then start line,
so that an answer depends on the tree alone, not on how it was split into segments.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from index_format import Level, Snapshot
from repo_mcp.lru_cache import LruCache, SizeAdjustedCache
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS, I64, U32, TermScorer
from repo_mcp.ranking.scoring.file_masks import FileMasks, Filter
from repo_mcp.ranking.scoring.posting_scorers import BLOCK_DOCS, PostingScorer
from repo_mcp.ranking.scoring.ranked_chunks import (
    NOTHING_HELD,
    ChunkDescriber,
    HeldTerms,
    Points,
    RankedChunk,
)
from repo_mcp.ranking.scoring.segment_search import (
    FEW_UNITS,
    UNITS_PER_CHUNK,
    BlockMaxMaxScore,
    Mask,
    Matches,
    RankedUnit,
    SegmentSearch,
    find_among,
)
from repo_mcp.ranking.scoring.term_scorers import ALL_FIELDS, TermScorerReader, TermScorers
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import BODY, FIELDS, SYMBOL

BLOCKS_COUNTED = 64  # of 256 units, looked at first: in a large tree they mostly hold enough
UNITS_COUNTED = 3  # times the wanted chunks: mostly enough, and few enough not to read where all chunks end
FILES_BYTES = 2 * 1024 * 1024  # for the cache of files by the terms they hold
DOCS_BYTES = 1024 * 1024  # for that of documents by terms: a query asks for those of its names twice
RECENT_SHARE = 0.5  # of the room of both is for those used last, as those of common words take long to read
COUNTS_KEPT = 4_096  # of terms; half a megabyte
BEGINNINGS_KEPT = 1_000  # of paths that were looked for; 0.1 MB
LOOKED_UP = 8  # a list with more units for each one in question is not decoded: they are looked up in it
LOOKED_UP_IN_BODY = 24  # the same where only the list of one field would be decoded
NOTHING_KNOWN: Mapping[str, TermScorers] = MappingProxyType({})


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
        counts = [part.reader.file_count for part in self.segments]
        self.bases = np.concatenate(
            [[0], np.cumsum(counts, dtype=np.int64)]
        )  # each segment's first row in `find_files`
        self._files: SizeAdjustedCache[tuple[str, int], U32] = SizeAdjustedCache(
            FILES_BYTES, lambda one: one.nbytes + 200, RECENT_SHARE
        )
        self._docs: SizeAdjustedCache[tuple[str, int], list[tuple[SegmentSearch, I64]]] = SizeAdjustedCache(
            DOCS_BYTES, _count_doc_bytes, RECENT_SHARE
        )
        self._describer = ChunkDescriber(self.segments)
        self._beginnings: LruCache[tuple[str, bool], bool] = LruCache(BEGINNINGS_KEPT)
        self._masks = FileMasks(self.segments)

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
            named = self._list_named(part, query, mask) if query.names_units else None
            if named is not None and len(named) <= FEW_UNITS:
                top = finder.look_up(lists, named, limit)
            else:
                is_any = named is None and mask is None and not query.excluded
                units = None if is_any else self._mark(part, query, mask, named)
                top = finder.find(lists, units, limit, threshold)
            found.append(Matches(top.units, top.scores))
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
            wanted = [self.find_units(part, query, mask), part.segment.get_live_mask(Level.UNIT)]
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

    def find_units(self, part: SegmentSearch, query: Query, files: Mask | None) -> Mask | None:
        """Return a mask of the units in `files` that satisfy the query's operators; None: all units."""
        if files is None and not (query.names_units or query.excluded):
            return None
        return self._mark(part, query, files, self._list_named(part, query, files))

    def _mark(self, part: SegmentSearch, query: Query, files: Mask | None, named: I64 | None) -> Mask:
        """Return a mask of what `_list_named` returned; if that is None, of all that are not excluded."""
        if named is not None:
            wanted = np.zeros(part.reader.unit_count, dtype=np.bool_)
            wanted[named] = True
            return wanted
        wanted = np.ones(part.reader.unit_count, dtype=np.bool_) if files is None else part.keep_files(files)
        for term in chain.from_iterable(query.excluded):
            wanted[part.list_holding(term)] = False
        return wanted

    def _list_named(self, part: SegmentSearch, query: Query, files: Mask | None) -> I64 | None:
        """Return the units in `files`, ascending, that hold or declare what the query says they must, and
        nothing excluded; None if it says nothing of the kind.

        Arrays as long as the segment, which take a new page of memory for each 4,096 units, are only made for
        terms that are common.
        """
        named: I64 | None = None
        for term in chain.from_iterable(query.symbols):
            units = self._list_declaring(part, term)
            named = units if named is None else named[find_among(units, named)]
        for lists in sorted(self._lists.read(query.coded), key=attrgetter("frequency")):
            named = _find_in_body(lists, part.position, named)
        required = [*chain.from_iterable(query.required)]
        scorers = zip(self._lists.read(required), required, strict=True)
        for lists, term in sorted(scorers, key=lambda row: row[0].frequency):
            if named is None:
                named = part.list_holding(term)
            elif len(named) * LOOKED_UP < lists.frequency:
                held = {row for one in lists.segments[part.position] for row in one.hold(named)}
                named = named[sorted(held)]
            else:
                named = named[find_among(part.list_holding(term), named)]
        if named is None:
            return None
        if files is not None:
            named = named[files.take(part.find_files(named))]
        for term in chain.from_iterable(query.excluded):
            named = named[~find_among(part.list_holding(term), named)]
        return named

    def _list_declaring(self, part: SegmentSearch, term: str) -> I64:
        """Return the live units that declare a name with a term, ascending, by lists that are cached."""
        own = [units for one, units in self.list_docs(term, SYMBOL) if one is part]
        return own[0] if own else np.zeros(0, dtype=np.int64)

    def has_beginning(self, text: str, *, whole: bool = False) -> bool:
        """Return whether the path of a live file begins with a text, or is the `whole` text. Cached."""
        find = partial(_has_beginning, self.segments, text, whole=whole)
        return self._beginnings.get((text, whole), find)

    def read_path(self, position: int, file: int) -> str:
        """Return the path of one file of the segment at `position`."""
        return self.segments[position].reader.files.read_path(file)

    def list_docs(
        self, term: str, field: int, known: TermScorers | None = None
    ) -> Sequence[tuple[SegmentSearch, I64]]:
        """Return the live documents of a term in one field, by segment. `known` are its scorers, if any.

        Without them only the posting list of that field is read, nothing is scored, and the result is cached.
        """
        if known is None:
            return self._docs.get((term, field), partial(self._read_docs, term, field))
        return [
            (part, part.drop_dead(one.read_docs(field), FIELDS[field].level))
            for part in self.segments
            for one in known.segments[part.position]
        ]

    def _read_docs(self, term: str, field: int) -> list[tuple[SegmentSearch, I64]]:
        return [
            (part, part.drop_dead(part.reader.postings.read(one)[0], FIELDS[field].level))
            for part in self.segments
            for one in part.reader.postings.find_lists(term.encode())
            if one.field == field
        ]

    def find_files(
        self, terms: Iterable[str], field: int, known: Mapping[str, TermScorers] = NOTHING_KNOWN
    ) -> list[I64]:
        """Return the live files that hold each term in one field: rows across all segments, ascending.

        Results are cached, since words of names recur from query to query. `known` are scorers of terms.
        """
        keys = [(term, field) for term in terms]
        rows = self._files.get_all(keys, lambda key: self._find_files(*key, known.get(key[0])))
        return [one.astype(np.int64) for one in rows]

    def _find_files(self, term: str, field: int, known: TermScorers | None) -> U32:
        rows = [np.zeros(0, dtype=np.int64)]
        for part, docs in self.list_docs(term, field, known):
            files = docs if FIELDS[field].level is Level.FILE else part.find_files(docs)
            is_new = np.ones(len(files), dtype=np.bool_)
            np.not_equal(files[1:], files[:-1], out=is_new[1:])
            rows.append(files[is_new] + self.bases[part.position])
        return np.concatenate(rows).astype(np.uint32)

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


def _find_in_body(lists: TermScorers, segment: int, units: I64 | None) -> I64:
    """Return those of some ascending units whose body holds a term; of all units, if None are given."""
    own = lists.segments[segment]
    if units is not None and len(units) * LOOKED_UP_IN_BODY < lists.frequency:
        for one in own:
            if one.field == BODY:
                return units[one.hold(units)]
    docs = max((one.read_docs(BODY) for one in own), key=len, default=np.zeros(0, dtype=np.int64))
    return docs if units is None else units[find_among(docs, units)]


def _count_doc_bytes(docs: Sequence[tuple[SegmentSearch, I64]]) -> int:
    return 200 + sum(own.nbytes for _, own in docs)


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
