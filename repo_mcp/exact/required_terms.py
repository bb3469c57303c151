"""The needs of a pattern: runs of word characters, all or any. `repo_mcp.exact.patterns` derives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Edge(Enum):
    """The text that may stand beside a run."""

    OPEN = "open"  # anything: the run may be part of a longer word
    STRANGE = "strange"  # no ASCII word character, but perhaps a letter outside ASCII
    CLOSED = "closed"  # nothing that belongs to a word


@dataclass(frozen=True, slots=True)
class Run:
    """Word characters, in lower case, that stand together in some word of the text."""

    text: str  # for a run with classes, the longest part without; may be empty
    left: Edge
    right: Edge
    may_have_long_s: bool = False  # a long s may stand for an `s` of it
    shape: str = ""  # the whole run if it has classes, in the marks of `char_classes`
    before: str = ""  # punctuation before its word, skipping blanks, as in `neighbour_bloom`
    behind: str = ""


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
    spans_lines: bool  # it names a line feed, so a match may span lines
    literal: str = ""  # every match of an expression contains this, in this case
    bigrams: tuple[int, ...] = ()  # every matching text has these, in the numbers of `punctuation_bigrams`
    needs_edges: bool = False  # it tests where the text begins or ends, not only its lines
    sides: Need | None = None  # runs with punctuation beside them; only for matches within a line
    open_quote: bool = False  # ends within \Q: needs \E before anything is appended
