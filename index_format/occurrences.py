"""Unordered postings to ordered ones: by list, then document, counts added up.

The three columns (list, document, count) of a posting are packed into one integer and sorted as
such, at 300 million a second, where sorting their places takes twenty times as long. Where they
need more than 63 bits together, they are kept apart and sorted by place after all.
"""

from __future__ import annotations

import numpy as np

from index_format.records import I64

PACKED_BITS = 63  # of a signed integer


class Occurrences:
    """Collects a known number of postings in any order, and gives them in order."""

    def __init__(self, rows: int, max_list: int, max_doc: int, max_count: int) -> None:
        """`rows` postings will be added; no value of theirs is negative or above its maximum."""
        self._doc_bits = max_doc.bit_length()
        self._count_bits = max_count.bit_length()
        packs = max_list.bit_length() + self._doc_bits + self._count_bits <= PACKED_BITS
        self._columns = np.empty((1 if packs else 3, rows), dtype=np.int64)
        self._filled = 0

    def add(self, lists: I64, docs: I64, counts: I64) -> None:
        """More postings."""
        rows = slice(self._filled, self._filled + len(lists))
        self._filled = rows.stop
        if len(self._columns) == 1:
            packed = self._columns[0, rows]
            np.left_shift(lists, self._doc_bits, out=packed)
            packed |= docs
            packed <<= self._count_bits
            packed |= counts
        else:
            self._columns[:, rows] = lists, docs, counts

    def finish(self) -> tuple[I64, I64, I64]:
        """(list, document, count), sorted by list, then document, each pair once. Spends the collection."""
        if len(self._columns) == 1:
            lists, docs, counts = self._unpack()
        else:
            places = np.lexsort((self._columns[1], self._columns[0]))
            lists, docs, counts = self._columns[:, places]
        self._columns = self._columns[:, :0]
        starts = np.flatnonzero((lists[1:] != lists[:-1]) | (docs[1:] != docs[:-1])) + 1
        if len(starts) + 1 >= len(lists):
            return lists, docs, counts
        starts = np.concatenate([[0], starts])
        return lists[starts], docs[starts], np.add.reduceat(counts, starts)

    def _unpack(self) -> tuple[I64, I64, I64]:
        packed = self._columns[0]
        packed.sort()
        counts = packed & ((1 << self._count_bits) - 1)
        packed >>= self._count_bits
        docs = packed & ((1 << self._doc_bits) - 1)
        packed >>= self._doc_bits
        return packed, docs, counts
