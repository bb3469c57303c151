"""Finds the terms of one segment that begin with, end with or contain given bytes.

A prefix is a span of the dictionary's pages. For bytes inside terms, the dictionary says which of its pages
may have them (index_format/signatures.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from index_format import TermsReader, find_prefix_end, sort_distinct
from repo_mcp.exact.engines import compile_for_terms
from repo_mcp.exact.pattern_texts import LONG_S, MIN_OPEN_BYTES
from repo_mcp.exact.required_terms import Edge, Run, build_expression, describe_edge
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, MAX_WORD_BYTES

FEW_PAGES = 16
TERMS_OF_A_PAGE = 16  # finding so many terms one by one takes as long as reading a whole page
SHAPE_SECONDS = 1.0  # most processor time for a shape; searching all of the kernel's dictionary takes 0.5
KELVIN = b"k"  # the Kelvin sign becomes this in a term; to RE2's `\b` it is not a letter
_LINE_FEED = b"\n"
_LAST_ASCII = 0x7F


@dataclass(frozen=True, slots=True)
class FoundTerms:
    """Terms, listed singly or as the half-open span [first, end) of the dictionary."""

    terms: list[bytes]  # single terms in any order, each once
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
        if len(needle) < MIN_OPEN_BYTES and not text.isascii():  # no need to read all pages
            few = [*islice(self._iter_non_ascii(needle), limit + 1)]
            return few if len(few) <= limit else None
        found: list[bytes] = []
        for start, stop in self._terms.iter_spans(needle):
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
        """Yield spans of pages that have all terms with a text, in which a line feed is a term's edge."""
        if not text.startswith(_LINE_FEED):
            yield from self._terms.iter_spans(text)
            return
        start, stop = self._terms.find_pages(text[1:], find_prefix_end(text[1:]))
        yield from ((at, min(at + FEW_PAGES, stop)) for at in range(start, stop, FEW_PAGES))

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
        texts = (self._terms.read_texts(*span)[0] for span in self._terms.iter_spans(None))
        return b"".join(_keep_non_ascii(text) for text in texts if not text.isascii())


def _list_kelvin_shapes(run: Run) -> Iterator[tuple[bytes, bytes]]:
    """Yield a needle and an expression for terms of words with a Kelvin sign at a STRANGE edge of a run.

    The needle has the line feed of a CLOSED edge, which leaves a tenth of the pages.
    """
    text = run.text.encode()
    left, right = (describe_edge(edge is Edge.OPEN, edge is Edge.CLOSED) for edge in (run.left, run.right))
    if run.left is Edge.STRANGE:
        end = _LINE_FEED if run.right is Edge.CLOSED else b""
        yield KELVIN + text + end, build_expression(run.text, KELVIN, right)
    if run.right is Edge.STRANGE:
        begin = _LINE_FEED if run.left is Edge.CLOSED else b""
        yield begin + text + KELVIN, build_expression(run.text, left, KELVIN)


def _keep_non_ascii(text: bytes) -> bytes:
    """Return the lines that have bytes above 127."""
    raw = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(raw == _LINE_FEED[0])
    lines = sort_distinct(np.searchsorted(ends, np.flatnonzero(raw > _LAST_ASCII)))
    starts = np.concatenate([[0], ends + 1])
    return b"".join(text[starts[line] : ends[line] + 1] for line in lines.tolist())
