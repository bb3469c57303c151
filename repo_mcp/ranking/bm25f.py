"""BM25F with Whoosh's model, applied to whole posting lists at once.

`whoosh.scoring.BM25F` builds a scorer for a field and a term from a few statistics; its formula is
plain arithmetic and takes arrays as well as numbers. As in Whoosh, each field is scored separately
(its own idf, its own average length) and a document's score is the weighted sum over terms and
fields. The model: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F

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
class _Scorable:
    scorable: bool = True


class _TermInfo:
    """The bounds that Whoosh reads in order to skip blocks; nothing is skipped here."""

    def max_weight(self) -> float:
        return 1.0

    def min_length(self) -> int:
        return 1


class _Statistics:
    """The searcher that Whoosh's model expects: statistics of one field and term over the live documents."""

    def __init__(self, documents: int, frequency: int, average_length: float, field: str) -> None:
        self._documents = documents
        self._frequency = frequency
        self._average_length = average_length
        self.schema = {field: _Scorable()}

    def get_parent(self) -> _Statistics:
        return self

    def idf(self, field: str, text: str) -> float:
        idf: float = MODEL.idf(self, field, text)
        return idf

    def doc_frequency(self, _field: str, _text: str) -> int:
        return self._frequency

    def doc_count_all(self) -> int:
        return self._documents

    def avg_field_length(self, _field: str) -> float:
        return self._average_length

    def term_info(self, _field: str, _text: str) -> _TermInfo:
        return _TermInfo()

    def doc_field_length(self, _doc: int, _field: str, _default: int) -> int:
        return 1


class _Unweighted(_Statistics):
    def idf(self, field: str, text: str) -> float:
        return 1.0


class TfNorm:
    """Scores the postings of one field as if their term's idf and their field's weight were 1."""

    def __init__(self, field: str, average_length: float) -> None:
        self._scorer: Any = MODEL.scorer(_Unweighted(1, 1, average_length, field), field, "")

    def score(self, term_frequencies: I64, lengths: Integers) -> F64:
        """Return float64, one per posting; times `TermScorer.factor` they equal its scores to the bit."""
        scores: F64 = self._scorer._score(term_frequencies, lengths)
        return scores


class TermScorer:
    """Scores the postings of one term in one field."""

    def __init__(self, field: str, term: str, documents: int, frequency: int, average_length: float) -> None:
        statistics = _Statistics(documents, frequency, average_length, field)
        self._scorer: Any = MODEL.scorer(statistics, field, term)
        self._weight = FIELD_WEIGHTS[field]
        self.factor: float = self._weight * statistics.idf(field, term)

    def compute_most(self) -> float:
        """Return a bound above every score: the limit for endless repetition in a document of length 0."""
        return self.factor * (K1 + 1.0)

    def score(self, term_frequencies: I64, lengths: Integers) -> F64:
        """Return the weighted score of each posting, float64."""
        scores: F64 = self._weight * self._scorer._score(term_frequencies, lengths)
        return scores
