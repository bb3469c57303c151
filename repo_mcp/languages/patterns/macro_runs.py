"""Finds the one-line macros of a header that are right below others, all at once.

A header of hardware registers has up to 20,000 of them. They have no comments of their own and nothing in
them, so arrays say all about them. Macros with a declaration around them, or another name in their line, are
left to `declared_spans`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from index_format import find_changes, spread_runs
from repo_mcp.arrays import I64, Mask
from repo_mcp.languages.patterns.line_layout import Layout
from repo_mcp.record_classes import dataclass

MACRO_LANGUAGES = frozenset(("c", "cpp", "objective-c", "assembly"))
DEFINE = b"#define"
_DEFINES = b"#define ", b"#define\t"


@dataclass(frozen=True, slots=True)
class Macros:
    """Macros of one line each that nothing is around, in order."""

    lines: I64  # counted from 0
    names: str  # one after the other, ASCII
    sizes: I64  # of the names


NO_MACROS = Macros(np.zeros(0, np.int64), "", np.zeros(0, np.int64))


def mark_macros(layout: Layout, lines: I64) -> Mask:
    """Return which of the lines of some names have macros that end there, right below other macros."""
    texts, is_doc = layout.lines, layout.is_doc
    marks = [
        texts[line].startswith(_DEFINES)
        and line > 0
        and texts[line - 1].startswith(DEFINE)
        and not is_doc[line - 1]
        and not texts[line].endswith(b"\\")
        for line in lines.tolist()
    ]
    return np.array(marks, dtype=np.bool_)


def mark_apart(lines: I64, spans: Sequence[tuple[int, int]]) -> Mask:
    """Return which of some ascending lines occur once and are in none of the spans.

    `spans` are the lines of names, ascending, and the last lines of what they declare.
    """
    is_apart = find_changes(lines)
    is_apart[:-1] &= is_apart[1:]
    if spans:
        firsts, lasts = np.array(spans, dtype=np.int64).T
        reached = np.maximum.accumulate(lasts)
        before = firsts.searchsorted(lines, "right") - 1
        is_apart &= (before < 0) | (reached.take(np.maximum(before, 0)) < lines)
    return is_apart


def take_macros(layout: Layout, lines: I64, offsets: I64, marks: Mask) -> Macros:
    """Return the marked ones of some names, given their lines and byte spans; none unless all are ASCII."""
    starts, ends = offsets[marks].T
    sizes = ends - starts
    names = layout.data.take(spread_runs(starts, sizes)).tobytes()
    return Macros(lines[marks], names.decode("ascii"), sizes) if names.isascii() else NO_MACROS
