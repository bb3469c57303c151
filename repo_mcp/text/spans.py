"""Find the distinct spans of a text by array arithmetic, without a Python object for each.

All spans of a text are hashed together to 128 bits each, eight bytes (a lane) at a time. Spans with equal
hashes are taken as equal: as with file fingerprints, a collision is not to be expected. The factors are
drawn anew in each process, so that nobody can prepare texts that collide; they do not affect the
result. Long spans are hashed one by one: a step for every lane of a word of a megabyte would take seconds.
A span is not empty and does not end in a zero byte.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

import numpy as np

from repo_mcp.arrays import I64, U64
from repo_mcp.record_classes import dataclass

_LANE = 8  # bytes hashed at a time
_LONG_BYTES = 512  # spans that are longer are hashed one by one
PADDING = b" " * (2 * _LANE)  # appended to a text: the last lane of its last span may reach into it
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_LANE + 1)], dtype=np.uint64)
_FACTORS = tuple(np.uint64(secrets.randbits(64) | 1) for _ in range(4))
_FOLD = np.uint64(32)
_KEY = secrets.token_bytes(16)


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of one text, in any order."""

    padded: bytes  # the text, and PADDING
    starts: I64  # byte offset of each span
    sizes: I64  # bytes of each span

    def slice(self) -> list[bytes]:
        """Return each span as a separate bytes object."""
        starts = self.starts.tolist()
        ends = (self.starts + self.sizes).tolist()
        return [self.padded[start:end] for start, end in zip(starts, ends, strict=True)]

    def take(self, positions: I64) -> Spans:
        """Return the spans at `positions`, in a new text of just these, one after the other."""
        starts, sizes = self.starts[positions], self.sizes[positions]
        ends = np.cumsum(sizes)
        bytes_at = np.repeat(starts - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
        text = np.frombuffer(self.padded, dtype=np.uint8)[bytes_at].tobytes()
        return Spans(text + PADDING, ends - sizes, sizes)


def join_spans(texts: Sequence[bytes]) -> Spans:
    """Return the texts as spans of one text, one after the other."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return Spans(b"".join(texts) + PADDING, np.cumsum(sizes) - sizes, sizes)


def hash_spans(spans: Spans) -> tuple[U64, U64]:
    """Return two hashes (uint64) of each span. As it ends in no zero byte, its last lane shows its length."""
    padded, starts, sizes = spans.padded, spans.starts, spans.sizes
    lanes: U64 = np.ndarray(len(padded) - _LANE + 1, dtype="<u8", buffer=padded, strides=(1,))
    lane = lanes[starts]
    lane &= _MASKS.take(sizes, mode="clip")
    first, second = lane * _FACTORS[0], lane * _FACTORS[1]
    longer = np.flatnonzero((sizes > _LANE) & (sizes <= _LONG_BYTES))
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
    for one in np.flatnonzero(sizes > _LONG_BYTES).tolist():
        span = padded[starts[one] : starts[one] + sizes[one]]
        digest = hashlib.blake2b(span, digest_size=16, key=_KEY).digest()
        first[one], second[one] = np.frombuffer(digest, dtype="<u8")
    return first, second


def _mix(hashes: U64, lane: U64, factor: np.uint64) -> U64:
    hashes ^= hashes >> _FOLD
    hashes ^= lane
    hashes *= factor
    return hashes


def rank_hashes(first: U64, second: U64) -> tuple[I64, I64]:
    """Return each hash's number among the distinct ones, and a row of each of these, ascending (int64)."""
    count = np.arange(len(first))
    owners = _find_owners(first, second, count)
    positions = np.flatnonzero(owners == count)
    numbers = np.empty(len(owners), dtype=np.int64)
    numbers[positions] = count[: len(positions)]
    return numbers.take(owners), positions


def _find_owners(first: U64, second: U64, count: I64) -> I64:
    """Return, for each hash, the row of an equal one, the same for all equals. `count` is 0, 1, 2, ...

    Each hash goes into a slot of a table, by the leading bits of its first half; the last there owns the
    slot. Hashes that differ from the owner are looked up again by the other half. Sorting takes three times
    as long.
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
