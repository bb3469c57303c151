"""Looks once more at the best files of a ranking: which words each one holds, and which lie together.

Some signals are worth their cost for twenty files, and would be too expensive for a hundred and fifty:

- The share of the query that the best unit of a file holds. The sum over units can be high by one word alone.
- Other good files in the same directory: files that change together, or answer together, often lie there.

A long report has so many words that any unit holds some. So there are two more:

- The share of its title that the file holds anywhere: the title says what is wrong.
- Words that no other file holds.

All only add points. So no other file can come before these, however many files are wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from operator import methodcaller

import numpy as np

from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.posting_scorers import TermScorers
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.text.schema import TEXT_FIELDS

CLOSE_FILES = 20  # looked at once more
NEIGHBOURS = 10  # the best of them, which count for the others in their directories
LONG_TEXT = 30  # terms of pasted text: of a shorter one the title is much
MOST_SOLE = 3  # words that no other file holds, which count for a file
SOLE_UNITS = 100  # a word in more units is not looked up

File = tuple[SegmentSearch, int]  # and its number there


def is_long(query: Query) -> bool:
    """Return whether a query is a long report."""
    return query.is_pasted and query.own_count >= LONG_TEXT


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


def find_terms(known: Mapping[str, TermScorers], files: Sequence[File]) -> list[list[str]]:
    """Return, of each file, which of some terms any unit or its path holds, in their order."""
    found: list[list[str]] = [[] for _ in files]
    for part in dict.fromkeys(part for part, _ in files):
        rows = [row for row, (one, _) in enumerate(files) if one is part]
        spans = [part.first_units[files[row][1] : files[row][1] + 2].tolist() for row in rows]
        units = np.concatenate([np.arange(*span) for span in spans])
        owners = np.repeat(rows, [end - first for first, end in spans])
        for term, lists in known.items():
            held = map(methodcaller("hold", units), lists.segments[part.position])
            for row in set(chain.from_iterable(owners.take(places).tolist() for places in held)):
                found[row].append(term)
    return found


def count_sole(
    searcher: Searcher, terms: Sequence[str], known: Mapping[str, TermScorers], files: Sequence[File]
) -> list[int]:
    """Return, of each file, how many of its terms have one file at most in code, and one at most in comments.

    MOST_SOLE at most.
    """
    rare = [term for term in terms if known[term].frequency <= SOLE_UNITS]
    fields = [searcher.find_files(rare, field, known) for field in TEXT_FIELDS]
    sole = [np.concatenate(rows) for rows in zip(*fields, strict=True) if max(map(len, rows)) == 1]
    count = Counter(row for rows in sole for row in set(rows.tolist()))
    bases = searcher.bases.tolist()
    return [min(MOST_SOLE, count[bases[part.position] + file]) for part, file in files]
