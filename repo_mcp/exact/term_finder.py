"""Finds the terms of one segment that begin with, end with or contain given bytes.

A prefix is a span of the dictionary's pages. For bytes inside terms, each page has a signature: three
adjacent bytes belong to one of 2**SIGNATURE_BITS classes, and there is a bit for each class in the page.
Only pages that have the bits of all the wanted bytes are read. The signatures of a large dictionary are
computed once, in the background (the kernel's 88 MB: 0.8 s, 9 MB of memory). Until then, and for small
dictionaries, all pages are read.

Left out on purpose: the layout of pages on disk, which only the dictionary knows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from index_format import IndexFormatError, TermsReader, find_prefix_end, sort_distinct
from repo_mcp.exact.engines import compile_for_terms
from repo_mcp.exact.pattern_texts import LONG_S
from repo_mcp.exact.required_terms import Edge, Run, build_expression, describe_edge
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, MAX_WORD_BYTES
from repo_mcp.threads import start_daemon

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
SIGNATURE_BITS = 11  # log2 of the classes; a bit is set in a quarter of the kernel's pages
SIGNED_PAGES = 1024  # a smaller dictionary, of 3 MB, is read in two milliseconds
PAGES_AT_ONCE = 128  # signed together, so that the table of a batch stays in a core's cache
PAGES_READ = 512  # at a time when all are read
FEW_PAGES = 16
TERMS_OF_A_PAGE = 16  # finding so many terms one by one takes as long as reading a whole page
NEAR_PAGES = 3  # between pages no further apart than this, all pages are read: that costs less than two reads
GRAM_BYTES = 3
SHAPE_SECONDS = 0.5  # of processor time for a shape; the kernel's 88 MB take 0.15, but a bad shape takes more
KELVIN = b"k"  # the Kelvin sign becomes this in a term; to RE2's `\b` it is not a letter
_LINE_FEED = b"\n"
_LAST_ASCII = 0x7F


@dataclass(frozen=True, slots=True)
class FoundTerms:
    """Terms, listed singly or as the half-open span [first, end) of the dictionary."""

    terms: list[bytes]  # in any order, each once
    span: tuple[bytes, bytes | None] | None = None  # an end of None: to the last term


def list_long_terms(run: Run) -> list[bytes]:
    """Return LONG_WORD, the term of all long words, if a run may be in one."""
    # Half the limit, because the lower case of a letter outside ASCII may take more bytes than the letter.
    may_be_long = len(run.text.encode()) > MAX_WORD_BYTES // 2 or bool(run.shape)
    return [LONG_WORD.encode()] if may_be_long or not run.left is run.right is Edge.CLOSED else []


class TermFinder:
    """Finds terms of one segment. Safe for several threads."""

    def __init__(self, terms: TermsReader) -> None:
        self._terms = terms
        self._signatures: U8 | None = None  # one row per class, one bit per page
        self._signing = threading.Lock()  # acquired once, and released only where no thread could be started

    def find(self, run: Run, limit: int) -> FoundTerms | None:
        """Return the terms of words that may contain the run; None for more than about `limit`.

        It may include other terms, because a term only shows which words the text may have. Raises
        CorruptIndex.
        """
        text = run.text.encode()
        found: list[bytes] | None = []
        span: tuple[bytes, bytes | None] | None = None
        if run.shape:
            found = self._find_shaped(run, limit)
        elif run.left is Edge.OPEN:
            found = self._find_inside(text, run.right is not Edge.OPEN, limit)
        elif run.right is not Edge.OPEN:
            found = [text]
        else:
            span = (text, find_prefix_end(text))
            start, stop = self._terms.find_pages(*span)
            found = [] if stop - start <= max(FEW_PAGES, limit // TERMS_OF_A_PAGE) else None
        if found is None:
            return None
        strange: list[Iterator[bytes]] = []
        if Edge.STRANGE in (run.left, run.right) and not run.shape:
            strange.append(self._iter_non_ascii(text))
            strange += [
                self._iter_matching(needle, compile_for_terms(shape))
                for needle, shape in _list_kelvin_shapes(run)
            ]
        if run.may_have_long_s:
            strange.append(self._iter_non_ascii(LONG_S.encode()))
        every = list(dict.fromkeys([*found, *islice(chain(*strange), limit + 1)]))
        return FoundTerms(every, span) if len(every) <= limit else None

    def _find_inside(self, text: bytes, at_end: bool, limit: int) -> list[bytes] | None:
        """Return the terms that contain the text, or end with it; None for more than `limit`."""
        needle = text + _LINE_FEED if at_end else text
        found: list[bytes] = []
        for start, stop in self._iter_spans(needle):
            found += islice(self._iter_holding(start, stop, needle), limit + 1 - len(found))
            if len(found) > limit:
                return None
        return found

    def _find_shaped(self, run: Run, limit: int) -> list[bytes] | None:
        """Return the terms that contain the shape of a run; None for too many, or when time runs out.

        Return None, too, if only RE2 could find them in time and is not installed.
        """
        edges = (describe_edge(edge is Edge.OPEN, edge is Edge.CLOSED) for edge in (run.left, run.right))
        compiled = compile_for_terms(build_expression(run.shape, *edges))
        if compiled is None:
            return None
        deadline = time.thread_time() + SHAPE_SECONDS
        found: list[bytes] = []
        for term in self._iter_matching(run.text.encode(), compiled, deadline):
            found.append(term)
            if len(found) > limit:
                return None
        return found if time.thread_time() < deadline else None

    def _iter_matching(self, text: bytes, compiled: Any, deadline: float | None = None) -> Iterator[bytes]:
        """Yield the terms that contain the text and match an expression; line feeds are their edges."""
        for start, stop in self._iter_spans(text):
            if deadline is not None and time.thread_time() > deadline:
                return
            page = _LINE_FEED + self._terms.read_texts(start, stop)[0]
            match = compiled.search(page, 0) if text in page else None
            while match is not None:
                first = page.rfind(_LINE_FEED, 0, match.start() + 1) + 1
                end = page.index(_LINE_FEED, first)
                yield page[first:end]
                match = compiled.search(page, end)

    def _iter_spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield half-open spans of pages that together hold every term that contains the text."""
        signatures = self._find_signatures()
        if signatures is None or len(text) < GRAM_BYTES:
            pages = self._terms.pages
            yield from ((at, min(pages, at + PAGES_READ)) for at in range(0, pages, PAGES_READ))
            return
        rows = np.bitwise_and.reduce(signatures[_classify(text)], axis=0)
        wanted = np.flatnonzero(np.unpackbits(rows, count=self._terms.pages, bitorder="little"))
        if not len(wanted):
            return
        cuts = np.flatnonzero(np.diff(wanted) > NEAR_PAGES) + 1
        for near in np.split(wanted, cuts):
            first, end = int(near[0]), int(near[-1]) + 1
            yield from ((at, min(end, at + PAGES_READ)) for at in range(first, end, PAGES_READ))

    def _iter_holding(self, start: int, stop: int, needle: bytes) -> Iterator[bytes]:
        """Yield the terms of a span of pages that contain the needle; a line feed in it is a term's edge."""
        text = _LINE_FEED + self._terms.read_texts(start, stop)[0]
        position = text.find(needle)
        while position >= 0:
            first = text.rfind(_LINE_FEED, 0, position + 1) + 1
            end = text.index(_LINE_FEED, first)
            yield text[first:end]
            position = text.find(needle, end)

    def _iter_non_ascii(self, needle: bytes) -> Iterator[bytes]:
        """Yield the terms with bytes above 127 that contain the needle."""
        position = self._non_ascii_terms.find(needle)
        while position >= 0:
            first = self._non_ascii_terms.rfind(_LINE_FEED, 0, position) + 1
            end = self._non_ascii_terms.index(_LINE_FEED, position)
            yield self._non_ascii_terms[first:end]
            position = self._non_ascii_terms.find(needle, end)

    @cached_property
    def _non_ascii_terms(self) -> bytes:
        """Return all terms with bytes above 127, each followed by a line feed."""
        pages = self._terms.pages
        texts = (
            self._terms.read_texts(at, min(pages, at + PAGES_READ))[0] for at in range(0, pages, PAGES_READ)
        )
        return b"".join(_keep_non_ascii(text) for text in texts if not text.isascii())

    def _find_signatures(self) -> U8 | None:
        """Return the signatures; None until they are computed, which the first call starts if worthwhile."""
        is_worth_it = self._signatures is None and self._terms.pages > SIGNED_PAGES
        if is_worth_it and self._signing.acquire(blocking=False):
            thread = threading.Thread(target=self._sign_quietly, name="term signatures")
            if not start_daemon(thread):
                self._signing.release()  # the next search tries again
        return self._signatures

    def _sign_quietly(self) -> None:
        """Compute, ignoring errors: searches report a dictionary that cannot be read."""
        try:
            self.sign()
        except (IndexFormatError, OSError, ValueError):
            return

    def sign(self) -> None:
        """Compute the signatures of all pages. Raises CorruptIndex."""
        pages = self._terms.pages
        signatures = np.zeros((1 << SIGNATURE_BITS, -(-pages // 8)), dtype=np.uint8)
        table = np.zeros((PAGES_AT_ONCE, 1 << SIGNATURE_BITS), dtype=np.bool_)
        for first in range(0, pages, PAGES_AT_ONCE):
            count = min(PAGES_AT_ONCE, pages - first)
            text, positions = self._terms.read_texts(first, first + count)
            classes = _classify(text)
            owners = np.repeat(np.arange(count, dtype=np.uint32), np.diff(np.append(positions, len(text))))
            table[:] = False
            table.reshape(-1)[owners[: len(classes)] << np.uint32(SIGNATURE_BITS) | classes] = True
            packed = np.packbits(table[:count], axis=0, bitorder="little")
            signatures[:, first // 8 : first // 8 + len(packed)] = packed.T
        self._signatures = signatures


def _list_kelvin_shapes(run: Run) -> Iterator[tuple[bytes, bytes]]:
    """Yield a needle and an expression for terms of words with a Kelvin sign at a STRANGE edge of a run."""
    text = run.text.encode()
    left, right = (describe_edge(edge is Edge.OPEN, edge is Edge.CLOSED) for edge in (run.left, run.right))
    if run.left is Edge.STRANGE:
        yield KELVIN + text, build_expression(run.text, KELVIN, right)
    if run.right is Edge.STRANGE:
        yield text + KELVIN, build_expression(run.text, left, KELVIN)


def _keep_non_ascii(text: bytes) -> bytes:
    """Return the lines that have bytes above 127."""
    raw = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(raw == _LINE_FEED[0])
    lines = sort_distinct(np.searchsorted(ends, np.flatnonzero(raw > _LAST_ASCII)))
    starts = np.concatenate([[0], ends + 1])
    return b"".join(text[starts[line] : ends[line] + 1] for line in lines.tolist())


def _classify(text: bytes) -> U32:
    """Return the class of each three adjacent bytes (uint32), also across the ends of terms."""
    raw = np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
    count = max(0, len(raw) - GRAM_BYTES + 1)
    mixed = raw[:count] * np.uint32(0x9E3779B1)
    mixed += raw[1 : count + 1] * np.uint32(0x85EBCA6B)
    mixed += raw[2 : count + 2] * np.uint32(0xC2B2AE35)
    return mixed >> np.uint32(32 - SIGNATURE_BITS)
