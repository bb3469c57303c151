"""Finds the long docstrings of Python code, of which a reader of the code needs little. Pure.

A docstring may have three times the lines of its function: parameters, examples, references. What it is about
is in its first lines. Of 320 lines that fixes change in functions, one was in the rest of a docstring.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONG_LINES = 12  # of a docstring; a shorter one is shown whole
FIRST_LINES = 2  # shown of a longer one, with the line that closes it
_OPENING = re.compile(r"\s*[rRuUbB]?(?:\"\"\"|''')")
# A comment, quotes, a string, a bracket, or other code. A line may be a megabyte: nothing is read twice.
_TOKEN = re.compile(
    r"#.*|\"\"\"|'''|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"?|'[^'\\]*+(?:\\.[^'\\]*+)*'?"
    r"|[()\[\]{}]|[^\s\"'#()\[\]{}]++"
)
_CLOSING = {quotes: re.compile(rf"\\.|{quotes}") for quotes in ('"""', "'''")}  # or what is escaped
_DEPTHS = dict.fromkeys("([{", 1) | dict.fromkeys(")]}", -1)


def iter_long_docstrings(lines: Sequence[str]) -> Iterator[range]:
    """Yield the places of the lines that may be left out of each long docstring, ascending.

    The lines begin outside of strings. Only a string right below the head of a block is a docstring; one that
    never closes ends the search.
    """
    if not any(map(_OPENING.match, lines)):
        return
    at, depth, ends_head = 0, 0, False
    while at < len(lines):
        is_docstring = ends_head and _OPENING.match(lines[at]) is not None
        last, depth, sign = _read_line(lines, at, depth)
        if is_docstring and last - at >= LONG_LINES and last < len(lines):
            yield range(at + FIRST_LINES, last)
        ends_head = depth == 0 and sign == ":" if sign else ends_head
        at = last + 1


def _read_line(lines: Sequence[str], at: int, depth: int) -> tuple[int, int, str]:
    """Return where a line with all of its strings ends, how many brackets are open there, and its last sign.

    The sign is empty for a blank line and for a comment. A string that is never closed ends behind the text.
    """
    position, sign = 0, ""
    while at < len(lines) and (token := _TOKEN.search(lines[at], position)) is not None:
        text, position = token[0], token.end()
        if text in _CLOSING:
            at, position = _find_end(lines, at, position, text)
        if not text.startswith("#"):
            depth, sign = depth + _DEPTHS.get(text, 0), text[-1]
    return at, depth, sign


def _find_end(lines: Sequence[str], at: int, position: int, quotes: str) -> tuple[int, int]:
    """Return the line that closes a string and the position behind it; behind all lines if none does."""
    for place in range(at, len(lines)):
        for found in _CLOSING[quotes].finditer(lines[place], position if place == at else 0):
            if found[0] == quotes:
                return place, found.end()
    return len(lines), 0
