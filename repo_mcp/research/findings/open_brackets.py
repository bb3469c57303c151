"""Find the brackets that are open at a place of a text, and where one is closed. Pure."""

from __future__ import annotations

import re

# What is no code: texts in quotes, and comments up to the end of their line.
QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,200}\"|'(?:\\.|[^'\\\n]){0,200}'|(?:#|//)[^\n]*")
OPENING, CLOSING = "([{", ")]}"
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# Quotes and brackets; what is escaped is neither, and no lifetime of Rust is a quote: `&'a str`.
_SIGN = re.compile(r"\\.|(?<=[&<])'[a-z_]\w*+(?!')|[\"'()\[\]{}]", re.DOTALL)


def close_open(text: str) -> str:
    """Return what closes the quotes and brackets that are open at the end of a text."""
    closing: list[str] = []
    for char in _SIGN.findall(text):
        if closing and char == closing[-1]:
            closing.pop()
        elif not closing or closing[-1] not in "\"'":
            closing += char if char in "\"'" else _CLOSES.get(char, "")
    return "".join(reversed(closing))


def list_open_brackets(text: str) -> list[int]:
    """Return the positions of the brackets of a text that are not closed in it, the outermost first."""
    opened: list[int] = []
    for at, char in enumerate(text):
        if char in OPENING:
            opened.append(at)
        elif char in CLOSING and opened:
            opened.pop()
    return opened


def find_closing(text: str, start: int) -> int | None:
    """Return the position at which the bracket at `start` is closed; None if it is not."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        if not depth:
            return at
    return None
