"""Finds long comments in code, of which a reader of the code needs little. Pure.

Licences and examples of how to use a member may have more lines than the code below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.languages.outline.docstring_lines import FIRST_LINES, LONG_LINES
from repo_mcp.languages.outline.folded_lines import is_plain_comment

_OPENING = re.compile(r"\s*/\*(?:[\s*!]|$)")  # in scripts, `/*)` begins a branch


def iter_long_comments(lines: Sequence[str]) -> Iterator[range]:
    """Yield the places of the lines that may be left out of each long comment, ascending.

    A comment is a run of lines that begin as one, with all that stands between `/*` and `*/`. Of one that has
    more than LONG_LINES lines, the first FIRST_LINES and the last are kept. A line with code behind a comment
    belongs to none: `/* 3 */ { "stop", stop },` in a table.
    """
    last_closing = next((at for at in reversed(range(len(lines))) if "*/" in lines[at]), -1)
    first = at = 0
    while at <= len(lines):
        is_comment = at < len(lines) and is_plain_comment(lines[at])
        if is_comment and at <= last_closing and _OPENING.match(lines[at]):
            at = next(place for place in range(at, last_closing + 1) if "*/" in lines[place])
        if not is_comment or _has_code(lines[at]):
            if at - first > LONG_LINES:
                yield range(first + FIRST_LINES, at - 1)
            first = at + 1
        at += 1


def _has_code(line: str) -> bool:
    """Return True if code follows the first comment that ends in a line."""
    rest = line.partition("*/")[2]
    return bool(rest.strip()) and not is_plain_comment(rest)
