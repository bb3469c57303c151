"""Chooses the lines to show of a long type or module: all but comments, blank lines and bodies of functions.

Whoever opens a class of nine hundred lines by its name wants its members, one of which is opened next. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.patterns.declaration_kinds import FUNCTION_KINDS
from repo_mcp.model import Symbol
from repo_mcp.text.lines import is_comment

LONG_LINES = 200  # of a declaration; a shorter one is shown whole
NAME_LINES = 5  # first lines of a function that may have its name: annotations come before it


def choose_folded(lines: Sequence[str], start_line: int, symbols: Sequence[Symbol]) -> tuple[int, ...] | None:
    """Return the numbers of the lines to show of a declaration, ascending; None for all of them.

    `lines` are those of the declaration from `start_line` on, `symbols` all of its file. Functions are shown
    whole, like what has none in it.
    """
    last = start_line + len(lines) - 1
    inside = [one for one in symbols if start_line <= one.start_line and one.end_line <= last]
    functions = [one for one in inside if one.kind in FUNCTION_KINDS and one.end_line > one.start_line]
    is_function = any(
        one.kind in FUNCTION_KINDS and one.start_line == start_line and one.end_line >= last
        for one in symbols
    )
    if len(lines) <= LONG_LINES or is_function or not functions:
        return None
    hidden: set[int] = set()
    named: set[int] = set()
    for one in functions:
        if one.start_line not in hidden:  # of what a function declares inside, nothing is shown
            named.add(_find_name(lines, start_line, one))
        hidden.update(range(one.start_line, one.end_line + 1))
    return tuple(
        number
        for number, line in enumerate(lines, start_line)
        if number in named or (number not in hidden and line.strip() and not is_comment(line))
    )


def _find_name(lines: Sequence[str], start_line: int, function: Symbol) -> int:
    """Return the number of the first line of a function that has its name."""
    end = min(function.start_line + NAME_LINES, function.end_line + 1)
    numbers = range(function.start_line, end)
    return next((one for one in numbers if function.name in lines[one - start_line]), function.start_line)
