"""Ranks files: one pipeline from a query to the units that a page shows. `rank` is the whole of it.

    best units (searcher.py) -> candidate files (candidates.py) -> points by signal (signals.py) -> order
        -> a closer look at the best (closer_look.py) -> the units of a page (page_units.py)

A file's score is the sum of its points, each rounded, so that an explanation adds up. All weights are in one
table (ranking_weights.py). Nothing depends on segments: units, names and paths are those of the live tree,
and counts are exact.

Left out on purpose, because they were tried and gave nothing: term proximity, file sizes, depth of
directories, and what the best files declare and use. See bench/quality/README.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from heapq import heappush, heappushpop
from operator import attrgetter

import numpy as np

from repo_mcp.arrays import F64
from repo_mcp.ranking.files.candidates import Candidates, gather
from repo_mcp.ranking.files.closer_look import CLOSE_FILES, is_long, look_closer, weigh_held
from repo_mcp.ranking.files.older_versions import OlderVersions
from repo_mcp.ranking.files.page_units import fill_page, find_declaring
from repo_mcp.ranking.files.ranked_file import MARGIN, SIGNALS, RankedFile, add_up, sort_files
from repo_mcp.ranking.files.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.ranking.files.signals import (
    StemMatcher,
    cut_name,
    find_role_in_locale,
    find_role_in_tree,
    list_role_shares,
    split_name,
    weigh_kinds,
)
from repo_mcp.ranking.query.intent import NameKind, understand
from repo_mcp.ranking.query.mentions import number_frames, resolve_mentions
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.live_terms import find_paths
from repo_mcp.ranking.scoring.ranked_chunks import HeldTerms
from repo_mcp.ranking.scoring.searcher import BestUnits, Ranking, Searcher
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.roles import FileRole

BEST_UNITS = 1_000  # whose scores are summed per file
MOST_COUNTED = 1_000  # chunks; if there are more, the total is given as a lower bound
_TEXT, _PATHS, _NAMED_PATH, _NAMES = 0, slice(1, 4), 4, slice(5, None)  # their rows


@dataclass(frozen=True, slots=True)
class OrderedFiles:
    """The best files of a query in order."""

    best: BestUnits
    rated: RatedFiles
    files: Sequence[RankedFile]  # `count` of them, or all that there are
    count: int
    held: HeldTerms  # the terms that the best units of the first files hold


def rank(
    searcher: Searcher,
    query: Query,
    top_k: int,
    wanted: Filter | None = None,
    weights: RankingWeights = WEIGHTS,
    *,
    bounded: bool = False,
    counted: bool = True,
) -> Ranking:
    """Return the best `top_k` chunks by their files' rank; a file's best chunk precedes its others.

    With `bounded`, it carries an upper bound: see `bound_scores`. Without `counted`, the total is that of the
    chunks returned. Raises IndexFormatError, OSError.
    """
    ordered = order_files(searcher, query, top_k, wanted or Filter(), weights)
    ranking = take_chunks(searcher, query, ordered, top_k, weights, counted=counted)
    if not bounded:
        return ranking
    return replace(ranking, bound=bound_scores(searcher, query, ordered.best, ordered.rated, weights))


def order_files(
    searcher: Searcher, query: Query, count: int, wanted: Filter, weights: RankingWeights = WEIGHTS
) -> OrderedFiles:
    """Return at least the best `count` files of a query. Raises IndexFormatError, OSError."""
    best = searcher.find_best_units(query, BEST_UNITS, wanted)
    rated = rate_files(searcher, query, best, weights)
    count = max(count, CLOSE_FILES)
    files, held = look_closer(searcher, query, best, choose_files(rated, count), weights)
    return OrderedFiles(best, rated, files, count, held)


def take_chunks(
    searcher: Searcher,
    query: Query,
    ordered: OrderedFiles,
    top_k: int,
    weights: RankingWeights = WEIGHTS,
    *,
    counted: bool = True,
) -> Ranking:
    """Return the best `top_k` chunks of as many files, as `rank` does."""
    best = ordered.best
    declaring = find_declaring(searcher, query) if query.is_name else None
    page = fill_page(best, ordered.files[:top_k], top_k, weights, declaring)
    units = [unit for unit, _ in page]
    chunks = searcher.describe(query, best, units, ordered.held, [points for _, points in page])
    unknown = [
        term
        for term, lists in zip(query.terms, best.terms, strict=True)
        if not lists.frequency and term not in query.synonyms
    ]
    if not counted:
        total = len(chunks)
    elif sum(map(len, map(attrgetter("units"), best.segments))) >= BEST_UNITS:
        total = searcher.count_chunks(query, best, MOST_COUNTED)
    else:
        total = searcher.count_best_chunks(best)
    return Ranking(tuple(chunks), total, tuple(unknown), 0.0, total >= MOST_COUNTED)


def choose_unknown(query: Query, ranking: Ranking) -> list[str]:
    """Return the unknown words of a query that are worth a spelling suggestion.

    These are all of them when nothing was found, otherwise only names that the query asks for: of such a name
    only parts are known.
    """
    if not ranking.total:
        return list(ranking.unknown)
    kinds = (NameKind.EXACT, NameKind.ASKED, NameKind.PART)
    asked = [name for name, kind in understand(query.text, query.code).names if kind in kinds]
    return [name for name in asked if name in ranking.unknown]


def rank_files(
    searcher: Searcher, query: Query, best: BestUnits, count: int, weights: RankingWeights = WEIGHTS
) -> list[RankedFile]:
    """Return the best `count` files of a query in order, ties by path."""
    chosen = choose_files(rate_files(searcher, query, best, weights), max(count, CLOSE_FILES))
    return look_closer(searcher, query, best, chosen, weights)[0][:count]


@dataclass(frozen=True, slots=True)
class RatedFiles:
    """The candidate files, with the points that each of SIGNALS gives them."""

    segments: Sequence[SegmentSearch]
    candidates: Candidates
    given: F64  # one row per signal, one column per file
    shares: Mapping[FileRole, float]  # the share of its points that a file of each role keeps
    older: OlderVersions
    older_share: float  # the share of its points that a file of an older version keeps
    find_role: Callable[[str], FileRole]


def rate_files(searcher: Searcher, query: Query, best: BestUnits, weights: RankingWeights) -> RatedFiles:
    """Return every candidate file of a query with its points by signal. Raises IndexFormatError, OSError."""
    if query.is_pasted:
        weights = replace(weights, plain_name=weights.pasted_name)
    intent = understand(query.text, query.code)
    candidates = gather(searcher, query, intent, best, weights)
    named = _find_named(searcher, query, weights)
    rater = _PathRater(candidates.stems, intent.words, weights, searcher.snapshot.file_count)
    given = np.zeros((len(SIGNALS), len(candidates.paths)))
    given[_TEXT] = candidates.text
    given[_PATHS] = rater.rate_all(candidates.paths)
    if named:
        given[_NAMED_PATH] = [weights.named_path * named.get(path, 0.0) for path in candidates.paths]
    for row, weight, rarities in zip(given[_NAMES], weigh_kinds(weights), candidates.names, strict=True):
        np.multiply(weight, rarities, out=row)
    shares = list_role_shares(intent.roles, weights)
    older = OlderVersions(frozenset(query.terms), searcher.has_beginning)
    return RatedFiles(
        searcher.segments,
        candidates,
        given,
        shares,
        older,
        weights.older_version,
        partial(find_role_in_locale if intent.is_about_locales else find_role_in_tree, searcher),
    )


class _PathRater:
    """Computes the points that files get for their paths. For one query."""

    def __init__(
        self, stems: Mapping[str, float], words: frozenset[str], weights: RankingWeights, file_count: int
    ) -> None:
        """`words` are the words of the query as written; the tree has `file_count` files."""
        self._matcher = StemMatcher(stems, weights.prefix)
        self._words = words
        self._weights = weights
        # the share of its points that a name keeps which no other candidate has
        self._certainty = min(1.0, math.sqrt(weights.small_tree / max(1, file_count)))

    def rate_all(self, paths: Sequence[str]) -> F64:
        """Return the points of each path, in a row for each kind: for its name by stems, for its whole name,
        for its directories. Most are 0, and seen to be at once."""
        rated = np.zeros((3, len(paths)))
        near = self._matcher.find_near(paths, self._words)
        if not near:
            return rated
        split = [paths[number].rpartition("/") for number in near]
        names = [cut_name(file) for _, _, file in split]
        parts = list(map(split_name, names))
        weights = self._weights
        is_variant = [file.count(".", len(name)) > 1 for (*_, file), name in zip(split, names, strict=True)]
        shares = np.where(is_variant, weights.variant, 1.0)
        rated[0, near] = shares * weights.file_name * list(map(self._matcher.cover, parts))
        rated[1, near] = shares * weights.whole_name * list(map(self._words.__contains__, names))
        directories = [directory for directory, _, _ in split]
        covered = {directory: self._matcher.cover_all(directory) for directory in set(directories)}
        rated[2, near] = [weights.directory * covered[directory] for directory in directories]
        if self._certainty < 1.0:
            rated[:2, near] *= self._weigh_names(parts)
        return rated

    def _weigh_names(self, names: Sequence[tuple[str, ...]]) -> F64:
        """Return the share of its points that each file's name keeps in a tree that is not small.

        The more files there are, the more names hold a word of the query by chance, most of all those that
        many files have: of 78,000 files fifty are called `file.c`.
        """
        count = Counter(names)
        alike = np.array([count[name] for name in names], dtype=np.float64)
        return self._certainty * alike ** (self._certainty - 1.0)


def choose_files(rated: RatedFiles, count: int) -> list[RankedFile]:
    """Return the best `count` of the rated files in order, ties by path.

    A role and a version only take points away, so those of files that cannot make it are never looked up.
    """
    candidates = rated.candidates
    totals = rated.given.sum(axis=0)
    order = np.argsort(-totals)
    # files that may make it: points left, column, points lost by role, by version, the share of further ones
    rows: list[tuple[float, int, float, float, float]] = []
    kept: list[float] = []  # a heap of the best totals after their roles' shares
    for column, total in zip(order.tolist(), totals[order].tolist(), strict=True):
        if len(kept) == count and total < kept[0] - MARGIN:
            break
        path = candidates.paths[column]
        share = rated.shares[rated.find_role(path)]
        left = total * share
        older_share = rated.older_share ** rated.older.count_signs(path)
        lost, older = total - left, left * (1.0 - older_share)
        left -= older
        if len(kept) < count:
            heappush(kept, left)
        else:
            heappushpop(kept, left)
        rows.append((left, column, lost, older, share * older_share))
    least = kept[0] - MARGIN if kept else 0.0
    rows = [row for row in rows if row[0] >= least]
    given = np.round(rated.given[:, [row[1] for row in rows]], DECIMALS)
    columns = zip(rows, given.T.tolist(), given.sum(axis=0).tolist(), strict=True)
    return sort_files([_take(rated, own, total, *row[1:]) for row, own, total in columns])[:count]


def _take(
    rated: RatedFiles,
    given: Sequence[float],
    total: float,
    column: int,
    lost: float,
    older: float,
    kept: float,
) -> RankedFile:
    """Return the file of a column with its points, without those that its role and its version cost."""
    taken = (("role", round(-lost, DECIMALS)), ("older version", round(-older, DECIMALS)))
    further = tuple(row for row in taken if row[1])
    path, file = rated.candidates.paths[column], rated.candidates.files[column]
    part = rated.segments[rated.candidates.positions[column]]
    return RankedFile(path, part, file, round(total + add_up(further), DECIMALS), given, further, kept)


def bound_scores(
    searcher: Searcher, query: Query, best: BestUnits, rated: RatedFiles, weights: RankingWeights
) -> float:
    """Return an upper bound on any score.

    It is the score of a file whose units all hold each query term as strongly as any unit of the index does,
    whose names match as well as the best among the candidates, and to which a closer look gives all it can.
    """
    text = 1.0
    if rated.candidates.best_text:
        strongest = sum(searcher.find_strongest(lists) for lists in best.terms)
        text = max(text, strongest / (1.0 - weights.next_unit) / rated.candidates.best_text)
    names: float = sum(rated.given[1:].max(axis=1, initial=0.0).tolist())  # all signals but the text
    closer = 0.0 if query.is_name else weigh_held(query.own_count, weights) + weights.neighbour
    if is_long(query):
        closer += weights.held_title
    return text + names + closer + MARGIN


def _find_named(searcher: Searcher, query: Query, weights: RankingWeights) -> dict[str, float]:
    """Return the files that the query names, and the value of each."""
    intent = understand(query.text, query.code)
    if not intent.paths:
        return {}
    mentions = resolve_mentions(intent.paths, lambda terms: find_paths(searcher.snapshot, terms))
    frames = number_frames(mentions)
    values: dict[str, float] = {}
    for one in mentions:
        value = one.share
        if one.clue in frames:
            value *= weights.next_frame ** frames[one.clue]
        elif one.clue in intent.code_paths:
            value *= weights.code_path
        values[one.path] = max(value, values.get(one.path, 0.0))
    return values
