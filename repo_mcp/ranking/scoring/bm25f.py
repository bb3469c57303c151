"""BM25F with Whoosh's model, applied to whole posting lists at once.

`whoosh.scoring.bm25` is plain arithmetic and takes arrays as well as numbers; `BM25F` knows the idf. As in
Whoosh, each field is scored separately (its own idf, its own average length) and a document's score is
the weighted sum over terms and fields. The model: Robertson and Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009.

The term-frequency part is one table, numbered by pairs of term frequency and length, for all terms. A cached
posting then takes a two-byte number. Among the Linux kernel's three million postings of short lists, one in
five would have a gain unique in its list; all terms together use some ten thousand pairs.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from whoosh.scoring import BM25F, bm25

from index_format import sort_distinct
from repo_mcp.arrays import F64, I64, U8, U32, Integers
from repo_mcp.record_classes import dataclass
from repo_mcp.text.schema import FIELDS

K1 = 2.0
B = 0.5
FIELD_WEIGHTS: Mapping[str, float] = {"body": 1.0, "doc": 1.0, "symbol": 0.5, "path": 1.0, "parts": 1.0}
DECIMALS = 6  # scores are rounded once, before any comparison, so that equal means equal on every machine
MODEL = BM25F(B=B, K1=K1)
LENGTHS = 1 << 11  # of a document; larger ones are looked up
FREQUENCIES = 1 << 5  # likewise; zeroing a larger table would take longer than a first query
FIRST_ROOM = 1 << 12  # for tf norms; doubled as needed
LENGTH_BITS = 31  # of a pair packed into a key: a frequency has 32 bits at most
MOST_LENGTH = (1 << LENGTH_BITS) - 2  # no unit has more words
NO_KEY = np.iinfo(np.int64).max  # above every such key

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


class LengthNorms:
    """The part of a tf norm's denominator that a document's length gives, for one field."""

    def __init__(self, average_length: float) -> None:
        self._average_length = average_length or 1.0

    @cached_property
    def _table(self) -> F64:
        """Return the norms of all usual lengths."""
        return self._compute(np.arange(LENGTHS))

    def take(self, lengths: Integers) -> F64:
        """Return float64, one per length; with `TermScorer.factor` they give its scores to the bit."""
        try:
            return self._table.take(lengths)
        except IndexError:  # some are larger: seldom, and telling it by their maximum takes longer
            return self._compute(lengths)

    def _compute(self, lengths: Integers) -> F64:
        norms: F64 = K1 * ((1.0 - B) + np.multiply(lengths, B, dtype=np.float64) / self._average_length)
        return norms


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


class TfNormTable:
    """The tf norms of all fields, numbered from 1. Thread-safe: a number never changes its meaning."""

    def __init__(self, average_lengths: Sequence[float]) -> None:
        """`average_lengths` are the snapshot's averages, one per field."""
        self._scorers = [TfNorm(average) for average in average_lengths]
        # Per field, the number of each pair, or 0 if unknown: untouched pages of the table take no memory.
        self._numbers = [np.zeros(LENGTHS * FREQUENCIES, dtype=np.uint32) for _ in FIELDS]
        # Likewise for larger pairs: their ascending keys, closed by one above all, and the number of each.
        self._others = [(np.array([NO_KEY]), np.zeros(1, dtype=np.uint32)) for _ in FIELDS]
        self._lock = threading.Lock()
        self._end = 1  # the next number; those from it on have room, but no value
        self.values: F64 = np.zeros(FIRST_ROOM)  # the tf norm of each number
        self.fields: U8 = np.zeros(FIRST_ROOM, dtype=np.uint8)

    def number(self, field: int, counts: I64, lengths: Integers) -> U32:
        """Return the tf-norm number of each posting, uint32, adding new ones as needed."""
        keys = counts * LENGTHS
        keys += lengths
        if int(counts.max()) < FREQUENCIES and int(lengths.max()) < LENGTHS:
            return self._number_usual(field, keys)
        other = ((counts >= FREQUENCIES) | (lengths >= LENGTHS)).nonzero()[0]
        own = np.minimum(lengths.take(other).astype(np.int64), MOST_LENGTH)
        own |= counts.take(other) << LENGTH_BITS
        keys[other] = 0  # any that the table has
        found = self._number_usual(field, keys)
        found[other] = self._number_others(field, own)
        return found

    def _number_usual(self, field: int, keys: I64) -> U32:
        """Return the numbers of pairs that the table has, given their places there."""
        numbers = self._numbers[field]
        found = numbers.take(keys)
        new = (found == 0).nonzero()[0]
        if len(new):
            own = keys.take(new)
            is_new = np.zeros(len(numbers), dtype=np.bool_)  # marked and not sorted, as at first most are
            is_new[own] = True
            with self._lock:
                unknown = is_new.nonzero()[0]
                unknown = unknown[numbers[unknown] == 0]  # another thread may have added some meanwhile
                numbers[unknown] = self._append(field, unknown // LENGTHS, unknown % LENGTHS)
            found[new] = numbers.take(own)
        return found

    def _number_others(self, field: int, keys: I64) -> U32:
        """Return the numbers of pairs that exceed the table, packed into keys."""
        known, numbers = self._others[field]
        places = known.searchsorted(keys)
        if (known.take(places) != keys).any():
            with self._lock:
                known, numbers = self._others[field]
                unknown = sort_distinct(keys)
                unknown = unknown[known[known.searchsorted(unknown)] != unknown]
                new = self._append(field, unknown >> LENGTH_BITS, unknown & ((1 << LENGTH_BITS) - 1))
                places = known.searchsorted(unknown)
                known, numbers = np.insert(known, places, unknown), np.insert(numbers, places, new)
                self._others[field] = known, numbers
            places = known.searchsorted(keys)
        return numbers.take(places)

    def _append(self, field: int, counts: I64, lengths: I64) -> I64:
        """Return new numbers for pairs."""
        first, end = self._end, self._end + len(counts)
        room = max(end, 2 * len(self.values)) - len(self.values)
        if end > len(self.values):
            self.fields = np.append(self.fields, np.zeros(room, dtype=np.uint8))
            self.values = np.append(self.values, np.zeros(room))
        self.fields[first:end] = field
        self.values[first:end] = self._scorers[field].score(counts, lengths)
        self._end = end
        return np.arange(first, end)
