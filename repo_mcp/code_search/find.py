"""Which chunks answer a query, and how well: the one place where hits are found.

A hit's share is its score by the best score that a file could reach with this query: one whose every unit
holds each word as strongly as the strongest unit of the index does, and that is named as well as the best
named file that was looked at (`Ranking.bound`). So a share is at most 1, orders hits as their scores do, and
says the same from query to query: that much of what was asked is there. `relevance_percent` is 100 times its
square root, which spreads the low end, where most hits lie.

Where there are vectors (repo_mcp/semantic/), chunks are found by meaning too: scores and their bound are then
weighted sums of both kinds, and a share says how much of what could be reached in either way is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from repo_mcp.ranking.query import Query
from repo_mcp.ranking.ranking import choose_unknown, rank
from repo_mcp.ranking.searcher import Filter, RankedChunk, Ranking, Searcher


@dataclass(frozen=True, slots=True)
class FoundChunks:
    """Chunks, best first."""

    chunks: tuple[RankedChunk, ...]
    shares: tuple[float, ...]  # of the chunks, 0 to 1
    total: int  # chunks that match
    unknown: tuple[str, ...]  # words of the query that are nowhere, and that near ones may be meant by


class Meaning(Protocol):
    """What ranks by meaning beside words."""

    def rank(
        self, searcher: Searcher, query: Query, weight: float, top_k: int, wanted: Filter | None = None
    ) -> Ranking:
        """As `ranking.rank` does, bounded; `weight` is what meaning counts beside words, 0 to 1."""
        ...

    def warn(self) -> list[str]:
        """What an answer should say of it: that not every file has its vectors yet."""
        ...


def find_chunks(
    searcher: Searcher,
    query: Query,
    wanted: Filter,
    most: int,
    meaning: Meaning | None = None,
    weight: float = 0.0,
) -> FoundChunks:
    """The best `most` chunks of the wanted files. Raises IndexFormatError for damage."""
    if meaning is None or not weight:
        ranking = rank(searcher, query, most, wanted, bounded=True)
    else:
        ranking = meaning.rank(searcher, query, weight, most, wanted)
    shares = tuple(min(1.0, chunk.score / ranking.bound) for chunk in ranking.chunks)
    return FoundChunks(ranking.chunks, shares, ranking.total, tuple(choose_unknown(query, ranking)))
