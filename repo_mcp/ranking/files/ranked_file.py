"""A file of the ranking, with its score as a sum of points: each says which signal gave or took how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter, itemgetter

from repo_mcp.model import Hit
from repo_mcp.ranking.query.intent import RATED_KINDS
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.ranked_chunks import Points
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.record_classes import dataclass, replace

MARGIN = 1e-4  # exceeds any change that rounding can make to a score
LEAD = 0.1  # points of a hit that was looked up before the best of those that follow it
SIGNALS = ("text", "file name", "whole name", "directory", "named path", *RATED_KINDS)


@dataclass(frozen=True, slots=True)
class RankedFile:
    """One file of the ranking, with the points that make up its score."""

    path: str
    part: SegmentSearch
    file: int  # its number in that segment
    score: float  # the sum of its points
    given: Sequence[float]  # rounded, by each of SIGNALS
    further: Points = ()  # what else was given or taken
    kept: float = 1.0  # the share of any points that its role and its version leave

    @property
    def points(self) -> Points:
        """Return the points by what gave or took them; they add up to the score."""
        return (*(row for row in zip(SIGNALS, self.given, strict=False) if row[1]), *self.further)


def add_up(points: Iterable[tuple[str, float]]) -> float:
    """Return the score that points add up to, rounded."""
    total: float = sum(map(itemgetter(1), points))
    return round(total, DECIMALS)


def lift(hits: Sequence[Hit], score: float) -> list[Hit]:
    """Return the hits with scores raised above `score`, which the next hit has, in descending order."""
    lifted: list[Hit] = []
    for hit in reversed(hits):
        explained = hit.explanation
        if hit.score <= score:
            explained = (*explained, ("lead", round(score - hit.score + LEAD, DECIMALS)))
        lifted.append(replace(hit, score=add_up(explained), explanation=explained))
        score = lifted[-1].score
    return lifted[::-1]


def sort_files(files: list[RankedFile]) -> list[RankedFile]:
    """Return files in order of their scores, ties by path."""
    files.sort(key=attrgetter("path"))  # by code points, whose order is that of the bytes
    files.sort(key=attrgetter("score"), reverse=True)
    return files
