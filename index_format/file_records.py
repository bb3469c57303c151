"""File records: the owner's bytes for each source file, read one file at a time.

    RECS  the records one after the other, in file order, without padding; one may have no bytes
    RECE  a table (columns.py), one row per file: where its record ends in RECS

The sections are optional: a segment has both or neither. Records are written and merged as a stream, so
they may be larger than memory. This module does not know what a record means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from index_format.columns import TableReader, encode_table
from index_format.errors import CorruptIndex
from index_format.frame import FrameReader, FrameWriter
from index_format.records import I64

RECS, RECE = b"RECS", b"RECE"
BATCH_BYTES = 1 << 20  # read at a time when reading all
WRITE_BYTES = 1 << 16  # written at a time: 56,000 records one by one take 0.3 s longer


def write_records(frame: FrameWriter, records: Iterable[bytes], files: int) -> None:
    """Write both sections. Raises ValueError unless there is one record for each file."""
    frame.begin_section(RECS)
    ends: list[int] = []
    end = 0
    waiting: list[bytes] = []
    waiting_bytes = 0
    for record in records:
        end += len(record)
        ends.append(end)
        waiting.append(record)
        waiting_bytes += len(record)
        if waiting_bytes >= WRITE_BYTES:
            frame.write(b"".join(waiting))
            waiting, waiting_bytes = [], 0
    frame.write(b"".join(waiting))
    if len(ends) != files:
        raise ValueError(f"{len(ends)} records for {files} files")
    frame.add_section(RECE, encode_table([np.array(ends, dtype=np.int64)]))


class RecordsReader:
    """The file records of one segment."""

    def __init__(self, frame: FrameReader, files: int) -> None:
        """Read the head of RECE. Raises CorruptIndex."""
        self._frame = frame
        self.total_bytes = frame.get_size(RECS)
        where = f"{frame.name}: RECE"
        size = frame.get_size(RECE)
        self._table = TableReader(lambda at, size: frame.read(RECE, at, size), size, 1, where)
        self.count = self._table.rows
        if self.count != files:
            raise CorruptIndex(f"{where}: {self.count} rows for {files} files")

    @cached_property
    def ends(self) -> I64:
        """Return where each record ends in RECS (int64, one per file). Raises CorruptIndex."""
        ends = self._table.read_column(0)
        last = int(ends[-1]) if len(ends) else 0
        if (np.diff(ends) < 0).any() or last != self.total_bytes:
            raise CorruptIndex(f"{self._frame.name}: RECE: does not ascend to {self.total_bytes}")
        return ends

    def read(self, file: int) -> bytes:
        """Return the record of one file, with a single read. Raises CorruptIndex, IndexError."""
        ends = self.ends
        start = int(ends[file - 1]) if file else 0
        return self._frame.read(RECS, start, int(ends[file]) - start)

    def iter_blocks(self, unit_bytes: int, block_bytes: int) -> Iterator[tuple[int, bytes]]:
        """Yield all records as one run of bytes, in blocks of about `block_bytes`, each with its position.

        The records consist of units of `unit_bytes`: positions count units, and blocks hold whole ones.
        Raises CorruptIndex when RECS does not consist of whole units.
        """
        if self.total_bytes % unit_bytes:
            raise CorruptIndex(
                f"{self._frame.name}: RECS: {self.total_bytes} bytes, not runs of {unit_bytes}"
            )
        step = max(1, block_bytes // unit_bytes) * unit_bytes
        for start in range(0, self.total_bytes, step):
            size = min(step, self.total_bytes - start)
            yield start // unit_bytes, self._frame.read(RECS, start, size)

    def __iter__(self) -> Iterator[bytes]:
        """Yield all records in file order, reading them as needed. Raises CorruptIndex."""
        ends = self.ends
        position, start = 0, 0
        while position < len(ends):
            reached = int(np.searchsorted(ends, start + BATCH_BYTES, side="right"))
            stop = max(position + 1, reached)
            data = self._frame.read(RECS, start, int(ends[stop - 1]) - start)
            first = start
            for end in ends[position:stop].tolist():
                yield data[start - first : end - first]
                start = end
            position = stop


def has_records(frame: FrameReader) -> bool:
    """Return whether a segment has records. Raises CorruptIndex when it has only one of the two sections."""
    present = {RECS, RECE} & set(frame.sections())
    if len(present) == 1:
        raise CorruptIndex(f"{frame.name}: it has only one of the sections RECS and RECE")
    return bool(present)
