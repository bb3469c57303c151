"""The gains of postings: what a term adds to the scores of units that hold it.

A gain is a whole multiple of GRAIN. Sums of gains are then exact in any order, so that a unit's score depends
neither on the form of a list nor on the segment that holds the unit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from repo_mcp.arrays import F64, I64, U32, Integers
from repo_mcp.ranking.scoring.bm25f import K1, LengthNorms, TermScorer, TfNormTable
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import FIELDS

GRAIN = 2.0**-38  # leaves 14 bits before the point: scores up to 16,384


@dataclass(frozen=True, slots=True)
class Weigher:
    """Computes the gains of a term in one field, scaled by its share."""

    scorer: TermScorer
    norms: LengthNorms  # of the field
    share: float = 1.0  # above 0 and at most 1

    def weigh(self, counts: Integers, lengths: Integers) -> F64:
        """Return the gain of each posting from its term frequency and field length."""
        below = self.norms.take(lengths)
        scores: F64 = counts.astype(np.float64)
        below += scores
        scores *= K1 + 1.0
        scores /= below
        scores *= self.scorer.factor / GRAIN
        return _round_gains(scores, self.share)


def _round_gains(scores: F64, share: float) -> F64:
    """Turn scores, counted in grains, into gains, in place."""
    np.rint(scores, out=scores)
    if share < 1.0:
        scores *= share
        np.rint(scores, out=scores)
    scores *= GRAIN
    return scores


@dataclass(frozen=True, slots=True)
class Postings:
    """The decoded list of one field: live documents, and the tf-norm number of each."""

    field: int
    docs: I64
    numbers: U32
    weigher: Weigher


class NumberedGains:
    """The gains of a term, computed from tf-norm numbers."""

    def __init__(self, postings: Sequence[Postings], tf_norms: TfNormTable) -> None:
        self._tf_norms = tf_norms
        self._share = postings[0].weigher.share
        self._factors = np.zeros(len(FIELDS))
        for one in postings:
            self._factors[one.field] = one.weigher.scorer.factor / GRAIN
        self._only = postings[0].field if len(postings) == 1 else None

    def take(self, numbers: Integers) -> F64:
        """Return the gain of each number."""
        values = self._tf_norms.values.take(numbers)
        if self._only is not None:
            values *= self._factors[self._only]
        else:
            values *= self._factors.take(self._tf_norms.fields.take(numbers))
        return _round_gains(values, self._share)

    def find_places(self, numbers: Integers, field: int) -> I64:
        """Return the positions of the numbers that belong to one field."""
        positions: I64 = (self._tf_norms.fields[numbers] == field).nonzero()[0]
        return positions

    def find_strongest(self, numbers: Integers, field: int) -> float:
        """Return the largest gain in one field."""
        return float(self.take(numbers[self.find_places(numbers, field)]).max(initial=0.0))
