"""Runs that contain character classes: `disabled_?[0-9]` is in terms that have a digit behind the word.

In the text of a run a class is one mark, and MORE stands for one or more of the class before it. A class
of a pattern is widened to the smallest one here that contains it, which may find needless terms but never
loses a match. RE2 finds the terms in the dictionary's own text, in which line feeds separate them.
"""

from __future__ import annotations

import re

DIGIT, HEX, LETTER, WORD = CLASS_MARKS = "\x01\x02\x03\x04"
MORE = "\x05"
MAX_ATOMS = 48  # of a run with classes: this many states at most, and hardly any term is longer
MIN_ATOMS = 8  # of a run without a literal part worth looking up; shorter ones are in most files
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_CLASSES = ((DIGIT, _DIGITS), (HEX, _DIGITS | frozenset("abcdef")), (LETTER, _LETTERS))
_EXPRESSIONS = {DIGIT: b"[0-9]", HEX: b"[0-9a-f]", LETTER: b"[a-z]", WORD: b"[0-9a-z_]", MORE: b"+"}
_CLASSED = re.compile(f"[{CLASS_MARKS}{MORE}]+")
# At a STRANGE edge the text has no ASCII word character. But the term may have one there, the lower case of
# another character: `k` of the Kelvin sign, `i` of a capital with a dot. A line feed is the term's own edge.
_STRANGE = rb"[\n\x80-\xffki]"


def find_mark(chars: frozenset[str]) -> str:
    """Return the mark of the smallest class that contains these ASCII word characters, lower-cased."""
    lowered = {char.lower() for char in chars}
    return next((mark for mark, members in _CLASSES if lowered <= members), WORD)


def has_classes(run: str) -> bool:
    """Return True when the text of a run is more than literal characters."""
    return _CLASSED.search(run) is not None


def find_literal_part(run: str) -> str:
    """Return the longest part of the text of a run without a class."""
    return max(_CLASSED.split(run), key=len)


def cut_shape(run: str) -> str:
    """Return the first MAX_ATOMS characters of the text of a run, without splitting a class from its MORE."""
    end = MAX_ATOMS + (run[MAX_ATOMS : MAX_ATOMS + 1] == MORE)
    return run[:end]


def build_expression(shape: str, left: bytes, right: bytes) -> bytes:
    """Return the RE2 expression for terms that contain a shape between the expressions of its two edges."""
    atoms = (_EXPRESSIONS.get(char) or _escape(char) for char in shape)
    return left + b"".join(atoms) + right


def describe_edge(is_open: bool, is_closed: bool) -> bytes:
    """Return the expression of what is beside a shape in the dictionary's text."""
    if is_open:
        return b""
    return rb"\n" if is_closed else _STRANGE


def _escape(char: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in char.encode())
