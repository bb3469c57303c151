"""Detection of JavaScript that a program wrote for machines: minified or bundled.

Its names are letters assigned by a tool, and a bundle holds copies of what is declared elsewhere. As
symbols and references they would only get in the way of those that people wrote.
"""

from __future__ import annotations

LONG_LINE_BYTES = 1_000
BYTES_A_BRACKET = 100  # at most, in code; minified code has a "(" every 20 to 60 bytes


def is_minified(text: bytes) -> bool:
    """Return True when more than half of a text is code in lines longer than LONG_LINE_BYTES.

    Brackets tell code from tables, drawings and long strings, which hand-written code may also contain.
    """
    long_lines = [line for line in text.split(b"\n") if len(line) > LONG_LINE_BYTES]
    size = sum(map(len, long_lines))
    return size > len(text) / 2 and sum(line.count(b"(") for line in long_lines) * BYTES_A_BRACKET >= size
