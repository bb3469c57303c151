"""Pages of a large dictionary, folded: what a term shares with the one before it is written as a match.

A folded page is the inside of one deflate block (RFC 1951) that holds the text of the page: each term, and
a line feed behind it. The code lengths of the block are the same for all pages and are not stored. A term is:

    match     where it shares MIN_SHARED bytes or more with the term before it in the page: their number, at
              most MAX_SHARED, and as distance the size of that term with its line feed, at most MAX_DISTANCE
    literals  the bytes that are left, and the line feed

and the end-of-block code follows the last term; bits that are left of the last byte are zero. The terms
print and printf are the literals of "print", a line feed, a match of 5 at distance 6, the literal "f", a line
feed, and the end of the block: 59 7c 54 cc d9 e2 3b.

A reader need not know this: any inflater that is given a header with these lengths returns the text. The
library's own compressor is not used, because its bytes depend on its version.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_format.errors import CorruptIndex
from index_format.records import I64
from index_format.runs import find_changes, spread_runs
from index_format.term_text import TermText, count_shared

U64 = npt.NDArray[np.uint64]
MIN_SHARED, MAX_SHARED = 3, 258  # the lengths that a match of deflate can have
MAX_DISTANCE = 1 << 15
# The lengths in bits of the codes, a hexadecimal digit each: of bytes, the end of the block and 29 lengths,
# and of 30 distances. They fit terms of C and of Python.
CODE_LENGTHS = (
    "ffffffffff3fffffffffffffffffffffffffffffffffffff7778888888ffffff"
    "fffffeffffffffffffefeffffffffff5f46554666597565558454677778fffff"
    "ddedcddddeedddedeeffdeeeeecedefeedeeeeeedfeefedddefeefeeceddeded"
    "fffffffffffffffffffffffffffffffffffdbbbbccffffffffffffffffffffff"
    "a56667777788989aaabdefffffffff"
)
DISTANCE_LENGTHS = "eee63323245789ceeeeedddddddddd"
_END = 256
_EMPTY_BLOCK = "0100000000"  # an empty deflate block with fixed codes
_FEWEST_BITS = 3  # the shortest code of a byte
# Extra bits of each code in RFC 1951.
_LENGTH_BITS = (*(0,) * 8, *(bits for bits in range(1, 6) for _ in range(4)), 0)
_DISTANCE_BITS = (0, 0, *(bits for bits in range(14) for _ in range(2)))
_SIZE_AT = 56  # an entry of a table has a code in its low bits, and the code's size in bits from here on
_CODE = np.uint64((1 << _SIZE_AT) - 1)
_WORD_SHIFT = 6
_WORD_BITS = 1 << _WORD_SHIFT


class Codes(NamedTuple):
    """Codes of each value (uint64), first bit lowest; from _SIZE_AT on an entry has the size of its code."""

    literals: U64  # for each byte, and for the end of the block
    matches: U64  # for each number of shared bytes; extra bits included
    distances: U64  # for each distance; extra bits included


def fold_pages(terms: TermText, page_terms: int) -> tuple[bytes, I64, I64]:
    """Return the folded pages of terms, where each page ends, and what each term shares with the one before.

    The last page may have fewer than `page_terms` terms.
    """
    codes = _build_tables()
    starts, ends = terms.starts, terms.ends
    shared = count_shared(terms, MAX_SHARED)
    shared[::page_terms] = 0
    distances = np.diff(starts, prepend=0)
    is_match = (shared >= MIN_SHARED) & (distances <= MAX_DISTANCE)
    copied = np.where(is_match, shared, 0)
    literals = ends - starts - copied
    is_last = np.zeros(len(terms), dtype=np.bool_)
    is_last[page_terms - 1 :: page_terms] = is_last[-1:] = True
    token_ends = np.cumsum(literals + is_match + is_last)
    tokens = np.empty(int(token_ends[-1]) if len(terms) else 0, dtype=np.uint64)
    text = np.frombuffer(terms.text, dtype=np.uint8)
    tokens[spread_runs(token_ends - is_last - literals, literals)] = codes.literals.take(
        text.take(spread_runs(starts + copied, literals))
    )
    match_at = (token_ends - is_last - literals - 1)[is_match]
    length, distance = codes.matches.take(shared[is_match]), codes.distances.take(distances[is_match])
    size = length >> np.uint64(_SIZE_AT)
    tokens[match_at] = length + ((distance & _CODE) << size) + (distance & ~_CODE)
    end_at = token_ends[is_last] - 1
    tokens[end_at] = codes.literals[_END]
    data, page_ends = _pack(tokens, end_at)
    return data, page_ends, shared


def _pack(tokens: U64, end_at: I64) -> tuple[bytes, I64]:
    """Return tokens as bytes, each page from a byte of its own on, and where each page ends."""
    if not len(tokens):
        return b"", np.zeros(0, dtype=np.int64)
    sizes = (tokens >> np.uint64(_SIZE_AT)).astype(np.int64)
    page_bits = np.add.reduceat(sizes, np.append(0, end_at[:-1] + 1))
    sizes[end_at] += -page_bits % 8
    ends = np.cumsum(sizes)
    starts = ends - sizes
    shifts = (starts & _WORD_BITS - 1).astype(np.uint64)
    codes = tokens & _CODE
    firsts = np.flatnonzero(find_changes(starts >> _WORD_SHIFT))  # no word is without one
    words = np.append(np.bitwise_or.reduceat(codes << shifts, firsts), np.uint64(0))
    lasts = np.append(firsts[1:] - 1, len(tokens) - 1)
    over = lasts[((starts[lasts] & _WORD_BITS - 1) + sizes[lasts]) > _WORD_BITS]
    words[(starts[over] >> _WORD_SHIFT) + 1] |= codes[over] >> (np.uint64(_WORD_BITS) - shifts[over])
    page_ends = ends[end_at] // 8
    return words.astype("<u8").tobytes()[: int(page_ends[-1])], page_ends


def unfold_pages(data: bytes, bounds: Sequence[int], page_terms: int, where: str) -> Iterator[bytes]:
    """Yield the text of each folded page between two bounds. Raises CorruptIndex.

    A page has at most `page_terms` * MAX_SHARED bytes more than its literals, each of which takes three bits.
    """
    opened = _open_inflater()
    for start, end in pairwise(bounds):
        inflater = opened.copy()
        most = page_terms * MAX_SHARED + (end - start) * 8 // _FEWEST_BITS
        try:
            text = inflater.decompress(data[start:end], most)
        except zlib.error as error:
            raise CorruptIndex(f"{where}: a page of the dictionary that cannot be unfolded") from error
        if not inflater.eof or inflater.unused_data or inflater.unconsumed_tail:
            raise CorruptIndex(f"{where}: a page of the dictionary that does not end where its bytes end")
        yield text


@cache
def _open_inflater() -> zlib._Decompress:
    """Return an inflater that has read the header of a block. Its copies build no tables of their own."""
    bits = _EMPTY_BLOCK * 3  # three empty blocks, after which the header ends with a whole byte
    bits += "101" + "".join(f"{value:0{size}b}"[::-1] for value, size in ((29, 5), (29, 5), (15, 4)))
    bits += "000" * 3 + "001" * 16  # each code length from 0 to 15 is itself a code of four bits
    bits += "".join(f"{int(digit, 16):04b}" for digit in CODE_LENGTHS + DISTANCE_LENGTHS)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    inflater.decompress(int(bits[::-1], 2).to_bytes(len(bits) // 8, "little"))
    return inflater


def _build_codes(lengths: str) -> U64:
    """Return the canonical codes with these lengths, as RFC 1951 has them, first bit lowest."""
    sizes = [int(digit, 16) for digit in lengths]
    codes, code, before = np.zeros(len(sizes), dtype=np.uint64), 0, 0
    for size, symbol in sorted(zip(sizes, range(len(sizes)), strict=True)):
        code <<= size - before
        codes[symbol] = int(f"{code:0{size}b}"[::-1], 2) | size << _SIZE_AT
        code, before = code + 1, size
    return codes


def _add_extra(codes: U64, extra: Sequence[int], first: int) -> U64:
    """Return an entry for each value from 0 on: those below `first` are zero; a code has 2**extra values."""
    counts = 1 << np.array(extra)
    symbols = np.arange(len(codes)).repeat(counts)
    values = np.arange(len(symbols)) - (counts.cumsum() - counts).take(symbols)
    entries = codes.take(symbols)
    entries += values.astype(np.uint64) << (entries >> np.uint64(_SIZE_AT))
    entries += np.array(extra, dtype=np.uint64).take(symbols) << np.uint64(_SIZE_AT)
    return np.append(np.zeros(first, dtype=np.uint64), entries)


@cache
def _build_tables() -> Codes:
    codes = _build_codes(CODE_LENGTHS)
    matches = _add_extra(codes[_END + 1 :], _LENGTH_BITS, MIN_SHARED)
    matches[MAX_SHARED] = matches[MAX_SHARED + 1]  # 258 has a code of its own, the last
    return Codes(codes[: _END + 1], matches, _add_extra(_build_codes(DISTANCE_LENGTHS), _DISTANCE_BITS, 1))
