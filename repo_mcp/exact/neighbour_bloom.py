"""Punctuation beside the common words of each file, for patterns such as `Copyright\\s*=`.

`copyright` is in 49,000 of the kernel's files, and nowhere followed by `=`. The index knows only words, so
all of these files would be read. Therefore this records, for each word in COMMON_UNITS or more units, which
punctuation characters stand before it and after it in each file, skipping blanks. The edge of a line counts
as such a character: LINE_EDGE, or INDENT if there are blanks between the edge and the word after it.

Word and character together set two of a file's MARKS bits: those of characters before a word in one half,
those after it in the other. That is a Bloom filter (Bloom, "Space/time trade-offs in hash coding", 1970) of
256 bytes a file, 20 MB for the kernel. Its files have 84 such pairs on either side, half of them fewer than
48, some above 500. So about one file in ten has both bits of a pair that it does not contain. The bits are
computed in the background, after the first search that read many files and might have used them: the kernel's
in 8 s of processor time.

A word here is a run of ASCII word characters in lower case, identified by its last eight bytes. Any term that
is a common word appears in the text as such a word, unless it is written with a Kelvin sign, whose lower case
is `k`. A file that contains one has every bit set.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np

from index_format import FilesReader, TermsReader
from repo_mcp.arrays import I64, U8, U64, Mask
from repo_mcp.exact.file_bitmaps import FileBitmaps, ReadMany
from repo_mcp.exact.punctuation_bigrams import PUNCTUATION
from repo_mcp.text.schema import TEXT_FIELDS

COMMON_UNITS = 5_000  # Units; the kernel has 1,472 words in as many, and reading as many files takes 60 ms
MAX_COMMON = 4_000  # with more words, too many bits of a file would be set
NEIGHBOUR_BITS = 10
MARKS = 2 << NEIGHBOUR_BITS
LINE_EDGE, INDENT = "\n", "\t"
BLANKS = " \t\f\v"
# A third of the common words are numbers or shorter, and not counted.
_IS_WANTED = re.compile(rb"[a-z_][a-z0-9_]{2,}").fullmatch
_PAGES_READ = 512  # pages of the dictionary read at a time
_LONGEST = 8  # the last bytes of a word that identify it
_OTHER, _WORD, _BLANK = range(3)  # classes of bytes; punctuation is its own class
_KELVIN_SIGN, _BYTE_ORDER_MARK = "\u212a".encode(), "\ufeff".encode()
_CLASSES = bytes(
    ord("\n")
    if char in "\r\n"
    else _BLANK
    if char in BLANKS
    else byte
    if char in PUNCTUATION
    else _WORD
    if char.isascii() and (char.isalnum() or char == "_")
    else _OTHER
    for byte, char in ((byte, chr(byte)) for byte in range(256))
)
_FRONT = b"\0" * (_LONGEST - 1) + b"\n"  # padding, because so many bytes before the first word may be read
_KEPT = np.array([0] + [(1 << 64) - (1 << 8 * (8 - size)) for size in range(1, 9)], dtype=np.uint64)
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_KNOWN_BITS = 18  # size of the table that tells common words from others, with few errors


class NeighbourBloom(FileBitmaps):
    """The punctuation beside common words in the files of one segment."""

    def __init__(self, files: FilesReader, terms: TermsReader) -> None:
        super().__init__(files, MARKS, "word sides")
        self.were_missed = False  # a search read many files because the bits were unknown
        self._terms = terms
        self._common: list[bytes] = []
        self._is_common = np.zeros(1 << _KNOWN_BITS, dtype=np.bool_)

    def compute(self, read_many: ReadMany, stopped: Callable[[], bool], *, gently: bool = True) -> None:
        """Find the common words, then read and mark all files. Raises CorruptIndex."""
        self.learn_words(_find_common(self._terms))
        super().compute(read_many, stopped, gently=gently)

    def learn_words(self, words: Sequence[bytes]) -> None:
        """Make these terms the common words. They consist of ASCII word characters."""
        self._common = sorted(words)
        if words:
            self._is_common[_shorten(_hash_terms(self._common))] = True

    def is_common(self, term: bytes) -> bool:
        """Return True for a common word; `find_beside` knows only these."""
        position = bisect_left(self._common, term)
        return self._common[position : position + 1] == [term]

    def list_common(self, first: bytes, end: bytes | None) -> list[bytes]:
        """Return the common words from `first` up to but excluding `end`."""
        stop = len(self._common) if end is None else bisect_left(self._common, end)
        return self._common[bisect_left(self._common, first) : stop]

    def find_beside(self, word: bytes, before: str, behind: str) -> Mask | None:
        """Return a mask of the files that may hold a common word with these characters beside it.

        At least one of them is given; "" stands for any. Return None if the bits are not known yet.
        """
        hashes = _hash_terms([word])
        marks: list[int] = []
        for side, character in enumerate((before, behind)):
            if character:
                found = _find_marks(hashes, np.array([ord(character)], dtype=np.uint64), side)
                marks += [int(one[0]) for one in found]
        return self.find(marks)

    def mark(self, texts: Sequence[bytes]) -> Mask:
        """Return a row of marks for each text."""
        texts = [text.removeprefix(_BYTE_ORDER_MARK) for text in texts]
        data = _FRONT + b"\n".join(texts) + b"\n"
        classes = np.frombuffer(data.translate(_CLASSES), dtype=np.uint8)
        is_word = classes == _WORD
        edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
        starts, ends = edges[0::2], edges[1::2]
        hashes = _hash_words(data.lower(), starts, ends)
        known = np.flatnonzero(self._is_common[_shorten(hashes)])
        starts, ends, hashes = starts[known], ends[known], hashes[known]
        bounds = len(_FRONT) + np.cumsum([len(text) + 1 for text in texts])
        owners = np.searchsorted(bounds, starts, side="right")
        table = np.zeros((len(texts), MARKS), dtype=np.bool_)
        before, behind = _skip_blanks(classes, starts - 1, -1), _skip_blanks(classes, ends, 1)
        before[(before == ord(LINE_EDGE)) & (classes[starts - 1] == _BLANK)] = ord(INDENT)
        for side, characters in enumerate((before, behind)):
            noted = np.flatnonzero(characters > _BLANK)
            for marks in _find_marks(hashes[noted], characters[noted].astype(np.uint64), side):
                table[owners[noted], marks] = True
        for position, text in enumerate(texts):
            if not text.isascii() and _KELVIN_SIGN in text:
                table[position] = True
        return table


def _find_common(terms: TermsReader) -> list[bytes]:
    """Return the words in COMMON_UNITS or more units, at most the MAX_COMMON most common ones."""
    found: list[tuple[int, bytes]] = []
    for start in range(0, terms.pages, _PAGES_READ):
        pages = terms.read_pages(start, min(terms.pages, start + _PAGES_READ))
        bits = np.unpackbits(pages.masks.astype(np.uint8)[:, None], axis=1, bitorder="little")
        owners, fields = np.nonzero(bits)
        is_text = np.isin(fields, TEXT_FIELDS)
        units = np.bincount(owners[is_text], pages.frequencies[is_text], len(pages.terms))
        for position in np.flatnonzero(units >= COMMON_UNITS).tolist():
            term = pages.terms[position]
            if _IS_WANTED(term):
                found.append((int(units[position]), term))
    found.sort(reverse=True)
    return [term for _, term in found[:MAX_COMMON]]


def _hash_words(text: bytes, starts: I64, ends: I64) -> U64:
    """Return a hash of each word by its last bytes; _LONGEST - 1 bytes must precede the first word."""
    lanes = np.ndarray(len(text) - _LONGEST + 1, dtype="<u8", buffer=text, strides=(1,))
    sizes = np.minimum(ends - starts, _LONGEST)
    values = lanes[ends - _LONGEST] & _KEPT[sizes]
    hashes: U64 = (values ^ sizes.astype(np.uint64)) * _SPREAD
    return hashes ^ hashes >> np.uint64(32)


def _hash_terms(terms: Sequence[bytes]) -> U64:
    ends = len(_FRONT) + np.cumsum([len(term) for term in terms])
    starts = ends - np.array([len(term) for term in terms])
    return _hash_words(_FRONT + b"".join(terms), starts, ends)


def _shorten(hashes: U64) -> I64:
    return (hashes >> np.uint64(64 - _KNOWN_BITS)).astype(np.int64)


def _find_marks(hashes: U64, characters: U64, side: int) -> tuple[I64, I64]:
    """Return the two marks of each word with its punctuation character before (0) or behind (1) it."""
    mixed = (hashes ^ characters << np.uint64(20)) * _MIX
    first = mixed >> np.uint64(64 - NEIGHBOUR_BITS)
    second = mixed >> np.uint64(64 - 2 * NEIGHBOUR_BITS) & np.uint64((1 << NEIGHBOUR_BITS) - 1)
    base = side << NEIGHBOUR_BITS
    return first.astype(np.int64) + base, second.astype(np.int64) + base


def _skip_blanks(classes: U8, positions: I64, step: int) -> U8:
    """Return the class of the first byte that is not a blank, from each position on."""
    positions = positions.copy()
    left = np.flatnonzero(classes[positions] == _BLANK)
    while len(left):
        positions[left] += step
        left = left[classes[positions[left]] == _BLANK]
    return classes[positions]
