"""Cuts of a file that keep declarations whole, found cheaply from the landmarks of its line patterns.

A cut comes before a declaration, above its decorators and its comment. Of the declarations within
reach the least indented is chosen, and the last of equals: before a class rather than before its last
method. Where a declaration is longer than a chunk may be, the cut falls at the limit.

    lines 1-9 imports, 10-130 class A, 131-260 class B, at most 200 lines  ->  cuts 1, 131

Every line is in exactly one chunk. No chunk is longer than the limit, and none but the last is
shorter than a quarter of it. Left out on purpose: overlap, which is up to the caller.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from repo_mcp.languages.patterns.landmarks import Landmarks

_LEAST_SHARE = 4  # a chunk has at least 1/4 of the limit, so that their number is bounded
_LINE_FEED = 0x0A


def cut_smartly(
    data: bytes, landmarks: Landmarks, max_lines: int, line_ends: Sequence[int] | None = None
) -> tuple[int, ...] | None:
    """Return the first lines of the chunks of a normalised text, from 1; None when it declares nothing.

    `line_ends`, if known already, are the byte offsets of its line feeds, followed by its length.
    """
    if not landmarks.definitions or not data:
        return None
    if line_ends is None:
        line_feeds = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _LINE_FEED)
        line_ends = np.append(line_feeds, len(data)).data
    total = len(line_ends) - (data[-1] == _LINE_FEED)
    declarations = _Declarations(data, landmarks, line_ends)
    cuts = [1]
    while total - cuts[-1] + 1 > max_lines:
        last = cuts[-1] + max_lines
        best = declarations.find_best(cuts[-1] + max(1, max_lines // _LEAST_SHARE), last)
        cuts.append(last if best is None else best)
    return tuple(cuts)


class _Declarations:
    """The declarations of a text with their decorators and comments, examined only where a cut may fall."""

    def __init__(self, data: bytes, landmarks: Landmarks, line_ends: Sequence[int]) -> None:
        self._data = data
        self._names = landmarks.definitions
        self._comments = landmarks.doc_spans
        self._ends = line_ends

    def find_best(self, first: int, last: int) -> int | None:
        """Return the line from `first` to `last` where the least indented begins, the last of equals."""
        best: tuple[int, int] | None = None  # indentation, line
        behind = bisect_right(self._names, self._ends[last - 1], key=itemgetter(0))
        for ordinal in range(min(behind, len(self._names) - 1), -1, -1):
            number = bisect_left(self._ends, self._names[ordinal][0]) + 1
            if number < first:
                break
            line, indent = self._describe(number)
            if first <= line <= last and (best is None or indent < best[0]):
                best = indent, line
                if indent == 0:
                    break
        return None if best is None else best[1]

    def _describe(self, number: int) -> tuple[int, int]:
        """Return the first line of a declaration, counting what is right above it, and its indentation."""
        data, start = self._data, self._ends[number - 2] + 1 if number > 1 else 0
        indent = 0
        while data[start + indent : start + indent + 1] in (b" ", b"\t"):
            indent += 1
        above = self._step_over(start)
        return number - data.count(b"\n", above, start), indent

    def _step_over(self, start: int) -> int:
        """Return the offset where the decorators and the comment right above a line begin."""
        data = self._data
        for _ in range(_LEAST_SHARE * _LEAST_SHARE):  # more decorators than anyone writes
            if start == 0:
                break
            previous = data.rfind(b"\n", 0, start - 1) + 1
            if not data[previous:start].lstrip(b" \t").startswith((b"@", b"#[")):
                break
            start = previous
        position = bisect_left(self._comments, start - 1, key=itemgetter(1))
        if position == len(self._comments) or self._comments[position][1] != start - 1:
            return start
        return data.rfind(b"\n", 0, self._comments[position][0]) + 1
