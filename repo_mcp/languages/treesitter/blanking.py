"""Blank parts of a text without moving what is left, for grammars that do not know the syntax there.

The blanked text is parsed and names are read from the text as it was, so every other byte keeps its offset.
A line feed is never replaced where rows are counted in the blanked text.
"""

from __future__ import annotations

import re
from functools import cache


def blank(text: bytes, filler: bytes = b" ") -> bytes:
    """Return a text with the byte `filler` in place of every byte but line feeds."""
    return text.translate(_make_table(filler))


def blank_group(found: re.Match[bytes], group: int = 1, filler: bytes = b" ") -> bytes:
    """Return the text of a match in which one group is blanked. The group must have taken part."""
    whole, offset = found[0], found.start()
    start, end = found.start(group) - offset, found.end(group) - offset
    return whole[:start] + blank(whole[start:end], filler) + whole[end:]


def join_blanked(found: re.Match[bytes]) -> bytes:
    """Return spaces for all of a match, its line feeds too, where only offsets count and a line may go on."""
    return b" " * len(found[0])


@cache
def _make_table(filler: bytes) -> bytes:
    """Return the table by which `bytes.translate` blanks a text."""
    return filler * ord("\n") + b"\n" + filler * (255 - ord("\n"))
