"""Find the chunks that answer a query, with their shares. This is the only module that finds hits.

The share of a hit is its score divided by the best score that a file could reach with this query
(`Ranking.bound`): a file whose every unit holds each word as strongly as the strongest unit of the index, and
whose name matches as well as the best name that was considered. A share is therefore at most 1, orders hits
as their scores do, and means the same for every query. `relevance_percent` is 100 times its square root,
which spreads the low end, where most hits lie.

With vectors (repo_mcp/semantic/), chunks are also found by meaning. Scores and their bound are then weighted
sums of both kinds, and a share relates a hit to the best that both could reach together.
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
    unknown: tuple[str, ...]  # words of the query that occur nowhere, for which similar ones may be suggested


class Meaning(Protocol):
    """A ranking by meaning that complements words."""

    def rank(
        self, searcher: Searcher, query: Query, weight: float, top_k: int, wanted: Filter | None = None
    ) -> Ranking:
        """Rank like `ranking.rank`, with a bound; `weight` is the part of meaning in a score, 0 to 1."""
        ...

    def warn(self) -> list[str]:
        """Return warnings for the answer, such as that some files have no vectors yet."""
        ...


def find_chunks(
    searcher: Searcher,
    query: Query,
    wanted: Filter,
    most: int,
    meaning: Meaning | None = None,
    weight: float = 0.0,
) -> FoundChunks:
    """Return the best `most` chunks of the wanted files. Raises IndexFormatError for a damaged index."""
    if meaning is None or not weight:
        ranking = rank(searcher, query, most, wanted, bounded=True)
    else:
        ranking = meaning.rank(searcher, query, weight, most, wanted)
    shares = tuple(min(1.0, chunk.score / ranking.bound) for chunk in ranking.chunks)
    return FoundChunks(ranking.chunks, shares, ranking.total, tuple(choose_unknown(query, ranking)))
