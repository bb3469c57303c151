"""Ranks the units of a snapshot by BM25F and gives the best chunks.

The clear version: every posting of every query term is scored and added up, nothing is skipped. A
unit's path field is its file's. Scores are rounded once; ties are by path, then start line, so that
an answer depends on the tree alone, not on how it came into segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from index_format import ChunkSpan, CorruptIndex, Level, LiveSegment, PostingList, Snapshot
from repo_mcp.index.query import Query
from repo_mcp.index.roles import is_test_path
from repo_mcp.index.schema import FIELDS, SYMBOL
from repo_mcp.index.scoring import DECIMALS, F64, I64, TermScorer

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """One unit of the ranking."""

    score: float
    segment: int  # place in the snapshot
    unit: int


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


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best chunks, and how many matched."""

    chunks: tuple[RankedChunk, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Postings:
    """The live postings of one term in one field and segment."""

    term: int
    field: int
    docs: I64
    counts: I64


class SegmentUnits:
    """What the searcher keeps of one segment: which file and chunk a unit belongs to."""

    def __init__(self, segment: LiveSegment) -> None:
        reader = segment.reader
        self.segment = segment
        self.first_units = reader.files.first_units
        self.units_per_file = np.diff(self.first_units)
        self._chunks = reader.chunks.read_chunks()
        self._chunk_files = np.repeat(np.arange(reader.file_count), np.diff(reader.files.first_chunks))
        starts = self.first_units[self._chunk_files] + self._chunks.first_units
        self.chunk_ends = starts + self._chunks.unit_counts

    def find_chunks(self, units: I64) -> I64:
        """The first chunk that each unit lies in."""
        return np.searchsorted(self.chunk_ends, units, side="right")

    def spread(self, files: I64) -> I64:
        """The units of files, file after file."""
        counts = self.units_per_file[files]
        before = np.cumsum(counts) - counts
        return np.repeat(self.first_units[files] - before, counts) + np.arange(int(counts.sum()))


class Searcher:
    """Answers ranked queries on one snapshot. Safe for several threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._segments = [SegmentUnits(segment) for segment in snapshot.segments]
        self._average_lengths = [self._average_length(number) for number in range(len(FIELDS))]
        self._file_masks = lru_cache(maxsize=32)(self._compute_file_mask)

    def _average_length(self, field: int) -> float:
        """Average length of a field over the live units, a file's text counted for each of its units."""
        units = self.snapshot.unit_count
        if FIELDS[field].level is Level.UNIT:
            total = self.snapshot.sum_lengths(field)
        else:
            total = sum(
                int((part.units_per_file * part.segment.reader.norms.read_lengths(field))[mask].sum())
                for part in self._segments
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
        scored = self.score_units(query)
        languages = frozenset([*query.languages, *([language] if language else [])])
        best: list[RankedUnit] = []
        total = 0
        for place, scores in enumerate(scored):
            part = self._segments[place]
            np.round(scores, DECIMALS, out=scores)
            scores[~self._find_wanted(place, query, scores)] = 0.0
            key = (place, filter_key, tuple(query.path_parts), languages, include_tests)
            mask = (
                self._file_masks(*key, _Filter(matches_path)) if any(key[1:4]) or not include_tests else None
            )
            if mask is not None:
                scores[~np.repeat(mask, part.units_per_file)] = 0.0
            units = np.flatnonzero(scores > 0.0)
            chunks = part.find_chunks(units)
            total += int(np.count_nonzero(np.diff(chunks, prepend=-1)))
            best += _best_of_chunks(place, units, chunks, scores[units], top_k)
        return Ranking(tuple(self._describe(query, best, top_k)), total)

    def score_units(self, query: Query) -> list[F64]:
        """For each segment the score of each unit, before it is rounded; 0 where nothing matched."""
        postings = [self._read_postings(place, query) for place in range(len(self._segments))]
        scored = [np.zeros(part.segment.reader.unit_count) for part in self._segments]
        for term, text in enumerate(query.terms):
            for field in range(len(FIELDS)):
                self._add_scores(scored, postings, term, text, field)
        return scored

    def _read_postings(self, place: int, query: Query) -> dict[tuple[int, int], _Postings]:
        """The live postings of each (term, field) that occurs in a segment."""
        found = {}
        for term, text in enumerate(query.terms):
            for posting_list in self._segments[place].segment.reader.find_lists(text.encode()):
                docs, counts = self._read_live(place, posting_list)
                if len(docs):
                    found[term, posting_list.field] = _Postings(term, posting_list.field, docs, counts)
        return found

    def _read_live(self, place: int, posting_list: PostingList) -> tuple[I64, I64]:
        segment = self._segments[place].segment
        docs, counts = segment.reader.read_postings(posting_list)
        mask = segment.get_live_mask(FIELDS[posting_list.field].level)
        if mask is not None:
            live = mask[docs]
            docs, counts = docs[live], counts[live]
        return docs, counts

    def _add_scores(
        self,
        scored: list[F64],
        postings: list[dict[tuple[int, int], _Postings]],
        term: int,
        text: str,
        field: int,
    ) -> None:
        """Add what one term in one field gives to each unit."""
        lists = [
            (place, found[term, field]) for place, found in enumerate(postings) if (term, field) in found
        ]
        frequency = sum(self._count_units(place, field, one.docs) for place, one in lists)
        if not frequency:
            return
        units = self.snapshot.unit_count
        scorer = TermScorer(FIELDS[field].name, text, units, frequency, self._average_lengths[field])
        for place, one in lists:
            part = self._segments[place]
            lengths = part.segment.reader.norms.read_lengths(field)[one.docs]
            scores = scorer.score(one.counts, lengths)
            if FIELDS[field].level is Level.UNIT:
                scored[place][one.docs] += scores
            else:
                scored[place][part.spread(one.docs)] += np.repeat(scores, part.units_per_file[one.docs])

    def _count_units(self, place: int, field: int, docs: I64) -> int:
        if FIELDS[field].level is Level.UNIT:
            return len(docs)
        return int(self._segments[place].units_per_file[docs].sum())

    def _find_wanted(self, place: int, query: Query, scores: F64) -> Mask:
        """Which units satisfy the query's required, excluded and symbol words."""
        wanted = scores > 0.0
        for terms in query.required:
            for term in terms:
                wanted &= self._find_units(place, term, range(len(FIELDS)))
        for terms in query.symbols:
            for term in terms:
                wanted &= self._find_units(place, term, [SYMBOL])
        for terms in query.excluded:
            for term in terms:
                wanted &= ~self._find_units(place, term, range(len(FIELDS)))
        return wanted

    def _find_units(self, place: int, term: str, fields: Sequence[int]) -> Mask:
        """Which units have a term in any of the fields."""
        part = self._segments[place]
        found = np.zeros(part.segment.reader.unit_count, dtype=np.bool_)
        for posting_list in part.segment.reader.find_lists(term.encode()):
            if posting_list.field in fields:
                docs, _ = self._read_live(place, posting_list)
                found[docs if FIELDS[posting_list.field].level is Level.UNIT else part.spread(docs)] = True
        return found

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
        reader = self._segments[place].segment.reader
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

    def _describe(self, query: Query, best: list[RankedUnit], top_k: int) -> list[RankedChunk]:
        """The best chunks in order, with all that an answer needs."""
        described = [(unit, self._locate(unit)) for unit in _cut(best, top_k)]
        described.sort(key=lambda pair: (-pair[0].score, pair[1][0].encode(), pair[1][1].start_line))
        return [self._build_chunk(query, unit, path, chunk) for unit, (path, chunk) in described[:top_k]]

    def _locate(self, ranked: RankedUnit) -> tuple[str, ChunkSpan]:
        part = self._segments[ranked.segment]
        file = self._find_file(ranked)
        reader = part.segment.reader
        chunk = int(part.find_chunks(np.array([ranked.unit]))[0]) - int(reader.files.first_chunks[file])
        spans = reader.read_spans(file)
        if not 0 <= chunk < len(spans):
            raise CorruptIndex(f"{part.segment.name}: unit {ranked.unit} lies in no chunk of its file")
        return reader.files.read_path(file), spans[chunk]

    def _find_file(self, ranked: RankedUnit) -> int:
        part = self._segments[ranked.segment]
        return int(part.segment.reader.files.find_files_of(np.array([ranked.unit]))[0])

    def _build_chunk(self, query: Query, ranked: RankedUnit, path: str, chunk: ChunkSpan) -> RankedChunk:
        reader = self._segments[ranked.segment].segment.reader
        file = self._find_file(ranked)
        first = int(reader.files.first_units[file])
        lines = reader.chunks.read_units(first, ranked.unit + 1).lines
        return RankedChunk(
            path=path,
            chunk=chunk,
            unit_start=int(lines[:-1].sum()) + 1,
            unit_end=int(lines.sum()),
            score=ranked.score,
            matched_terms=self._find_matched(query, ranked),
            language=reader.read_language(file),
            fingerprint=reader.read_fingerprint(file),
        )

    def _find_matched(self, query: Query, ranked: RankedUnit) -> tuple[str, ...]:
        """The query terms that occur in any field of a unit."""
        matched = []
        file = self._find_file(ranked)
        for text in query.terms:
            for posting_list in self._segments[ranked.segment].segment.reader.find_lists(text.encode()):
                docs, _ = self._read_live(ranked.segment, posting_list)
                wanted = ranked.unit if FIELDS[posting_list.field].level is Level.UNIT else file
                place = int(np.searchsorted(docs, wanted))
                if place < len(docs) and int(docs[place]) == wanted:
                    matched.append(text)
                    break
        return tuple(matched)


class _Filter:
    """A path predicate that counts as equal to any other: the key beside it says what it lets through."""

    def __init__(self, matches: Callable[[str], bool] | None) -> None:
        self.matches = matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filter)

    def __hash__(self) -> int:
        return 0


def _best_of_chunks(place: int, units: I64, chunks: I64, scores: F64, top_k: int) -> list[RankedUnit]:
    """The best unit of each of the best `top_k` chunks, the first of equal ones."""
    if not len(units):
        return []
    starts = np.flatnonzero(np.diff(chunks, prepend=-1))
    best_scores = np.maximum.reduceat(scores, starts)
    chosen = np.argsort(-best_scores, kind="stable")[:top_k]
    ends = np.append(starts, len(units))
    found = []
    for chunk in chosen.tolist():
        first = int(starts[chunk])
        unit = first + int(np.argmax(scores[first : int(ends[chunk + 1])]))
        found.append(RankedUnit(float(scores[unit]), place, int(units[unit])))
    return found


def _cut(best: list[RankedUnit], top_k: int) -> list[RankedUnit]:
    """All that may be among the first `top_k`: ties with the last one are kept, paths decide later."""
    if len(best) <= top_k:
        return best
    worst = sorted((unit.score for unit in best), reverse=True)[top_k - 1]
    return [unit for unit in best if unit.score >= worst]
