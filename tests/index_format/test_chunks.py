"""Units and chunks: spans are sums over units; chunks stay inside their file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import ChunkSpan, CorruptIndex, UnitSpan
from index_format.chunks import CHNK, UNIT, ChunksReader, encode_chunks
from index_format.columns import encode_table
from index_format.frame import FrameReader
from index_format.memory_directory import MemoryFile
from index_format.records import ChunkTable, UnitTable
from tests.index_format.segment_bytes import put_together

# A file: the lines of its units, and its chunks as pairs of first unit and number of units.
FILES = st.lists(
    st.lists(st.integers(1, 300), min_size=1, max_size=5).flatmap(
        lambda lines: st.tuples(
            st.just(lines),
            st.lists(
                st.integers(0, len(lines) - 1).flatmap(
                    lambda first: st.tuples(st.just(first), st.integers(1, len(lines) - first))
                ),
                max_size=4,
            ),
        )
    ),
    max_size=4,
)
File = tuple[list[int], list[tuple[int, int]]]


def encode(files: list[File]) -> dict[bytes, bytes]:
    lines = np.array([line for units, _ in files for line in units], dtype=np.int64)
    chunks = np.array([pair for _, own in files for pair in own], dtype=np.int64).reshape(-1, 2)
    kinds = np.arange(len(chunks)) % 3
    return encode_chunks(UnitTable(lines, lines * 20), ChunkTable(chunks[:, 0], chunks[:, 1], kinds))


def open_chunks(sections: dict[bytes, bytes]) -> ChunksReader:
    _, data = put_together(sections)
    return ChunksReader(FrameReader(MemoryFile("x.seg", bytearray(data))))


@given(FILES)
def test_spans_are_sums_of_lines(files: list[File]) -> None:
    reader, ahead = open_chunks(encode(files)), open_chunks(encode(files))
    ahead.read_ahead()
    assert reader.units == sum(len(lines) for lines, _ in files)
    assert reader.chunks == sum(len(chunks) for _, chunks in files)
    unit = chunk = 0
    for lines, chunks in files:
        wanted = [
            ChunkSpan(sum(lines[:first]) + 1, sum(lines[: first + count]), (chunk + position) % 3)
            for position, (first, count) in enumerate(chunks)
        ]
        ends = (unit, unit + len(lines)), (chunk, chunk + len(chunks))
        assert reader.read_spans(*ends) == wanted
        assert locate(ahead, ends[0], ends[1][0], chunks) == locate(reader, ends[0], ends[1][0], chunks)
        assert locate(reader, ends[0], ends[1][0], chunks) == [
            UnitSpan(wanted[position], sum(lines[:own]) + 1, sum(lines[: own + 1]))
            for position, (first, count) in enumerate(chunks)
            for own in range(first, first + count)
        ]
        assert reader.read_units(*ends[0]).sizes.tolist() == [20 * line for line in lines]
        unit, chunk = ends[0][1], ends[1][1]


def locate(
    reader: ChunksReader, units: tuple[int, int], chunk: int, chunks: list[tuple[int, int]]
) -> list[UnitSpan]:
    """Return every unit of every chunk of a file, whose first chunk is `chunk`."""
    asked = [
        (chunk + position, units[0] + own)
        for position, (first, count) in enumerate(chunks)
        for own in range(first, first + count)
    ]
    rows = np.array(asked, dtype=np.int64).reshape(-1, 2)
    bounds = np.full(len(rows), units[0]), np.full(len(rows), units[1])
    return reader.locate(bounds, rows[:, 0], rows[:, 1])


def test_the_first_line_is_1() -> None:
    reader = open_chunks(encode([([30, 20], [(0, 2), (1, 1)])]))
    assert [(one.start_line, one.end_line) for one in reader.read_spans((0, 2), (0, 2))] == [
        (1, 50),
        (31, 50),
    ]


@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 3), (1, 2), (2, 1), (0, 0), (2**63 - 1, 2**63 - 1), (2**63 - 1, 1), (0, 2**63 - 1)],
)
def test_a_chunk_outside_its_file_is_corrupt(first: int, count: int) -> None:
    sections = encode([([30, 20], [(0, 2)]), ([10], [])])
    sections[CHNK] = encode_table([np.array([first]), np.array([count]), np.array([0])])
    with pytest.raises(CorruptIndex, match="CHNK"):
        open_chunks(sections).read_spans((0, 2), (0, 1))
    with pytest.raises(CorruptIndex, match="CHNK"):
        locate(open_chunks(sections), (0, 2), 0, [(0, 1)])


def test_a_chunk_without_units_is_corrupt() -> None:
    sections = encode([([30, 20], [(0, 2), (1, 1)])])
    sections[CHNK] = encode_table([np.array([0, 1]), np.array([2, 0]), np.array([0, 0])])
    with pytest.raises(CorruptIndex, match="a chunk with no units"):
        open_chunks(sections).read_spans((0, 2), (0, 2))


@pytest.mark.parametrize("tag", [UNIT, CHNK])
def test_four_billion_rows_of_nothing_are_corrupt(tag: bytes) -> None:
    sections = encode([([30, 20], [(0, 2)])])
    columns = 2 if tag == UNIT else 3
    sections[tag] = b"\xff" * 4 + columns.to_bytes(4, "little") + bytes(8)
    with pytest.raises(CorruptIndex, match="rows without bytes"):
        open_chunks(sections)


def test_rows_that_are_not_there() -> None:
    reader = open_chunks(encode([([30, 20], [(0, 2)])]))
    with pytest.raises(CorruptIndex):
        reader.read_units(0, 3)
    with pytest.raises(CorruptIndex):
        reader.read_chunks(1, 2)
