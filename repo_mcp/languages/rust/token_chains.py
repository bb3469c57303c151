"""Qualifiers with calls in the token trees of Rust macros: `Side::new(1).turned()` in `assert!(...)`.

The text is read backwards from the name that it qualifies. Left out on purpose: blocks, macros and type
arguments before a name, and comments with brackets or quotes.
"""

from __future__ import annotations

import re
import string

from repo_mcp.languages.treesitter.capture_scopes import name_chain

MAX_BYTES = 400  # before a name
UNKNOWN = "?"
WORD_BYTES = (string.ascii_letters + string.digits + "_").encode()
_OPENING = {ord(b")"): ord(b"("), ord(b"]"): ord(b"[")}
_QUOTE, _ESCAPE, _CALLED = b'"'[0], b"\\"[0], b"!$"
_CALLED_WITH_TYPES = _CALLED + b">}"  # before brackets: `parse::<Side>(text)`
_CHARACTER = re.compile(rb"'\\?[\"()\[\]]'\Z")


def read_chain_before(text: bytes, start: int) -> str:
    """Return the qualifier of the name at `start`, dotted as outside of macros; UNKNOWN if it is unclear."""
    text = text[max(0, start - MAX_BYTES) : start]
    end = _find_separator(text)
    first = _find_start(text, end) if end >= 0 else -1
    return name_chain(text[first:end]) if first >= 0 else UNKNOWN


def _find_separator(text: bytes) -> int:
    """Return where the dot or the colons at the end of a text begin, with blanks before it; -1 if none do."""
    text = text.rstrip()
    if text.endswith(b"::"):
        return len(text[:-2].rstrip())
    return len(text[:-1].rstrip()) if text.endswith(b".") and not text.endswith(b"..") else -1


def _find_start(text: bytes, end: int) -> int:
    """Return where an expression that ends at an offset begins; -1 if that is unclear."""
    at = end
    while True:
        while at and text[at - 1 : at] == b"?":
            at -= 1
        is_group = at > 0 and text[at - 1] in _OPENING
        while at > 0 and text[at - 1] in _OPENING:
            at = _skip_group(text, at)
        word = len(text[: max(at, 0)].rstrip(WORD_BYTES))  # where it begins
        if at <= 0 or (word == at and not is_group) or (text[at - 1] in _CALLED):
            return -1
        if word == at:
            return at if text[at - 1] not in _CALLED_WITH_TYPES else -1
        separator = _find_separator(text[:word])
        if separator < 0:
            return word if word and text[word - 1] not in _CALLED else -1
        at = separator


def _skip_group(text: bytes, end: int) -> int:
    """Return where a group in brackets begins, given its end; -1 if that is unclear."""
    waiting, at = [], end
    while at > 0:
        at -= 1
        mark = text[at]
        if character := _CHARACTER.search(text, max(0, at - 2), at + 2):
            at = character.start()
        elif mark == _QUOTE:
            at = text.rfind(b'"', 0, at)
            while at > 0 and text[at - 1] == _ESCAPE:
                at = text.rfind(b'"', 0, at)
        elif mark in _OPENING:
            waiting.append(_OPENING[mark])
        elif waiting and mark in _OPENING.values() and waiting.pop() != mark:
            return -1
        if not waiting:
            return at
    return -1
