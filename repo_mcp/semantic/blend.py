"""Ranks by words and by meaning: the points of a file, and how near its chunks are to the question.

    score = (1 - weight) * points + weight * nearness

Points come from the ranking by words (repo_mcp/ranking/ranking.py): a few at most, and about 1 for a good
file. Nearness is the cosine of the file's nearest chunk plus decreasing parts of further ones, times
the share that the file's role keeps. Both are absolute measures, not relative to the other files of the
answer, so they are added without scaling. Files that only one of the two finds are included.

Weight 0 ranks by words alone, weight 1 by meaning alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from repo_mcp.ranking.bm25f import DECIMALS, F64, I64
from repo_mcp.ranking.intent import understand
from repo_mcp.ranking.query import Query
from repo_mcp.ranking.ranking import (
    BEST_UNITS,
    RankedFile,
    add_up,
    bound_scores,
    choose_files,
    fill_page,
    rate_files,
)
from repo_mcp.ranking.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.ranking.searcher import BestUnits, Filter, Ranking, Searcher
from repo_mcp.ranking.segment_search import Mask, Matches
from repo_mcp.ranking.signals import keep_shares, sum_text, tell_role
from repo_mcp.semantic.vector_index import NearChunks
from repo_mcp.text.roles import FileRole

NEAR_CHUNKS = 500  # that nearness is summed over
MOST_FILES = 10_000  # above the few hundred candidates of the ranking by words
NEXT_CHUNK = 0.2  # each further chunk of a file counts for this share of the one before
MOST_NEARNESS = 1.0 / (1.0 - NEXT_CHUNK)  # for a file whose every chunk equals the question
SIGNAL = "meaning"

FindNear = Callable[[Sequence[Mask | None]], Sequence[NearChunks]]
Nearness = dict[tuple[int, int], float]  # (segment, file) -> nearness


def rank_blended(
    searcher: Searcher,
    query: Query,
    find_near: FindNear,
    weight: float,
    top_k: int,
    wanted: Filter | None = None,
    weights: RankingWeights = WEIGHTS,
) -> Ranking:
    """Return the best `top_k` chunks by words and meaning, with an upper bound on any score.

    `find_near` receives one mask of units per segment and returns the near chunks that hold a unit of it, per
    segment. Raises IndexFormatError, OSError, and what `find_near` raises.
    """
    best = searcher.find_best_units(query, BEST_UNITS, wanted or Filter())
    parts = zip(searcher.segments, best.masks, strict=True)
    near = find_near([searcher.find_units(part, query, mask) for part, mask in parts])
    rated = rate_files(searcher, query, best, weights)
    worded = choose_files(rated, MOST_FILES) if weight < 1.0 else []
    shares = keep_shares(understand(query.text).roles, weights)
    nearness = _sum_nearness(searcher, near) if weight > 0.0 else {}
    files = _blend_files(searcher, worded, nearness, shares, weight)[:top_k]
    joined = _blend_units(searcher, best, near, weight)
    page = fill_page(joined, files, top_k, weights)
    chunks = searcher.describe(query, joined, [unit for unit, _ in page])
    explained = (replace(chunk, explanation=points) for chunk, (_, points) in zip(chunks, page, strict=True))
    unknown = (term for term, lists in zip(query.terms, best.terms, strict=True) if not lists.frequency)
    bound = (1.0 - weight) * bound_scores(searcher, best, rated, weights) + weight * MOST_NEARNESS
    return Ranking(tuple(explained), joined.total, tuple(unknown), bound)


def _sum_nearness(searcher: Searcher, near: Sequence[NearChunks]) -> Nearness:
    """Return the nearness of each file that has a near chunk, before its role is applied."""
    found: Nearness = {}
    for part, own in zip(searcher.segments, near, strict=True):
        if len(own.chunks):
            owners = part.find_files(part.find_first_units(own.chunks))
            files, sums = sum_text(owners, own.cosines, NEXT_CHUNK)
            found |= zip(((part.position, file) for file in files.tolist()), sums.tolist(), strict=True)
    return found


def _blend_files(
    searcher: Searcher,
    worded: Sequence[RankedFile],
    nearness: Nearness,
    shares: Mapping[FileRole, float],
    weight: float,
) -> list[RankedFile]:
    """Return the files of both rankings with their combined points, in order of scores; ties by path."""
    known = {(one.part.position, one.file): one for one in worded}
    ranked = []
    for position, file in {**known, **nearness}:
        path = searcher.read_path(position, file)
        one = known.get((position, file))
        given = () if one is None else one.points
        points = [(name, round((1.0 - weight) * value, DECIMALS)) for name, value in given]
        near = round(weight * nearness.get((position, file), 0.0) * shares[tell_role(path)], DECIMALS)
        if near:
            points.append((SIGNAL, near))
        ranked.append(RankedFile(path, searcher.segments[position], file, add_up(points), tuple(points)))
    return sorted(ranked, key=lambda file: (-file.score, file.path.encode()))


def _blend_units(searcher: Searcher, best: BestUnits, near: Sequence[NearChunks], weight: float) -> BestUnits:
    """Return the units that decide which chunks and lines of a file are shown: those that match words, scored
    relative to the best one plus their chunk's relative cosine; of other near chunks, the first unit."""
    most = max((float(one.scores.max(initial=0.0)) for one in best.segments), default=0.0) or 1.0
    nearest = max((float(one.cosines.max(initial=0.0)) for one in near), default=0.0) or 1.0
    joined = []
    for part, words, own in zip(searcher.segments, best.segments, near, strict=True):
        units = words.units if weight < 1.0 else words.units[:0]
        scores = (1.0 - weight) / most * words.scores[: len(units)]
        chunks = part.find_chunks(units)
        others = np.setdiff1d(own.chunks, chunks)
        units = np.concatenate([units, part.find_first_units(others)])
        scores = np.concatenate([scores, np.zeros(len(others))])
        scores += weight / nearest * _look_up(own, np.concatenate([chunks, others]))
        order = np.argsort(units)
        joined.append(Matches(units[order], np.round(scores[order], DECIMALS)))
    total = sum(part.count_chunks(own.units) for part, own in zip(searcher.segments, joined, strict=True))
    return replace(best, segments=tuple(joined), total=total)


def _look_up(near: NearChunks, chunks: I64) -> F64:
    """Return the cosine of each chunk, 0 for one that is not near."""
    if not len(near.chunks):
        return np.zeros(len(chunks))
    positions = np.minimum(np.searchsorted(near.chunks, chunks), len(near.chunks) - 1)
    return np.where(near.chunks[positions] == chunks, near.cosines[positions], 0.0)
