"""Tells which pages of a segment's term dictionary may have a term that ends with given bytes.

Each page has a signature: three adjacent bytes belong to one of 2**SIGNATURE_BITS classes, and there is a bit
for each class among the last bytes of its terms, their line feeds included. Only pages that have the bits of
all the wanted bytes are named. The signatures of a large dictionary are computed once, in the background,
when they are first asked for, and are kept as long as it is open. Until then, and for small dictionaries, all
pages are named.

Left out on purpose: the bytes further in front, which would fill the signatures. Exact search, which looks
for bytes anywhere, has signatures of its own (repo_mcp/exact/term_finder.py).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format import IndexFormatError, TermsReader
from repo_mcp.threads import start_daemon

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]
SIGNATURE_BITS = 10  # log2 of the classes: four megabytes for the kernel's 35,000 pages
SIGNED_PAGES = 1024  # a smaller dictionary, of 3 MB, is read in two milliseconds
PAGES_AT_ONCE = 128  # signed together, so that the table of a batch stays in a core's cache
NEAR_PAGES = 3  # apart: reading the pages between costs less than reading twice
GRAM_BYTES = 3
ENDING_BYTES = 6  # of a term that are signed, its line feed included
_LINE_FEED = ord("\n")


class EndingSignatures:
    """The signatures of one dictionary, which each method is given. Safe for several threads."""

    def __init__(self) -> None:
        self._rows: U8 | None = None  # one row per class, one bit per page
        self._signing = threading.Lock()  # acquired once, and released only where no thread could be started

    def iter_spans(self, terms: TermsReader, ending: bytes) -> Iterator[tuple[int, int]]:
        """Yield ascending spans of pages that together have every term with this ending."""
        signatures = self._find_rows(terms)
        text = (ending + b"\n")[-ENDING_BYTES:]
        if signatures is None or len(text) < GRAM_BYTES:
            yield 0, terms.pages
            return
        raw = np.frombuffer(text, dtype=np.uint8)
        classes = _classify(raw, np.arange(len(raw) - GRAM_BYTES + 1))
        rows = np.bitwise_and.reduce(signatures[classes], axis=0)
        wanted = np.unpackbits(rows, count=terms.pages, bitorder="little").nonzero()[0]
        cuts = (np.diff(wanted) > NEAR_PAGES).nonzero()[0] + 1
        for near in np.split(wanted, cuts) if len(wanted) else ():
            yield int(near[0]), int(near[-1]) + 1

    def _find_rows(self, terms: TermsReader) -> U8 | None:
        """Return the signatures; None while they are computed, which the first call starts."""
        is_worth_it = self._rows is None and terms.pages > SIGNED_PAGES
        if is_worth_it and self._signing.acquire(blocking=False):
            thread = threading.Thread(target=self._sign_quietly, args=(terms,), name="term endings")
            if not start_daemon(thread):
                self._signing.release()  # the next search tries again
        return self._rows

    def _sign_quietly(self, terms: TermsReader) -> None:
        """Compute, ignoring errors: searches report a dictionary that cannot be read."""
        try:
            self.sign(terms)
        except (IndexFormatError, OSError, ValueError):
            return

    def sign(self, terms: TermsReader) -> None:
        """Compute the signatures of all pages. Raises CorruptIndex."""
        signatures = np.zeros((1 << SIGNATURE_BITS, -(-terms.pages // 8)), dtype=np.uint8)
        table = np.zeros((PAGES_AT_ONCE, 1 << SIGNATURE_BITS), dtype=np.bool_)
        for first in range(0, terms.pages, PAGES_AT_ONCE):
            count = min(PAGES_AT_ONCE, terms.pages - first)
            text, positions = terms.read_texts(first, first + count)
            raw = np.frombuffer(text, dtype=np.uint8)
            ends = (raw == _LINE_FEED).nonzero()[0]
            pages = (positions.searchsorted(ends, side="right") - 1) << SIGNATURE_BITS
            table[:] = False
            for back in range(GRAM_BYTES - 1, ENDING_BYTES):
                own = ends >= back
                table.reshape(-1)[pages[own] | _classify(raw, ends[own] - back)] = True
            packed = np.packbits(table[:count], axis=0, bitorder="little")
            signatures[:, first // 8 : first // 8 + len(packed)] = packed.T
        self._rows = signatures


# By opened dictionary, which no value may refer to: they go with it.
_KNOWN: WeakKeyDictionary[TermsReader, EndingSignatures] = WeakKeyDictionary()
_LOCK = threading.Lock()


def get_signatures(terms: TermsReader) -> EndingSignatures:
    """Return the signatures of a dictionary, the same ones for as long as it is open."""
    with _LOCK:
        return _KNOWN.setdefault(terms, EndingSignatures())


def _classify(raw: U8, positions: I64) -> U32:
    """Return the class of the three bytes from each position on."""
    mixed = raw.take(positions).astype(np.uint32) * np.uint32(0x9E3779B1)
    mixed += raw.take(positions + 1) * np.uint32(0x85EBCA6B)
    mixed += raw.take(positions + 2) * np.uint32(0xC2B2AE35)
    return mixed >> np.uint32(32 - SIGNATURE_BITS)
