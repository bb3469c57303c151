"""Looks once more at the best files of a ranking, for what would be too expensive for all candidates.

`look_closer` gives the first CLOSE_FILES further points for:

- The share of the query that the file's best unit holds. One word alone can make the sum over units high.
- Other good files in the same directory: files that change together, or answer together, often lie there.

A long report has so many words that any unit holds some. So for a report there is one more:

- The share of its title that the file holds anywhere: the title says what is wrong.

Points are only added, so no other file can overtake these, however many files are wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import methodcaller

import numpy as np

from repo_mcp.ranking.files.page_units import find_best_unit
from repo_mcp.ranking.files.ranked_file import RankedFile, sort_files
from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.files.signals import weigh_inverse
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.ranked_chunks import NOTHING_HELD, HeldTerms, find_held
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.ranking.scoring.segment_search import RankedUnit, SegmentSearch
from repo_mcp.ranking.scoring.term_scorers import TermScorers

CLOSE_FILES = 20  # looked at once more
NEIGHBOURS = 10  # the best of them, which count for the others in their directories
LONG_TEXT = 30  # terms of pasted text: of a shorter one the title is much

File = tuple[SegmentSearch, int]  # and its number there


def look_closer(
    searcher: Searcher, query: Query, best: BestUnits, files: Sequence[RankedFile], weights: RankingWeights
) -> tuple[list[RankedFile], HeldTerms]:
    """Return the files in their new order, and the terms that the best units of the first CLOSE_FILES hold.

    A query that is a name is answered by its declaration: for it nothing is looked at.
    """
    if query.is_name or not (weights.held_word or weights.neighbour):
        return list(files), NOTHING_HELD
    near = files[:CLOSE_FILES]
    units = [RankedUnit(0.0, file.part.position, find_best_unit(best, file)) for file in near]
    held = find_held(searcher.segments, query, best.terms, units)
    count = searcher.snapshot.unit_count
    worth = {
        term: query.weights.get(term, 1.0) * weigh_inverse(lists.frequency, count)
        for term, lists in zip(query.terms, best.terms, strict=True)
    }
    most = weigh_held(query.own_count, weights)
    given = {"held words": rate_held([held[unit.segment, unit.unit] for unit in units], worth, most)}
    if is_long(query):
        title = {term: worth[term] for term in query.terms if term in query.title}
        known = dict(zip(query.terms, best.terms, strict=True))
        places = [(file.part, file.file) for file in near]
        holding = find_terms({term: known[term] for term in title}, places)
        given["title"] = rate_held(holding, title, weights.held_title)
    scores = [file.score + sum(row) * file.kept for file, *row in zip(near, *given.values(), strict=True)]
    given["neighbours"] = rate_neighbours([file.path for file in near], scores, weights)
    rows = zip(near, *given.values(), strict=True)
    near = sort_files([_give(file, zip(given, row, strict=True)) for file, *row in rows])
    return [*near, *files[CLOSE_FILES:]], held


def _give(file: RankedFile, points: Iterable[tuple[str, float]]) -> RankedFile:
    """Return the file with further points, of which it keeps the share that its role and version allow."""
    score, further = file.score, list(file.further)
    for name, value in points:
        if given := round(value * file.kept, DECIMALS):
            score += given
            further.append((name, given))
    score = round(score, DECIMALS)
    return RankedFile(file.path, file.part, file.file, score, file.given, tuple(further), file.kept)


def is_long(query: Query) -> bool:
    """Return whether a query is a long report."""
    return query.is_pasted and query.own_count >= LONG_TEXT


def weigh_held(words: int, weights: RankingWeights) -> float:
    """Return the points for holding all words of a query: two are worth less than many."""
    return min(weights.most_held, weights.held_word * words)


def rate_held(held: Sequence[Collection[str]], worth: Mapping[str, float], most: float) -> list[float]:
    """Return the points of each unit for the terms that it holds, weighed by `worth`: `most` for all."""
    whole = sum(worth.values())
    return [most * sum(map(worth.__getitem__, terms)) / whole if whole else 0.0 for terms in held]


def rate_neighbours(paths: Sequence[str], scores: Sequence[float], weights: RankingWeights) -> list[float]:
    """Return the points of each file for others in its directory: their share of the best scores' sum."""
    best = sorted(range(len(paths)), key=lambda place: (-scores[place], paths[place]))[:NEIGHBOURS]
    whole = sum(map(scores.__getitem__, best))
    if whole <= 0.0:
        return [0.0] * len(paths)
    directories = [path.rpartition("/")[0] for path in paths]
    sums = dict.fromkeys(directories, 0.0)
    for place in best:
        sums[directories[place]] += scores[place]
    others = [sums[directory] for directory in directories]
    for place in best:
        others[place] -= scores[place]
    return [weights.neighbour * other / whole for other in others]


def find_terms(known: Mapping[str, TermScorers], files: Sequence[File]) -> list[list[str]]:
    """Return for each file the terms, in order, that its path or any of its units holds."""
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
