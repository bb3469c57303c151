"""Folded pages: against a plain encoder and any inflater, whatever the terms; forged ones are refused."""

from __future__ import annotations

import tracemalloc
import zlib
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex, build_term_text, folded_pages
from index_format.folded_pages import (
    CODE_LENGTHS,
    DISTANCE_LENGTHS,
    MAX_DISTANCE,
    MAX_SHARED,
    MIN_SHARED,
    fold_pages,
    unfold_pages,
)
from index_format.term_text import count_shared

TERMS = st.lists(
    st.one_of(
        st.binary(max_size=4),
        st.text("abé", max_size=9).map(str.encode),
        st.builds(lambda size, end: b"a" * size + end, st.integers(0, 600), st.binary(max_size=2)),
        st.sampled_from([b"b" * (MAX_DISTANCE - 1), b"b" * MAX_DISTANCE, b"b" * MAX_DISTANCE + b"c"]),
    ).filter(lambda term: b"\n" not in term),
    max_size=30,
    unique=True,
).map(sorted)


def build_plain_codes(lengths: str) -> list[str]:
    """Return the canonical codes as text, first bit first: by size, then by symbol."""
    sizes = [int(digit, 16) for digit in lengths]
    codes, code, before = [""] * len(sizes), 0, 0
    for size, symbol in sorted((size, symbol) for symbol, size in enumerate(sizes)):
        code <<= size - before
        codes[symbol], code, before = f"{code:0{size}b}", code + 1, size
    return codes


LENGTH_BASES = [*range(3, 11), 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195]
LENGTH_BASES += [227, 258]
DISTANCE_BASES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025]
DISTANCE_BASES += [1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577]
CODES, DISTANCES = build_plain_codes(CODE_LENGTHS), build_plain_codes(DISTANCE_LENGTHS)


def lay_value(value: int, bases: list[int], codes: list[str]) -> str:
    """Return the code of the largest base that is not above the value, and the rest, lowest bit first."""
    row = max(row for row, base in enumerate(bases) if base <= value)
    above = bases[row + 1] if row + 1 < len(bases) else bases[row] + (1 << 13 if len(codes) == 30 else 1)
    bits = (above - bases[row] - 1).bit_length()
    return codes[row] + (f"{value - bases[row]:0{bits}b}"[::-1] if bits else "")


def fold_plainly(terms: list[bytes]) -> bytes:
    """Return one page, bit by bit."""
    bits, before = "", None
    for term in terms:
        shared = 0
        while before is not None and shared < min(len(term), len(before), MAX_SHARED):
            if term[shared] != before[shared]:
                break
            shared += 1
        if before is not None and shared >= MIN_SHARED and len(before) < MAX_DISTANCE:
            bits += lay_value(shared, LENGTH_BASES, CODES[257:])
            bits += lay_value(len(before) + 1, DISTANCE_BASES, DISTANCES)
        else:
            shared = 0
        bits += "".join(CODES[byte] for byte in term[shared:] + b"\n")
        before = term
    bits += CODES[256]
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def fold(terms: list[bytes], page_terms: int) -> list[bytes]:
    data, ends, _ = fold_pages(build_term_text(terms), page_terms)
    return [data[start:end] for start, end in pairwise([0, *ends.tolist()])]


def unfold(data: bytes, page_terms: int = 128) -> bytes:
    return next(unfold_pages(data, [0, len(data)], page_terms, "x"))


@given(TERMS, st.integers(1, 40))
def test_pages_are_those_of_a_plain_encoder_and_come_back(terms: list[bytes], page_terms: int) -> None:
    pages = [terms[at : at + page_terms] for at in range(0, len(terms), page_terms)]
    folded = fold(terms, page_terms)
    assert folded == [fold_plainly(page) for page in pages]
    bounds = [0]
    for page in folded:
        bounds.append(bounds[-1] + len(page))
    texts = list(unfold_pages(b"".join(folded), bounds, page_terms, "x"))
    assert texts == [b"".join(term + b"\n" for term in page) for page in pages]


@given(TERMS, st.integers(0, 300))
def test_what_neighbours_share(terms: list[bytes], most: int) -> None:
    wanted = [0] * min(1, len(terms))
    for one, other in pairwise(terms):
        same = [byte == beside for byte, beside in zip(one, other, strict=False)]
        wanted.append(min((*same, False).index(False), most))
    assert count_shared(build_term_text(terms), most).tolist() == wanted


def test_hand_laid_bytes() -> None:
    assert folded_pages.__doc__ is not None
    assert fold([b"print", b"printf"], 128) == [bytes.fromhex("597c54ccd9e23b")]
    assert "59 7c 54 cc d9 e2 3b" in folded_pages.__doc__


def test_the_codes_are_complete_and_as_many_as_deflate_has() -> None:
    for lengths, count in ((CODE_LENGTHS, 286), (DISTANCE_LENGTHS, 30)):
        assert len(lengths) == count
        assert sum(2.0 ** -int(digit, 16) for digit in lengths) == 1


@given(st.binary(max_size=60))
def test_any_bytes_unfold_or_are_corrupt(data: bytes) -> None:
    with suppress(CorruptIndex):
        assert len(unfold(data)) <= 128 * MAX_SHARED + len(data) * 8 // 3


@given(TERMS.filter(bool), st.data())
def test_bytes_that_are_cut_changed_or_appended_never_raise_anything_else(
    terms: list[bytes], data: st.DataObject
) -> None:
    (page,) = fold(terms, 40)
    with pytest.raises(CorruptIndex):
        unfold(page[: data.draw(st.integers(0, len(page) - 1))])
    with pytest.raises(CorruptIndex, match="does not end where its bytes end"):
        unfold(page + b"\0")
    place = data.draw(st.integers(0, len(page) - 1))
    with suppress(CorruptIndex):
        unfold(page[:place] + bytes([page[place] ^ data.draw(st.integers(1, 255))]) + page[place + 1 :])


def test_a_bomb_is_refused_before_it_unfolds() -> None:
    bits = CODES[ord("a")] + (CODES[285] + DISTANCES[0]) * 300_000 + CODES[256]
    bits += "0" * (-len(bits) % 8)
    data = int(bits[::-1], 2).to_bytes(len(bits) // 8, "little")
    tracemalloc.start()
    try:
        with pytest.raises(CorruptIndex, match="does not end"):
            unfold(data)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(data)
    finally:
        tracemalloc.stop()


def test_an_inflater_of_ones_own_reads_a_page() -> None:
    """The bits of a page, behind a header with the same lengths, are a deflate stream."""
    header = "101" + "".join(f"{value:0{size}b}"[::-1] for value, size in ((29, 5), (29, 5), (15, 4)))
    header += "000" * 3 + "001" * 16
    header += "".join(f"{int(digit, 16):04b}" for digit in CODE_LENGTHS + DISTANCE_LENGTHS)
    (page,) = fold([b"print", b"printf"], 128)
    bits = header + "".join(f"{byte:08b}"[::-1] for byte in page)
    stream = int(bits[::-1], 2).to_bytes(-(-len(bits) // 8), "little")
    assert zlib.decompress(stream, -15) == b"print\nprintf\n"
