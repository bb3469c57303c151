"""The scan of a term dictionary: the terms that contain, begin with or end with given bytes.

The text of many pages is searched at once, never term by term in Python. Left out on purpose: which pages may
have such a term (`terms.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from index_format.terms import SCAN_PAGES, TermsReader

COMPARED_TEXT = 32 * 1024  # in a shorter text, a search takes less time than arrays
COMPARED_BYTES = 3  # the last bytes of a term, its line feed included, that are compared at once


def find_prefix_end(prefix: bytes) -> bytes | None:
    """Return the least bytes above everything that begins with `prefix`; None when there are none."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def find_containing(terms: TermsReader, needle: bytes, limit: int) -> list[bytes]:
    """Return the first `limit` terms, in order, that contain `needle`. Raises CorruptIndex."""
    found: list[bytes] = []
    for first, stop in terms.iter_spans(needle) if needle and b"\n" not in needle else ():
        text = b"\n" + terms.read_texts(first, stop)[0]
        position = text.find(needle)
        while position >= 0:
            if len(found) >= limit:
                return found
            start = text.rfind(b"\n", 0, position) + 1
            end = text.index(b"\n", position)
            found.append(text[start:end])
            position = text.find(needle, end)
    return found


def iter_ending(terms: TermsReader, suffix: bytes) -> Iterator[bytes]:
    """Yield the terms, in order, that end with `suffix`, which is not empty. Raises CorruptIndex."""
    for first, stop in terms.iter_spans(suffix + b"\n") if suffix and b"\n" not in suffix else ():
        text, _ = terms.read_texts(first, stop)
        for end in _find_ends(text, suffix):
            yield text[text.rfind(b"\n", 0, end) + 1 : end]


def iter_starting(terms: TermsReader, prefix: bytes) -> Iterator[bytes]:
    """Yield the terms (perhaps 100,000), in order, that begin with `prefix`. Raises CorruptIndex."""
    start, stop = terms.find_pages(prefix, find_prefix_end(prefix))
    for first in range(start, stop, SCAN_PAGES):
        text, _ = terms.read_texts(first, min(first + SCAN_PAGES, stop))
        yield from (term for term in text.split(b"\n")[:-1] if term.startswith(prefix))


def _find_ends(text: bytes, suffix: bytes) -> list[int]:
    """Return where the lines of a text end that end with `suffix`, which contains no line feed.

    In a long text the last three bytes are compared everywhere at once: half the time of searching.
    """
    if len(text) < COMPARED_TEXT:
        needle, found = suffix + b"\n", []
        position = text.find(needle)
        while position >= 0:
            found.append(position + len(suffix))
            position = text.find(needle, position + 1)
        return found
    values = np.frombuffer(text, dtype=np.uint8)
    last = (suffix + b"\n")[-COMPARED_BYTES:]
    behind = len(values) - len(last) + 1
    if behind <= 0:
        return []
    is_end = np.ones(behind, dtype=np.bool_)
    for position, byte in enumerate(last):
        is_end &= values[position : position + behind] == byte
    ends = np.flatnonzero(is_end) + len(last) - 1
    return [end for end in ends.tolist() if text.endswith(suffix, 0, end)]
