"""Spans of a text told apart by array arithmetic, not by a Python object for each.

Every span is hashed eight bytes at a time, all spans of a text together, to 128 bits, and spans are
the same when these are: as with the fingerprints of files, nobody will see two that differ. The
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

    def take(self, positions: I64) -> Spans:
        """Some of the spans, in a text that holds them alone, one after the other."""
        starts, sizes = self.starts[positions], self.sizes[positions]
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
    lane = lanes[starts]
    lane &= _MASKS.take(sizes, mode="clip")
    first, second = lane * _FACTORS[0], lane * _FACTORS[1]
    longer = np.flatnonzero(sizes > _LANE)
    columns = [column.take(longer) for column in (starts, sizes)]
    halves = [half.take(longer) for half in (first, second)]
    while len(longer):
        at, rest = columns
        at += _LANE
        rest -= _LANE
        lane = lanes[at]
        lane &= _MASKS.take(rest, mode="clip")
        for number, whole in enumerate((first, second)):
            halves[number] = _mix(halves[number], lane, _FACTORS[2 + number])
            whole[longer] = halves[number]
        left = np.flatnonzero(rest > _LANE)
        longer = longer.take(left)
        columns = [column.take(left) for column in columns]
        halves = [half.take(left) for half in halves]
    return first, second


def _mix(hashes: U64, lane: U64, factor: np.uint64) -> U64:
    hashes ^= hashes >> _FOLD
    hashes ^= lane
    hashes *= factor
    return hashes


def rank_hashes(first: U64, second: U64) -> tuple[I64, I64]:
    """The number of each hash among the distinct ones, and a place where each of those stands, ascending."""
    count = np.arange(len(first))
    owners = _find_owners(first, second, count)
    positions = np.flatnonzero(owners == count)
    numbers = np.empty(len(owners), dtype=np.int64)
    numbers[positions] = count[: len(positions)]
    return numbers.take(owners), positions


def _find_owners(first: U64, second: U64, count: I64) -> I64:
    """For each hash the place of one that is equal, the same for all of these. `count` is 0, 1, 2, ...

    Each is put into a slot of a table, by the leading bits of its first half, and the last one there owns
    the slot; who differs from the owner is looked for once more, by the other half. To sort the hashes
    takes three times as long.
    """
    bits = max(1, len(first).bit_length() - 1)
    slots = (first >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, dtype=np.int64)
    table[slots] = count
    owners = table.take(slots)
    differs = first.take(owners) != first
    differs |= second.take(owners) != second
    left = np.flatnonzero(differs)
    if len(left):
        owners[left] = left[_find_owners(second[left], first[left], count[: len(left)])]
    return owners
