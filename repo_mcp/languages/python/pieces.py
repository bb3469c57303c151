"""Cuts of a Python text between statements, so that it can be parsed and walked piece by piece.

A tree takes 40 times the memory of its text. That of a large file has left the processor's cache by the time
it is walked and freed; that of a piece has not. This saves a tenth of the time over all files.

A cut comes after an empty line, before an unindented `def`, `class`, `async` or decorator. Such lines also
occur in strings and brackets, or after another decorator: then the piece that ends there does not parse, and
the text has to be parsed whole. Where every piece parses, together they have the statements of the text.
"""

from __future__ import annotations

import re

PIECE_BYTES = 4 * 1024  # at least; neither 2 KB nor 8 KB is faster
_HEAD = re.compile(rb"\n\n(?=def |class |async |@)")


def cut_between_statements(text: bytes) -> list[bytes]:
    """Return the pieces of a text with "\\n" line ends, at least one; joined they are the text."""
    pieces: list[bytes] = []
    start = 0
    while len(text) - start > PIECE_BYTES and (head := _HEAD.search(text, start + PIECE_BYTES)):
        pieces.append(text[start : head.end()])
        start = head.end()
    return [*pieces, text[start:]]
