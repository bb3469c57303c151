"""Units and chunks: how each file's lines are cut.

    UNIT  a table (columns.py), one row per unit: lines, bytes of its normalised text
    CHNK  a table, one row per chunk: first unit counted from the file's first, number of units, kind

Units partition the lines of a file; a chunk is a run of units of one file, and chunks may overlap.
Spans are therefore not stored: they are sums over a few rows. The first unit of a file begins at line 1.
A unit has at least one line, and a chunk at least one unit.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from index_format.checksum import compute_name
from index_format.columns import TableReader, encode_table
from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.records import I64, ChunkTable, UnitTable
from index_format.runs import spread_runs

UNIT, CHNK = b"UNIT", b"CHNK"
UNIT_COLUMNS, CHUNK_COLUMNS = 2, 3


def encode_chunks(units: UnitTable, chunks: ChunkTable) -> dict[bytes, bytes]:
    """Return the UNIT and CHNK sections by tag."""
    return {
        UNIT: encode_table([units.lines, units.sizes]),
        CHNK: encode_table([chunks.first_units, chunks.unit_counts, chunks.kinds]),
    }


class ChunkSpan(NamedTuple):
    """One chunk of a file."""

    start_line: int  # counted from 1
    end_line: int  # included
    kind: int  # the owner's number


def compute_chunk_id(path: str, fingerprint: bytes, chunk: ChunkSpan) -> str:
    """Return the id of a chunk, 32 hexadecimal digits: the xxh3_128 of everything that identifies its text.

    That is its path, its lines and the fingerprint of its file. It is not stored, and no other file changes
    it: a chunk keeps its id for as long as its file is the same and cut the same way.
    """
    return compute_name(b"%s\0%d-%d\0%s" % (path.encode(), chunk.start_line, chunk.end_line, fingerprint))


class UnitSpan(NamedTuple):
    """The lines of one unit of a file, and a chunk that contains it."""

    chunk: ChunkSpan
    start_line: int  # counted from 1
    end_line: int  # included


class ChunksReader:
    """The unit and chunk tables of a segment, whose rows are read on demand."""

    def __init__(self, frame: FrameReader) -> None:
        """Read the heads of both tables. Raises CorruptIndex when one is malformed."""
        self._where = frame.name
        self._units = TableReader(
            partial(frame.view, UNIT),
            frame.get_size(UNIT),
            UNIT_COLUMNS,
            f"{frame.name}: UNIT",
            frame.get_offset(UNIT),
        )
        self._chunks = TableReader(
            partial(frame.view, CHNK),
            frame.get_size(CHNK),
            CHUNK_COLUMNS,
            f"{frame.name}: CHNK",
            frame.get_offset(CHNK),
        )
        self.units, self.chunks = self._units.rows, self._chunks.rows
        for tag, table, column in ((UNIT, self._units, 0), (CHNK, self._chunks, 1)):
            if table.rows and not table.widths[column]:  # no bytes: there could be four billion
                raise CorruptIndex(f"{self._where}: {tag.decode()}: {table.rows} rows without bytes")
        self._lines = self._units.open_column(0)
        self._first_units, self._unit_counts, self._kinds = map(
            self._chunks.open_column, range(CHUNK_COLUMNS)
        )

    def read_units(self, start: int = 0, stop: int | None = None) -> UnitTable:
        """Return the units with doc ids [start, stop). Raises CorruptIndex."""
        return UnitTable(self._units.read_column(0, start, stop), self._units.read_column(1, start, stop))

    def read_chunks(self, start: int = 0, stop: int | None = None) -> ChunkTable:
        """Return the chunks [start, stop) of the segment. Raises CorruptIndex for impossible ones."""
        first, count, kind = (
            self._chunks.read_column(column, start, stop) for column in range(CHUNK_COLUMNS)
        )
        if len(count) and (int(count.min()) < 1 or max(int(first.max()), int(count.max())) > self.units):
            raise CorruptIndex(
                f"{self._where}: CHNK: a chunk with no units, or with more than the segment has"
            )
        return ChunkTable(first, count, kind)

    def find_most_units(self) -> int:
        """Return the number of units of the chunk that has most. Raises CorruptIndex."""
        return int(self._unit_counts.read().max(initial=0))

    def find_ends(self, chunks: tuple[I64, I64], units: tuple[I64, I64]) -> tuple[I64, I64]:
        """Return the chunks of some ascending files, and the unit after the end of each; both ascend.

        `chunks` and `units` give the first and the end for each file, none without units. Raises CorruptIndex
        when the chunks do not cover their file.
        """
        counts = chunks[1] - chunks[0]
        numbers = spread_runs(chunks[0], counts)
        ends = np.repeat(units[0], counts) + self._first_units.take(numbers).astype(np.int64)
        ends += self._unit_counts.take(numbers)
        if int(counts.min(initial=1)) < 1 or (np.diff(ends) < 0).any():
            raise CorruptIndex(f"{self._where}: chunks that do not cover their files")
        if (ends[np.cumsum(counts) - 1] != units[1]).any():
            raise CorruptIndex(f"{self._where}: chunks that do not cover their files")
        return numbers, ends

    def read_ahead(self) -> None:
        """Read the columns that `locate` needs, so that it no longer checks. Raises CorruptIndex."""
        for column in (self._lines, self._first_units, self._unit_counts, self._kinds):
            column.read()

    def locate(self, files: tuple[I64, I64], chunks: I64, units: I64) -> list[UnitSpan]:
        """Return the span of each unit with its chunk; `files` gives its file's units as [first, end).

        Raises CorruptIndex for a chunk that ends after its file, or before its unit.
        """
        firsts, counts, kinds = [
            column.take(chunks).astype(np.int64)
            for column in (self._first_units, self._unit_counts, self._kinds)
        ]
        own, ends = units - files[0], firsts + counts  # an end that overflows is negative
        if ((counts < 1) | (ends > files[1] - files[0]) | (own >= ends)).any():
            raise CorruptIndex(f"{self._where}: CHNK: a chunk that ends after its file, or before its unit")
        line_ends = np.append(0, np.cumsum(self._lines.take(spread_runs(files[0], ends)), dtype=np.int64))
        bases = np.cumsum(ends) - ends  # where each file's units begin in `line_ends`
        lines = line_ends[bases + np.array([firsts, ends, own, own + 1])] - line_ends[bases]
        lines[0::2] += 1  # a span starts on the line after those before it
        return [
            UnitSpan(ChunkSpan(start, end, kind), unit_start, unit_end)
            for start, end, unit_start, unit_end, kind in zip(*lines.tolist(), kinds.tolist(), strict=True)
        ]

    def read_spans(self, units: tuple[int, int], chunks: tuple[int, int]) -> list[ChunkSpan]:
        """Return the chunks [start, stop) of the file whose units are [start, stop).

        Raises CorruptIndex when a chunk reaches beyond the file's units.
        """
        line_ends = np.concatenate([[0], np.cumsum(self.read_units(*units).lines)])
        table = self.read_chunks(*chunks)
        ends = table.first_units + table.unit_counts
        if len(ends) and int(ends.max()) >= len(line_ends):
            raise CorruptIndex(f"{self._where}: CHNK: a chunk that ends after its file")
        return [
            ChunkSpan(int(line_ends[first]) + 1, int(line_ends[end]), kind)
            for first, end, kind in zip(
                table.first_units.tolist(), ends.tolist(), table.kinds.tolist(), strict=True
            )
        ]
