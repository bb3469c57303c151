"""A Python text cut between statements, so that it can be parsed and walked piece by piece.

A tree takes 40 times the room of its text. That of a large file has left the processor's cache by the time it
is walked and given back; that of a piece has not. It saves a tenth of the time that all files take.

A cut is made behind an empty line, in front of `def`, `class`, `async` or a decorator without indent. Such
lines stand in strings and brackets as well, or behind another decorator: then the piece that ends there does
not parse, and the text has to be taken whole. Where each piece parses, all of them together have the
statements of the text.
"""

from __future__ import annotations

import re

PIECE_BYTES = 4 * 1024  # at least; with 2 and with 8 KB it takes no less time
_HEAD = re.compile(rb"\n\n(?=def |class |async |@)")


def cut_between_statements(text: bytes) -> list[bytes]:
    """The pieces of a text with "\\n" for line ends, one at least; together they are the text."""
    pieces: list[bytes] = []
    start = 0
    while len(text) - start > PIECE_BYTES and (head := _HEAD.search(text, start + PIECE_BYTES)):
        pieces.append(text[start : head.end()])
        start = head.end()
    return [*pieces, text[start:]]
