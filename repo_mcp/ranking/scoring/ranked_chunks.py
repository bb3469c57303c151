"""The chunks of a ranking, as an answer needs them: where the best units are, and what of a query they hold.

Addresses of units are cached, because the steps of one call, and the next calls, ask for many of the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import methodcaller
from types import MappingProxyType

import numpy as np

from index_format import ChunkSpan, UnitSpan, compute_chunk_id
from repo_mcp.arrays import I64
from repo_mcp.lru_cache import LruCache
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.segment_search import RankedUnit, SegmentSearch
from repo_mcp.ranking.scoring.term_scorers import TermScorers
from repo_mcp.record_classes import dataclass

ADDRESSES_KEPT = 1_000  # of units, those of a hundred pages: what follows asks for much of the same; 0.6 MB

HeldTerms = Mapping[tuple[int, int], list[str]]  # of units, by segment and number: terms of a query
Points = tuple[tuple[str, float], ...]  # what makes up a score
NOTHING_HELD: HeldTerms = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """One chunk of the ranking, represented by its best unit."""

    path: str
    chunk: ChunkSpan
    unit_start: int  # first line of its best unit
    unit_end: int
    score: float
    matched_terms: tuple[str, ...]  # query terms that occur in the best unit, in the query's order
    language: str
    fingerprint: bytes  # of the file's content when it was indexed
    chunk_id: str  # of the chunk as it was indexed; see `index_format.compute_chunk_id`
    explanation: Points = ()  # signals and their points, which add up to the score


@dataclass(frozen=True, slots=True)
class UnitAddress:
    """A unit's path and lines, and facts about its file."""

    path: str
    span: UnitSpan
    language: str
    fingerprint: bytes
    chunk_id: str


class ChunkDescriber:
    """Describes the chunks of units. Thread-safe. Methods raise IndexFormatError, OSError."""

    def __init__(self, segments: Sequence[SegmentSearch]) -> None:
        self._segments = segments
        self._addresses: LruCache[tuple[int, int], UnitAddress] = LruCache(ADDRESSES_KEPT)

    def locate(self, units: Sequence[RankedUnit]) -> list[UnitAddress]:
        """Return the path, span and file facts of each unit."""
        found: dict[tuple[int, int], UnitAddress] = {}

        def get(key: tuple[int, int]) -> UnitAddress:
            if not found:  # one is not held: all are read at once
                found.update(self._read_addresses(units))
            return found[key]

        return self._addresses.get_all([(one.segment, one.unit) for one in units], get)

    def _read_addresses(self, units: Sequence[RankedUnit]) -> Iterator[tuple[tuple[int, int], UnitAddress]]:
        """Yield the segment and number of each unit, and its address."""
        for part, _, own in _part(self._segments, units):
            files, spans = part.locate(own)
            paths = part.reader.files.read_paths_of(files)
            languages = part.reader.take_languages(files)
            prints = part.reader.files.take_fingerprints(files)
            rows = zip(own.tolist(), paths, spans, languages, prints, strict=True)
            for unit, path, span, language, fingerprint in rows:
                chunk_id = compute_chunk_id(path, fingerprint, span.chunk)
                address = UnitAddress(path, span, language, fingerprint, chunk_id)
                yield (part.position, unit), address

    def describe(
        self,
        query: Query,
        terms: Sequence[TermScorers],
        units: Sequence[RankedUnit],
        addresses: Sequence[UnitAddress],
        held: HeldTerms = NOTHING_HELD,
        points: Sequence[Points] = (),
    ) -> list[RankedChunk]:
        """Return the chunks that hold the units, whose addresses are given, with everything an answer needs.

        `held` has the terms of those units whose terms are known already, `points` explain their scores.
        """
        unknown = [unit for unit in units if (unit.segment, unit.unit) not in held]
        matched = {**held, **find_held(self._segments, query, terms, unknown)} if unknown else held
        return [
            RankedChunk(
                path=address.path,
                chunk=address.span.chunk,
                unit_start=address.span.start_line,
                unit_end=address.span.end_line,
                score=unit.score,
                matched_terms=tuple(matched[unit.segment, unit.unit]),
                language=address.language,
                fingerprint=address.fingerprint,
                chunk_id=address.chunk_id,
                explanation=explained,
            )
            for unit, address, explained in zip(units, addresses, points or [()] * len(units), strict=True)
        ]


def find_held(
    segments: Sequence[SegmentSearch],
    query: Query,
    scorers: Sequence[TermScorers],
    units: Sequence[RankedUnit],
) -> HeldTerms:
    """Return the query terms that occur in any field of each unit, in the order of the query."""
    matched: list[list[str]] = [[] for _ in units]
    for part, rows, own in _part(segments, units):
        for text, term in zip(query.terms, scorers, strict=True):
            held = map(methodcaller("hold", own), term.segments[part.position])
            for position in set(chain.from_iterable(held)):
                matched[rows[position]].append(text)
    return {(unit.segment, unit.unit): terms for unit, terms in zip(units, matched, strict=True)}


def _part(
    segments: Sequence[SegmentSearch], units: Sequence[RankedUnit]
) -> list[tuple[SegmentSearch, list[int], I64]]:
    """Return each segment that holds some of the units, with their rows and their numbers there."""
    rows: dict[int, list[int]] = {}
    numbers: dict[int, list[int]] = {}
    for row, unit in enumerate(units):
        rows.setdefault(unit.segment, []).append(row)
        numbers.setdefault(unit.segment, []).append(unit.unit)
    return [(segments[one], own, np.array(numbers[one], dtype=np.int64)) for one, own in rows.items()]
