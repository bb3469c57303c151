"""Chooses the files that a ranking examines closely: a few hundred, before their paths are read.

They are the files of the best units, files whose paths hold stems of the query, and files that define a name
in it. A row numbers a file across all segments. The choice depends on the tree and the query alone: ties at a
cut are broken by path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from index_format import sort_distinct
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.files.signals import sum_text, weigh_inverse, weigh_kinds, weigh_rarity
from repo_mcp.ranking.query.intent import RATED_KINDS, Intent, NameKind
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.ranking.scoring.term_scorers import TermScorers
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_name_term
from repo_mcp.text.schema import PATH, SYMBOL

TEXT_FILES = 100  # chosen by text and defined names
PATH_FILES = 50  # chosen by their paths
MAX_DEFINING = 1_000  # a name defined in more files makes none of them a candidate
# Of pasted text, a stem that more paths hold says nothing of a file: it is the name of the product, or of all
# that it is about.
MOST_PATHS_SHARE, LEAST_PATHS = 0.4, 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """The files to examine, and the weights of the stems that their names may hold."""

    positions: list[int]  # of each file: its segment's position in the snapshot, ascending
    files: list[int]  # of each file: its number in that segment
    paths: list[str]
    text: F64  # of each file: its text score as a share of the best file's
    names: Sequence[F64]  # by kind and file: the rarity of the rarest name it defines; of EXACT ones 1
    stems: Mapping[str, float]
    best_text: float = 0.0  # the sum of the scores of the best file's units; 0 when no text was found


def gather(
    searcher: Searcher, query: Query, intent: Intent, best: BestUnits, weights: RankingWeights
) -> Candidates:
    """Return the candidate files of a query, given its best units. Raises IndexFormatError, OSError."""
    bases = searcher.documents.bases
    found, sums, best_text = _sum_files(searcher, best, bases, weights.next_unit)
    known = dict(zip(query.terms, best.terms, strict=True))
    defining = _find_defining(searcher, intent, known)
    stems, holding = _weigh_stems(searcher, intent, known, query)
    if query.names_units or query.excluded:  # such words filter units
        named, path_rows, path_sums = found, found[:0], sums[:0]
    else:
        path_rows, path_sums = _sum_worths(holding)
        rare = [one.rows for one in defining if len(one.rows) <= MAX_DEFINING]
        named = sort_distinct(np.concatenate([found, *rare])) if rare else found
        named = named[_find_wanted(searcher, best, named, bases)]
    if len(named) > TEXT_FILES:
        points = _look_up(found, sums, named)
        for weight, values in zip(weigh_kinds(weights), _rate_names(defining, named), strict=True):
            points = points + weight * values
        named = _take_best(searcher, named, points, TEXT_FILES, bases)
    wanted = _find_wanted(searcher, best, path_rows, bases)
    by_path = _take_best(searcher, path_rows[wanted], path_sums[wanted], PATH_FILES, bases)
    chosen = sort_distinct(np.concatenate([named, by_path]))
    positions, files = _locate(chosen, bases)
    paths = [
        path
        for part in searcher.segments
        for path in part.reader.files.read_paths_of(files[positions == part.position])
    ]
    text, names = _look_up(found, sums, chosen), _rate_names(defining, chosen)
    return Candidates(positions.tolist(), files.tolist(), paths, text, names, stems, best_text)


def _locate(rows: I64, bases: I64) -> tuple[I64, I64]:
    """Return the segment position and the file number of each row."""
    positions = np.searchsorted(bases, rows, side="right") - 1
    return positions, rows - bases[positions]


def _look_up(rows: I64, values: F64, wanted: I64) -> F64:
    """Return the value of each wanted row, 0 for a row not in the ascending `rows`."""
    if not len(rows):
        return np.zeros(len(wanted))
    positions = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[positions] == wanted, values[positions], 0.0)


def _sum_files(searcher: Searcher, best: BestUnits, bases: I64, next_unit: float) -> tuple[I64, F64, float]:
    """Return the ascending rows of the best units' files, their shares of the best text, and that text."""
    files = [
        part.find_files(found.units) + base
        for part, found, base in zip(searcher.segments, best.segments, bases.tolist(), strict=False)
    ]
    if not any(map(len, files)):
        return np.zeros(0, dtype=np.int64), np.zeros(0), 0.0
    scores = np.concatenate([found.scores for found in best.segments])
    rows, sums = sum_text(np.concatenate(files), scores, next_unit)
    return rows, sums / sums.max(), float(sums.max())


@dataclass(frozen=True, slots=True)
class _Defining:
    """The files that define one name."""

    kind: NameKind
    rarity: float
    rows: I64  # ascending


def _find_defining(searcher: Searcher, intent: Intent, known: Mapping[str, TermScorers]) -> list[_Defining]:
    """Return the files that define each name of the query; names without any are left out."""
    found = []
    names = [row for row in intent.names if row[1] in RATED_KINDS and searcher.count_units(row[0])]
    defining = searcher.documents.find_files(map(itemgetter(0), names), SYMBOL, known)
    for (_, kind), rows in zip(names, defining, strict=True):
        own = rows
        if kind is NameKind.EXACT and intent.asked is not None and intent.asked.may_be_file and len(rows):
            (qualifier,) = searcher.documents.find_files([get_name_term(intent.asked.qualifiers[-1])], SYMBOL)
            own = np.intersect1d(rows, qualifier, assume_unique=True)
        if len(own):
            is_asked = kind in (NameKind.EXACT, NameKind.QUALIFIER)  # however common it is
            rarity = 1.0 if is_asked else weigh_rarity(len(own), searcher.snapshot.file_count)
            found.append(_Defining(kind, rarity, own))
    return found


def _rate_names(defining: Sequence[_Defining], wanted: I64) -> list[F64]:
    """Return, for each of RATED_KINDS, the rarity of the rarest such name that each wanted file defines."""
    rated = {kind: np.zeros(len(wanted)) for kind in RATED_KINDS}
    for one in defining:
        positions = np.minimum(one.rows.searchsorted(wanted), len(one.rows) - 1)
        values = rated[one.kind]
        np.maximum(values, one.rarity * (one.rows[positions] == wanted), out=values)
    return list(rated.values())


def _weigh_stems(
    searcher: Searcher, intent: Intent, known: Mapping[str, TermScorers], query: Query
) -> tuple[dict[str, float], list[tuple[float, I64]]]:
    """Return each stem's worth in a name, by its rarity in text and in paths; and each with the files whose
    paths hold it."""
    units = searcher.snapshot.unit_count
    inverse = {term: weigh_inverse(lists.frequency, units) for term, lists in known.items()}
    highest = max(inverse.values(), default=1.0)
    ranking = list(filter(inverse.__contains__, (*intent.stems, *query.names, *query.synonyms)))
    most = max(LEAST_PATHS, MOST_PATHS_SHARE * searcher.snapshot.file_count)
    stems: dict[str, float] = {}
    holding: list[tuple[float, I64]] = []
    for stem, files in zip(ranking, searcher.documents.find_files(ranking, PATH, known), strict=True):
        is_everywhere = query.is_pasted and len(files) > most
        rarity = 0.0 if is_everywhere else weigh_rarity(len(files), searcher.snapshot.file_count)
        stems[stem] = query.weights.get(stem, 1.0) * math.sqrt(rarity * inverse[stem] / highest)
        holding.append((stems[stem], files))
    return stems, holding


def _sum_worths(holding: Sequence[tuple[float, I64]]) -> tuple[I64, F64]:
    """Return the rows of the files whose paths hold stems, ascending, each with the sum of its stems' worth.

    `holding` has the worth of each stem, and its files.
    """
    rows, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for worth, files in holding:
        rows.append(files)
        values.append(np.full(len(files), worth))
    sums = np.bincount(np.concatenate(rows), weights=np.concatenate(values)).astype(np.float64, copy=False)
    held = (sums != 0.0).nonzero()[0]  # on a boolean array, nonzero takes a tenth of the time
    return held, sums[held]


def _find_wanted(searcher: Searcher, best: BestUnits, rows: I64, bases: I64) -> Mask:
    """Return a mask of the ascending rows whose files have text and pass the filters."""
    kept = []
    parts = np.split(rows, np.searchsorted(rows, bases[1:-1]))
    for part, mask, own in zip(searcher.segments, best.masks, parts, strict=False):
        files = own - int(bases[part.position])
        wanted = part.units_per_file[files] > 0
        kept.append(wanted if mask is None else wanted & mask[files])
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.bool_)


def _take_best(searcher: Searcher, rows: I64, points: F64, count: int, bases: I64) -> I64:
    """Return the `count` rows with the most points; ties at the cut go to the first paths."""
    if len(rows) <= count:
        return rows
    values = np.round(points, DECIMALS)
    # Sorted, because a partition of 30,000 values, most of them one of three, takes 30 times as long.
    last = np.sort(values)[len(values) - count]
    best, ties = rows[values > last], rows[values == last]
    room = count - len(best)
    if len(bases) > 2:  # files of a segment are in path order, so the first ties of each are enough
        first = np.concatenate([own[:room] for own in np.split(ties, np.searchsorted(ties, bases[1:-1]))])
        positions = zip(*(column.tolist() for column in _locate(first, bases)), first.tolist(), strict=True)
        paths = [(searcher.read_path(position, file).encode(), row) for position, file, row in positions]
        ties = np.array([row for _, row in sorted(paths)], dtype=np.int64)
    return np.concatenate([best, ties[:room]])
