"""The ranking of files: one pipeline from a query to the hits of a page.

    query -> intent -> best units (BM25F) -> candidate files -> points by signal -> order -> page

Every signal is a function of plain values (signals.py), every weight stands in one table
(ranking_weights.py). A file's score is the sum of its points, each rounded, so that an explanation adds
up. Nothing depends on segments: units, names and paths are those of the live tree, counts are exact.

Left out on purpose, for they were tried and gave nothing: the share of query terms that a file holds,
nearness of terms, file sizes, depth of directories. See bench/quality/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from repo_mcp.index.candidates import Candidate, gather
from repo_mcp.index.intent import Intent, NameKind, understand
from repo_mcp.index.lookup import find_paths
from repo_mcp.index.mentions import resolve_mentions
from repo_mcp.index.prompt import ClueKind
from repo_mcp.index.query import Query
from repo_mcp.index.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.index.scoring import DECIMALS
from repo_mcp.index.searcher import BestUnits, Filter, RankedChunk, Ranking, Searcher
from repo_mcp.index.segment_search import RankedUnit
from repo_mcp.index.signals import StemMatcher, keep_share, match_directories, split_path

BEST_UNITS = 1_000  # that texts are summed from
CHUNKS_PER_FILE = 5  # that may be on a page

Points = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RankedFile:
    """One file of the ranking."""

    path: str
    candidate: Candidate
    points: Points  # of each signal that gave any

    @property
    def score(self) -> float:
        """The sum of its points."""
        return add_up(self.points)


def add_up(points: Points) -> float:
    """The score that points make."""
    return round(sum(value for _, value in points), DECIMALS)


def rank(
    searcher: Searcher,
    query: Query,
    top_k: int,
    wanted: Filter | None = None,
    weights: RankingWeights = WEIGHTS,
) -> Ranking:
    """The best `top_k` chunks, those of the best files first; each file's best chunk before its others."""
    best = searcher.find_best_units(query, BEST_UNITS, wanted or Filter())
    files = rank_files(searcher, query, best, weights)
    page = _fill_page(searcher, query, best, files[:top_k], weights)
    return Ranking(tuple(page[:top_k]), best.total)


def rank_files(
    searcher: Searcher, query: Query, best: BestUnits, weights: RankingWeights = WEIGHTS
) -> list[RankedFile]:
    """The candidate files of a query in order."""
    intent = understand(query.text)
    candidates = gather(searcher, query, intent, best, weights)
    named = _find_named(searcher, intent, weights)
    matcher = StemMatcher(candidates.stems, weights.prefix)
    ranked = []
    for one in candidates.files:
        path = one.part.reader.files.read_path(one.file)
        points = _give_points(one, path, matcher, intent, named, weights)
        ranked.append(RankedFile(path, one, points))
    return sorted(ranked, key=lambda file: (-file.score, file.path.encode()))


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


def _give_points(
    candidate: Candidate,
    path: str,
    matcher: StemMatcher,
    intent: Intent,
    named: Mapping[str, float],
    weights: RankingWeights,
) -> Points:
    """What each signal gives to a file. The last takes away from files of a role that is not asked for."""
    parts = split_path(path)
    names = candidate.names
    given = [
        ("text", candidate.text),
        ("file name", weights.file_name * matcher.cover(parts.name_stems)),
        ("whole name", weights.whole_name * (parts.name in intent.words)),
        ("directory", weights.directory * match_directories(matcher, parts.directory_stems)),
        ("asked name", weights.asked_name * names.get(NameKind.ASKED, 0.0)),
        ("shaped name", weights.shaped_name * names.get(NameKind.SHAPED, 0.0)),
        ("joined name", weights.joined_name * names.get(NameKind.JOINED, 0.0)),
        ("plain name", weights.plain_name * names.get(NameKind.PLAIN, 0.0)),
        ("named path", weights.named_path * named.get(path, 0.0)),
    ]
    kept = keep_share(parts.role, intent.roles, weights)
    taken = (kept - 1.0) * sum(value for _, value in given)
    return tuple(
        (name, round(value, DECIMALS)) for name, value in [*given, (f"role {parts.role}", taken)] if value
    )


def _fill_page(
    searcher: Searcher,
    query: Query,
    best: BestUnits,
    files: Sequence[RankedFile],
    weights: RankingWeights,
) -> list[RankedChunk]:
    """The chunks of the files in order of their scores, ties by path, then start line."""
    page = []
    for file in files:
        for unit, points in _choose_chunks(file, best, weights):
            chunk = searcher.describe(query, best, unit)
            page.append(replace(chunk, explanation=points))
    page.sort(key=lambda chunk: (-chunk.score, chunk.path.encode(), chunk.chunk.start_line))
    return page


def _choose_chunks(
    file: RankedFile, best: BestUnits, weights: RankingWeights
) -> Iterable[tuple[RankedUnit, Points]]:
    """The best unit of each of a file's best chunks, and the points of the chunk."""
    part, number = file.candidate.part, file.candidate.file
    first, end = int(part.first_units[number]), int(part.first_units[number + 1])
    found = best.segments[part.place]
    own = slice(*np.searchsorted(found.units, [first, end]))
    units, scores = found.units[own], np.round(found.scores[own], DECIMALS)
    if not len(units):
        yield RankedUnit(file.score, part.place, first), file.points
        return
    order = np.lexsort((units, -scores))
    _, firsts = np.unique(part.find_chunks(units[order]), return_index=True)
    chosen = order[np.sort(firsts)][:CHUNKS_PER_FILE]
    for place, row in enumerate(chosen.tolist()):
        points = file.points
        if place:
            share = weights.repeat**place * float(scores[row] / scores[chosen[0]])
            points = (*points, ("repeat", round((share - 1.0) * file.score, DECIMALS)))
        yield RankedUnit(add_up(points), part.place, int(units[row])), points
