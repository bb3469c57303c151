"""Signatures of pages: which pages of a large dictionary may have a term that contains given bytes.

    SIGN  a row for each class, and one more; a bit for each page, lowest first, in whole bytes

Three adjacent bytes of a term, its line feed included, belong to one of CLASSES. A page's bit is set in the
row of each class that occurs in it, and in the last row if one of its bytes is above 127. So a page with a
term that contains some bytes has the bits of all their classes; that it has them proves nothing.

A search reads the rows that it needs: 4 kB each for the kernel's 35,000 pages, of which a row has a fifth.
With half as many classes, four times as many pages would be left.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.records import I64, U8
from index_format.runs import spread_runs
from index_format.term_text import TermText

SIGN = b"SIGN"
CLASS_BITS = 11
CLASSES = 1 << CLASS_BITS
GRAM_BYTES = 3
# One for each of the three bytes; the highest bits of the sum are the class.
FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
_LAST_ASCII = 0x7F
_CHARS = [bytes([value]) for value in range(256)]


class SignatureWriter:
    """Collects the signatures of pages, a multiple of eight at a time except at the end."""

    def __init__(self) -> None:
        self._pieces: list[U8] = []

    def add(self, terms: TermText, shared: I64, page_terms: int) -> None:
        """Add the pages of these terms, given how many bytes each shares with the one before it."""
        raw = np.frombuffer(terms.text, dtype=np.uint8)
        starts = terms.starts + np.maximum(shared - (GRAM_BYTES - 1), 0)
        grams = np.maximum(terms.ends - (GRAM_BYTES - 1) - starts, 0)
        pages = np.arange(0, len(terms), page_terms)
        at = _classify(raw, spread_runs(starts, grams)).astype(np.int64) * len(pages)
        at += np.arange(len(pages)).repeat(np.add.reduceat(grams, pages))
        bits = np.zeros((CLASSES + 1, len(pages)), dtype=np.bool_)
        bits.ravel()[at] = True
        strange = np.flatnonzero(raw > _LAST_ASCII)
        bits[CLASSES, terms.ends.searchsorted(strange, side="right") // page_terms] = True
        self._pieces.append(np.packbits(bits, axis=1, bitorder="little"))

    def finish(self) -> bytes:
        """Return the section."""
        return np.concatenate(self._pieces, axis=1).tobytes()


class SignatureReader:
    """The signatures of one dictionary. Nothing of them is read before it is asked for."""

    def __init__(self, frame: FrameReader, pages: int) -> None:
        """Open the signatures of `pages` pages. Raises CorruptIndex for a section of another size."""
        self._frame = frame
        self._pages = pages
        self._row_bytes = -(-pages // 8)
        if frame.get_size(SIGN) != (CLASSES + 1) * self._row_bytes:
            raise CorruptIndex(f"{frame.name}: {frame.get_size(SIGN)} bytes of signatures for {pages} pages")

    def list_holding(self, text: bytes) -> I64:
        """Return the pages that may have a term with these bytes, GRAM_BYTES or more. Raises CorruptIndex."""
        rows = self._read_rows(_classify_grams([text[at : at + GRAM_BYTES] for at in _list_places(text)]))
        return self._list_set(np.bitwise_and.reduce(rows))

    def list_spelled(self, text: bytes) -> I64:
        """Return the pages that may have a term with these bytes, whatever the case of its ASCII letters.

        A text of n letters has 2 ** n spellings, so the pages of all that agree in their last two bytes are
        joined before the next byte is looked at. Raises CorruptIndex.
        """
        cases = [tuple(dict.fromkeys((byte.lower(), byte.upper()))) for byte in map(_CHARS.__getitem__, text)]
        steps = [
            [first + second + third for first, second, third in product(*cases[at : at + GRAM_BYTES])]
            for at in _list_places(text)
        ]
        grams = list(dict.fromkeys(gram for step in steps for gram in step))
        rows = dict(zip(grams, self._read_rows(_classify_grams(grams)), strict=True))
        found: dict[bytes, U8] = {}
        for step in steps:
            before, found = found, {}
            for gram in step:
                held = rows[gram] & before.get(gram[:-1], rows[gram])
                found[gram[1:]] = found[gram[1:]] | held if gram[1:] in found else held
        return self._list_set(np.bitwise_or.reduce(list(found.values())))

    def list_non_ascii(self) -> I64:
        """Return the pages that have a byte above 127. Raises CorruptIndex."""
        return self._list_set(self._read_rows([CLASSES])[0])

    def _read_rows(self, numbers: Sequence[int]) -> list[U8]:
        """Return some rows, in the order of their numbers as given."""
        ascending = sorted(set(numbers))
        starts = [row * self._row_bytes for row in ascending]
        spans = self._frame.read_spans(SIGN, starts, [start + self._row_bytes for start in starts])
        rows = {row: np.frombuffer(span, dtype=np.uint8) for row, span in zip(ascending, spans, strict=True)}
        return [rows[row] for row in numbers]

    def _list_set(self, bits: U8) -> I64:
        found: I64 = np.flatnonzero(np.unpackbits(bits, count=self._pages, bitorder="little"))
        return found


def _list_places(text: bytes) -> range:
    """Return where the grams of a text begin."""
    return range(len(text) - (GRAM_BYTES - 1))


def _classify_grams(grams: Sequence[bytes]) -> list[int]:
    raw = np.frombuffer(b"".join(grams), dtype=np.uint8)
    classes: list[int] = _classify(raw, np.arange(0, len(raw), GRAM_BYTES)).tolist()
    return classes


def _classify(raw: U8, positions: I64) -> npt.NDArray[np.uint32]:
    """Return the class of the three bytes from each position on."""
    mixed = np.zeros(len(positions), dtype=np.uint32)
    for place, factor in enumerate(FACTORS):
        mixed += raw[place:].take(positions).astype(np.uint32) * np.uint32(factor)
    return mixed >> np.uint32(32 - CLASS_BITS)
