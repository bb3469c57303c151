"""The ranking of files: one pipeline from a query to the hits of a page.

    query -> intent -> best units (BM25F) -> candidate files -> points by signal -> order -> page

Every signal is a function of plain values (signals.py), every weight stands in one table
(ranking_weights.py). A file's score is the sum of its points, each rounded, so that an explanation adds
up. Nothing depends on segments: units, names and paths are those of the live tree, counts are exact.

Left out on purpose, for they were tried and gave nothing: the share of query terms that a file holds,
nearness of terms, file sizes, depth of directories. See bench/quality/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import mul

import numpy as np

from repo_mcp.index.candidates import Candidate, gather, weigh_kinds
from repo_mcp.index.intent import Intent, NameKind, understand
from repo_mcp.index.lookup import find_paths
from repo_mcp.index.mentions import resolve_mentions
from repo_mcp.index.prompt import ClueKind
from repo_mcp.index.query import Query
from repo_mcp.index.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.index.scoring import DECIMALS
from repo_mcp.index.searcher import BestUnits, Filter, Ranking, Searcher
from repo_mcp.index.segment_search import RankedUnit
from repo_mcp.index.signals import PathParts, StemMatcher, keep_shares, split_path

BEST_UNITS = 1_000  # that texts are summed from

MARGIN = 1e-4  # more than rounding can change a score by
SIGNALS = ("text", "file name", "whole name", "directory", "named path", *NameKind)

Points = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RankedFile:
    """One file of the ranking."""

    path: str
    candidate: Candidate
    score: float  # the sum of its points
    points: Points  # of each signal that gave any


def add_up(points: Iterable[tuple[str, float]]) -> float:
    """The score that points make."""
    return round(sum(value for _, value in points), DECIMALS)


def rank(
    searcher: Searcher,
    query: Query,
    top_k: int,
    wanted: Filter | None = None,
    weights: RankingWeights = WEIGHTS,
    *,
    bounded: bool = False,
) -> Ranking:
    """The best `top_k` chunks, those of the best files first; each file's best chunk before its others.

    With `bounded` the ranking says what no score can be above.
    """
    best = searcher.find_best_units(query, BEST_UNITS, wanted or Filter())
    rated = rate_files(searcher, query, best, weights)
    files = choose_files(rated, top_k)
    page = fill_page(best, files, top_k, weights)
    chunks = searcher.describe(query, best, [unit for unit, _ in page])
    explained = (replace(chunk, explanation=points) for chunk, (_, points) in zip(chunks, page, strict=True))
    unknown = (term for term, lists in zip(query.terms, best.terms, strict=True) if not lists.frequency)
    bound = bound_scores(searcher, best, rated, weights) if bounded else 0.0
    return Ranking(tuple(explained), best.total, tuple(unknown), bound)


def choose_unknown(query: Query, ranking: Ranking) -> list[str]:
    """The words of a query that near ones are worth looking for: all unknown ones when nothing was found,
    else a name that the query asks for and that is known in parts alone."""
    if not ranking.total:
        return list(ranking.unknown)
    asked = [name for name, kind in understand(query.text).names if kind is NameKind.ASKED]
    return [name for name in asked if name in ranking.unknown]


def rank_files(
    searcher: Searcher, query: Query, best: BestUnits, count: int, weights: RankingWeights = WEIGHTS
) -> list[RankedFile]:
    """The best `count` files of a query in order, ties by path."""
    return choose_files(rate_files(searcher, query, best, weights), count)


@dataclass(frozen=True, slots=True)
class Rated:
    """The files that were looked at, each with what every one of SIGNALS gives it."""

    rows: list[tuple[float, str, Candidate, tuple[float, ...], float]]  # total, path, file, given, share
    best_text: float  # what a share of 1 of the best text is


def rate_files(searcher: Searcher, query: Query, best: BestUnits, weights: RankingWeights) -> Rated:
    """What each candidate of a query gets."""
    intent = understand(query.text)
    candidates = gather(searcher, query, intent, best, weights)
    named = _find_named(searcher, intent, weights)
    matcher = StemMatcher(candidates.stems, weights.prefix)
    shares, kinds = keep_shares(intent.roles, weights), weigh_kinds(weights)
    rows = []
    for one in candidates.files:
        path = searcher.read_path(one.part.place, one.file)
        parts = split_path(path)
        given = _weigh_path(parts, matcher, intent.words, named.get(path, 0.0), weights)
        given = (one.text, *given, *map(mul, one.names, kinds))
        share = shares[parts.role]
        rows.append((sum(given) * share, path, one, given, share))
    return Rated(rows, candidates.best_text)


def choose_files(rated: Rated, count: int) -> list[RankedFile]:
    """The best `count` of the rated files in order, ties by path."""
    rows = rated.rows
    totals = sorted((row[0] for row in rows), reverse=True)
    least = totals[count - 1] - MARGIN if len(totals) > count else 0.0
    ranked = [_explain(path, one, given, share) for total, path, one, given, share in rows if total >= least]
    return sorted(ranked, key=lambda file: (-file.score, file.path.encode()))[:count]


def bound_scores(searcher: Searcher, best: BestUnits, rated: Rated, weights: RankingWeights) -> float:
    """What a file would score whose every unit holds each term of the query as strongly as any unit of the
    index does, and whose names say as much as the best names of the files that were looked at."""
    text = 1.0
    if rated.best_text:
        strongest = sum(searcher.find_strongest(lists) for lists in best.terms)
        text = max(text, strongest / (1.0 - weights.next_unit) / rated.best_text)
    signals = zip(*(row[3][1:] for row in rated.rows), strict=True)  # but the text
    names: float = sum(map(max, signals))
    return text + names + MARGIN


def _find_named(searcher: Searcher, intent: Intent, weights: RankingWeights) -> dict[str, float]:
    """The files that the query names, and what that is worth; of frames the first is the innermost."""
    if not intent.paths:
        return {}
    mentions = resolve_mentions(intent.paths, lambda terms: find_paths(searcher.snapshot, terms))
    frames = list(dict.fromkeys(one.clue for one in mentions if one.clue.kind is ClueKind.FRAME))
    values: dict[str, float] = {}
    for one in mentions:
        value = one.share
        if one.clue.kind is ClueKind.FRAME:
            value *= weights.next_frame ** frames.index(one.clue)
        values[one.path] = max(value, values.get(one.path, 0.0))
    return values


def _weigh_path(
    parts: PathParts, matcher: StemMatcher, words: frozenset[str], named: float, weights: RankingWeights
) -> tuple[float, ...]:
    """What a path gives to its file: those of SIGNALS between the text and the names that it defines."""
    return (
        weights.file_name * matcher.cover(parts.name_stems),
        weights.whole_name * (parts.name in words),
        weights.directory * matcher.cover_all(parts.directory_stems),
        weights.named_path * named,
    )


def _explain(path: str, candidate: Candidate, given: Sequence[float], share: float) -> RankedFile:
    """The file with its points, the last of which takes away what its role does not leave."""
    points = [(name, round(value, DECIMALS)) for name, value in zip(SIGNALS, given, strict=True) if value]
    if share < 1.0:
        points.append(("role", round((share - 1.0) * sum(given), DECIMALS)))
    return RankedFile(path, candidate, add_up(points), tuple(points))


def fill_page(
    best: BestUnits, files: Sequence[RankedFile], top_k: int, weights: RankingWeights
) -> list[tuple[RankedUnit, Points]]:
    """The units of the best chunks in order of their scores, ties by path, then line."""
    chosen = [
        (-unit.score, file.path.encode(), unit.unit, unit, points)
        for file in files
        for unit, points in _choose_chunks(file, best, top_k, weights)
    ]
    return [(unit, points) for *_, unit, points in sorted(chosen, key=lambda row: row[:3])[:top_k]]


def _choose_chunks(
    file: RankedFile, best: BestUnits, most: int, weights: RankingWeights
) -> Iterable[tuple[RankedUnit, Points]]:
    """The best unit of each of a file's best chunks, and the points of the chunk."""
    part, number = file.candidate.part, file.candidate.file
    first, end = int(part.first_units[number]), int(part.first_units[number + 1])
    found = best.segments[part.place]
    own = slice(*np.searchsorted(found.units, (first, end)))
    scores = np.round(found.scores[own], DECIMALS).tolist()
    units = found.units[own].tolist() or [first]
    if len(units) == 1 or most == 1:
        best_unit = min(zip((-score for score in scores), units, strict=False), default=(0.0, first))[1]
        return [(RankedUnit(file.score, part.place, best_unit), file.points)]
    of_chunks: dict[int, tuple[float, int]] = {}  # chunk -> its best unit
    chunks = part.find_chunks(found.units[own]).tolist()
    for chunk, score, unit in zip(chunks, scores, units, strict=True):
        of_chunks[chunk] = min(of_chunks.get(chunk, (0.0, unit)), (-score, unit))
    ordered = sorted(of_chunks.values())[:most]
    chosen = []
    for place, (negative, unit) in enumerate(ordered):
        points = file.points
        if place:
            share = weights.repeat**place * negative / ordered[0][0]
            points = (*points, ("repeat", round((share - 1.0) * file.score, DECIMALS)))
        chosen.append((RankedUnit(add_up(points), part.place, unit), points))
    return chosen
