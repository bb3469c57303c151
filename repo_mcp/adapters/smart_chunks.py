"""Where to cut a file so that declarations stay whole: cheap, from the landmarks of its line patterns.

A cut stands before a declaration, above its decorators and its comment. Of the declarations within
reach the least indented is taken, the last of equals: before a class rather than before its last
method. Where a declaration is longer than a chunk may be, the cut falls at the limit.

    lines 1-9 imports, 10-130 class A, 131-260 class B, at most 200 lines  ->  cuts 1, 131

Every line lies in exactly one chunk, no chunk is longer than the limit, and but for the last none is
shorter than a quarter of it. Left out on purpose: overlap, which is the caller's affair.
"""

from __future__ import annotations

from repo_mcp.adapters.languages import Landmarks
from repo_mcp.textfile import count_lines

MAX_CHUNK_LINES = 200
_LEAST_SHARE = 4  # a chunk has at least this part of the most, so that their number stays bounded


def cut_smartly(
    data: bytes, landmarks: Landmarks, max_lines: int = MAX_CHUNK_LINES
) -> tuple[int, ...] | None:
    """First lines of the chunks of a normalised text, from 1 up; None when it declares nothing."""
    total = count_lines(data)
    starts = _list_starts(data, landmarks)
    if not starts or total == 0:
        return None
    cuts = [1]
    place = 0
    while total - cuts[-1] + 1 > max_lines:
        first = cuts[-1] + max(1, max_lines // _LEAST_SHARE)
        last = cuts[-1] + max_lines
        while place < len(starts) and starts[place][0] < first:
            place += 1
        ahead = place
        best: tuple[int, int] | None = None  # indentation, line
        while ahead < len(starts) and starts[ahead][0] <= last:
            line, indent = starts[ahead]
            if best is None or indent <= best[0]:
                best = indent, line
            ahead += 1
        cuts.append(last if best is None else best[1])
    return tuple(cuts)


def _list_starts(data: bytes, landmarks: Landmarks) -> list[tuple[int, int]]:
    """First line and indentation of each declaration with what is right above it, ascending."""
    comment_starts = {last: first for first, last in landmarks.doc_spans}
    found: list[tuple[int, int]] = []
    line, seen = 1, 0
    for name, _ in landmarks.definitions:
        start = data.rfind(b"\n", 0, name) + 1
        indent = len(data[start:name]) - len(data[start:name].lstrip(b" \t"))
        line += data.count(b"\n", seen, start)
        seen = start
        above = _step_over(data, start, comment_starts)
        first = line - data.count(b"\n", above, start)
        if not found or first > found[-1][0]:
            found.append((first, indent))
    return found


def _step_over(data: bytes, start: int, comment_starts: dict[int, int]) -> int:
    """Where the decorators and the comment right above the line at `start` begin."""
    for _ in range(_LEAST_SHARE * _LEAST_SHARE):  # as many decorators as anyone writes
        if start == 0:
            break
        previous = data.rfind(b"\n", 0, start - 1) + 1
        if not data[previous:start].lstrip(b" \t").startswith((b"@", b"#[")):
            break
        start = previous
    comment = comment_starts.get(start - 1)
    return start if comment is None else data.rfind(b"\n", 0, comment) + 1
