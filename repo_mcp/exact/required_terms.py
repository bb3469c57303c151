"""What a pattern needs, as `repo_mcp.exact.patterns` reads it: runs of word characters, all or any."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Edge(Enum):
    """What stands beside a run."""

    OPEN = "open"  # anything: the run may be part of a longer word
    STRANGE = "strange"  # no ASCII word character, but perhaps a letter outside ASCII
    CLOSED = "closed"  # nothing that belongs to a word


@dataclass(frozen=True, slots=True)
class Run:
    """Word characters, in lower case, that stand together in some word of the text."""

    text: str  # of one with classes the longest part without, which may be empty
    left: Edge
    right: Edge
    may_have_long_s: bool = False  # which may stand for an `s` of it
    shape: str = ""  # the whole of it where it holds classes, as `run_shapes` writes them
    before: str = ""  # the sign in front of its word, blanks between left out, as `word_sides` writes it
    behind: str = ""


@dataclass(frozen=True, slots=True)
class All:
    """Every part is needed."""

    parts: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One part at least is needed."""

    parts: tuple[Need, ...]


Need = Run | All | Either


@dataclass(frozen=True, slots=True)
class PatternReading:
    """What was understood of a pattern."""

    need: Need | None  # None: any text may match
    spans_lines: bool  # it names a line feed: a match may have several lines
    literal: str = ""  # every match of an expression holds this, in this case
    bigrams: tuple[int, ...] = ()  # and every text that matches these, as `bigrams` numbers them
    needs_edges: bool = False  # it asks where the text begins or ends, not only its lines
    sides: Need | None = None  # runs that have a sign beside them; for matches within a line only
    open_quote: bool = False  # ends within \Q: needs \E before anything is written behind it
