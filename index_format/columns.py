"""Tables of unsigned integers: the one layout of every fixed-width table in a segment.

    u32 rows | u32 columns | u8 width of each column, zero-padded to a multiple of 8 | the columns

Integers are little-endian, values below 2**63. A width is 0, 1, 2, 4 or 8 bytes: the smallest that
holds the column's largest value, 0 for a column of zeros, which takes no bytes. Each column starts
at a multiple of 8 from the start of the table and is zero-padded to the next.

Two rows, columns (1, 2) and (300, 0) and (0, 0):

    02 00 00 00  03 00 00 00 | 01 02 00 00 00 00 00 00 | 01 02 .. (6 zeros) | 2c 01 00 00 .. (4 zeros)

A reader can fetch any rows of any column without reading the others; a `Column` caches what it has read.
There are no signed values and no nulls.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

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
MAX_VALUE = (1 << 63) - 1
ALIGNMENT = 8
PIECE_BYTES = 16 * 1024  # what a frame reads and verifies at once
DENSE_ROWS = 64  # wanted rows per piece of a column: this many fall in nearly all of its pieces

ReadBytes = Callable[[int, int], bytes | memoryview]  # (offset in the table, size) -> exactly `size` bytes


def choose_width(largest: int) -> int:
    """Return the width in bytes (0, 1, 2, 4 or 8) of a column with this largest value."""
    if largest == 0:
        return 0
    return next(width for width in (1, 2, 4, 8) if largest < 1 << (8 * width))


def narrow(*columns: Integers) -> tuple[Integers, ...]:
    """Return columns without negative values as unsigned integers as narrow as on disk (a byte at least)."""
    return tuple(
        column.astype(WIDTH_TYPES[max(1, choose_width(int(column.max(initial=0))))]) for column in columns
    )


def encode_table(columns: Sequence[Integers]) -> bytes:
    """Return the bytes of a table. The columns have equal lengths and no negative values."""
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
    """A table whose columns are read row by row, on demand."""

    def __init__(self, read: ReadBytes, size: int, columns: int, where: str, start: int = 0) -> None:
        """Read the head. `start` is where the table begins in its file.

        Raises CorruptIndex unless it is a table of `columns` columns and `size` bytes.
        """
        self._read = read
        self._where = where
        self._start = start
        if size < HEADER.size:
            raise CorruptIndex(f"{where}: a table of {size} bytes, at least {HEADER.size} expected")
        found: int
        self.rows: int
        data = read(0, min(size, HEADER.size + columns))
        self.rows, found = HEADER.unpack_from(data)
        if found != columns or found > MAX_COLUMNS:
            raise CorruptIndex(f"{where}: {found} columns, {columns} expected")
        head = HEADER.size + columns + -columns % ALIGNMENT
        if size < head:
            raise CorruptIndex(f"{where}: a table of {size} bytes, at least {head} expected")
        self.widths = bytes(data[HEADER.size :])
        self._offsets = []
        end = head
        for width in self.widths:
            if width and width not in WIDTH_TYPES:
                raise CorruptIndex(f"{where}: a column width of {width}, 0, 1, 2, 4 or 8 expected")
            self._offsets.append(end)
            end += width * self.rows + -width * self.rows % ALIGNMENT
        if end != size:
            raise CorruptIndex(f"{where}: a table of {size} bytes, {end} expected")

    def open_column(self, column: int) -> Column:
        """Return a column that has read nothing yet."""
        offset, width = self._offsets[column], self.widths[column]
        where = f"{self._where}: column {column}"
        read = partial(self._read_from, offset)
        return Column(read, width, self.rows, self._start + offset, where)

    def _read_from(self, offset: int, at: int, size: int) -> bytes | memoryview:
        return self._read(offset + at, size)

    def read_column(self, column: int, start: int = 0, stop: int | None = None) -> I64:
        """Return rows [start, stop) as int64. Raises CorruptIndex for rows that are not there."""
        stop = self.rows if stop is None else stop
        if not 0 <= start <= stop <= self.rows:
            raise CorruptIndex(
                f"{self._where}: rows {start} to {stop} were asked for, but there are {self.rows}"
            )
        width = self.widths[column]
        if width == 0 or start == stop:
            return np.zeros(stop - start, dtype=np.int64)
        data = self._read(self._offsets[column] + width * start, width * (stop - start))
        return _parse(data, width, f"{self._where}: column {column}").astype(np.int64)


def _parse(data: bytes | memoryview, width: int, where: str) -> Integers:
    values: Integers = np.frombuffer(data, dtype=WIDTH_TYPES[width])
    if width == 8 and len(values) and int(values.max()) > MAX_VALUE:
        raise CorruptIndex(f"{where} holds a value of 2**63 or more")
    return values.view(np.int64) if width == 8 else values


class Column:
    """The values of one column, in integers as narrow as on disk. Values once read are cached.

    A few rows are read by the pieces of the file that contain them; for many, the column is read whole. Safe
    for several threads: two that read the same piece store the same values.
    """

    def __init__(self, read: ReadBytes, width: int, rows: int, start: int, where: str) -> None:
        """Take a `read` that counts from where the column begins, at `start` in its file."""
        self._read = read
        self._width = width
        self._rows = rows
        self._lead = start % PIECE_BYTES
        self._where = where
        # The values, and a mask of the pieces not yet read; None when all have been.
        self._kept: tuple[Integers, npt.NDArray[np.bool_] | None]
        if width and rows:
            pieces = -(-(self._lead + width * rows) // PIECE_BYTES)
            self._kept = np.empty(rows, _parse(b"", width, where).dtype), np.ones(pieces, dtype=np.bool_)
        else:
            self._kept = np.zeros(rows, np.uint8), None

    def read(self) -> Integers:
        """Return all values and cache them. Raises CorruptIndex for a value of 2**63 or more."""
        values, missing = self._kept
        if missing is not None:
            values = self.load()
            self._kept = values, None
        return values

    def load(self) -> Integers:
        """Return all values without caching them. Raises CorruptIndex."""
        values, missing = self._kept
        if missing is None:
            return values
        return _parse(self._read(0, self._width * self._rows), self._width, self._where)

    def take(self, rows: I64) -> Integers:
        """Return the values of `rows`, in their order. Raises CorruptIndex."""
        values, missing = self._kept
        if missing is None:
            return values.take(rows)
        if len(rows) >= DENSE_ROWS * len(missing):
            return self.read().take(rows)
        pieces = (rows * self._width + self._lead) // PIECE_BYTES
        absent = missing[pieces]
        if absent.any():
            wanted = np.flatnonzero(np.bincount(pieces[absent]))
            if 2 * len(wanted) >= len(missing):
                return self.read().take(rows)
            self._fill(values, missing, wanted.tolist())
        return values.take(rows)

    def cut(self, start: int, stop: int) -> Integers:
        """Return the values of rows [start, stop). Raises CorruptIndex."""
        values, missing = self._kept
        if missing is None or start >= stop:
            return values[start:stop]
        first = (start * self._width + self._lead) // PIECE_BYTES
        last = ((stop - 1) * self._width + self._lead) // PIECE_BYTES
        if missing[first : last + 1].any():
            self._fill(values, missing, range(first, last + 1))
        return values[start:stop]

    def _fill(self, values: Integers, missing: npt.NDArray[np.bool_], pieces: Iterable[int]) -> None:
        """Read those of the pieces that are missing."""
        width = self._width
        for piece in pieces:
            if not missing[piece]:
                continue
            start = max(0, piece * PIECE_BYTES - self._lead)
            stop = min((piece + 1) * PIECE_BYTES - self._lead, width * self._rows)
            data = self._read(start, stop - start)
            values[start // width : stop // width] = _parse(data, width, self._where)
            missing[piece] = False
