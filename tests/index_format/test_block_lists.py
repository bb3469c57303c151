"""Lists by block: hand-laid bytes, any choice of blocks, exact bounds, and bytes that are no list."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import BlockList, CorruptIndex
from index_format import postings as posting_lists
from index_format.block_lists import (
    BOUND_SCALE,
    SATURATION_B,
    SATURATION_K1,
    compute_tf_norm,
    count_blocks,
    decode_block_lists,
)
from index_format.runs import BLOCK_DOCS
from tests.deep.sizes import examples
from tests.index_format import plain_lists
from tests.index_format.plain_lists import (
    Lengths,
    Posting,
    build_column,
    compute_bound,
    encode_rows,
    lay_block_list,
    pair,
)

HUGE = 2**32 - 1
ROUNDING = Fraction(1, 2**48)  # of some operations in doubles
COUNTS = st.one_of(st.integers(1, 3), st.sampled_from([15, 16, 17, HUGE]), st.integers(1, HUGE))


def alike(docs: int, length: int = 7) -> Lengths:
    """Return the lengths of documents of one length: each has the average."""
    return [length] * docs


@st.composite
def block_lists(draw: st.DrawFn) -> tuple[list[Posting], Lengths]:
    """Draw postings, few or many, and the length of each document."""
    docs = draw(st.sampled_from([1, 3, 255, 256, 257, 511, 512, 513, 800]))
    chosen = draw(
        st.one_of(
            st.sets(st.integers(0, docs - 1), min_size=1, max_size=30),
            st.just(set(range(docs))),
            st.integers(1, docs).map(lambda size: set(range(docs - size, docs))),
        )
    )
    counts = draw(st.lists(COUNTS, min_size=1, max_size=5))
    lengths = draw(st.lists(st.one_of(st.integers(0, 9), st.integers(0, HUGE)), min_size=1, max_size=5))
    postings = [(doc, counts[position % len(counts)]) for position, doc in enumerate(sorted(chosen))]
    return postings, [lengths[doc % len(lengths)] for doc in range(docs)]


def encode(postings: list[Posting], lengths: Lengths) -> bytes:
    """Encode postings by block, however few they are."""
    with patch.object(posting_lists, "BLOCK_SHARE", 0):
        return encode_rows([{0: postings}], [lengths]).data


def open_list(data: bytes, frequency: int, docs: int) -> BlockList:
    return BlockList(data, frequency, docs, "here")


def decode_many(
    data: Sequence[bytes], frequencies: Sequence[int], docs: Sequence[int]
) -> list[list[Posting]]:
    raw = np.frombuffer(b"".join(data), dtype=np.uint8)
    sizes = build_column([len(one) for one in data])
    found = decode_block_lists(raw, sizes, build_column(frequencies), build_column(docs), "here")
    ends = np.cumsum(frequencies).tolist()
    return [pair(found)[end - size : end] for end, size in zip(ends, frequencies, strict=True)]


def fill(first: int, counts: Sequence[int]) -> list[Posting]:
    return [(first + number, count) for number, count in enumerate(counts)]


TABLE: list[tuple[list[Posting], int, str]] = [
    # bounds of documents of average length, term frequencies 1, 2, 15, 16: 86, 128, 226, 227
    ([(0, 1), (1, 1)], 2, "56 | 02 | 00 01 | 00"),
    ([(0, 1), (1, 2)], 256, "80 | 02 | 00 01 | 10"),
    ([(254, 2), (255, 1)], 256, "80 | 02 | fe ff | 01"),
    ([(0, 15), (255, 2)], 256, "e2 | 02 | 00 ff | 1e"),
    ([(0, 1), (2, 1), (9, 3)], 10, "9a | 03 | 00 02 09 | 00 02"),  # the last half is unused
    ([(0, 16), (1, 1)], 2, "e3 | 02 | 00 01 | 0f | 00"),
    ([(0, 1), (1, HUGE)], 2, "ff | 02 | 00 01 | f0 | ef ff ff ff 0f"),
    ([(0, 17), (1, 16)], 2, "e5 | 02 | 00 01 | ff | 01 00"),
    ([(0, 143), (1, 144)], 2, "fc | 02 | 00 01 | ff | 7f 80 01"),
    ([(0, 1), (3, 2), (255, 15), (256, 16)], 300, "e2 e3 | 03 01 | 00 03 ff 00 | 10 fe | 00"),
    # blocks without a posting, at the beginning, between and at the end
    ([(256, 1), (257, 1), (300, 1), (511, 1)], 512, "00 56 | 00 04 | 00 01 2c ff | 00 00"),
    (fill(512, [1] * 6), 768, "00 00 56 | 00 00 06 | 00 01 02 03 04 05 | 00 00 00"),
    (
        [*fill(0, [1, 1, 1]), *fill(512, [2, 1, 1])],
        513 + 255,
        "56 00 80 | 03 00 03 | 00 01 02 00 01 02 | 00 10 00",
    ),
    (fill(1, [1, 1, 1, 1]), 257, "56 00 | 04 00 | 01 02 03 04 | 00 00"),
    # a block of 256 postings has the size 0, and 255 are 255
    (fill(0, [1] * 256), 256, "56 | 00 | " + bytes(range(256)).hex() + " | " + "00" * 128),
    (fill(1, [1] * 255), 256, "56 | ff | " + bytes(range(1, 256)).hex() + " | " + "00" * 128),
    (
        fill(0, [2] * 257),
        300,
        "80 80 | 00 01 | " + bytes(range(256)).hex() + "00 | " + "11" * 128 + "01",
    ),
]


@pytest.mark.parametrize(("postings", "docs", "data"), TABLE)
def test_hand_laid_bytes(postings: list[Posting], docs: int, data: str) -> None:
    laid = bytes.fromhex(data.replace("|", ""))
    assert encode(postings, alike(docs)) == laid
    assert lay_block_list(postings, alike(docs)) == laid
    assert pair(open_list(laid, len(postings), docs).read()) == postings
    assert decode_many([laid], [len(postings)], [docs]) == [postings]


def test_all_of_them_at_once() -> None:
    laid = [bytes.fromhex(data.replace("|", "")) for _, _, data in TABLE]
    wanted = [postings for postings, _, _ in TABLE]
    assert decode_many(laid, [len(one) for one in wanted], [docs for _, docs, _ in TABLE]) == wanted


@pytest.mark.parametrize(
    ("docs", "blocks"), [(0, 0), (1, 1), (256, 1), (257, 2), (512, 2), (513, 3), (HUGE, 2**24)]
)
def test_count_blocks(docs: int, blocks: int) -> None:
    assert (count_blocks(docs), BLOCK_DOCS) == (blocks, 256)


@settings(max_examples=examples(150))
@given(block_lists(), st.data())
def test_a_choice_of_blocks_is_the_whole_list_filtered(
    made: tuple[list[Posting], Lengths], data: st.DataObject
) -> None:
    postings, lengths = made
    laid = encode(postings, lengths)
    assert laid == lay_block_list(postings, lengths)
    one = open_list(laid, len(postings), len(lengths))
    assert pair(one.read()) == postings
    assert decode_many([laid], [len(postings)], [len(lengths)]) == [postings]
    blocks = count_blocks(len(lengths))
    assert one.block_sizes.tolist() == [
        sum(doc // 256 == block for doc, _ in postings) for block in range(blocks)
    ]
    chosen = sorted(data.draw(st.sets(st.integers(0, blocks - 1))))
    assert pair(one.take(build_column(chosen))) == [one for one in postings if one[0] // 256 in chosen]
    assert one.byte_count >= len(laid)


def test_escapes_are_looked_for_once_however_often_a_list_is_read() -> None:
    postings = [(doc, 1 + doc % 40) for doc in range(600)]
    laid = encode(postings, [50] * 600)
    first = BlockList(laid, 600, 600, "here")
    assert first.escapes.found is None
    assert pair(first.read()) == postings
    found = first.escapes.found
    assert found is not None
    assert len(found[0]) == sum(count > 15 for _, count in postings) <= first.escapes.most
    again = BlockList(laid, 600, 600, "here", first.escapes)
    assert pair(again.take(build_column([0, 2]))) == [one for one in postings if one[0] // 256 != 1]
    assert again.escapes.found is found


@settings(max_examples=examples(150))
@given(block_lists(), st.data())
def test_places_are_picked_and_documents_found(
    made: tuple[list[Posting], Lengths], data: st.DataObject
) -> None:
    postings, lengths = made
    one = open_list(encode(postings, lengths), len(postings), len(lengths))
    chosen = sorted(data.draw(st.sets(st.integers(0, count_blocks(len(lengths)) - 1), min_size=1)))
    rows = {block: 256 * row for row, block in enumerate(chosen)}
    placed = [(rows[doc // 256] + doc % 256, count) for doc, count in postings if doc // 256 in rows]
    positions, docs, counts = one.pick(build_column(chosen))
    assert pair((positions, counts)) == placed
    assert docs.tolist() == [doc for doc, _ in postings if doc // 256 in rows]
    assert one.place(build_column(chosen)).tolist() == positions.tolist()
    known = dict(postings)
    asked = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=20))  # in any order, some twice
    held = [position for position, doc in enumerate(asked) if doc in known]
    assert one.hold(build_column(asked)) == held
    asked.sort()
    rows, counts = one.look_up(build_column(asked))
    assert [(asked[row], count) for row, count in zip(rows, counts.tolist(), strict=True)] == [
        (doc, known[doc]) for doc in asked if doc in known
    ]


@settings(max_examples=examples(150))
@given(block_lists())
def test_bounds_are_exact_and_none_lies_above(made: tuple[list[Posting], Lengths]) -> None:
    postings, lengths = made
    bounds = open_list(encode(postings, lengths), len(postings), len(lengths)).bounds.tolist()
    by_block: dict[int, list[Posting]] = {}
    for posting in postings:
        by_block.setdefault(posting[0] // 256, []).append(posting)
    for block, bound in enumerate(bounds):
        own = by_block.get(block, [])
        assert bound == max((compute_bound(count, lengths[doc], lengths) for doc, count in own), default=0)
        most = max(
            (plain_lists.compute_tf_norm(count, lengths[doc], lengths) for doc, count in own), default=0
        )
        assert most <= Fraction(bound, BOUND_SCALE) + ROUNDING
        assert not own or bound - 1 <= BOUND_SCALE * (most + ROUNDING)  # nothing smaller would do


@given(st.integers(1, HUGE), st.integers(0, HUGE), st.lists(st.integers(0, HUGE), max_size=5))
def test_tf_norm_is_that_of_the_formula(count: int, length: int, others: list[int]) -> None:
    lengths = [length, *others]
    average = max(1, sum(lengths)) / len(lengths)
    found = float(compute_tf_norm(build_column([count]), build_column([length]), average)[0])
    assert (SATURATION_K1, SATURATION_B) == (2, 0.5)
    assert found == pytest.approx(float(plain_lists.compute_tf_norm(count, length, lengths)), rel=1e-12)
    assert 0 < found < 1


def test_documents_without_any_length() -> None:
    laid = encode([(0, 1), (2, 3)], [0, 0, 0])
    assert laid[0] == 255 * 3 // 4 + 1 == compute_bound(3, 0, [0, 0, 0])


# Two blocks; 0: 1, 3: 20, 255: 15 and 256: 16. Bounds, sizes, doc ids, halves, escapes.
GOOD = bytes.fromhex("e8 e3 | 03 01 | 00 03 ff 00 | f0 fe | 04 00".replace("|", ""))
GOOD_POSTINGS = [(0, 1), (3, 20), (255, 15), (256, 16)]


def change(position: int, data: str) -> bytes:
    new = bytes.fromhex(data)
    return GOOD[:position] + new + GOOD[position + len(new) :]


def test_the_good_one_is_good() -> None:
    assert encode(GOOD_POSTINGS, alike(300)) == GOOD
    assert pair(open_list(GOOD, 4, 300).read()) == GOOD_POSTINGS


@pytest.mark.parametrize(
    "data",
    [
        b"",
        GOOD[:3],
        GOOD[:9],
        GOOD[:10],  # escapes are missing
        GOOD[:-1],
        GOOD + b"\x00",  # an escape of no term frequency
        GOOD + b"\x80",
        change(0, "00"),  # postings without a bound
        change(1, "00"),
        change(2, "02"),
        change(2, "04"),
        change(2, "00"),
        change(3, "00"),
        change(2, "02 02"),
        change(4, "03"),  # doc ids that do not ascend
        change(5, "00"),
        change(6, "03"),
        change(7, "2c"),  # document 300
        change(7, "ff"),
        change(8, "00"),  # an escape of a term frequency that has none
        change(8, "ff"),  # a term frequency without its escape
        change(9, "ff"),
        change(9, "0e"),
        change(10, "80"),  # one escape instead of two
        change(11, "80"),  # ends within an integer
        GOOD[:10] + bytes.fromhex("f0 ff ff ff 0f 00"),  # a term frequency of 2**32
        GOOD[:10] + bytes.fromhex("80 80 80 80 80 01 00"),
    ],
)
def test_what_is_no_list_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptIndex):
        open_list(data, 4, 300).read()
    with pytest.raises(CorruptIndex):
        decode_many([data], [4], [300])
    following = lay_block_list([(0, 16), (1, 20)], alike(2))  # whatever follows is no help
    with pytest.raises(CorruptIndex):
        decode_many([data, following], [4, 2], [300, 2])


def test_a_term_frequency_that_is_too_large_is_named() -> None:
    data = GOOD[:10] + bytes.fromhex("f0 ff ff ff 0f 00")
    for decode in (lambda: open_list(data, 4, 300).read(), lambda: decode_many([data], [4], [300])):
        with pytest.raises(CorruptIndex, match="a term frequency of 4294967296"):
            decode()


def test_an_escape_does_not_reach_into_the_next_list() -> None:
    """One list has an escape too many, and the next one, or the one before, needs one and has none."""
    first, second = bytes.fromhex("56 02 0001 00 | 00".replace("|", "")), bytes.fromhex("e3 02 0001 0f")
    for lists in ([first, second], [second, first]):
        with pytest.raises(CorruptIndex):
            decode_many(lists, [2, 2], [2, 2])


@pytest.mark.parametrize("frequency", [0, -1, 3, 5, 301, 2**31, 2**40, 2**63 - 1])
def test_another_document_frequency_is_corrupt(frequency: int) -> None:
    with pytest.raises(CorruptIndex):
        open_list(GOOD, frequency, 300)


@pytest.mark.parametrize("docs", [0, 1, 3, 256, 513, HUGE, 2**40, 2**62])
def test_another_number_of_documents_is_corrupt(docs: int) -> None:
    with pytest.raises(CorruptIndex):
        open_list(GOOD, 4, docs)
    if docs:
        with pytest.raises(CorruptIndex):
            decode_many([GOOD], [4], [docs])


def test_a_part_of_a_damaged_list_is_never_nonsense() -> None:
    """Each byte in four other versions, each choice of blocks: postings of these blocks, or CorruptIndex."""
    for position in range(len(GOOD)):
        for flip in (0x01, 0x10, 0x80, 0xFF):
            data = change(position, f"{GOOD[position] ^ flip:02x}")
            for chosen in ([0], [1], [0, 1], []):
                try:
                    found = pair(open_list(data, 4, 300).take(build_column(chosen)))
                except CorruptIndex:
                    continue
                assert [doc for doc, _ in found] == sorted({doc for doc, _ in found})
                assert all(doc < 300 and doc // 256 in chosen and count >= 1 for doc, count in found)
            with suppress(CorruptIndex):
                assert len(open_list(data, 4, 300).hold(np.arange(300))) < 300


@settings(max_examples=examples(300))
@given(st.data())
def test_damaged_lists_decode_alike_or_are_corrupt(data: st.DataObject) -> None:
    """The decoder of many lists finds what that of one finds, or refuses when that refuses one."""
    made = data.draw(st.lists(st.sampled_from(TABLE[:12]), min_size=1, max_size=3))
    laid = [bytearray(bytes.fromhex(text.replace("|", ""))) for _, _, text in made]
    for _ in range(data.draw(st.integers(0, 3))):
        one = data.draw(st.sampled_from(laid))
        position = data.draw(st.integers(0, len(one) - 1))
        one[position] = data.draw(st.one_of(st.integers(0, 4), st.integers(0, 255)))
    frequencies, docs = [len(postings) for postings, _, _ in made], [row[1] for row in made]
    lists = [bytes(one) for one in laid]
    try:
        wanted = [pair(open_list(*row).read()) for row in zip(lists, frequencies, docs, strict=True)]
    except CorruptIndex:
        with pytest.raises(CorruptIndex):
            decode_many(lists, frequencies, docs)
        return
    assert decode_many(lists, frequencies, docs) == wanted


@settings(max_examples=examples(300))
@given(st.binary(max_size=40), st.integers(1, 6), st.integers(1, 600))
def test_any_bytes_decode_alike_or_are_corrupt(data: bytes, frequency: int, docs: int) -> None:
    try:
        wanted = pair(open_list(data, frequency, docs).read())
    except CorruptIndex:
        with pytest.raises(CorruptIndex):
            decode_many([data], [frequency], [docs])
        return
    assert decode_many([data], [frequency], [docs]) == [wanted]


def test_hostile_counts_take_no_memory() -> None:
    tracemalloc.start()
    try:
        for frequency, docs in ((2**34, 2**35), (4, 2**35), (2**34, 2**34), (4, 2**62)):
            with pytest.raises(CorruptIndex):
                open_list(GOOD, frequency, docs)
            with pytest.raises(CorruptIndex):
                decode_many([GOOD, GOOD], [4, frequency], [300, docs])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
