"""Posting lists of ordinary terms: differences between doc ids as varints (varints.py).

    df values    the first doc id, then differences (>= 1), each doubled; plus 1 when the term
                 frequency is above 1
    the rest     for each of these in order: term frequency less 2

Doc ids 3, 4, 900 with term frequencies 1, 2, 40:

    06 03 81 0e | 00 26

Nearly every list has one to four documents. So there is no header, and the list of a single document in a
large segment takes three bytes.
"""

from __future__ import annotations

import numpy as np

from index_format import varints
from index_format.columns import spread_runs
from index_format.errors import CorruptIndex
from index_format.records import I64, MAX_TERM_FREQUENCY, U8


class DeltaEncoder:
    """Posting lists ready to be laid out; `sizes` gives the bytes of each (int64, one per list)."""

    def __init__(self, frequencies: I64, docs: I64, counts: I64) -> None:
        starts = np.cumsum(frequencies) - frequencies
        gaps = np.empty_like(docs)
        np.subtract(docs[1:], docs[:-1], out=gaps[1:])
        gaps[starts] = docs[starts]
        gaps <<= 1
        many = np.flatnonzero(counts > 1)
        gaps[many] += 1
        rests = np.diff(np.searchsorted(many, starts), append=len(many))
        self._value_counts = frequencies + rests
        ends = np.cumsum(self._value_counts)
        rest_positions = spread_runs(ends - rests, rests)
        self._values = np.empty(len(docs) + len(many), dtype=np.int64)
        is_gap = np.ones(len(self._values), dtype=np.bool_)
        is_gap[rest_positions] = False
        self._values[is_gap] = gaps
        self._values[rest_positions] = counts[many] - 2
        self._value_sizes = varints.measure(self._values)
        self.sizes = np.diff(np.cumsum(self._value_sizes)[ends - 1], prepend=0)

    def put(self, out: U8, offsets: I64) -> None:
        """Write each list into `out` at its offset."""
        positions = np.cumsum(self._value_sizes) - self._value_sizes
        moves = offsets - (np.cumsum(self.sizes) - self.sizes)
        positions += np.repeat(moves, self._value_counts)
        varints.put(out, positions, self._values, self._value_sizes)


def decode_delta_lists(raw: U8, sizes: I64, frequencies: I64, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of consecutive lists that fill `raw`.

    Raises CorruptIndex when a list does not fill its size exactly or its doc ids do not ascend.
    """
    values, ends = varints.decode(raw, where)
    list_ends = np.cumsum(sizes)
    value_ends = np.searchsorted(ends, list_ends, side="right")
    value_counts = np.diff(value_ends, prepend=0)
    if (value_counts < frequencies).any() or (ends[value_ends - 1] != list_ends).any():
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    firsts = value_ends - value_counts
    is_gap = np.zeros(len(values) + 1, dtype=np.int8)
    is_gap[firsts] = 1
    is_gap[firsts + frequencies] -= 1  # no index occurs twice, as each list has a posting
    chosen = np.cumsum(is_gap[:-1]).astype(np.bool_)
    gaps, rests = values[chosen], values[~chosen]
    is_many = (gaps & 1).astype(np.bool_)
    starts = np.cumsum(frequencies) - frequencies
    if (np.add.reduceat(is_many, starts, dtype=np.int64) != value_counts - frequencies).any():
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    counts = np.ones(len(gaps), dtype=np.int64)
    counts[is_many] = _to_counts(rests, where)
    return _to_docs(gaps >> 1, starts, frequencies, where), counts


def _to_counts(rests: I64, where: str) -> I64:
    counts = rests + 2
    if int(counts.max(initial=0)) > MAX_TERM_FREQUENCY:
        raise CorruptIndex(f"{where}: a term frequency of {int(counts.max())}")
    return counts


def _to_docs(gaps: I64, starts: I64, frequencies: I64, where: str) -> I64:
    """Return the doc ids of gaps: running sums that restart with each list."""
    is_first = np.zeros(len(gaps), dtype=np.bool_)
    is_first[starts] = True
    if ((gaps < 1) & ~is_first).any():
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    sums = np.cumsum(gaps)
    docs: I64 = sums - np.repeat(sums[starts] - gaps[starts], frequencies)
    return docs


def decode_delta_list(data: bytes, frequency: int, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of the one list that fills `data`. Raises CorruptIndex."""
    values, _ = varints.decode(np.frombuffer(data, dtype=np.uint8), where)
    if len(values) < frequency:
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    gaps, rests = values[:frequency], values[frequency:]
    is_many = np.flatnonzero(gaps & 1)
    if len(is_many) != len(rests):
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    gaps >>= 1
    if frequency > 1 and int(gaps[1:].min()) < 1:
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    counts = np.ones(frequency, dtype=np.int64)
    counts[is_many] = _to_counts(rests, where)
    return np.cumsum(gaps), counts
