"""Ranks the units of a snapshot by BM25F and gives the best chunks.

The clear version: every posting of every query term is scored and added up, nothing is skipped. A
unit's path field is its file's. Scores are rounded once; ties are by path, then start line, so that
an answer depends on the tree alone, not on how it came into segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from index_format import ChunkSpan, CorruptIndex, Level, Snapshot
from repo_mcp.index.query import Query
from repo_mcp.index.roles import is_test_path
from repo_mcp.index.schema import FIELDS, SYMBOL
from repo_mcp.index.scoring import DECIMALS, F64, TermScorer
from repo_mcp.index.segment_search import Mask, Matches, Postings, RankedUnit, SegmentSearch

_SegmentPostings = list[list[Postings]]  # for each query term, its postings in each field


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
    """The best chunks, and how many matched."""

    chunks: tuple[RankedChunk, ...]
    total: int
    unknown: tuple[str, ...] = ()  # query terms that no live unit and no path holds


@dataclass(frozen=True, slots=True)
class Filter:
    """What files a ranking is about."""

    matches_path: Callable[[str], bool] | None = None
    key: str = ""  # names what `matches_path` lets through, for keeping
    language: str | None = None
    include_tests: bool = True


@dataclass(frozen=True, slots=True)
class BestUnits:
    """The exact best units of a snapshot by BM25F."""

    segments: tuple[Matches, ...]  # for each segment its units, ascending, and their scores
    masks: tuple[Mask | None, ...]  # for each segment which files the filter lets through; None: all
    total: int  # chunks that matched
    frequencies: tuple[int, ...]  # for each query term its live units in the field where it is commonest
    postings: list[_SegmentPostings]  # of the query terms, to tell which of them a unit holds


class Searcher:
    """Answers ranked queries on one snapshot. Safe for several threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.segments = [SegmentSearch(segment, place) for place, segment in enumerate(snapshot.segments)]
        self._average_lengths = [self._average_length(number) for number in range(len(FIELDS))]
        self._file_masks = lru_cache(maxsize=32)(self._compute_file_mask)
        self._paths: dict[tuple[int, int], str] = {}

    def _average_length(self, field: int) -> float:
        """Average length of a field over the live units, a file's text counted for each of its units."""
        units = self.snapshot.unit_count
        if FIELDS[field].level is Level.UNIT:
            total = self.snapshot.sum_lengths(field)
        else:
            total = sum(
                int((part.units_per_file * part.reader.norms.read_lengths(field))[mask].sum())
                for part in self.segments
                for mask in [part.segment.live_file_mask]
            )
        return total / units if units else 0.0

    def rank(
        self,
        query: Query,
        top_k: int,
        *,
        matches_path: Callable[[str], bool] | None = None,
        filter_key: str = "",
        language: str | None = None,
        include_tests: bool = True,
    ) -> Ranking:
        """The best `top_k` chunks. `filter_key` names what `matches_path` lets through, for keeping."""
        read = self._read_postings(query)
        wanted = Filter(matches_path, filter_key, language, include_tests)
        best: list[RankedUnit] = []
        total = 0
        for part, found in zip(self.segments, self._score(query, read), strict=True):
            matches = self._keep_files(part, self._keep_wanted(part, query, found), query, wanted)
            total += part.count_chunks(matches.units)
            best += part.choose_best(matches, top_k)
        return Ranking(tuple(self._describe(query, read, best, top_k)), total)

    def find_best_units(self, query: Query, limit: int, wanted: Filter) -> BestUnits:
        """The `limit` best units of the wanted files, ties by path, then start line. Exact."""
        read = self._read_postings(query)
        kept = [
            self._keep_files(part, self._keep_wanted(part, query, found), query, wanted)
            for part, found in zip(self.segments, self._score(query, read), strict=True)
        ]
        return BestUnits(
            tuple(self._cut_units(kept, limit)),
            tuple(self._find_mask(part, query, wanted) for part in self.segments),
            sum(part.count_chunks(found.units) for part, found in zip(self.segments, kept, strict=True)),
            tuple(self._count_frequency(read, term) for term in range(len(query.terms))),
            read,
        )

    def read_path(self, place: int, file: int) -> str:
        """The path of one file of a segment. Paths are kept: rankings ask for the same ones."""
        path = self._paths.get((place, file))
        if path is None:
            path = self._paths[place, file] = self.segments[place].reader.files.read_path(file)
        return path

    def iter_field(self, term: str, field: int) -> Iterator[tuple[SegmentSearch, Postings]]:
        """The live postings of a term in one field, segment by segment."""
        for part in self.segments:
            postings = part.read_field(term, field)
            if postings is not None:
                yield part, postings

    def describe(self, query: Query, best: BestUnits, units: Sequence[RankedUnit]) -> list[RankedChunk]:
        """The chunks of units, with all that an answer needs."""
        matched = self._find_matched(query, best.postings, units)
        return [
            self._build_chunk(unit, *self._locate(unit), tuple(terms))
            for unit, terms in zip(units, matched, strict=True)
        ]

    def _count_frequency(self, read: list[_SegmentPostings], term: int) -> int:
        """The live units with a term, in the field where it is commonest."""
        counts = [0] * len(FIELDS)
        for part, terms in zip(self.segments, read, strict=True):
            for postings in terms[term]:
                counts[postings.field] += part.count_units(postings)
        return max(counts)

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
            (part.reader.files.read_path(part.find_file(unit)).encode(), unit, part.place)
            for part, matches, values in zip(self.segments, found, rounded, strict=True)
            for unit in matches.units[np.flatnonzero(values == last)[:room]].tolist()
        ]
        kept = [set[int]() for _ in found]
        for _, unit, place in sorted(ties)[:room]:
            kept[place].add(unit)
        return [
            matches.keep((values > last) | np.isin(matches.units, sorted(own)))
            for matches, values, own in zip(found, rounded, kept, strict=True)
        ]

    def _keep_files(self, part: SegmentSearch, matches: Matches, query: Query, wanted: Filter) -> Matches:
        """The matches in files that the filter lets through."""
        mask = self._find_mask(part, query, wanted)
        return matches if mask is None else matches.keep(mask[part.find_files(matches.units)])

    def _find_mask(self, part: SegmentSearch, query: Query, wanted: Filter) -> Mask | None:
        """Which files of a segment the filter and the query let through; None: all."""
        languages = frozenset([*query.languages, *([wanted.language] if wanted.language else [])])
        key = (part.place, wanted.key, tuple(query.path_parts), languages, wanted.include_tests)
        if not any(key[1:4]) and wanted.include_tests:
            return None
        return self._file_masks(*key, _Filter(wanted.matches_path))

    def score_units(self, query: Query) -> list[Matches]:
        """For each segment the units that match and their scores, before they are rounded."""
        return self._score(query, self._read_postings(query))

    def _read_postings(self, query: Query) -> list[_SegmentPostings]:
        """For each segment the live postings of each query term."""
        return [[part.read_postings(term) for term in query.terms] for part in self.segments]

    def _score(self, query: Query, read: list[_SegmentPostings]) -> list[Matches]:
        gains: list[list[tuple[Postings, F64]]] = [[] for _ in self.segments]
        for term, text in enumerate(query.terms):
            for field in range(len(FIELDS)):
                lists = [
                    (part, postings)
                    for part, terms in zip(self.segments, read, strict=True)
                    for postings in terms[term]
                    if postings.field == field
                ]
                for part, postings, gain in self._score_lists(lists, text, field):
                    gains[part.place].append((postings, gain))
        return [part.add_up(own) for part, own in zip(self.segments, gains, strict=True)]

    def _score_lists(
        self, lists: list[tuple[SegmentSearch, Postings]], text: str, field: int
    ) -> Iterator[tuple[SegmentSearch, Postings, F64]]:
        """What one term in one field gives to each of its postings."""
        frequency = sum(part.count_units(postings) for part, postings in lists)
        if not frequency:
            return
        units = self.snapshot.unit_count
        scorer = TermScorer(FIELDS[field].name, text, units, frequency, self._average_lengths[field])
        for part, postings in lists:
            lengths = part.reader.norms.read_lengths(field)[postings.docs]
            yield part, postings, scorer.score(postings.counts, lengths)

    def _keep_wanted(self, part: SegmentSearch, query: Query, matches: Matches) -> Matches:
        """The matches that the query's required, excluded and symbol words do not rule out."""
        for words, fields in ((query.required, range(len(FIELDS))), (query.symbols, [SYMBOL])):
            for term in (term for terms in words for term in terms):
                matches = matches.keep(part.find_units(term, fields)[matches.units])
        for term in (term for terms in query.excluded for term in terms):
            matches = matches.keep(~part.find_units(term, range(len(FIELDS)))[matches.units])
        return matches

    def _compute_file_mask(
        self,
        place: int,
        _filter_key: str,
        path_parts: tuple[str, ...],
        languages: frozenset[str],
        include_tests: bool,
        path_filter: _Filter,
    ) -> Mask:
        """Which files of a segment the filters let through."""
        reader = self.segments[place].reader
        mask = np.ones(reader.file_count, dtype=np.bool_)
        if languages:
            wanted = np.array([name in languages for name in reader.language_names])
            mask &= wanted[reader.read_languages()]
        for file in np.flatnonzero(mask).tolist():
            path = reader.files.read_path(file)
            mask[file] = (
                (path_filter.matches is None or path_filter.matches(path))
                and (include_tests or not is_test_path(path))
                and all(part in path.lower() for part in path_parts)
            )
        return mask

    def _describe(
        self, query: Query, read: list[_SegmentPostings], best: list[RankedUnit], top_k: int
    ) -> list[RankedChunk]:
        """The best chunks in order, with all that an answer needs."""
        described = [(unit, *self._locate(unit)) for unit in _cut(best, top_k)]
        described.sort(key=lambda row: (-row[0].score, row[1].encode(), row[2].start_line))
        matched = self._find_matched(query, read, [unit for unit, _, _ in described[:top_k]])
        return [
            self._build_chunk(unit, path, chunk, tuple(terms))
            for (unit, path, chunk), terms in zip(described, matched, strict=False)
        ]

    def _locate(self, ranked: RankedUnit) -> tuple[str, ChunkSpan]:
        part = self.segments[ranked.segment]
        file = part.find_file(ranked.unit)
        chunk = int(part.find_chunks(np.array([ranked.unit]))[0]) - int(part.reader.files.first_chunks[file])
        spans = part.reader.read_spans(file)
        if not 0 <= chunk < len(spans):
            raise CorruptIndex(f"{part.segment.name}: unit {ranked.unit} lies in no chunk of its file")
        return part.reader.files.read_path(file), spans[chunk]

    def _build_chunk(
        self, ranked: RankedUnit, path: str, chunk: ChunkSpan, matched: tuple[str, ...]
    ) -> RankedChunk:
        part = self.segments[ranked.segment]
        file = part.find_file(ranked.unit)
        lines = part.reader.chunks.read_units(int(part.first_units[file]), ranked.unit + 1).lines
        return RankedChunk(
            path=path,
            chunk=chunk,
            unit_start=int(lines[:-1].sum()) + 1,
            unit_end=int(lines.sum()),
            score=ranked.score,
            matched_terms=matched,
            language=part.reader.read_language(file),
            fingerprint=part.reader.read_fingerprint(file),
        )

    def _find_matched(
        self, query: Query, read: list[_SegmentPostings], units: Sequence[RankedUnit]
    ) -> list[list[str]]:
        """For each unit the query terms that occur in any field of it."""
        matched: list[list[str]] = [[] for _ in units]
        for part, lists in zip(self.segments, read, strict=True):
            rows = [row for row, unit in enumerate(units) if unit.segment == part.place]
            own = np.array([units[row].unit for row in rows], dtype=np.int64)
            for text, postings in zip(query.terms, lists, strict=True) if rows else ():
                has = np.any([part.has_units(one, own) for one in postings], axis=0)
                for row in np.array(rows)[np.flatnonzero(has)].tolist() if postings else ():
                    matched[row].append(text)
        return matched


class _Filter:
    """A path predicate that counts as equal to any other: the key beside it says what it lets through."""

    def __init__(self, matches: Callable[[str], bool] | None) -> None:
        self.matches = matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filter)

    def __hash__(self) -> int:
        return 0


def _cut(best: list[RankedUnit], top_k: int) -> list[RankedUnit]:
    """All that may be among the first `top_k`: ties with the last one are kept, paths decide later."""
    if len(best) <= top_k:
        return best
    worst = sorted((unit.score for unit in best), reverse=True)[top_k - 1]
    return [unit for unit in best if unit.score >= worst]
