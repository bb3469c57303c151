"""The term-frequency part of BM25, for pairs of term frequency and length: numbered, shared by all terms.

A cached posting then takes a two-byte number. Among the Linux kernel's three million postings of short
lists, one in five would have a gain unique in its list; all terms together use some ten thousand pairs.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from index_format import sort_distinct
from repo_mcp.ranking.bm25f import F64, I64, Integers, TfNorm
from repo_mcp.text.schema import FIELDS

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
LENGTHS = 1 << 11  # of a document; larger ones go through a dictionary
FREQUENCIES = 1 << 5  # likewise; zeroing a larger table would take longer than a first query


class TfNormTable:
    """The tf norms of all fields, numbered from 1. Thread-safe: a number never changes its meaning."""

    def __init__(self, average_lengths: Sequence[float]) -> None:
        """`average_lengths` are the snapshot's averages, one per field."""
        self._scorers = [TfNorm(average) for average in average_lengths]
        # Per field, the number of each pair, or 0 if unknown: untouched pages of the table take no memory.
        self._numbers = [np.zeros(LENGTHS * FREQUENCIES, dtype=np.uint32) for _ in FIELDS]
        self._others: list[dict[tuple[int, int], int]] = [{} for _ in FIELDS]  # likewise for larger pairs
        self._lock = threading.Lock()
        self.values: F64 = np.zeros(1)  # the tf norm of each number
        self.fields: U8 = np.zeros(1, dtype=np.uint8)

    def number(self, field: int, counts: I64, lengths: Integers) -> U32:
        """Return the tf-norm number of each posting, uint32, adding new ones as needed."""
        if int(counts.max()) >= FREQUENCIES or int(lengths.max()) >= LENGTHS:
            return self._number_any(field, counts, lengths)
        numbers = self._numbers[field]
        keys = counts * LENGTHS
        keys += lengths
        found = numbers[keys]
        if not int(found.min()):
            with self._lock:
                unknown = sort_distinct(keys[(found == 0).nonzero()[0]])
                unknown = unknown[numbers[unknown] == 0]  # another thread may have added some meanwhile
                numbers[unknown] = self._append(field, unknown // LENGTHS, unknown % LENGTHS)
            found = numbers[keys]
        return found

    def _number_any(self, field: int, counts: I64, lengths: Integers) -> U32:
        """Return the number of each posting when some exceed the table."""
        is_other = (counts >= FREQUENCIES) | (lengths >= LENGTHS)
        found = np.empty(len(counts), dtype=np.uint32)
        if not is_other.all():
            found[~is_other] = self.number(field, counts[~is_other], lengths[~is_other])
        pairs = list(zip(counts[is_other].tolist(), lengths[is_other].tolist(), strict=True))
        others = self._others[field]
        with self._lock:
            unknown = [pair for pair in dict.fromkeys(pairs) if pair not in others]
            if unknown:
                others.update(zip(unknown, self._append(field, *np.array(unknown).T).tolist(), strict=True))
        found[is_other] = [others[pair] for pair in pairs]
        return found

    def _append(self, field: int, counts: I64, lengths: I64) -> I64:
        """Return new numbers for pairs."""
        first = len(self.values)
        self.values = np.append(self.values, self._scorers[field].score(counts, lengths))
        self.fields = np.append(self.fields, np.full(len(counts), field, dtype=np.uint8))
        return np.arange(first, len(self.values))
