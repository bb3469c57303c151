"""Ranks the units of a snapshot by BM25F and gives the best chunks.

A unit's path field is its file's. Scores are rounded once; ties are by path, then start line, so that
an answer depends on the tree alone, not on how it came into segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from index_format import ChunkSpan, Level, Snapshot, UnitSpan
from repo_mcp.lru_cache import LruCache
from repo_mcp.ranking.block_max_maxscore import BlockMaxMaxScore
from repo_mcp.ranking.bm25f import DECIMALS, I64, TermScorer
from repo_mcp.ranking.path_scan import PathScan
from repo_mcp.ranking.query import Query
from repo_mcp.ranking.segment_search import UNITS_PER_CHUNK, Mask, Matches, RankedUnit, SegmentSearch
from repo_mcp.ranking.term_scorers import ALL_FIELDS, TermScorerReader, TermScorers
from repo_mcp.ranking.tf_norm_table import U32
from repo_mcp.text.schema import BODY, FIELDS, SYMBOL

FILES_BYTES = 2 * 1024 * 1024  # of files by the terms that they hold, that are kept


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """One chunk of the ranking, by its best unit."""

    path: str
    chunk: ChunkSpan
    unit_start: int  # first line of its best unit
    unit_end: int
    score: float
    matched_terms: tuple[str, ...]  # query terms that occur in the best unit, in the query's order
    language: str
    fingerprint: bytes  # of the file when it was indexed
    explanation: tuple[tuple[str, float], ...] = ()  # signal and points; together they are the score


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best chunks."""

    chunks: tuple[RankedChunk, ...]
    total: int  # chunks that were ranked: all that match, when the best units are fewer than were asked for
    unknown: tuple[str, ...] = ()  # query terms that no live unit and no path holds
    bound: float = 0.0  # no score can be higher; 0 where it was not asked for


@dataclass(frozen=True, slots=True)
class Filter:
    """What files a ranking is about."""

    matches_path: Callable[[str], bool] | None = None
    key: str = ""  # names what `matches_path` lets through, for keeping
    language: str | None = None
    include_tests: bool = True
    languages: frozenset[str] = frozenset()  # one of these, whatever else is asked for; none: any


@dataclass(frozen=True, slots=True)
class BestUnits:
    """The exact best units of a snapshot by BM25F."""

    segments: tuple[Matches, ...]  # for each segment its units, ascending, and their scores
    masks: tuple[Mask | None, ...]  # for each segment which files the filter lets through; None: all
    total: int  # chunks that hold one of them
    terms: tuple[TermScorers, ...]  # of each query term


@dataclass(frozen=True, slots=True)
class _UnitAddress:
    """Where a unit lies, and what is known of its file."""

    path: str
    span: UnitSpan
    language: str
    fingerprint: bytes


class Searcher:
    """Answers ranked queries on one snapshot. Safe for several threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.segments = [
            SegmentSearch(segment, position) for position, segment in enumerate(snapshot.segments)
        ]
        self.average_lengths = [self._average_length(number) for number in range(len(FIELDS))]
        self._lists = TermScorerReader(snapshot.segments, snapshot.unit_count, self.average_lengths)
        self._finders = [BlockMaxMaxScore(segment) for segment in snapshot.segments]
        counts = [part.reader.file_count for part in self.segments]
        self.bases = np.concatenate(
            [[0], np.cumsum(counts, dtype=np.int64)]
        )  # where each segment's files begin in `find_files`
        self._files: LruCache[tuple[str, int], U32] = LruCache(FILES_BYTES, lambda one: one.nbytes + 200)
        # Bound to the segments, not to itself: in a ring with what it keeps it would outlive its last use.
        self._file_masks = lru_cache(maxsize=32)(partial(_compute_file_mask, self.segments))

    def _average_length(self, field: int) -> float:
        """Average length of a field over the live units, a file's text counted for each of its units."""
        units = self.snapshot.unit_count
        if FIELDS[field].level is Level.UNIT:
            total = self.snapshot.sum_lengths(field)
        else:
            total = sum(part.sum_unit_lengths(field) for part in self.segments)
        return total / units if units else 0.0

    def rank(self, query: Query, top_k: int, wanted: Filter | None = None) -> Ranking:
        """The best `top_k` chunks by text alone."""
        wanted = wanted or Filter()
        limit = UNITS_PER_CHUNK * top_k
        while True:
            found = self.find_best_units(query, limit, wanted)
            if found.total >= top_k or sum(len(one.units) for one in found.segments) < limit:
                break
            limit *= 4
        best = [
            unit
            for part, matches in zip(self.segments, found.segments, strict=True)
            for unit in part.choose_best(matches, top_k)
        ]
        return Ranking(tuple(self._describe(query, found, best, top_k)), found.total)

    def find_best_units(
        self, query: Query, limit: int, wanted: Filter, fields: frozenset[int] = ALL_FIELDS
    ) -> BestUnits:
        """The `limit` best units of the wanted files, ties by path, then start line. Exact.

        Only what the `fields` hold counts.
        """
        terms = self._read_terms(query, ALL_FIELDS)
        counting = terms if fields == ALL_FIELDS else self._read_terms(query, fields)
        masks = tuple(self._find_mask(part, query, wanted) for part in self.segments)
        found: list[Matches] = []
        threshold = 0.0
        for part, finder, mask in zip(self.segments, self._finders, masks, strict=True):
            lists = [one for term in counting for one in term.segments[part.position]]
            top = finder.find(lists, self.find_units(part, query, mask), limit, threshold)
            found.append(Matches(top.units, top.scores))
            if len(top.scores) >= limit:
                threshold = max(threshold, float(np.partition(top.scores, -limit)[-limit]))
        cut = self._cut_units(found, limit)
        total = sum(part.count_chunks(own.units) for part, own in zip(self.segments, cut, strict=True))
        return BestUnits(tuple(cut), masks, total, terms)

    def _read_terms(self, query: Query, fields: frozenset[int]) -> tuple[TermScorers, ...]:
        """The lists of each term, which counts as much as the query says."""
        return tuple(self._lists.read(term, query.weights.get(term, 1.0), fields) for term in query.terms)

    def find_strongest(self, lists: TermScorers) -> float:
        """What the lists of a term give at most: the sum over fields of what a live unit gets, exactly.

        A term that is nowhere counts as one that stands once, in a unit of average length.
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
        """True when a live file passes a filter."""
        for part in self.segments:
            mask = self._find_mask(part, Query(), wanted)
            live = part.segment.live_file_mask
            if (live if mask is None else live & mask).any():
                return True
        return False

    def count_units(self, term: str) -> int:
        """In how many live units a term occurs, in the field where it is commonest."""
        return self._lists.read(term).frequency

    def find_units(self, part: SegmentSearch, query: Query, files: Mask | None) -> Mask | None:
        """Which units are of the files, and are not ruled out by required, excluded and symbol words."""
        masks = [] if files is None else [part.keep_files(files)]
        for words, fields in ((query.required, range(len(FIELDS))), (query.symbols, [SYMBOL])):
            masks += [self._find_holding(part, term, fields) for terms in words for term in terms]
        for term in (term for terms in query.excluded for term in terms):
            masks.append(~self._find_holding(part, term, range(len(FIELDS))))
        return np.logical_and.reduce(masks) if masks else None

    def _find_holding(self, part: SegmentSearch, term: str, fields: Sequence[int]) -> Mask:
        """Which units hold a term in one of the fields."""
        found = np.zeros(part.reader.unit_count, dtype=np.bool_)
        for one in part.reader.find_lists(term.encode()):
            if one.field in fields:
                docs, _ = part.reader.read_postings(one)
                found[docs if FIELDS[one.field].level is Level.UNIT else part.spread(docs)] = True
        return found

    def read_path(self, position: int, file: int) -> str:
        """The path of one file of a segment."""
        return self.segments[position].reader.files.read_path(file)

    def iter_field(
        self, term: str, field: int, known: TermScorers | None = None
    ) -> Iterator[tuple[SegmentSearch, I64]]:
        """The live documents of a term in one field, segment by segment. `known` are its lists, if read.

        Others are not weighed, only the list of the field is read.
        """
        level = FIELDS[field].level
        for part in self.segments:
            if known is not None:
                found = [one.read_docs(field) for one in known.segments[part.position]]
            else:
                lists = part.reader.find_lists(term.encode())
                found = [part.reader.read_postings(one)[0] for one in lists if one.field == field]
            for docs in found:
                yield part, part.drop_dead(docs, level)

    def find_files(self, term: str, field: int, known: TermScorers | None = None) -> I64:
        """The live files with a term in one field, ascending: each by its number in all segments together.

        They are kept: words of names are asked for again and again. `known` are the lists of the term.
        """
        return self._files.get((term, field), lambda: self._find_files(term, field, known)).astype(np.int64)

    def _find_files(self, term: str, field: int, known: TermScorers | None) -> U32:
        rows = [np.zeros(0, dtype=np.int64)]
        for part, docs in self.iter_field(term, field, known):
            files = docs if FIELDS[field].level is Level.FILE else part.find_files(docs)
            is_new = np.ones(len(files), dtype=np.bool_)
            np.not_equal(files[1:], files[:-1], out=is_new[1:])
            rows.append(files[is_new] + self.bases[part.position])
        return np.concatenate(rows).astype(np.uint32)

    def describe(self, query: Query, best: BestUnits, units: Sequence[RankedUnit]) -> list[RankedChunk]:
        """The chunks of units, with all that an answer needs."""
        return self._build_chunks(query, best, units, self._locate(units))

    def _cut_units(self, found: list[Matches], limit: int) -> list[Matches]:
        """The `limit` best of all units; of equal ones at the end those of the first paths and lines."""
        scores = np.concatenate([matches.scores for matches in found]) if found else np.zeros(0)
        if len(scores) <= limit:
            return found
        last = np.round(np.partition(scores, len(scores) - limit)[len(scores) - limit], DECIMALS)
        rounded = [np.round(matches.scores, DECIMALS) for matches in found]
        room = limit - sum(int(np.count_nonzero(values > last)) for values in rounded)
        # Units of a segment stand in the order of their paths: of each the first ones are enough.
        ties = [
            (part.reader.files.read_path(part.find_file(unit)).encode(), unit, part.position)
            for part, matches, values in zip(self.segments, found, rounded, strict=True)
            for unit in matches.units[np.flatnonzero(values == last)[:room]].tolist()
        ]
        kept = [set[int]() for _ in found]
        for _, unit, position in sorted(ties)[:room]:
            kept[position].add(unit)
        return [
            matches.keep((values > last) | np.isin(matches.units, sorted(own)))
            for matches, values, own in zip(found, rounded, kept, strict=True)
        ]

    def _find_mask(self, part: SegmentSearch, query: Query, wanted: Filter) -> Mask | None:
        """Which files of a segment the filter and the query let through; None: all."""
        languages = frozenset([*query.languages, *([wanted.language] if wanted.language else [])])
        key = (
            part.position,
            wanted.key,
            tuple(query.path_parts),
            languages,
            wanted.languages,
            wanted.include_tests,
        )
        if not any(key[1:5]) and wanted.include_tests:
            return None
        return self._file_masks(*key, _Filter(wanted.matches_path))

    def _describe(
        self, query: Query, found: BestUnits, best: list[RankedUnit], top_k: int
    ) -> list[RankedChunk]:
        """The best chunks in order, with all that an answer needs."""
        units = _cut(best, top_k)
        described = list(zip(units, self._locate(units), strict=True))
        described.sort(key=lambda row: (-row[0].score, row[1].path.encode(), row[1].span.chunk.start_line))
        return self._build_chunks(query, found, *zip(*described[:top_k], strict=True)) if described else []

    def _locate(self, units: Sequence[RankedUnit]) -> list[_UnitAddress]:
        """Where each unit lies."""
        positions: dict[int, _UnitAddress] = {}  # by the row of the unit
        for part, rows, own in self._part(units):
            files, spans = part.locate(own)
            paths = [self.read_path(part.position, file) for file in files.tolist()]
            languages = part.reader.take_languages(files)
            prints = part.reader.files.take_fingerprints(files)
            positions.update(zip(rows, map(_UnitAddress, paths, spans, languages, prints), strict=True))
        return [positions[row] for row in range(len(units))]

    def _part(self, units: Sequence[RankedUnit]) -> Iterator[tuple[SegmentSearch, list[int], I64]]:
        """The segments that hold some of the units, the rows of these, and their numbers there."""
        for part in self.segments:
            rows = [row for row, unit in enumerate(units) if unit.segment == part.position]
            if rows:
                yield part, rows, np.array([units[row].unit for row in rows], dtype=np.int64)

    def _build_chunks(
        self, query: Query, best: BestUnits, units: Sequence[RankedUnit], positions: Sequence[_UnitAddress]
    ) -> list[RankedChunk]:
        matched = self._find_matched(query, best, units)
        return [
            RankedChunk(
                path=position.path,
                chunk=position.span.chunk,
                unit_start=position.span.start_line,
                unit_end=position.span.end_line,
                score=unit.score,
                matched_terms=tuple(terms),
                language=position.language,
                fingerprint=position.fingerprint,
            )
            for unit, position, terms in zip(units, positions, matched, strict=True)
        ]

    def _find_matched(self, query: Query, best: BestUnits, units: Sequence[RankedUnit]) -> list[list[str]]:
        """For each unit the query terms that occur in any field of it."""
        matched: list[list[str]] = [[] for _ in units]
        for part, rows, own in self._part(units):
            for text, term in zip(query.terms, best.terms, strict=True):
                for position in {
                    position for one in term.segments[part.position] for position in one.hold(own)
                }:
                    matched[rows[position]].append(text)
        return matched


class _Filter:
    """A path predicate that counts as equal to any other: the key beside it says what it lets through."""

    def __init__(self, matches: Callable[[str], bool] | None) -> None:
        self.matches = matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filter)

    def __hash__(self) -> int:
        return 0


def _compute_file_mask(
    segments: Sequence[SegmentSearch],
    position: int,
    _filter_key: str,
    path_parts: tuple[str, ...],
    languages: frozenset[str],
    wanted_languages: frozenset[str],
    include_tests: bool,
    path_filter: _Filter,
) -> Mask:
    """Which files of the segment at `position` the filters let through."""
    reader = segments[position].reader
    mask = np.ones(reader.file_count, dtype=np.bool_)
    for names in filter(None, (languages, wanted_languages)):
        wanted = np.array([name in names for name in reader.language_names])
        mask &= wanted[reader.read_languages()]
    scan = PathScan(reader.files)
    for part in path_parts:
        mask &= scan.find_holding(part)
    if not include_tests:
        mask &= ~scan.find_tests()
    return mask if path_filter.matches is None else scan.keep(mask, path_filter.matches)


def _cut(best: list[RankedUnit], top_k: int) -> list[RankedUnit]:
    """All that may be among the first `top_k`: ties with the last one are kept, paths decide later."""
    if len(best) <= top_k:
        return best
    worst = sorted((unit.score for unit in best), reverse=True)[top_k - 1]
    return [unit for unit in best if unit.score >= worst]
