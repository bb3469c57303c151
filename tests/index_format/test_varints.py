"""Varints: a table of values and bytes read both ways, many at a time, and any bytes at all."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.runs import spread_runs
from index_format.varints import MAX_BYTES, decode, encode
from tests.index_format.plain_lists import build_column, lay_varint

TABLE = [
    (0, "00"),
    (1, "01"),
    (5, "05"),
    (127, "7f"),
    (128, "80 01"),
    (300, "ac 02"),
    (16_383, "ff 7f"),
    (16_384, "80 80 01"),
    (2**21 - 1, "ff ff 7f"),
    (2**21, "80 80 80 01"),
    (2**28 - 1, "ff ff ff 7f"),
    (2**28, "80 80 80 80 01"),
    (2**32 - 1, "ff ff ff ff 0f"),
    (2**35 - 1, "ff ff ff ff 7f"),
]
EDGES = [value for bits in (7, 14, 21, 28, 35) for value in ((1 << bits) - 1, 1 << bits)][:-1]
VALUES = st.one_of(st.integers(0, 2**35 - 1), st.integers(0, 300), st.sampled_from(EDGES))


def decode_bytes(data: bytes) -> tuple[list[int], list[int]]:
    values, ends = decode(np.frombuffer(data, dtype=np.uint8), "here")
    return values.tolist(), ends.tolist()


def read_plainly(data: bytes) -> list[int] | None:
    """Return the values of bytes, one byte after the other; None where they are cut or too long."""
    values: list[int] = []
    value = size = 0
    for byte in data:
        value |= (byte & 127) << (7 * size)
        size += 1
        if size > MAX_BYTES:
            return None
        if byte < 128:
            values.append(value)
            value = size = 0
    return None if size else values


@pytest.mark.parametrize(("value", "data"), TABLE)
def test_values_and_bytes(value: int, data: str) -> None:
    laid = bytes.fromhex(data)
    encoded, ends = encode(build_column([value]))
    assert (encoded, ends.tolist()) == (laid, [len(laid)])
    assert decode_bytes(laid) == ([value], [len(laid)])
    assert lay_varint(value) == laid
    for size in range(1, len(laid)):
        with pytest.raises(CorruptIndex, match="ends within an integer"):
            decode_bytes(laid[:size])


def test_no_values() -> None:
    assert encode(build_column([]))[0] == b""
    assert decode_bytes(b"") == ([], [])


@given(st.lists(VALUES))
def test_round_trip_of_many(values: list[int]) -> None:
    encoded, ends = encode(build_column(values))
    laid = [lay_varint(value) for value in values]
    assert encoded == b"".join(laid)
    assert ends.tolist() == list(accumulate(map(len, laid)))
    assert decode_bytes(encoded) == (values, ends.tolist())


@given(
    st.one_of(
        st.binary(max_size=30), st.lists(st.sampled_from([0, 1, 127, 128, 255]), max_size=12).map(bytes)
    )
)
def test_any_bytes_are_what_a_plain_reader_finds_or_corrupt(data: bytes) -> None:
    wanted = read_plainly(data)
    if wanted is None:
        with pytest.raises(CorruptIndex):
            decode_bytes(data)
    else:
        assert decode_bytes(data)[0] == wanted


@pytest.mark.parametrize(
    "data", ["80 80 80 80 80 00", "ff ff ff ff ff 01", "05 80 80 80 80 80 80 80 80 80 01"]
)
def test_an_integer_of_more_bytes_is_corrupt(data: str) -> None:
    with pytest.raises(CorruptIndex, match="more than 5 bytes"):
        decode_bytes(bytes.fromhex(data))


def test_a_long_integer_takes_no_time() -> None:
    with pytest.raises(CorruptIndex, match="more than 5 bytes"):
        decode_bytes(b"\xff" * 1_000_000 + b"\x01")


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5))))
def test_spread(rows: list[tuple[int, int]]) -> None:
    starts, counts = build_column([row[0] for row in rows]), build_column([row[1] for row in rows])
    wanted = [start + number for start, count in rows for number in range(count)]
    assert spread_runs(starts, counts).tolist() == wanted
