"""Chooses the lines to show of a long declaration of which no line was asked for: head and outermost lines.

Whoever opens a function of four hundred lines by its name does not know yet which part is wanted. Its
outermost lines tell what it does in which order, and by their numbers the next call asks for a part. So do
the heads of its members for a type. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from repo_mcp.repository.opened.lines_near import HEAD_LINES, LONG_CHARS
from repo_mcp.text.block_heads import measure_depth
from repo_mcp.text.lines import is_comment

ROOM_CHARS = 1_500  # of its lines below the head: some forty
LONG_TYPE_CHARS = 6_000  # of what is shown of a type without the bodies of its functions
TYPE_ROOM_CHARS = 4_000


def choose_outer(
    lines: Sequence[str], start_line: int, documentation: Iterable[range] = ()
) -> tuple[int, ...] | None:
    """Return the numbers of the lines to show of a function, ascending; None for all of them.

    `lines` are those of the declaration from `start_line` on. The least indented are chosen first, and of
    equals the first, as many as have room; no comments, none of the places of `documentation` below the head,
    and no lines without a word.
    """
    if sum(map(len, lines)) <= LONG_CHARS:
        return None
    hidden = {at for places in documentation for at in places if at >= HEAD_LINES}
    among = [at for at in range(len(lines)) if at not in hidden]
    return tuple(at + start_line for at in _choose(lines, among, ROOM_CHARS))


def narrow_folded(lines: Sequence[str], start_line: int, folded: Sequence[int]) -> tuple[int, ...] | None:
    """Return those to show of the `folded` lines of a type, in the same way; None for all of them."""
    among = [number - start_line for number in folded]
    if sum(len(lines[at]) for at in among) <= LONG_TYPE_CHARS:
        return None
    return tuple(at + start_line for at in _choose(lines, among, TYPE_ROOM_CHARS))


def _choose(lines: Sequence[str], among: Sequence[int], room_chars: int) -> list[int]:
    """Return the first of some places, and the outermost of the others, ascending."""
    telling = [at for at in among[HEAD_LINES:] if _tells(lines[at])]
    telling.sort(key=lambda at: measure_depth(lines[at]))
    room = accumulate(len(lines[at]) for at in telling)
    fitting = [at for at, chars in zip(telling, room, strict=True) if chars <= room_chars]
    return sorted([*among[:HEAD_LINES], *fitting])


def _tells(line: str) -> bool:
    """Return True for a line of code with a word in it."""
    return any(map(str.isalnum, line)) and not is_comment(line)
