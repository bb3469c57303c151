"""Posting lists: hand-laid bytes, round trips of many lists, two decoders that agree on any bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.postings import (
    BOUNDS_FREQUENCY,
    EncodedLists,
    decode_list,
    decode_lists,
    encode_lists,
)

Posting = tuple[int, int]  # doc id, term frequency
COUNTS = st.one_of(st.integers(1, 3), st.integers(14, 18), st.integers(1, 2**32 - 1))
DOCS = st.one_of(
    st.sets(st.integers(0, 40), min_size=1),
    st.sets(st.integers(0, 70_000), min_size=1, max_size=90),
    st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=10),
    st.integers(60, 70).map(lambda size: set(range(size))),
    st.integers(250, 260).map(lambda last: {*range(30), last, 29 + last, 30 + last}),
)
LISTS = DOCS.flatmap(
    lambda docs: st.lists(COUNTS, min_size=len(docs), max_size=len(docs)).map(
        lambda counts: list(zip(sorted(docs), counts, strict=True))
    )
)


def encode(lists: list[list[Posting]], length: int = 7) -> EncodedLists:
    """`length` is the field length of every document, less its term frequency."""
    docs = np.array([doc for one in lists for doc, _ in one], dtype=np.int64)
    counts = np.array([count for one in lists for _, count in one], dtype=np.int64)
    frequencies = np.array([len(one) for one in lists], dtype=np.int64)
    return encode_lists(frequencies, docs, counts, np.minimum(counts + length, 2**32 - 1))


def decode_bulk(encoded: EncodedLists, frequencies: list[int]) -> list[list[Posting]]:
    docs, counts = decode_lists(encoded.data, encoded.sizes, np.array(frequencies), "here")
    postings = list(zip(docs.tolist(), counts.tolist(), strict=True))
    ends = np.cumsum(frequencies).tolist()
    return [postings[end - size : end] for end, size in zip(ends, frequencies, strict=True)]


def decode_one(data: bytes, frequency: int) -> list[Posting]:
    docs, counts = decode_list(data, frequency, "here")
    return list(zip(docs.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("postings", "data"),
    [
        ([(3, 1), (4, 2), (900, 40)], "05 0300 0100 8003 100f 27000000"),
        ([(0, 1)], "00 00"),
        ([(254, 1)], "00 fe"),
        ([(255, 1)], "01 ff00"),
        ([(65535, 1)], "02 ffff0000"),
        ([(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (300, 1)], "00 00 01 01 01 01 ff 28010000"),
        ([(0, 1), (1, 1), (2, 1), (302, 1)], "00 00 01 01 ff 2c010000"),  # as small as with width 2
        ([(0, 1), (1, 1), (301, 1)], "01 0000 0100 2c01"),
        ([(7, 15)], "04 07 0e"),
        ([(7, 16)], "04 07 0f 0f000000"),
        ([(1, 3), (2, 1)], "04 01 01 02"),
        ([(1, 1), (2, 3)], "04 01 01 20"),
        ([(4294967295, 4294967295)], "06 ffffffff 0f feffffff"),
    ],
)
def test_hand_laid_bytes(postings: list[Posting], data: str) -> None:
    laid = bytes.fromhex(data)
    assert encode([postings]).data == laid
    assert decode_one(laid, len(postings)) == postings


@pytest.mark.parametrize("frequency", [BOUNDS_FREQUENCY - 1, BOUNDS_FREQUENCY, BOUNDS_FREQUENCY + 1])
def test_long_lists_say_their_bounds(frequency: int) -> None:
    postings = [(doc, 5 if doc == 9 else 2) for doc in range(frequency)]
    data = encode([postings], length=30).data
    has_bounds = frequency >= BOUNDS_FREQUENCY
    assert data[0] == (0b1100 if has_bounds else 0b0100)
    if has_bounds:
        assert data[1:9] == (5).to_bytes(4, "little") + (32).to_bytes(4, "little")
    assert decode_one(data, frequency) == postings


@settings(deadline=None)
@given(st.lists(LISTS, min_size=1, max_size=6))
def test_round_trip_of_many_lists(lists: list[list[Posting]]) -> None:
    encoded = encode(lists)
    assert decode_bulk(encoded, [len(one) for one in lists]) == lists
    assert encoded.data == b"".join(encode([one]).data for one in lists)
    start = 0
    for one, size in zip(lists, encoded.sizes.tolist(), strict=True):
        assert decode_one(encoded.data[start : start + size], len(one)) == one
        start += size


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, 15).flatmap(lambda head: st.binary(max_size=24).map(lambda rest: bytes([head]) + rest)),
    st.integers(0, 12),
)
def test_any_bytes_decode_alike_or_are_corrupt(data: bytes, frequency: int) -> None:
    sizes, frequencies = np.array([len(data)]), np.array([frequency])
    try:
        docs, counts = decode_list(data, frequency, "here")
    except CorruptIndex:
        with pytest.raises(CorruptIndex):
            decode_lists(data, sizes, frequencies, "here")
        return
    all_docs, all_counts = decode_lists(data, sizes, frequencies, "here")
    assert (all_docs.tolist(), all_counts.tolist()) == (docs.tolist(), counts.tolist())
    assert sorted(set(docs.tolist())) == docs.tolist()


@given(st.binary(max_size=40), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=5))
def test_any_bytes_of_many_lists(data: bytes, rows: list[tuple[int, int]]) -> None:
    sizes = np.array([size for size, _ in rows], dtype=np.int64)
    frequencies = np.array([frequency for _, frequency in rows], dtype=np.int64)
    try:
        docs, counts = decode_lists(data, sizes, frequencies, "here")
    except CorruptIndex:
        return
    assert len(docs) == len(counts) == int(frequencies.sum())


def test_damage_of_every_bit_is_another_list_or_corrupt() -> None:
    postings = [(3, 1), (4, 2), (900, 40)]
    data = encode([postings]).data
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            found = decode_one(bytes(damaged), 3)
        except CorruptIndex:
            continue
        assert len(found) == 3
        # The unused half of the last frequencies is the only bit of no account.
        assert found != postings or bit // 8 == 8


@pytest.mark.parametrize("frequency", [0, 2**31, 2**32 - 1])
def test_a_huge_document_frequency_takes_no_memory(frequency: int) -> None:
    with pytest.raises(CorruptIndex):
        decode_list(b"\x00\x01\x02", frequency, "here")
    with pytest.raises(CorruptIndex):
        decode_lists(b"\x00\x01\x02", np.array([3]), np.array([frequency]), "here")


def test_documents_that_do_not_ascend_are_corrupt() -> None:
    with pytest.raises(CorruptIndex, match="ascend"):
        decode_list(bytes.fromhex("00 05 00"), 2, "here")
    with pytest.raises(CorruptIndex, match="ascend"):
        decode_lists(bytes.fromhex("00 05 00"), np.array([3]), np.array([2]), "here")
