"""Lists by gap: hand-laid bytes, the decoder of one and that of many, and bytes that are no list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.postings import decode_delta_list, decode_delta_lists, encode_delta_lists
from tests.deep.sizes import examples
from tests.index_format.plain_lists import Posting, build_column, lay_gap_list, pair

HUGE = 2**32 - 1
COUNTS = st.one_of(st.integers(1, 3), st.sampled_from([129, 130, 16_385, 16_386, HUGE]), st.integers(1, HUGE))
DOCS = st.one_of(
    st.sets(st.integers(0, 40), min_size=1),
    st.sets(st.integers(0, 20_000), min_size=1, max_size=60),
    st.sets(st.integers(0, HUGE - 1), min_size=1, max_size=10),
)
LISTS = DOCS.flatmap(
    lambda docs: st.lists(COUNTS, min_size=len(docs), max_size=len(docs)).map(
        lambda counts: list(zip(sorted(docs), counts, strict=True))
    )
)

TABLE: list[tuple[list[Posting], str]] = [
    ([(3, 1), (4, 2), (900, 40)], "0c 05 83 1c | 24"),
    ([(0, 1)], "00"),
    ([(0, 2)], "01"),
    ([(0, 3)], "02"),
    ([(0, 4)], "03 | 00"),
    ([(1, 1)], "04"),
    # varints of one, two and three bytes: a gap, times 4
    ([(31, 1)], "7c"),
    ([(31, 4)], "7f | 00"),
    ([(32, 1)], "80 01"),
    ([(32, 4)], "83 01 | 00"),
    ([(4095, 1)], "fc 7f"),
    ([(4095, 4)], "ff 7f | 00"),
    ([(4096, 1)], "80 80 01"),
    ([(1, 1), (32, 1), (64, 1)], "04 7c 80 01"),
    # the rest of a term frequency, less 4
    ([(0, 15), (1, 16)], "03 07 | 0b 0c"),
    ([(0, 131)], "03 | 7f"),
    ([(0, 132)], "03 | 80 01"),
    ([(0, 16_387)], "03 | ff 7f"),
    ([(0, 16_388)], "03 | 80 80 01"),
    ([(HUGE - 1, HUGE)], "fb ff ff ff 3f | fb ff ff ff 0f"),
    ([(5, 6), (6, 1), (7, 7)], "17 04 07 | 02 03"),
    ([(5, 3), (6, 6), (8, 2)], "16 07 09 | 02"),
]


def parse(data: str) -> bytes:
    return bytes.fromhex(data.replace("|", ""))


def encode(lists: list[list[Posting]]) -> list[bytes]:
    """Encode the lists together; return the bytes of each."""
    postings = [posting for one in lists for posting in one]
    data, sizes = encode_delta_lists(
        build_column([len(one) for one in lists]),
        build_column([doc for doc, _ in postings]),
        build_column([count for _, count in postings]),
    )
    ends = np.cumsum(sizes).tolist()
    assert ends[-1] == len(data)
    return [data[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True)]


def decode_many(data: list[bytes], frequencies: list[int]) -> list[list[Posting]]:
    raw = np.frombuffer(b"".join(data), dtype=np.uint8)
    sizes = build_column([len(one) for one in data])
    owners, docs, counts = decode_delta_lists(raw, sizes, build_column(frequencies), "here")
    found: list[list[Posting]] = [[] for _ in data]
    for owner, posting in zip(owners.tolist(), pair((docs, counts)), strict=True):
        found[owner].append(posting)
    assert list(map(len, found)) == frequencies
    return found


@pytest.mark.parametrize(("postings", "data"), TABLE)
def test_hand_laid_bytes(postings: list[Posting], data: str) -> None:
    laid = parse(data)
    assert encode([postings]) == [laid]
    assert lay_gap_list(postings) == laid
    assert pair(decode_delta_list(laid, len(postings), "here")) == postings
    assert decode_many([laid], [len(postings)]) == [postings]


def test_all_of_them_at_once() -> None:
    lists = [postings for postings, _ in TABLE]
    laid = [parse(data) for _, data in TABLE]
    assert encode(lists) == laid
    assert decode_many(laid, [len(postings) for postings in lists]) == lists


@given(st.lists(LISTS, min_size=1, max_size=6))
def test_round_trip_of_many_lists(lists: list[list[Posting]]) -> None:
    data = encode(lists)
    assert data == [lay_gap_list(one) for one in lists]
    assert decode_many(data, [len(one) for one in lists]) == lists
    assert [
        pair(decode_delta_list(one, len(want), "here")) for one, want in zip(data, lists, strict=True)
    ] == lists


@pytest.mark.parametrize(
    ("data", "frequency", "match"),
    [
        ("", 1, "shorter"),
        ("02", 2, "shorter"),
        ("02 04", 1, "fill"),  # a value too many
        ("03", 1, "fill"),  # a rest too few
        ("02 | 00", 1, "fill"),
        ("07 04 | 00 00", 2, "fill"),
        ("04 00", 2, "ascend"),
        ("04 03 | 00", 2, "ascend"),
        ("04 80 00", 2, "ascend"),
        ("80", 1, "within an integer"),
        ("80 80 80 80 80 01", 1, "more than 5 bytes"),
        ("03 | fc ff ff ff 0f", 1, "term frequency of 4294967296"),
        ("03 | ff ff ff ff 7f", 1, "term frequency"),
        ("02", 2**40, "shorter"),
        ("02", 2**63 - 1, "shorter"),
    ],
)
def test_what_is_no_list_is_corrupt(data: str, frequency: int, match: str) -> None:
    laid = parse(data)
    with pytest.raises(CorruptIndex, match=match):
        decode_delta_list(laid, frequency, "here")
    with pytest.raises(CorruptIndex, match=match):
        decode_many([laid], [frequency])


def test_a_border_within_an_integer_is_corrupt() -> None:
    raw = np.frombuffer(bytes.fromhex("80 01 02"), dtype=np.uint8)
    assert decode_many([b"\x80\x01", b"\x02"], [1, 1]) == [[(32, 1)], [(0, 3)]]
    with pytest.raises(CorruptIndex, match="shorter"):
        decode_delta_lists(raw, build_column([1, 2]), build_column([1, 1]), "here")
    with pytest.raises(CorruptIndex, match="shorter"):  # the first has a value too many, the second none
        decode_delta_lists(raw, build_column([3, 0]), build_column([1, 1]), "here")


def test_a_term_frequency_of_the_next_list_is_not_borrowed() -> None:
    """Two lists that together have as many values as they need, and each for itself has not."""
    with pytest.raises(CorruptIndex, match="fill"):
        decode_many([parse("03"), parse("02 00")], [1, 1])


@settings(max_examples=examples(500))
@given(
    st.lists(
        st.tuples(st.lists(st.one_of(st.integers(0, 4), st.integers(0, 255)), max_size=7), st.integers(1, 5))
    )
)
def test_any_bytes_decode_alike_or_are_corrupt(rows: list[tuple[list[int], int]]) -> None:
    """The decoder of many lists finds what that of one finds, or refuses when that refuses one."""
    data, frequencies = [bytes(row[0]) for row in rows], [row[1] for row in rows]
    try:
        wanted = [
            pair(decode_delta_list(one, size, "here")) for one, size in zip(data, frequencies, strict=True)
        ]
    except CorruptIndex:
        with pytest.raises(CorruptIndex):
            decode_many(data, frequencies)
        return
    assert all(
        docs == sorted({doc for doc, _ in one}) for one in wanted for docs in [[doc for doc, _ in one]]
    )
    if rows:
        assert decode_many(data, frequencies) == wanted
