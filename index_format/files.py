"""The file table of a segment: which source files it holds, sorted by the bytes of their paths.

    FILE  a table (columns.py), one row per file: end of its path in PATH, bytes of the source file,
          language number, flags, lines, first unit, first chunk
    PATH  the paths one after the other
    PRNT  the fingerprints, FINGERPRINT_BYTES each

A file's units and chunks end where the next file's begin, the last file's with the segment's.
Left out on purpose: times, inodes and anything else specific to one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice, pairwise
from operator import ge

import numpy as np

from index_format.columns import Column, TableReader, encode_table
from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.records import FINGERPRINT_BYTES, I64, FileTable, Integers

PRINT_WORDS = FINGERPRINT_BYTES // 4  # 32-bit words of a fingerprint
FILE, PATH, PRNT = b"FILE", b"PATH", b"PRNT"
PATH_END, SIZE, LANGUAGE, FLAGS, LINES, FIRST_UNIT, FIRST_CHUNK = range(7)
COLUMNS = 7
PATHS_AT_ONCE = 4_096
SPARSE_PATHS = 256  # paths read one by one; after so many, all are cached as one text (3 MB for 80,000)


def encode_files(files: FileTable) -> dict[bytes, bytes]:
    """Return the FILE, PATH and PRNT sections by tag."""
    path_ends = np.cumsum([len(path) for path in files.paths], dtype=np.int64)
    columns = [
        path_ends,
        files.sizes,
        files.languages,
        files.flags,
        files.lines,
        np.cumsum(files.units) - files.units,
        np.cumsum(files.chunks) - files.chunks,
    ]
    return {FILE: encode_table(columns), PATH: b"".join(files.paths), PRNT: files.fingerprints}


class FilesReader:
    """The file table, whose rows are read on demand."""

    def __init__(self, frame: FrameReader, units: int, chunks: int) -> None:
        """Read the head of the table of a segment with these totals. Raises CorruptIndex."""
        self._frame = frame
        self._units, self._chunks = units, chunks
        size = frame.get_size(FILE)
        where = f"{frame.name}: FILE"
        start = frame.get_offset(FILE)
        self._table = TableReader(partial(frame.view, FILE), size, COLUMNS, where, start)
        self.count = self._table.rows
        if frame.get_size(PRNT) != self.count * FINGERPRINT_BYTES:
            raise CorruptIndex(
                f"{where}: {frame.get_size(PRNT)} bytes of fingerprints for {self.count} files"
            )
        self._paths_read = 0
        self._path_ends = self._table.open_column(PATH_END)
        self._first_chunks = self._table.open_column(FIRST_CHUNK)
        self.languages = self._table.open_column(LANGUAGE)
        prints = partial(frame.view, PRNT)
        self._prints = Column(prints, 4, PRINT_WORDS * self.count, frame.get_offset(PRNT), where)

    @cached_property
    def path_ends(self) -> I64:
        """Return the end of each path in PATH (int64, one per file). Raises CorruptIndex."""
        size = self._frame.get_size(PATH)
        ends = self._read_ascending(PATH_END, size).astype(np.int64)
        if size != (int(ends[-1]) if len(ends) else 0):
            raise CorruptIndex(f"{self._frame.name}: PATH: {size} bytes, but the last path ends elsewhere")
        return ends

    @cached_property
    def first_units(self) -> I64:
        """Return each file's first doc id, and the number of units as one more row. Raises CorruptIndex."""
        return self._read_firsts(FIRST_UNIT, self._units)

    @cached_property
    def first_chunks(self) -> I64:
        """Return each file's first chunk, and the number of chunks as one more row. Raises CorruptIndex."""
        return self._read_firsts(FIRST_CHUNK, self._chunks)

    def read_chunk_spans(self, files: I64) -> tuple[I64, I64]:
        """Return the first and the end of each file's chunks (both int64). Raises CorruptIndex."""
        firsts = self._first_chunks.take(files).astype(np.int64)
        ends = self._first_chunks.take(np.minimum(files + 1, self.count - 1)).astype(np.int64)
        ends[files == self.count - 1] = self._chunks
        if (ends < firsts).any() or (ends > self._chunks).any():
            raise CorruptIndex(f"{self._frame.name}: FILE: column {FIRST_CHUNK} does not ascend")
        return firsts, ends

    def _read_firsts(self, column: int, rows: int) -> I64:
        values = self._read_ascending(column, rows)
        firsts = np.empty(len(values) + 1, dtype=np.int64)
        firsts[:-1], firsts[-1] = values, rows
        if int(firsts[0]):
            raise CorruptIndex(
                f"{self._frame.name}: FILE: {int(firsts[0])} rows before the first file, 0 expected"
            )
        return firsts

    def _read_ascending(self, column: int, limit: int) -> Integers:
        values = self._table.open_column(column).read()
        if len(values) and ((values[1:] < values[:-1]).any() or int(values[-1]) > limit):
            raise CorruptIndex(f"{self._frame.name}: FILE: column {column} does not ascend to {limit}")
        return values

    def read_path(self, file: int) -> str:
        """Return the path of one file. Raises CorruptIndex."""
        self._paths_read += 1
        if self._paths_read > SPARSE_PATHS:
            ends = self.path_ends
            return self._decode(self._path_text[int(ends[file - 1]) if file else 0 : int(ends[file])])
        start, end = (0, *self._path_ends.cut(max(0, file - 1), file + 1).tolist())[-2:]
        return self._decode(self._frame.read(PATH, start, end - start))

    @cached_property
    def _path_text(self) -> bytes:
        return self._frame.read(PATH)

    def read_paths_of(self, files: I64) -> list[str]:
        """Return the paths of some files, in the order given. Raises CorruptIndex."""
        self._paths_read += len(files)
        if self._paths_read <= SPARSE_PATHS:
            starts = self._path_ends.take(np.maximum(files - 1, 0)).astype(np.int64)
            starts[files == 0] = 0
            stops = self._path_ends.take(files).tolist()
            return list(map(self._decode, self._frame.read_spans(PATH, starts.tolist(), stops)))
        ends, text = self.path_ends, self._path_text
        starts = np.where(files > 0, ends[files - 1], 0)
        spans = zip(starts.tolist(), ends[files].tolist(), strict=True)
        if len(files) > SPARSE_PATHS and text.isascii():
            whole = text.decode()
            return [whole[start:end] for start, end in spans]
        try:
            return [text[start:end].decode() for start, end in spans]
        except UnicodeDecodeError as error:
            raise self._not_text() from error

    def _decode(self, path: bytes) -> str:
        try:
            return path.decode()
        except UnicodeDecodeError as error:
            raise self._not_text() from error

    def _not_text(self) -> CorruptIndex:
        return CorruptIndex(f"{self._frame.name}: PATH: not UTF-8")

    def iter_paths(self) -> Iterator[bytes]:
        """Yield all paths in order. Raises CorruptIndex when they do not ascend or are not UTF-8.

        PATHS_AT_ONCE of them are cut together: all 80,000 would take 6 MB, which Python does not give back.
        """
        data, ends = self._frame.read(PATH), self.path_ends
        is_ascii = data.isascii()
        last: list[bytes] = []  # the last path of the part before
        for first in range(0, self.count, PATHS_AT_ONCE):
            bounds = ends[max(0, first - 1) : first + PATHS_AT_ONCE].tolist()
            paths = [data[start:end] for start, end in pairwise(bounds if first else [0, *bounds])]
            ordered = last + paths
            if any(map(ge, ordered, islice(ordered, 1, None))):
                raise CorruptIndex(f"{self._frame.name}: PATH: paths that do not ascend")
            for path in () if is_ascii else paths:
                self._decode(path)
            yield from paths
            last = paths[-1:]

    def read_path_bytes(self) -> bytes:
        """Return all paths as one run of bytes, unchecked. See `path_ends`. Raises CorruptIndex."""
        return self._frame.read(PATH)

    def take_fingerprints(self, files: I64) -> list[bytes]:
        """Return the fingerprints of some files, caching what is read. Raises CorruptIndex."""
        words = self._prints.take((PRINT_WORDS * files[:, None] + np.arange(PRINT_WORDS)).reshape(-1))
        data = words.tobytes()
        return [data[at : at + FINGERPRINT_BYTES] for at in range(0, len(data), FINGERPRINT_BYTES)]

    def read_fingerprints(self) -> bytes:
        """Return all fingerprints in file order, FINGERPRINT_BYTES each. Raises CorruptIndex."""
        return self._frame.read(PRNT)

    def read_column(self, column: int, start: int = 0, stop: int | None = None) -> I64:
        """Return rows [start, stop) of a column: SIZE, LANGUAGE, FLAGS or LINES. Raises CorruptIndex."""
        return self._table.read_column(column, start, stop)

    def find_files_of(self, units: I64) -> I64:
        """Return the file of each doc id of a unit (int64). Raises CorruptIndex."""
        return np.searchsorted(self.first_units, units, side="right") - 1
