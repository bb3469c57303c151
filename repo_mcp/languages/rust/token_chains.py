"""Qualifiers with calls in the token trees of Rust macros: `Side::new(1).turned()` in `assert!(...)`.

The text is read backwards from the name that it qualifies. Left out on purpose: blocks, macros and type
arguments before a name, and comments with brackets or quotes.
"""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.capture_scopes import name_chain

MAX_BYTES = 400  # before a name
UNKNOWN = "?"
_WORD = re.compile(rb"[\w]+\Z")
_SEPARATOR = re.compile(rb"\s*(?:(?<!\.)\.|::)\s*\Z")
_OPENING = {ord(b")"): ord(b"("), ord(b"]"): ord(b"[")}
_QUOTE, _ESCAPE, _CALLED = b'"'[0], b"\\"[0], b"!$"
_CALLED_WITH_TYPES = _CALLED + b">}"  # before brackets: `parse::<Side>(text)`
_CHARACTER = re.compile(rb"'\\?[\"()\[\]]'\Z")


def read_chain_before(text: bytes, start: int) -> str:
    """Return the qualifier of the name at `start`, dotted as outside of macros; UNKNOWN if it is unclear."""
    text = text[max(0, start - MAX_BYTES) : start]
    separator = _SEPARATOR.search(text)
    if separator is None:
        return UNKNOWN
    end = separator.start()
    first = _find_start(text, end)
    return name_chain(text[first:end]) if first >= 0 else UNKNOWN


def _find_start(text: bytes, end: int) -> int:
    """Return where an expression that ends at an offset begins; -1 if that is unclear."""
    at = end
    while True:
        while at and text[at - 1 : at] == b"?":
            at -= 1
        is_group = at > 0 and text[at - 1] in _OPENING
        while at > 0 and text[at - 1] in _OPENING:
            at = _skip_group(text, at)
        word = _WORD.search(text, 0, max(at, 0))
        if at <= 0 or (word is None and not is_group) or (text[at - 1] in _CALLED):
            return -1
        if word is None:
            return at if text[at - 1] not in _CALLED_WITH_TYPES else -1
        separator = _SEPARATOR.search(text, 0, word.start())
        if separator is None:
            return word.start() if word.start() and text[word.start() - 1] not in _CALLED else -1
        at = separator.start()


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
