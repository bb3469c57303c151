"""Which files a ranking looks at closely, and what is known of them before their paths are read.

The files of the best units, those whose paths hold stems of the query, those that define a name in it.
Numbers are kept for all files of the snapshot in arrays, segment after segment; what comes out are a few
hundred files. Which they are depends on the tree and the query alone: equal files at a cut are told apart
by their paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from repo_mcp.index.intent import Intent, NameKind
from repo_mcp.index.query import Query
from repo_mcp.index.ranking_weights import RankingWeights
from repo_mcp.index.schema import PATH, SYMBOL
from repo_mcp.index.scoring import DECIMALS, F64, I64
from repo_mcp.index.searcher import BestUnits, Searcher
from repo_mcp.index.segment_search import Mask, SegmentSearch
from repo_mcp.index.signals import sum_text, weigh_inverse, weigh_rarity

TEXT_FILES = 100  # by text and defined names
PATH_FILES = 50  # by their paths


@dataclass(frozen=True, slots=True)
class Candidate:
    """One file of the ranking and what is known of it."""

    part: SegmentSearch
    file: int
    text: float  # share of the best text
    names: tuple[float, ...]  # for each NameKind the rarity of the rarest name that it defines


@dataclass(frozen=True, slots=True)
class Candidates:
    """The files to look at, and the weights of the stems that their names may hold."""

    files: tuple[Candidate, ...]
    stems: Mapping[str, float]


def gather(
    searcher: Searcher, query: Query, intent: Intent, best: BestUnits, weights: RankingWeights
) -> Candidates:
    """The candidates of a query whose best units are known."""
    counts = [part.reader.file_count for part in searcher.segments]
    bases = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    text = _sum_files(searcher, best, bases, weights.next_unit)
    names = _find_defining(searcher, intent, bases)
    stems, paths = _weigh_stems(searcher, query, intent, best, bases)
    wanted = _join_masks(searcher, best)
    if query.required or query.excluded or query.symbols:
        wanted &= text > 0.0  # only units were looked at for those
    points = text + sum(weight * values for weight, values in zip(weigh_kinds(weights), names, strict=True))
    chosen = np.union1d(
        _take_best(searcher, points * wanted, TEXT_FILES, bases),
        _take_best(searcher, paths * wanted, PATH_FILES, bases),
    )
    files = tuple(
        Candidate(
            searcher.segments[place],
            file,
            float(text[row]),
            tuple(float(values[row]) for values in names),
        )
        for row, place, file in _locate(chosen, bases)
    )
    return Candidates(files, stems)


def weigh_kinds(weights: RankingWeights) -> tuple[float, ...]:
    """The weight of each NameKind."""
    return weights.asked_name, weights.shaped_name, weights.joined_name, weights.plain_name


def _locate(rows: I64, bases: I64) -> Iterator[tuple[int, int, int]]:
    """Row, segment and file of each row."""
    places = np.searchsorted(bases, rows, side="right") - 1
    return zip(rows.tolist(), places.tolist(), (rows - bases[places]).tolist(), strict=True)


def _sum_files(searcher: Searcher, best: BestUnits, bases: I64, next_unit: float) -> F64:
    """Each file's text as a share of the best one's."""
    files = [
        part.find_files(found.units) + base
        for part, found, base in zip(searcher.segments, best.segments, bases.tolist(), strict=False)
    ]
    scores = [found.scores for found in best.segments]
    if not any(map(len, files)):
        return np.zeros(int(bases[-1]))
    sums = sum_text(np.concatenate(files), np.concatenate(scores), int(bases[-1]), next_unit)
    highest = float(sums.max())
    return sums / highest if highest > 0.0 else sums


def _find_defining(searcher: Searcher, intent: Intent, bases: I64) -> list[F64]:
    """For each NameKind and file the rarity of the rarest such name that the file defines."""
    found = {kind: np.zeros(int(bases[-1])) for kind in NameKind}
    for name, kind in intent.names:
        rows = [
            _drop_repeated(part.find_files(units)) + int(bases[part.place])
            for part, units in searcher.iter_field(name, SYMBOL)
        ]
        if rows:
            defining = np.concatenate(rows)
            rarity = weigh_rarity(len(defining), searcher.snapshot.file_count)
            found[kind][defining] = np.maximum(found[kind][defining], rarity)
    return list(found.values())


def _drop_repeated(ascending: I64) -> I64:
    return ascending[np.flatnonzero(np.diff(ascending, prepend=-1))]


def _weigh_stems(
    searcher: Searcher, query: Query, intent: Intent, best: BestUnits, bases: I64
) -> tuple[dict[str, float], F64]:
    """What each stem is worth in a name, by its rarity in text and in paths; and each file's sum of those."""
    units = searcher.snapshot.unit_count
    inverse = {
        term: weigh_inverse(lists.frequency, units)
        for term, lists in zip(query.terms, best.terms, strict=True)
    }
    highest = max(inverse.values(), default=1.0)
    sums = np.zeros(int(bases[-1]))
    stems: dict[str, float] = {}
    for stem in (stem for stem in intent.stems if stem in inverse):
        found = list(searcher.iter_field(stem, PATH))
        count = sum(len(files) for _, files in found)
        rarity = weigh_rarity(count, searcher.snapshot.file_count)
        stems[stem] = float(np.sqrt(rarity * inverse[stem] / highest))
        for part, files in found:
            sums[files + int(bases[part.place])] += stems[stem]
    return stems, sums


def _join_masks(searcher: Searcher, best: BestUnits) -> Mask:
    """Which files have text and pass the filters, segment after segment."""
    masks = [
        part.units_per_file > 0 if mask is None else mask & (part.units_per_file > 0)
        for part, mask in zip(searcher.segments, best.masks, strict=True)
    ]
    return np.concatenate(masks) if masks else np.zeros(0, dtype=np.bool_)


def _take_best(searcher: Searcher, points: F64, count: int, bases: I64) -> I64:
    """Rows of the `count` highest points above 0; of equal ones at the end those of the first paths."""
    rows = np.flatnonzero(points > 0.0)
    if len(rows) <= count:
        return rows
    values = np.round(points[rows], DECIMALS)
    last = np.partition(values, len(values) - count)[len(values) - count]
    best, ties = rows[values > last], rows[values == last]
    room = count - len(best)
    if len(bases) > 2:  # files of one segment stand in the order of their paths: of each the first are enough
        first = np.concatenate([own[:room] for own in np.split(ties, np.searchsorted(ties, bases[1:-1]))])
        paths = [
            (searcher.read_path(place, file).encode(), row) for row, place, file in _locate(first, bases)
        ]
        ties = np.array([row for _, row in sorted(paths)], dtype=np.int64)
    return np.concatenate([best, ties[:room]])
