"""The wire format: hand-laid bytes both ways, and any bytes decode or raise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.scip.wire import (
    WireError,
    decode_numbers,
    decode_varint,
    encode_bytes,
    encode_number,
    encode_packed,
    encode_varint,
    iter_fields,
)

VARINTS = [
    (0, b"\x00"),
    (1, b"\x01"),
    (127, b"\x7f"),
    (128, b"\x80\x01"),
    (300, b"\xac\x02"),  # the example of the documentation of Protocol Buffers
    ((1 << 64) - 1, b"\xff" * 9 + b"\x01"),
]
REFUSED = [
    (b"\x80", "a number that does not end"),
    (b"\xff" * 10, "a number that does not end"),
    (b"\x08" + b"\xff" * 9 + b"\x02", "a number of more than 64 bits"),
    (b"\x00\x01", "a field with a number that cannot be"),
    (b"\x0b", "a field of a kind that cannot be"),  # a group
    (b"\x0a\x02\x00", "a field that ends after its message"),
    (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a field that ends after its message"),
    (b"\x0d\x00", "a field that ends after its message"),
]


@pytest.mark.parametrize(("value", "data"), VARINTS)
def test_numbers_both_ways(value: int, data: bytes) -> None:
    assert encode_varint(value) == data
    assert decode_varint(b"\xff" + data + b"\xff", 1) == (value, 1 + len(data))


def test_fields_both_ways() -> None:
    data = encode_number(1, 150) + encode_bytes(2, "testing") + encode_packed(4, (3, 270, 86942))
    assert data == b"\x08\x96\x01" + b"\x12\x07testing" + b"\x22\x06\x03\x8e\x02\x9e\xa7\x05"
    assert list(iter_fields(data)) == [(1, 150), (2, b"testing"), (4, b"\x03\x8e\x02\x9e\xa7\x05")]
    assert decode_numbers(b"\x03\x8e\x02\x9e\xa7\x05", 3) == [3, 270, 86942]
    assert encode_number(1, 0) + encode_bytes(2, "") == b""


def test_fields_of_a_fixed_width_are_skipped() -> None:
    assert list(iter_fields(b"\x0d\x01\x02\x03\x04\x11\x01\x02\x03\x04\x05\x06\x07\x08\x08\x01")) == [(1, 1)]


@pytest.mark.parametrize(("data", "expected"), REFUSED)
def test_what_is_no_message_is_refused(data: bytes, expected: str) -> None:
    with pytest.raises(WireError, match=expected):
        list(iter_fields(data))


def test_more_numbers_than_are_wanted_are_refused() -> None:
    with pytest.raises(WireError, match="more than 4 numbers"):
        decode_numbers(b"\x01" * 1_000_000, 4)


@given(st.binary(max_size=60))
def test_any_bytes_are_fields_or_refused(data: bytes) -> None:
    try:
        fields = list(iter_fields(data))
    except WireError:
        return
    assert sum(len(one) for _, one in fields if isinstance(one, bytes)) <= len(data)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, (1 << 64) - 1) | st.binary(min_size=1))))
def test_fields_come_back(fields: list[tuple[int, int | bytes]]) -> None:
    encoded = [
        encode_number(number, one) if isinstance(one, int) else encode_bytes(number, one)
        for number, one in fields
    ]
    assert list(iter_fields(b"".join(encoded))) == fields
