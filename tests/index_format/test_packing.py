"""Packed records: plain values there and back, anything else corrupt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex, pack, unpack
from index_format.packing import MAX_PACKED_BYTES

PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.text(max_size=5),
        st.binary(max_size=5),
        st.floats(allow_nan=False),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_round_trip(value: object) -> None:
    assert unpack(pack(value), "here") == value


def test_maps_keep_their_order() -> None:
    assert pack({"b": 1, "a": 2}).hex(" ") == "82 a1 62 01 a1 61 02"
    assert list(unpack(pack({"b": 1, "a": 2}), "here")) == ["b", "a"]


@given(st.binary(max_size=40))
def test_any_bytes_are_a_value_or_corrupt(data: bytes) -> None:
    try:
        value = unpack(data, "here")
    except CorruptIndex:
        return
    assert not isinstance(value, bytes) or len(value) < len(data)


def test_the_error_says_where() -> None:
    with pytest.raises(CorruptIndex, match=r"^here: not a packed record"):
        unpack(b"\xc1", "here")


def test_a_record_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(CorruptIndex, match="at most"):
        unpack(bytes(MAX_PACKED_BYTES + 1), "here")
