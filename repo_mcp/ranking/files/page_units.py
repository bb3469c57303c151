"""Chooses which unit of each file a hit shows: the one that declares the name asked for, else the best one.

A file has several hits on a page if its further chunks are better than the next files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np

from index_format import sort_distinct
from repo_mcp.arrays import F64, I64
from repo_mcp.ranking.files.ranked_file import MARGIN, RankedFile, add_up
from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.query.intent import NameKind, understand
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.ranked_chunks import Points
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.ranking.scoring.segment_search import RankedUnit
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import SYMBOL


def fill_page(
    best: BestUnits,
    files: Sequence[RankedFile],
    top_k: int,
    weights: RankingWeights,
    declaring: Declaring | None = None,
) -> list[tuple[RankedUnit, Points]]:
    """Return the units of the best chunks in order of their scores, ties by path, then line.

    `files` are the best files, in order. A file that declares what the query asks for is shown there first.
    """
    least = files[-1].score - MARGIN if len(files) >= top_k else 0.0
    chosen = []
    for file in files:
        first, end, units, scores = _find_own_units(best, file)
        unit = declaring.find_first(file.part.position, first, end) if declaring is not None else None
        if unit is None:
            unit = int(units[scores.argmax()]) if len(units) else first
        own = [(RankedUnit(file.score, file.part.position, unit), file.points)]
        if len(units) > 1 and file.score * weights.repeat >= least:
            own += _repeat(file, unit, units, scores, top_k, weights)
        for one, points in own:
            chosen.append((-one.score, file.path, one.unit, one, points))
    return [(unit, points) for *_, unit, points in sorted(chosen, key=itemgetter(0, 1, 2))[:top_k]]


def _repeat(
    file: RankedFile, shown: int, units: I64, scores: F64, most: int, weights: RankingWeights
) -> Iterator[tuple[RankedUnit, Points]]:
    """Yield the best unit of each of a file's best chunks, with its points, except that of unit `shown`."""
    of_chunks: dict[int, tuple[float, int]] = {}  # chunk -> its best unit
    chunks = file.part.find_chunks(units).tolist()
    for chunk, score, unit in zip(chunks, scores.tolist(), units.tolist(), strict=True):
        of_chunks[chunk] = min(of_chunks.get(chunk, (0.0, unit)), (-score, unit))
    best = min(of_chunks.values())[0]
    of_chunks.pop(int(file.part.find_chunks(np.array([shown]))[0]), None)
    for position, (negative, unit) in enumerate(sorted(of_chunks.values())[: most - 1], 1):
        share = weights.repeat**position * negative / best
        points = (*file.points, ("repeat", round((share - 1.0) * file.score, DECIMALS)))
        yield RankedUnit(add_up(points), file.part.position, unit), points


def find_best_unit(best: BestUnits, file: RankedFile) -> int:
    """Return the unit that stands for a file: its best one, or its first if none is among the best."""
    first, _, units, scores = _find_own_units(best, file)
    return int(units[scores.argmax()]) if len(units) else first


def _find_own_units(best: BestUnits, file: RankedFile) -> tuple[int, int, I64, F64]:
    """Return a file's first unit, the one behind its last, and its best units with their scores."""
    first, end = file.part.first_units[file.file : file.file + 2].tolist()
    found = best.segments[file.part.position]
    start, stop = found.units.searchsorted((first, end)).tolist()
    return first, end, found.units[start:stop], found.scores[start:stop]


@dataclass(frozen=True, slots=True)
class Declaring:
    """The units that declare the name in a query, and those that declare its last qualifier."""

    units: Mapping[int, I64]  # by segment, ascending
    qualifying: Mapping[int, I64]

    def find_first(self, segment: int, first: int, end: int) -> int | None:
        """Return the first of the units [first, end) that declares the name, after its qualifier if any."""
        outer = _find_from(self.qualifying, segment, first, end)
        found = None if outer is None else _find_from(self.units, segment, outer, end)
        return _find_from(self.units, segment, first, end) if found is None else found


def find_declaring(searcher: Searcher, query: Query) -> Declaring | None:
    """Return where the name that a query asks for is declared; None for any other query.

    The name counts as written or, if it is nowhere declared so, in any case and spelling.
    """
    intent = understand(query.text, query.code)
    if intent.asked is None:
        return None
    of_kind: dict[NameKind, list[str]] = {kind: [] for kind in NameKind}
    for term, kind in intent.names:
        of_kind[kind].append(term)
    units = _find_units(searcher, of_kind[NameKind.EXACT]) or _find_units(searcher, of_kind[NameKind.ASKED])
    return Declaring(units, _find_units(searcher, of_kind[NameKind.QUALIFIER]))


def _find_units(searcher: Searcher, terms: Iterable[str]) -> dict[int, I64]:
    """Return the live units that declare a name with one of the terms, ascending, by segment."""
    found: dict[int, I64] = {}
    for term in terms:
        for part, units in searcher.documents.list_docs(term, SYMBOL):
            if len(units):
                before = found.get(part.position, units)
                found[part.position] = sort_distinct(np.concatenate([before, units]))
    return found


def _find_from(units: Mapping[int, I64], segment: int, first: int, end: int) -> int | None:
    """Return the first of the units of a segment in [first, end)."""
    own = units.get(segment)
    if own is None:
        return None
    position = int(own.searchsorted(first))
    return int(own[position]) if position < len(own) and own[position] < end else None
