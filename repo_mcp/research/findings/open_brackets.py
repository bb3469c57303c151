"""Find the brackets that are open at a place of a text. Pure."""

from __future__ import annotations

import re

# What is no code: texts in quotes, and comments up to the end of their line.
QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,200}\"|'(?:\\.|[^'\\\n]){0,200}'|(?:#|//)[^\n]*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# Quotes and brackets; what is escaped is neither, and no lifetime of Rust is a quote: `&'a str`.
_SIGN = re.compile(r"\\.|(?<=[&<])'[a-z_]\w*+(?!')|[\"'()\[\]{}]", re.DOTALL)


def close_open(text: str) -> str:
    """Return what closes the quotes and brackets that are open at the end of a text."""
    closing: list[str] = []
    for char in _SIGN.findall(text):
        if closing and char == closing[-1]:
            closing.pop()
        elif not closing or closing[-1] not in "\"'":
            closing += char if char in "\"'" else _CLOSING.get(char, "")
    return "".join(reversed(closing))


def list_open_brackets(text: str) -> list[int]:
    """Return the positions of the brackets of a text that are not closed in it, the outermost first."""
    opened: list[int] = []
    for at, char in enumerate(text):
        if char in "([{":
            opened.append(at)
        elif char in ")]}" and opened:
            opened.pop()
    return opened
