"""Runs that hold classes of characters: `disabled_?[0-9]` is in terms that have a digit behind the word.

In the text of a run a class is one mark, and MORE stands for one or more of the class before it. A class
of a pattern is widened to the smallest one here that holds it: what is lost is a term too many, never a
match. Terms are found by RE2 in the dictionary's own text, where a line feed stands between two.
"""

from __future__ import annotations

import re

DIGIT, HEX, LETTER, WORD = CLASS_MARKS = "\x01\x02\x03\x04"
MORE = "\x05"
MAX_ATOMS = 48  # of a run with classes: so many states at most, and no term is much longer
MIN_ATOMS = 8  # of a run that has no literal part worth looking up; shorter ones stand in most files
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_CLASSES = ((DIGIT, _DIGITS), (HEX, _DIGITS | frozenset("abcdef")), (LETTER, _LETTERS))
_EXPRESSIONS = {DIGIT: b"[0-9]", HEX: b"[0-9a-f]", LETTER: b"[a-z]", WORD: b"[0-9a-z_]", MORE: b"+"}
_CLASSED = re.compile(f"[{CLASS_MARKS}{MORE}]+")
# Beside a strange edge stands no ASCII word character of the text, but that of the term may be the lower
# case of another: `k` of the Kelvin sign, `i` of a capital with a dot. So is what is behind a line feed.
_STRANGE = rb"[\n\x80-\xffki]"


def find_mark(chars: frozenset[str]) -> str:
    """The mark of a class that holds some ASCII word characters, as they are in lower case."""
    lowered = {char.lower() for char in chars}
    return next((mark for mark, members in _CLASSES if lowered <= members), WORD)


def has_classes(run: str) -> bool:
    """True when the text of a run is more than literal characters."""
    return _CLASSED.search(run) is not None


def find_literal_part(run: str) -> str:
    """The longest part of the text of a run without a class."""
    return max(_CLASSED.split(run), key=len)


def cut_shape(run: str) -> str:
    """The first MAX_ATOMS of the text of a run."""
    end = MAX_ATOMS + (run[MAX_ATOMS : MAX_ATOMS + 1] == MORE)
    return run[:end]


def build_expression(shape: str, left: bytes, right: bytes) -> bytes:
    """What RE2 finds the terms by that hold a shape, between line feeds; beside it stands what is given."""
    atoms = (_EXPRESSIONS.get(char) or _escape(char) for char in shape)
    return left + b"".join(atoms) + right


def describe_edge(is_open: bool, is_closed: bool) -> bytes:
    """What stands beside a shape in the dictionary's text."""
    if is_open:
        return b""
    return rb"\n" if is_closed else _STRANGE


def _escape(char: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in char.encode())
