"""The needs of a pattern: runs of word characters, all or any. `repo_mcp.exact.patterns` derives them.

A run may contain character classes: for `disabled_?[0-9]`, a term must have a digit after the word. In the
text of a run a class is one mark, and MORE after it stands for further characters of that class. A class of a
pattern is widened to the smallest one here that contains it, which may find needless terms but never loses a
match. RE2 finds the terms in the dictionary's own text, in which line feeds separate them.
"""

from __future__ import annotations

import re
from enum import Enum

from repo_mcp.record_classes import dataclass

DIGIT, HEX, LETTER, WORD = CLASS_MARKS = "\x01\x02\x03\x04"
MORE = "\x05"
MAX_ATOMS = 48  # most characters and classes of a run, so that expressions stay small; few terms are longer
MIN_ATOMS = 8  # least characters of a run that is mostly classes; shorter ones are in most files
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_CLASSES = ((DIGIT, _DIGITS), (HEX, _DIGITS | frozenset("abcdef")), (LETTER, _LETTERS))
_EXPRESSIONS = {DIGIT: b"[0-9]", HEX: b"[0-9a-f]", LETTER: b"[a-z]", WORD: b"[0-9a-z_]", MORE: b"+"}
_CLASSED = re.compile(f"[{CLASS_MARKS}{MORE}]+")
# At a STRANGE edge the text has no ASCII word character. But the term may have one there, the lower case of
# another character: `k` of the Kelvin sign, `i` of a capital with a dot. A line feed is the term's own edge.
_STRANGE = rb"[\n\x80-\xffki]"


class Edge(Enum):
    """The text that may be adjacent to a run."""

    OPEN = "open"  # anything: the run may be part of a longer word
    STRANGE = "strange"  # no ASCII word character, but perhaps a letter outside ASCII
    CLOSED = "closed"  # nothing that belongs to a word


@dataclass(frozen=True, slots=True)
class Run:
    """Word characters, in lower case, that stand together in some word of the text."""

    text: str  # the run; of one with classes, its longest literal part, which may be empty
    left: Edge
    right: Edge
    may_have_long_s: bool = False  # a term may have a long s in place of an `s`
    shape: str = ""  # of a run with classes, the whole run, with a mark for each class
    before: str = ""  # punctuation before its word, skipping blanks, as in `neighbour_bloom`
    behind: str = ""  # punctuation after its word, likewise


@dataclass(frozen=True, slots=True)
class All:
    """A need for every part."""

    parts: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A need for at least one part."""

    parts: tuple[Need, ...]


Need = Run | All | Either


@dataclass(frozen=True, slots=True)
class PatternReading:
    """The result of reading a pattern."""

    need: Need | None  # None: any text may match
    spans_lines: bool  # the pattern names a line feed, so a match may span lines
    literal: str = ""  # every match of an expression contains this, in this case
    bigrams: tuple[int, ...] = ()  # every matching text has these, in the numbers of `punctuation_bigrams`
    needs_edges: bool = False  # the pattern tests where the text begins or ends, not only its lines
    neighbours: Need | None = None  # runs with punctuation beside them; only for matches within a line
    open_quote: bool = False  # the pattern ends within \Q, and needs \E before anything is appended


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
    """Return the expression for the text beside a shape in the dictionary's text."""
    if is_open:
        return b""
    return rb"\n" if is_closed else _STRANGE


def _escape(char: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in char.encode())
