"""Blanks parts of a text without moving the rest, for grammars that do not know the syntax there.

The blanked text is parsed, while names are read from the original text, so every other byte keeps its offset.
Line feeds are kept where rows are counted in the blanked text.
"""

from __future__ import annotations

import re
from functools import cache


def blank(text: bytes, filler: bytes = b" ") -> bytes:
    """Return a text with the byte `filler` in place of every byte but line feeds."""
    return text.translate(_make_table(filler))


def blank_match(found: re.Match[bytes]) -> bytes:
    """Return a match blanked."""
    return blank(found[0])


def blank_group(found: re.Match[bytes], group: int = 1, filler: bytes = b" ") -> bytes:
    """Return the text of a match in which one group, which must have matched, is blanked."""
    whole, offset = found[0], found.start()
    start, end = found.start(group) - offset, found.end(group) - offset
    return whole[:start] + blank(whole[start:end], filler) + whole[end:]


def join_blanked(found: re.Match[bytes]) -> bytes:
    """Return spaces for a whole match, line feeds included, where only offsets count."""
    return b" " * len(found[0])


@cache
def _make_table(filler: bytes) -> bytes:
    """Return the table by which `bytes.translate` blanks a text."""
    return filler * ord("\n") + b"\n" + filler * (255 - ord("\n"))
