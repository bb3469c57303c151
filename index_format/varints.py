"""Integers in as many bytes as they need: seven bits a byte, the lowest first (LEB128).

    5 -> 05        300 -> ac 02        a byte of 0x80 or more says that another follows

Many are encoded and decoded at a time with numpy. Values are below 2**35: five bytes at most.
"""

from __future__ import annotations

import numpy as np

from index_format.errors import CorruptIndex
from index_format.records import I64, U8

BITS = 7
MAX_BYTES = 5
MORE = 0x80
_MASK = MORE - 1


def _measure(values: I64) -> U8:
    """Return the size of each value in bytes (uint8)."""
    sizes = np.ones(len(values), dtype=np.uint8)
    largest = int(values.max(initial=0))
    for count in range(1, MAX_BYTES):
        if largest >> (BITS * count):
            sizes += (values >= 1 << (BITS * count)).view(np.uint8)
    return sizes


def _put(out: U8, positions: I64, values: I64, sizes: U8) -> None:
    """Write each value, of `sizes` bytes, to its position in `out`."""
    for byte in range(MAX_BYTES):
        goes_on = sizes > byte + 1
        low = values.astype(np.uint8)
        low &= _MASK
        low |= goes_on.view(np.uint8) << BITS
        out[positions] = low
        left = np.flatnonzero(goes_on)
        if not len(left):
            return
        positions, values, sizes = positions[left] + 1, values[left] >> BITS, sizes[left]


def encode(values: I64) -> tuple[bytes, I64]:
    """Return the encoded values, one after the other, and where each ends."""
    sizes = _measure(values)
    ends: I64 = sizes.astype(np.int64).cumsum()  # half the time of a sum with `dtype`
    out = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    _put(out, ends - sizes, values, sizes)
    return out.tobytes(), ends


def decode(raw: U8, where: str) -> tuple[I64, I64]:
    """Return the values that fill `raw`, and where each ends. Raises CorruptIndex for a malformed one."""
    ends = (raw < MORE).nonzero()[0]
    ends += 1
    if (int(ends[-1]) if len(ends) else 0) != len(raw):
        raise CorruptIndex(f"{where}: ends within an integer")
    if len(ends) == len(raw):
        return raw.astype(np.int64), ends
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1]
    return _read_from(raw, starts, 0, where), ends


def _read_from(raw: U8, places: I64, byte: int, where: str) -> I64:
    """Return what the bytes from number `byte` on give of each value, whose such byte is at its place."""
    if byte == MAX_BYTES:
        raise CorruptIndex(f"{where}: an integer of more than {MAX_BYTES} bytes")
    found = raw.take(places)
    left = (found >= MORE).nonzero()[0]
    found &= _MASK
    values = found.astype(np.int64)
    values <<= BITS * byte
    if len(left):
        rests = _read_from(raw, places.take(left) + 1, byte + 1, where)
        rests |= values.take(left)
        values[left] = rests
    return values
