"""Choose which lines of a block that does not fit are shown: its head, and those that say most. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.file_view import FileView
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.text.block_heads import list_heads

MAX_HEAD_LINES = 6
NEAR_LINES = 24  # shown at most before and after a line that a frame names
MOST_GAP = 3  # lines between two excerpts of a block that are shown, too


def choose_parts(
    view: FileView, block: Block, most_lines: int, near: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """Return at most `most_lines` lines of a block that does not fit, as spans in order.

    These are its head, and the lines around those of `near` with what has to hold for them to be reached.
    If there are none, they are the lines with most of the prompt's terms, each with its neighbours.
    """
    lines = view.live.lines
    start = block.start_line if block.span is None else max(block.start_line, block.span.head_line)
    head = find_head(lines, block.span)[1] if block.span is not None else start
    shown = set(range(start, min(head, start + most_lines - 1) + 1))
    for line in near:
        heads = {at + start for at in list_heads(lines[start - 1 : line])} if line > start else set[int]()
        for beside in range(min(NEAR_LINES, most_lines // len(near)), -1, -2):
            around = {*range(max(start, line - beside), min(block.end_line, line + beside) + 1), line}
            if len(shown | around | heads) <= most_lines:
                shown |= around | heads
                break
    if near:
        return list(_join_lines(_fill_gaps(sorted(shown), most_lines)))
    numbers = [line for line in view.line_terms if start <= line <= block.end_line]
    comments = view.layout.comment_lines
    ordered = sorted(numbers, key=lambda line: (line in comments, -len(set(view.line_terms[line])), line))
    for line in ordered:
        around = set(range(max(start, line - 2), min(block.end_line, line + 2) + 1))
        if len(shown | around) <= most_lines:
            shown |= around
    return list(_join_lines(sorted(shown)))


def find_head(lines: Sequence[str], around: SymbolSpan) -> tuple[int, int]:
    """Return the first and last line of a declaration's head: its name up to its parameters or bases."""
    end = around.name_line
    while end < min(around.end_line, around.name_line + MAX_HEAD_LINES - 1) and not re.search(
        r"[:{;]\s*(?:#.*|//.*)?$", lines[end - 1]
    ):
        end += 1
    return around.name_line, end


def _fill_gaps(shown: Sequence[int], most_lines: int) -> list[int]:
    """Return some ascending lines with those between two that are near each other, if they fit."""
    filled = list(shown)
    for first, second in pairwise(shown):
        if 1 < second - first <= MOST_GAP + 1 and len(filled) + second - first - 1 <= most_lines:
            filled += range(first + 1, second)
    return sorted(filled)


def _join_lines(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of consecutive lines; `lines` ascend."""
    first = 0
    for position, line in enumerate(lines, 1):
        if position == len(lines) or lines[position] != line + 1:
            yield lines[first], line
            first = position
