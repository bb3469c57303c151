"""Chooses the lines of a long declaration near one of them: the head, heads of blocks, and what is beside it.

Whoever opens the line of a hit or of a stack frame wants that place. A function of four hundred lines around
it would cost 19,000 bytes, of which those near the line are the most likely to be wanted. Two calls for some
lines of a function of a hundred still cost less than one for all of them. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.text.block_heads import list_heads

LONG_CHARS = 3_000  # of a declaration, some seventy-five lines; a shorter one is shown whole
ROOM_CHARS = 2_000  # of the lines near: some fifty
HEADS_NEAR = 12  # of blocks around the line; some of them are beside it
HEAD_LINES = 4  # first lines of the declaration; a line among them stands for all of it


def choose_near(
    lines: Sequence[str], start_line: int, around: int, most_lines: int
) -> tuple[int, ...] | None:
    """Return the numbers of the lines to show of a declaration, ascending; None for all of them.

    `lines` are those of the declaration from `start_line` on. If there are more than `most_lines` to show,
    it is that many around the line, without heads.
    """
    at = around - start_line
    if not HEAD_LINES <= at < len(lines) or sum(map(len, lines)) <= LONG_CHARS:
        return None
    heads = list_heads(lines[: at + 1], HEADS_NEAR)
    chosen = {*range(HEAD_LINES), *heads, *list_beside(lines, at, ROOM_CHARS)}
    if len(chosen) > most_lines:
        first = max(0, min(at - most_lines // 2, len(lines) - most_lines))
        chosen = {*range(first, first + most_lines)}
    return tuple(place + start_line for place in sorted(chosen))


def list_beside(lines: Sequence[str], at: int, room_chars: int) -> range:
    """Return the places around one, as many on both sides as have room; no blank ones at the ends."""
    first, last, left = at, at, room_chars - len(lines[at])
    while left > 0 and (first > 0 or last + 1 < len(lines)):
        if first > 0:
            first -= 1
            left -= len(lines[first])
        if last + 1 < len(lines):
            last += 1
            left -= len(lines[last])
    while first < at and not lines[first].strip():
        first += 1
    while last > at and not lines[last].strip():
        last -= 1
    return range(first, last + 1)
