"""Tables: the docstring's bytes, round trips, and any bytes at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.columns import PIECE_BYTES, TableReader, choose_width, encode_table

EXAMPLE = bytes.fromhex("0200000003000000 0102000000000000 0102000000000000 2c01000000000000")
VALUES = st.one_of(st.integers(0, 300), st.integers(0, 2**63 - 1), st.just(0))
TABLES = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.lists(VALUES, min_size=columns, max_size=columns), max_size=6).map(
        lambda rows: (columns, rows)
    )
)


def read_slice(data: bytes, at: int, size: int) -> bytes:
    part = data[at : at + size]
    if at < 0 or size < 0 or len(part) != size:
        raise CorruptIndex("not there")
    return part


def open_table(data: bytes, columns: int) -> TableReader:
    return TableReader(lambda at, size: read_slice(data, at, size), len(data), columns, "table")


@pytest.mark.parametrize(
    ("largest", "width"),
    [(0, 0), (1, 1), (255, 1), (256, 2), (65535, 2), (65536, 4), (2**32 - 1, 4), (2**32, 8)],
)
def test_a_column_has_the_smallest_width(largest: int, width: int) -> None:
    assert choose_width(largest) == width


def test_the_example_of_the_docstring() -> None:
    columns = [np.array([1, 2]), np.array([300, 0]), np.array([0, 0])]
    assert encode_table(columns) == EXAMPLE
    table = open_table(EXAMPLE, 3)
    assert [table.read_column(column).tolist() for column in range(3)] == [[1, 2], [300, 0], [0, 0]]
    assert table.read_column(1, 0, 1).tolist() == [300]


@given(TABLES)
def test_round_trip(table: tuple[int, list[list[int]]]) -> None:
    columns, rows = table
    values = np.array(rows, dtype=np.int64).reshape(-1, columns)
    data = encode_table([values[:, column] for column in range(columns)])
    assert len(data) % 8 == 0
    reader = open_table(data, columns)
    assert reader.rows == len(rows)
    for column in range(columns):
        assert reader.read_column(column).tolist() == values[:, column].tolist()
        if rows:
            assert reader.read_column(column, 1).tolist() == values[1:, column].tolist()
            assert reader.read_column(column, 0, 1).tolist() == [values[0, column]]


@given(st.binary(max_size=60), st.integers(1, 3))
def test_any_bytes_are_a_table_or_corrupt(data: bytes, columns: int) -> None:
    try:
        reader = open_table(data, columns)
        rows = min(reader.rows, 1000)
        values = [reader.read_column(column, 0, rows) for column in range(columns)]
    except CorruptIndex:
        return
    assert all(len(column) == rows and (column >= 0).all() for column in values)


def test_cut_or_longer_is_corrupt() -> None:
    for size in range(len(EXAMPLE)):
        with pytest.raises(CorruptIndex):
            open_table(EXAMPLE[:size], 3)
    with pytest.raises(CorruptIndex):
        open_table(EXAMPLE + bytes(8), 3)
    with pytest.raises(CorruptIndex):
        open_table(EXAMPLE, 2)


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (1, 3), (2, 1)])
def test_rows_that_are_not_there(start: int, stop: int) -> None:
    with pytest.raises(CorruptIndex):
        open_table(EXAMPLE, 3).read_column(0, start, stop)


def test_a_value_of_2_to_the_63_is_corrupt() -> None:
    data = bytes.fromhex("0100000001000000 0800000000000000") + (1 << 63).to_bytes(8, "little")
    with pytest.raises(CorruptIndex, match=r"2\*\*63"):
        open_table(data, 1).read_column(0)


@given(TABLES, st.data())
def test_an_opened_column_gives_what_the_table_holds(
    table: tuple[int, list[list[int]]], data: st.DataObject
) -> None:
    columns, rows = table
    values = np.array(rows, dtype=np.int64).reshape(-1, columns)
    reader = open_table(encode_table([values[:, column] for column in range(columns)]), columns)
    for number in range(columns):
        column, wanted = reader.open_column(number), values[:, number]
        positions = np.array(data.draw(st.lists(st.integers(0, max(0, len(rows) - 1)))), dtype=np.int64)
        positions = positions[: len(rows) * len(positions)]
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
        assert column.take(positions).tolist() == wanted[positions].tolist()
        assert column.cut(start, stop).tolist() == wanted[start:stop].tolist()
        assert column.read().tolist() == wanted.tolist()
        assert column.read() is column.read()


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("start", [0, 8, PIECE_BYTES - 8])
def test_few_rows_are_read_by_the_pieces_they_lie_in_and_once(width: int, start: int) -> None:
    values = np.arange(20 * PIECE_BYTES // width) % 251
    values[0] = (1 << 8 * width) - 1 >> (width == 8)
    data, reads = encode_table([values]), list[tuple[int, int]]()

    def read(at: int, size: int) -> bytes:
        reads.append((start + at, start + at + size))
        return read_slice(data, at, size)

    column = TableReader(read, len(data), 1, "table", start).open_column(0)
    reads.clear()
    few = np.array([0, 1, 5 * PIECE_BYTES // width, len(values) - 1])
    for _ in range(2):
        assert column.take(few).tolist() == values[few].tolist()
        assert column.cut(3, 9).tolist() == values[3:9].tolist()
    assert len(reads) == 3
    assert all((low // PIECE_BYTES) == (high - 1) // PIECE_BYTES for low, high in reads)
    every = np.arange(len(values))
    assert column.take(every).tolist() == values.tolist()
    assert len(reads) == 4


def test_an_opened_column_refuses_what_no_value_can_be() -> None:
    table = bytearray(encode_table([np.array([1 << 40, 3])]))
    table[16:24] = b"\xff" * 8
    for read in ("read", "take", "cut"):
        column = open_table(bytes(table), 1).open_column(0)
        arguments = {"read": (), "take": (np.array([0]),), "cut": (0, 1)}[read]
        with pytest.raises(CorruptIndex, match="2\\*\\*63"):
            getattr(column, read)(*arguments)
