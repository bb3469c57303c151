"""Finds the line that names a declaration among the lines of its head, of which attributes come first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

_MAX_HEAD_LINES = 20  # of a declaration, searched for its name
_MAX_LINE_BYTES = 2_000  # searched for a name
_MAX_PLACES = 50  # of a name in one line
_BETWEEN_WORDS = bytes(one for one in range(128) if not (chr(one).isalnum() or chr(one) in "_$"))
_TEXT = re.compile(rb'\\.|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`')


def find_declared_name(lines: Sequence[bytes], name: str, first: int, last: int) -> tuple[int, int] | None:
    """Return the line and the column of a declared name in the lines from `first` to `last`, counted from 0.

    It is outside of brackets, in which an attribute may have the same word: `@Length({ message: "..." })`. If
    it is nowhere else, the first place counts; None if no line has it.
    """
    within = None
    depth = 0
    for line in range(first, min(last, first + _MAX_HEAD_LINES) + 1):
        written, counted = lines[line][:_MAX_LINE_BYTES], 0
        text = _TEXT.sub(lambda found: b" " * len(found[0]), written)
        for column in islice(_iter_words(written, name.encode()), _MAX_PLACES):
            depth += _count_open(text[counted:column])
            counted = column
            if not depth and text[column : column + 1].strip():
                return line, column
            within = within or (line, column)
        depth += _count_open(text[counted:])
    return within


def _count_open(text: bytes) -> int:
    """Return how many more brackets a text opens than it closes."""
    return sum(map(text.count, (b"(", b"[", b"{"))) - sum(map(text.count, (b")", b"]", b"}")))


def _iter_words(line: bytes, name: bytes) -> Iterator[int]:
    """Yield the columns of a name that is not part of a longer word."""
    column = line.find(name)
    while column >= 0:
        around = line[max(0, column - 1) : column] + line[column + len(name) : column + len(name) + 1]
        if not around.translate(None, _BETWEEN_WORDS):
            yield column
        column = line.find(name, column + 1)
