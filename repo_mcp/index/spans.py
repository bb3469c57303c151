"""Spans of a text told apart by array arithmetic, not by a Python object for each.

Every span is hashed eight bytes at a time, all spans of a text together, to 128 bits, and spans are
the same when these are: as with the fingerprints of files, nobody will see two that differ. Half of
the bits find the equal ones and the other half tells apart what should collide in the first. The
factors are drawn anew in each process, so that nobody can prepare texts that collide; they leave no
trace in the result. A span is not empty and does not end in a zero byte.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
_LANE = 8  # bytes hashed at a time
PADDING = b" " * (2 * _LANE)  # to be put behind a text: the last lane of its last span lies there
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_LANE + 1)], dtype=np.uint64)
_FACTORS = tuple(np.uint64(secrets.randbits(64) | 1) for _ in range(4))
_FOLD = np.uint64(32)
_SLOTS_PER_HASH = 4


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of one text, in any order."""

    padded: bytes  # the text, and PADDING
    starts: I64
    sizes: I64

    def slice(self) -> list[bytes]:
        """Each span as bytes of its own."""
        starts = self.starts.tolist()
        ends = (self.starts + self.sizes).tolist()
        return [self.padded[start:end] for start, end in zip(starts, ends, strict=True)]

    def take(self, places: I64) -> Spans:
        """Some of the spans, in a text that holds them alone, one after the other."""
        starts, sizes = self.starts[places], self.sizes[places]
        ends = np.cumsum(sizes)
        bytes_at = np.repeat(starts - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
        text = np.frombuffer(self.padded, dtype=np.uint8)[bytes_at].tobytes()
        return Spans(text + PADDING, ends - sizes, sizes)


def join_spans(texts: Sequence[bytes]) -> Spans:
    """The texts as spans of one text, one after the other."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return Spans(b"".join(texts) + PADDING, np.cumsum(sizes) - sizes, sizes)


def hash_spans(spans: Spans) -> tuple[U64, U64]:
    """Two hashes of each span. It does not end in a zero byte, so its last lane tells its length."""
    padded, starts, sizes = spans.padded, spans.starts, spans.sizes
    lanes: U64 = np.ndarray(len(padded) - _LANE + 1, dtype="<u8", buffer=padded, strides=(1,))
    lane = lanes[starts] & _MASKS[np.minimum(sizes, _LANE)]
    first, second = lane * _FACTORS[0], lane * _FACTORS[1]
    longer = np.flatnonzero(sizes > _LANE)
    offset = _LANE
    while len(longer):
        lane = lanes[starts[longer] + offset] & _MASKS[np.minimum(sizes[longer] - offset, _LANE)]
        first[longer] = _mix(first[longer], lane, _FACTORS[2])
        second[longer] = _mix(second[longer], lane, _FACTORS[3])
        offset += _LANE
        longer = longer[sizes[longer] > offset]
    return _mix(first, _FOLD, _FACTORS[2]), second


def _mix(hashes: U64, lane: U64 | np.uint64, factor: np.uint64) -> U64:
    hashes ^= hashes >> _FOLD
    hashes ^= lane
    hashes *= factor
    return hashes


def rank_hashes(first: U64, second: U64) -> tuple[I64, I64]:
    """The number of each hash among the distinct ones, and a place where each of those stands.

    Ranks by the first half; what differs from its namesake in the second is ranked behind, by that.
    """
    ranks, places = _rank_half(first)
    others = np.flatnonzero(second != second[places[ranks]]) if len(ranks) else ranks
    if len(others):
        more, more_places = _rank_half(second[others])
        ranks[others] = len(places) + more
        places = np.concatenate([places, others[more_places]])
    return ranks, places


def _rank_half(hashes: U64) -> tuple[I64, I64]:
    """The number of each hash among the distinct ones in ascending order, and a place of each of those.

    A table by the leading bits gives the last of the distinct hashes that share them; the one
    looked for is there or a few before it.
    """
    if not len(hashes):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ordered = np.sort(hashes)
    distinct = ordered[np.flatnonzero(np.diff(ordered, prepend=~ordered[0]))]
    bits = (_SLOTS_PER_HASH * len(distinct)).bit_length()
    shift = np.uint64(64 - bits)
    table = np.empty(1 << bits, dtype=np.int64)
    table[distinct >> shift] = np.arange(len(distinct))
    ranks = table[hashes >> shift]
    wrong = np.flatnonzero(distinct[ranks] != hashes)
    while len(wrong):
        ranks[wrong] -= 1
        wrong = wrong[distinct[ranks[wrong]] != hashes[wrong]]
    places = np.empty(len(distinct), dtype=np.int64)
    places[ranks] = np.arange(len(ranks))
    return ranks, places
