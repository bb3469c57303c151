"""Cut a file into blocks, the pieces that answers show: functions whole, classes by their members. Pure.

A block is a declaration with the comment above it, the lines of a class between its members, or lines outside
all declarations. A small file is one block, and so is a small class. Empty lines and closing brackets between
two blocks belong to the first, so that neighbours touch.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.record_classes import dataclass

SMALL_FILE_LINES = 40
SMALL_CLASS_LINES = 40  # a longer one is cut into its members
LONG_LINES = 250  # a longer function that consists mostly of inner functions counts as a module
MAX_NESTED = 24  # declarations inside of each other that are cut; what is deeper belongs to the last
TEXT_LINES = 40  # of a piece of text outside all declarations
MAX_LEAD_LINES = 12  # of the comment above a declaration; a longer comment is a block of its own
# `const traps = {`, whose functions are its members, but not `def tie(rope: Rope) = {`.
_OPENS_OBJECT = re.compile(r"(?!.*\b(?:def|fun)\s)[^(]*[:=]\s*\{\s*$")
_SAYS_NOTHING = re.compile(r"[\s\])};,]*+(?:end)?[\s;]*$")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file that are shown together, 1-based, both included."""

    start_line: int
    end_line: int
    span: SymbolSpan | None = None  # the declaration that it is, or the class of which it is the head
    owner: SymbolSpan | None = None  # the declaration around it

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return self.end_line - self.start_line + 1


Placed = tuple[int, SymbolSpan]  # the position of a block, and a declaration that it is or holds


def cut_blocks(
    lines: Sequence[str], spans: Sequence[SymbolSpan], small_file_lines: int = SMALL_FILE_LINES
) -> list[Block]:
    """Return a partition of the lines as blocks, by line. `spans` are nested or disjoint, outer first."""
    if not lines:
        return []
    if len(lines) <= small_file_lines:
        return [Block(1, len(lines), max(spans, key=lambda one: one.end_line - one.head_line, default=None))]
    rough = list(_cut(lines, spans, 1, len(lines), None, MAX_NESTED))
    blocks: list[Block] = []
    for block in rough:
        if blocks and block.span is None and _says_nothing(lines, block):
            last = blocks[-1]
            blocks[-1] = Block(last.start_line, block.end_line, last.span, last.owner)
        else:
            blocks.append(block)
    return blocks


def _cut(
    lines: Sequence[str],
    spans: Sequence[SymbolSpan],
    start: int,
    end: int,
    owner: SymbolSpan | None,
    levels: int,
) -> Iterator[Block]:
    """Yield the blocks of the lines `start` to `end`, which hold all the spans and lie in `owner`.

    Declarations inside of each other are cut for so many levels.
    """
    line, position, head = start, 0, owner
    while position < len(spans):
        span = spans[position]
        inner = position + 1
        while inner < len(spans) and spans[inner].start_line <= span.end_line:
            inner += 1
        first = max(line, _skip_long_lead(span))
        if first > line:
            yield from _cut_text(lines, line, first - 1, head, owner)
        inside = spans[position + 1 : inner]
        if not levels or is_whole(lines, span, inside):
            yield Block(first, span.end_line, span, owner)
        else:
            yield from _cut(lines, inside, first, span.end_line, span, levels - 1)
        line, head, position = span.end_line + 1, None, inner
    if line <= end:
        yield from _cut_text(lines, line, end, head, owner)


def _skip_long_lead(span: SymbolSpan) -> int:
    """Return the first line to show of a declaration: that of its comment, unless the comment is long."""
    return span.start_line if span.head_line - span.start_line <= MAX_LEAD_LINES else span.head_line


def is_whole(lines: Sequence[str], span: SymbolSpan, inside: Sequence[SymbolSpan]) -> bool:
    """Return True for a declaration that is one block: without inner ones, a small class, or a function.

    A long function that consists mostly of inner ones is cut like a class, and so is any object of functions.
    """
    count = span.end_line - span.start_line + 1
    if not inside or count <= SMALL_CLASS_LINES:
        return True
    head = " ".join(lines[span.head_line - 1 : span.name_line])
    if holds_members(head, span.name):
        return False
    is_object = _OPENS_OBJECT.match(lines[span.name_line - 1]) is not None
    return (count <= LONG_LINES and not is_object) or 2 * _count_held(inside) < count


def _count_held(spans: Sequence[SymbolSpan]) -> int:
    """Return the number of lines that some spans hold together; they are nested or disjoint, outer first."""
    count = last = 0
    for one in spans:
        count += max(0, one.end_line - max(last, one.start_line - 1))
        last = max(last, one.end_line)
    return count


def _cut_text(
    lines: Sequence[str], start: int, end: int, head: SymbolSpan | None, owner: SymbolSpan | None
) -> Iterator[Block]:
    """Yield blocks of lines that declare nothing, cut at empty lines if long; `head` is the first's span."""
    while end - start >= TEXT_LINES:
        empty = [
            line for line in range(start + TEXT_LINES // 2, start + TEXT_LINES) if not lines[line - 1].strip()
        ]
        last = empty[-1] if empty else start + TEXT_LINES - 1
        yield Block(start, last, head, owner)
        start, head = last + 1, None
    yield Block(start, end, head, owner)


def _says_nothing(lines: Sequence[str], block: Block) -> bool:
    return all(map(_SAYS_NOTHING.match, lines[block.start_line - 1 : block.end_line]))


def list_members(lines: Sequence[str], blocks: Sequence[Block], spans: Sequence[SymbolSpan]) -> list[Placed]:
    """Return those of the `spans` that small files and classes hold which are one block, by line."""
    starts = [block.start_line for block in blocks]
    placed = [(bisect_right(starts, span.name_line) - 1, span) for span in spans]
    return [(at, span) for at, span in placed if _is_member(lines, blocks[at].span, span)]


def _is_member(lines: Sequence[str], around: SymbolSpan | None, span: SymbolSpan) -> bool:
    """Return False for a declaration that is a block itself, or is inside of a function."""
    if around is None or not around.start_line <= span.name_line <= around.end_line:
        return True
    head = " ".join(lines[around.head_line - 1 : around.name_line])
    return span is not around and holds_members(head, around.name)
