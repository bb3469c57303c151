"""Where to cut a file so that declarations stay whole: cheap, from the landmarks of its line patterns.

A cut stands before a declaration, above its decorators and its comment. Of the declarations within
reach the least indented is taken, the last of equals: before a class rather than before its last
method. Where a declaration is longer than a chunk may be, the cut falls at the limit.

    lines 1-9 imports, 10-130 class A, 131-260 class B, at most 200 lines  ->  cuts 1, 131

Every line lies in exactly one chunk, no chunk is longer than the limit, and but for the last none is
shorter than a quarter of it. Left out on purpose: overlap, which is the caller's affair.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from repo_mcp.languages.patterns.landmarks import Landmarks

MAX_CHUNK_LINES = 200
_LEAST_SHARE = 4  # a chunk has at least this part of the most, so that their number stays bounded
_LINE_FEED = 0x0A


def cut_smartly(
    data: bytes,
    landmarks: Landmarks,
    max_lines: int = MAX_CHUNK_LINES,
    line_ends: Sequence[int] | None = None,
) -> tuple[int, ...] | None:
    """First lines of the chunks of a normalised text, from 1 up; None when it declares nothing.

    `line_ends` are the places of its line feeds, and its length, where they are known already.
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
    """The declarations of a text, each with what is right above it: looked at where a cut may fall."""

    def __init__(self, data: bytes, landmarks: Landmarks, line_ends: Sequence[int]) -> None:
        self._data = data
        self._names = landmarks.definitions
        self._comments = landmarks.doc_spans
        self._ends = line_ends

    def find_best(self, first: int, last: int) -> int | None:
        """The line from `first` to `last` where the least indented begins, of equals the last one."""
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
        """First line of the declaration on a line, with what is right above it, and its indentation."""
        data, start = self._data, self._ends[number - 2] + 1 if number > 1 else 0
        indent = 0
        while data[start + indent : start + indent + 1] in (b" ", b"\t"):
            indent += 1
        above = self._step_over(start)
        return number - data.count(b"\n", above, start), indent

    def _step_over(self, start: int) -> int:
        """Where the decorators and the comment right above the line at `start` begin."""
        data = self._data
        for _ in range(_LEAST_SHARE * _LEAST_SHARE):  # as many decorators as anyone writes
            if start == 0:
                break
            previous = data.rfind(b"\n", 0, start - 1) + 1
            if not data[previous:start].lstrip(b" \t").startswith((b"@", b"#[")):
                break
            start = previous
        ordinal = bisect_left(self._comments, start - 1, key=itemgetter(1))
        if ordinal == len(self._comments) or self._comments[ordinal][1] != start - 1:
            return start
        return data.rfind(b"\n", 0, self._comments[ordinal][0]) + 1
