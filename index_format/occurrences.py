"""Sorts postings by list, then document, and adds up the counts of equal ones.

The three columns (list, document, count) of a posting are packed into one integer, which sorts at 300
million a second; sorting row numbers instead takes twenty times as long. Columns that need more than
62 bits together stay apart and are sorted by row number after all.
"""

from __future__ import annotations

import numpy as np

from index_format.records import I64
from index_format.runs import find_changes

PACKED_BITS = 62  # one less than a signed integer has, so that the key after the last pair fits too
PART_ROWS = 1 << 16  # rows unpacked at a time: staying in a core's cache is three times as fast


class Occurrences:
    """Collects postings in any order and returns them sorted."""

    def __init__(self, rows: int, max_list: int, max_doc: int, max_count: int) -> None:
        """Prepare for at most `rows` postings, with no value negative or above its maximum."""
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

    def finish(self) -> tuple[I64, I64, I64, I64]:
        """Return the lists that occur, how many documents each has, these documents, and the count of each.

        Lists ascend; documents come list after list, and ascend within each. The collection is used up.
        """
        self._columns = self._columns[:, : self._filled]
        if len(self._columns) == 1:
            return self._finish_packed()
        positions = np.lexsort((self._columns[1], self._columns[0]))
        lists, docs, counts = self._columns[:, positions]
        is_new_list = find_changes(lists)
        is_new = is_new_list | find_changes(docs)
        firsts = np.flatnonzero(is_new)
        if len(firsts):
            docs, counts = docs[firsts], np.add.reduceat(counts, firsts)
        starts = np.flatnonzero(is_new_list[firsts])
        return lists[is_new_list], np.diff(starts, append=len(docs)), docs, counts

    def _finish_packed(self) -> tuple[I64, I64, I64, I64]:
        """Unpack part by part, into the memory that the packed postings took and a column of counts."""
        packed = self._columns[0]
        self._columns = self._columns[:, :0]
        packed.sort()
        counts = np.empty_like(packed)
        lists: list[I64] = [packed[:0]]
        starts: list[I64] = [packed[:0]]
        start = filled = 0
        while start < len(packed):
            stop = min(start + PART_ROWS, len(packed))
            following = ((int(packed[stop - 1]) >> self._count_bits) + 1) << self._count_bits
            stop += int(np.searchsorted(packed[stop:], following))  # No pair may be split between parts
            keys, own_counts = self._add_up(packed[start:stop])
            numbers = keys >> self._doc_bits
            firsts = np.flatnonzero(find_changes(numbers))
            if filled and int(numbers[0]) == int(lists[-1][-1]):
                firsts = firsts[1:]
            if len(firsts):
                lists.append(numbers[firsts])
                starts.append(firsts + filled)
            stop_filled = filled + len(keys)
            np.bitwise_and(keys, (1 << self._doc_bits) - 1, out=packed[filled:stop_filled])
            counts[filled:stop_filled] = own_counts
            start, filled = stop, stop_filled
        bounds: I64 = np.append(np.concatenate(starts), filled)
        return np.concatenate(lists), np.diff(bounds), packed[:filled], counts[:filled]

    def _add_up(self, part: I64) -> tuple[I64, I64]:
        """Return the distinct pairs of list and document of a sorted part, still packed, and their counts."""
        keys = part >> self._count_bits
        counts = part & ((1 << self._count_bits) - 1)
        is_last = np.ones(len(part), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=is_last[:-1])
        if is_last.all():  # always the case when segments are merged
            return keys, counts
        lasts = np.flatnonzero(is_last)
        sums = np.cumsum(counts)[lasts]  # takes a quarter of the time of np.add.reduceat
        sums[1:] -= sums[:-1].copy()
        return keys[lasts], sums
