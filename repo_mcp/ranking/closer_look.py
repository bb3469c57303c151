"""Looks once more at the best files of a ranking: which words each one holds, and which lie together. Pure.

Two signals are worth their cost for twenty files, and would be too expensive for a hundred and fifty:

- The share of the query that the best unit of a file holds. The sum over units can be high by one word alone.
- Other good files in the same directory: files that change together, or answer together, often lie there.

Both only add points. So no other file can come before these, however many files are wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from repo_mcp.ranking.ranking_weights import RankingWeights

CLOSE_FILES = 20  # looked at once more
NEIGHBOURS = 10  # the best of them, which count for the others in their directories


def weigh_held(words: int, weights: RankingWeights) -> float:
    """Return the points of a unit that holds all of `words` words: two are worth less than many."""
    return min(weights.most_held, weights.held_word * words)


def rate_held(held: Sequence[Collection[str]], worth: Mapping[str, float], most: float) -> list[float]:
    """Return the points of each unit for its terms, `most` for all of them; `worth` has their weights."""
    whole = sum(worth.values())
    return [most * sum(map(worth.__getitem__, terms)) / whole if whole else 0.0 for terms in held]


def rate_neighbours(paths: Sequence[str], scores: Sequence[float], weights: RankingWeights) -> list[float]:
    """Return the points of each file for others in its directory: their share of the best scores' sum."""
    order = sorted(range(len(paths)), key=lambda place: (-scores[place], paths[place]))
    best = frozenset(order[:NEIGHBOURS])
    whole = sum(scores[place] for place in order[:NEIGHBOURS])
    if whole <= 0.0:
        return [0.0] * len(paths)
    directories = [path.rpartition("/")[0] for path in paths]
    sums: dict[str, float] = {}
    for place in order[:NEIGHBOURS]:
        sums[directories[place]] = sums.get(directories[place], 0.0) + scores[place]
    others = (
        sums.get(directory, 0.0) - (scores[place] if place in best else 0.0)
        for place, directory in enumerate(directories)
    )
    return [weights.neighbour * other / whole for other in others]
