"""Which texts of JavaScript a program wrote for machines: minified, or bundled.

Their names are letters that a tool gave out, and a bundle holds copies of what is declared elsewhere: as
symbols and references they would only stand in the way of those that people wrote.
"""

from __future__ import annotations

LONG_LINE_BYTES = 1_000
BYTES_A_BRACKET = 100  # of code at most; minified code has a "(" every 20 to 60 bytes


def is_minified(text: bytes) -> bool:
    """True when more than half of a text is code in lines above LONG_LINE_BYTES.

    Brackets tell code from tables, drawings and long strings, which may stand in written code as well.
    """
    long_lines = [line for line in text.split(b"\n") if len(line) > LONG_LINE_BYTES]
    size = sum(map(len, long_lines))
    return size > len(text) / 2 and sum(line.count(b"(") for line in long_lines) * BYTES_A_BRACKET >= size
