"""Finds the best units of a segment without scoring those that cannot win.

For each block of 256 units, every posting list of the query has an upper bound on its gain there
(index_format/block_lists.py). The most promising blocks are scored first. The score of the last unit they
place among the best becomes the threshold, and only blocks whose summed bounds reach it are scored at all.
Within them, lists are added in descending order of their maximum gain. Once the remaining lists together give
less than the threshold, they are looked up only for units that can still reach it.

The result is exact, ties included: the same as scoring every unit. Turtle and Flood, "Query evaluation:
strategies and optimizations" (MaxScore), 1995; Ding and Suel, "Faster top-k document retrieval using
block-max indexes", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from index_format import BLOCK_BITS, LiveSegment, find_docs
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.posting_scorers import BLOCK_DOCS, PostingScorer
from repo_mcp.ranking.scoring.segment_search import Matches

SLACK = 2 * 10.0**-DECIMALS  # exceeds any change that rounding of scores or bounds can cause
SAMPLE_BLOCKS = 64  # scored for a first threshold; more when many units are wanted
UNITS_PER_BLOCK = 8
UNITS_AT_ONCE = 8  # of a sample, the best of which stands for all when a first threshold is looked for
BLOCKS_AT_ONCE = 1024  # their sums take two megabytes; smaller batches mean more calls,
FEW_LISTS = 16  # which are cheap for so many lists or fewer:
BLOCKS_OF_FEW = 512  # sums of a megabyte stay in the processor's cache
FEW_UNITS = 2_048  # up to so many units are looked up, and no block of a list is decoded
FEW_BLOCKS = 64  # up to so many are all scored: bounds of so few cost more than they save
LEAST = float(np.finfo(np.float64).tiny)


class BlockMaxMaxScore:
    """Finds the best units of one segment. Safe for several threads."""

    def __init__(self, segment: LiveSegment) -> None:
        self._segment = segment
        self._blocks = -(-segment.reader.unit_count // BLOCK_DOCS)

    def find(
        self, lists: Sequence[PostingScorer], wanted: Mask | None, count: int, threshold: float = 0.0
    ) -> Matches:
        """Return the best `count` units among those in `wanted` (one bool per unit; None: all), with ties.

        Scores are rounded. Units that score below `threshold` may be missing. Raises IndexFormatError for
        damage, and OSError.
        """
        if wanted is not None and np.count_nonzero(wanted) <= FEW_UNITS:
            return self.look_up(lists, wanted.nonzero()[0], count)
        live = self._segment.live_unit_mask if len(self._segment.dead_files) else None
        if self._blocks <= FEW_BLOCKS:
            return _add_all(lists, self._blocks, [mask for mask in (wanted, live) if mask is not None], count)
        search = _Search(sorted(lists, key=attrgetter("most"), reverse=True), self._blocks, count, threshold)
        search.masks = [mask for mask in (wanted, live) if mask is not None]
        if wanted is not None:
            search.leave_out(_find_empty(wanted, self._blocks))
        search.score_best(max(SAMPLE_BLOCKS, count // UNITS_PER_BLOCK))
        most = BLOCKS_AT_ONCE if len(lists) > FEW_LISTS else BLOCKS_OF_FEW
        while search.score_best(most):
            pass
        return search.finish()

    def look_up(self, lists: Sequence[PostingScorer], units: I64, count: int) -> Matches:
        """Return the best `count` of a few ascending units, with ties: no block of a list need be decoded."""
        if len(self._segment.dead_files):
            units = units[self._segment.live_unit_mask[units]]
        scores = np.zeros(len(units))
        for one in lists if len(units) else ():
            scores += one.look_up(units)
        gaining = (scores >= LEAST).nonzero()[0]
        return _keep_best(units.take(gaining), scores.take(gaining), count)


def _add_all(lists: Sequence[PostingScorer], blocks: int, masks: Sequence[Mask], count: int) -> Matches:
    """Return the best `count` units of a few blocks that all masks want, with ties."""
    scores = _add(lists, np.arange(blocks)) if lists else np.zeros(0)
    units = (scores >= LEAST).nonzero()[0]
    for mask in masks:
        units = units[mask.take(units)]
    return _keep_best(units, scores.take(units), count)


def _keep_best(units: I64, scores: F64, count: int) -> Matches:
    """Return the best `count` of some ascending units, with ties."""
    scores = np.round(scores, DECIMALS)
    kept = (scores >= _find_last(scores, count)).nonzero()[0]
    return Matches(units.take(kept), scores.take(kept))


def _add(lists: Sequence[PostingScorer], blocks: I64) -> F64:
    """Return the summed gain of each unit of some ascending blocks. There is at least one list."""
    gains = [one.take(blocks) for one in lists]
    positions, values = map(np.concatenate, zip(*gains, strict=True))
    sums: F64 = np.bincount(positions, values, len(blocks) << BLOCK_BITS).astype(np.float64, copy=False)
    return sums


def _find_empty(wanted: Mask, blocks: int) -> Mask:
    """Return a mask of the blocks that hold no wanted unit."""
    empty = np.zeros(blocks, dtype=np.bool_)
    whole = len(wanted) // BLOCK_DOCS
    words = wanted[: whole * BLOCK_DOCS].view(np.uint64)  # of eight units each
    np.logical_not(words.reshape(whole, BLOCK_DOCS // 8).any(axis=1), out=empty[:whole])
    empty[whole:] = not wanted[whole * BLOCK_DOCS :].any()
    return empty


class _Search:
    """The state of one search: the blocks that are left, and the units found so far."""

    def __init__(self, ordered: Sequence[PostingScorer], blocks: int, count: int, threshold: float) -> None:
        """`ordered` are the posting scorers, highest maximum gain first."""
        self.masks: list[Mask] = []  # one bool per unit each; a unit is wanted when all masks say so
        self._ordered = ordered
        self._count = count
        self._threshold = threshold
        self._need = max(threshold - SLACK, LEAST)  # the least score that can be among the best
        # [i, b]: the most that lists i and later can give in block b; the last row is zero.
        self._rests = np.zeros((len(ordered) + 1, blocks))
        for position in range(len(ordered) - 1, -1, -1):
            np.add(self._rests[position + 1], ordered[position].bound_blocks(), out=self._rests[position])
        self._bounds = self._rests[0].copy()  # 0 for a block that was scored, or that holds nothing wanted
        self._units: list[I64] = []
        self._scores: list[F64] = []

    def leave_out(self, blocks: Mask) -> None:
        """Exclude blocks that hold no wanted unit."""
        self._bounds[blocks] = 0.0

    def score_best(self, most: int) -> bool:
        """Score up to `most` blocks with the highest bounds; return False when none are left to score."""
        blocks = (self._bounds >= self._need).nonzero()[0]
        if not len(blocks):
            return False
        if len(blocks) > most:
            blocks = np.sort(blocks[np.argpartition(self._bounds[blocks], -most)[-most:]])
        self._bounds[blocks] = 0.0
        self._score(blocks)
        return True

    def _score(self, blocks: I64) -> None:
        """Add the contenders among the units of some ascending blocks."""
        rests = self._rests.take(blocks, axis=1)
        first = int(np.count_nonzero(rests.max(axis=1) >= self._need))  # lists from here on name no new unit
        sums = _add(self._ordered[:first], blocks)
        if not (self._units or self.masks) and first == len(self._ordered):
            self._need = max(self._need, _bound_last(sums, self._count))
        least = np.maximum(self._need - rests[first], LEAST)
        positions = (sums.reshape(-1, BLOCK_DOCS) >= least[:, np.newaxis]).ravel().nonzero()[0]
        units, scores = find_docs(blocks, positions), sums.take(positions)
        for mask in self.masks:
            kept = mask.take(units).nonzero()[0]
            positions, units, scores = positions.take(kept), units.take(kept), scores.take(kept)
        self._take(*self._look_up(first, units, scores, rests, positions >> BLOCK_BITS))

    def _look_up(self, first: int, units: I64, scores: F64, rests: F64, rows: I64) -> tuple[I64, F64]:
        """Return the units, with scores, that stay contenders with the lists from `first` on added.

        `rows` are those of their blocks in `rests`. The lists that gain least have most postings: they are
        not decoded, but each contender is looked up in one after the other, which leaves fewer for the next.
        """
        for one, rest in zip(self._ordered[first:], rests[first + 1 :], strict=True):
            if not len(units):
                break
            scores += one.look_up(units)
            kept = (scores >= self._need - rest.take(rows)).nonzero()[0]
            units, rows, scores = units.take(kept), rows.take(kept), scores.take(kept)
        return units, scores

    def _take(self, units: I64, scores: F64) -> None:
        """Add new units and drop all that can no longer be among the best."""
        scores = np.concatenate([*self._scores, scores])
        units = np.concatenate([*self._units, units])
        self._threshold = max(self._threshold, _find_last(scores, self._count))
        self._need = max(self._threshold - SLACK, LEAST)
        kept = (scores >= self._need).nonzero()[0]
        self._units, self._scores = [units.take(kept)], [scores.take(kept)]

    def finish(self) -> Matches:
        """Return the best units found, ascending."""
        if not self._units:
            return Matches(np.zeros(0, dtype=np.int64), np.zeros(0))
        units, scores = self._units[0], np.round(self._scores[0], DECIMALS)
        chosen = np.flatnonzero(scores >= max(self._threshold - SLACK, _find_last(scores, self._count)))
        chosen = chosen[np.argsort(units[chosen], kind="stable")]  # merges what each round found
        return Matches(units[chosen], scores[chosen])


def _bound_last(scores: F64, count: int) -> float:
    """Return a bound below the `count`th highest score, in less time: that of the highest ones of groups."""
    return _find_last(scores.reshape(UNITS_AT_ONCE, -1).max(axis=0), count) - SLACK


def _find_last(scores: F64, count: int) -> float:
    """Return the `count`th highest score; 0 when there are fewer."""
    if len(scores) < count:
        return 0.0
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])
