"""BM25F with Whoosh's model, applied to whole posting lists at once.

`whoosh.scoring.bm25` is plain arithmetic and takes arrays as well as numbers; `BM25F` knows the idf. As in
Whoosh, each field is scored separately (its own idf, its own average length) and a document's score is
the weighted sum over terms and fields. The model: Robertson and Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F, bm25

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Integers = npt.NDArray[np.integer]
K1 = 2.0
B = 0.5
FIELD_WEIGHTS: Mapping[str, float] = {"body": 1.0, "doc": 1.0, "symbol": 0.5, "path": 1.0, "parts": 1.0}
DECIMALS = 6  # scores are rounded once, before any comparison, so that equal means equal on every machine
MODEL = BM25F(B=B, K1=K1)
# Powers of two: the product of weight, idf and tf norm is then the same in any order.
assert all(math.frexp(weight)[0] == 0.5 for weight in FIELD_WEIGHTS.values())


@dataclass(frozen=True, slots=True)
class _Statistics:
    """The searcher that Whoosh asks for a term's idf: statistics of one field over the live documents."""

    documents: int
    frequency: int

    def get_parent(self) -> _Statistics:
        return self

    def doc_frequency(self, _field: str, _text: str) -> int:
        return self.frequency

    def doc_count_all(self) -> int:
        return self.documents


class TfNorm:
    """Scores the postings of one field as if their term's idf and their field's weight were 1."""

    def __init__(self, average_length: float) -> None:
        self._average_length = average_length or 1.0

    def score(self, term_frequencies: I64, lengths: Integers) -> F64:
        """Return float64, one per posting; times `TermScorer.factor` they equal its scores to the bit."""
        scores: F64 = bm25(1.0, term_frequencies, lengths, self._average_length, B, K1)
        return scores


class TermScorer:
    """Scores the postings of one term in one field."""

    def __init__(self, field: str, term: str, documents: int, frequency: int, average_length: float) -> None:
        self._idf: float = MODEL.idf(_Statistics(documents, frequency), field, term)
        self._average_length = average_length or 1.0
        self._weight = FIELD_WEIGHTS[field]
        self.factor: float = self._weight * self._idf

    def compute_most(self) -> float:
        """Return a bound above every score: the limit for endless repetition in a document of length 0."""
        return self.factor * (K1 + 1.0)

    def score(self, term_frequencies: I64, lengths: Integers) -> F64:
        """Return the weighted score of each posting, float64."""
        scores: F64 = bm25(self._idf, term_frequencies, lengths, self._average_length, B, K1)
        return self._weight * scores
