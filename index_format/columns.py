"""Tables of unsigned integers: the one layout of every fixed-width table in a segment.

    u32 rows | u32 columns | u8 width of each column, zero-padded to a multiple of 8 | the columns

Integers are little-endian, values below 2**63. A width is 0, 1, 2, 4 or 8 bytes: the smallest that
holds the column's largest value, 0 for a column of zeros, which takes no bytes. Each column starts
at a multiple of 8 from the start of the table and is zero-padded to the next.

Two rows, columns (1, 2) and (300, 0) and (0, 0):

    02 00 00 00  03 00 00 00 | 01 02 00 00 00 00 00 00 | 01 02 .. (6 zeros) | 2c 01 00 00 .. (4 zeros)

A reader gets at any rows of any column without reading the others. No signed values, no nulls.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from index_format.errors import CorruptIndex
from index_format.records import I64, Integers

HEADER = struct.Struct("<II")
assert HEADER.size == 8
WIDTH_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<u1"),
    2: np.dtype("<u2"),
    4: np.dtype("<u4"),
    8: np.dtype("<u8"),
}
MAX_COLUMNS = 64
ALIGNMENT = 8

ReadBytes = Callable[[int, int], bytes]  # (offset in the table, bytes) -> exactly these bytes


def choose_width(largest: int) -> int:
    """The width in bytes of a column whose largest value is given."""
    if largest == 0:
        return 0
    return next(width for width in (1, 2, 4, 8) if largest < 1 << (8 * width))


def encode_table(columns: Sequence[Integers]) -> bytes:
    """The bytes of columns of one length, none of them with a negative value."""
    rows = len(columns[0])
    widths = [choose_width(int(column.max()) if rows else 0) for column in columns]
    parts = [HEADER.pack(rows, len(columns)), _pad(bytes(widths))]
    parts += [
        _pad(column.astype(WIDTH_TYPES[width]).tobytes())
        for column, width in zip(columns, widths, strict=True)
        if width
    ]
    return b"".join(parts)


def _pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


class TableReader:
    """Rows of the columns of one table, read on demand."""

    def __init__(self, read: ReadBytes, size: int, columns: int, where: str) -> None:
        """Reads the head. Raises CorruptIndex unless it is a table of so many columns and `size` bytes."""
        self._read = read
        self._where = where
        if size < HEADER.size:
            raise CorruptIndex(f"{where}: a table of {size} bytes, at least {HEADER.size} expected")
        found: int
        self.rows: int
        self.rows, found = HEADER.unpack(read(0, HEADER.size))
        if found != columns or found > MAX_COLUMNS:
            raise CorruptIndex(f"{where}: {found} columns, {columns} expected")
        head = HEADER.size + columns + -columns % ALIGNMENT
        if size < head:
            raise CorruptIndex(f"{where}: a table of {size} bytes, at least {head} expected")
        self.widths = read(HEADER.size, columns)
        self._offsets = []
        end = head
        for width in self.widths:
            if width and width not in WIDTH_TYPES:
                raise CorruptIndex(f"{where}: a column width of {width}")
            self._offsets.append(end)
            end += width * self.rows + -width * self.rows % ALIGNMENT
        if end != size:
            raise CorruptIndex(f"{where}: a table of {size} bytes, {end} expected")

    def read_narrow(self, column: int) -> Integers:
        """All values of a column, unsigned and of its width. Raises CorruptIndex as `read_column` does."""
        width = self.widths[column]
        if width in (0, 8) or not self.rows:
            return self.read_column(column)
        return np.frombuffer(self._read(self._offsets[column], width * self.rows), dtype=WIDTH_TYPES[width])

    def read_column(self, column: int, start: int = 0, stop: int | None = None) -> I64:
        """The values of rows [start, stop) as int64. Raises CorruptIndex for rows that are not there."""
        stop = self.rows if stop is None else stop
        if not 0 <= start <= stop <= self.rows:
            raise CorruptIndex(f"{self._where}: rows {start} to {stop} of {self.rows}")
        width = self.widths[column]
        if width == 0 or start == stop:
            return np.zeros(stop - start, dtype=np.int64)
        data = self._read(self._offsets[column] + width * start, width * (stop - start))
        values = np.frombuffer(data, dtype=WIDTH_TYPES[width]).astype(np.int64)
        if width == 8 and int(values.min()) < 0:
            raise CorruptIndex(f"{self._where}: column {column} holds a value of 2**63 or more")
        return values
