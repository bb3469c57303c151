"""Find the statement around a line, in any language. Pure.

What belongs to it is told by brackets, by indentation, and by the signs with which a line ends that goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from repo_mcp.bodies.body import measure_indent
from repo_mcp.research.findings.open_brackets import list_open_brackets

LINES_BEFORE, LINES_AFTER = 3, 6  # of a statement, before and after the line that is asked for
_GOES_ON = ("(", "[", ",", "&&", "||", "?", ":", "=", "=>", " and", " or", "+", "\\")


def find_statement(lines: Sequence[str], at: int, start: int) -> range:
    """Return the lines of the statement with a line, and of what it guards, if that is short."""
    first = at
    while first > max(start, at - LINES_BEFORE) and lines[first - 2].rstrip().endswith(_GOES_ON):
        first -= 1
    last = max(_iter_covered(lines, first, at), default=at)
    return range(first, last + 1)


def _iter_covered(lines: Sequence[str], first: int, at: int) -> Iterator[int]:
    """Yield the lines behind one that are in its brackets, continue it, or are indented below it."""
    margin = measure_indent(lines[first - 1])
    for number in range(at + 1, min(at + LINES_AFTER, len(lines)) + 1):
        is_open = bool(list_open_brackets("\n".join(lines[first - 1 : number - 1])))
        is_joined = lines[number - 2].rstrip().endswith(_GOES_ON)
        is_below = measure_indent(lines[number - 1]) > margin and bool(lines[number - 1].strip())
        if not (is_open or is_joined or is_below):
            return
        yield number
