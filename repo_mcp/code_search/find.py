"""Which chunks answer a query, and how well: the one place where hits are found.

A hit's share is its score by the best score that a file could reach with this query: one whose every unit
holds each word as strongly as the strongest unit of the index does, and that is named as well as the best
named file that was looked at (`Ranking.bound`). So a share is at most 1, orders hits as their scores do, and
says the same from query to query: that much of what was asked is there. `relevance_percent` is 100 times its
square root, which spreads the low end, where most hits lie.

Another way to find chunks, such as one by meaning, enters here: it gives shares of its own, and `find_chunks`
blends the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_mcp.index.query import Query
from repo_mcp.index.ranking import choose_unknown, rank
from repo_mcp.index.searcher import Filter, RankedChunk, Searcher


@dataclass(frozen=True, slots=True)
class Found:
    """Chunks, best first."""

    chunks: tuple[RankedChunk, ...]
    shares: tuple[float, ...]  # of the chunks, 0 to 1
    total: int  # chunks that match
    unknown: tuple[str, ...]  # words of the query that are nowhere, and that near ones may be meant by


def find_chunks(searcher: Searcher, query: Query, wanted: Filter, most: int) -> Found:
    """The best `most` chunks of the wanted files. Raises IndexFormatError for damage."""
    ranking = rank(searcher, query, most, wanted, bounded=True)
    shares = tuple(min(1.0, chunk.score / ranking.bound) for chunk in ranking.chunks)
    return Found(ranking.chunks, shares, ranking.total, tuple(choose_unknown(query, ranking)))
