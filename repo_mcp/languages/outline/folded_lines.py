"""Chooses the lines to show of a long type or module: all but comments, blank lines and bodies of functions.

Whoever opens a class of nine hundred lines by its name wants its members, one of which is opened next. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.languages.patterns.declaration_kinds import FUNCTION_KINDS
from repo_mcp.model import Symbol
from repo_mcp.text.lines import is_comment

LONG_LINES = 200  # of a declaration; a shorter one is shown whole
LEAST_SAVED = 1 / 3  # of the lines; where fewer would be left out, all are shown
NEAR_LINES = 2  # shown before and after the line that was asked for
_WITH_BODY = FUNCTION_KINDS | {"property", "test", "task", "initializer"}
_LIKE_COMMENT = re.compile(r"\s*(?:\(?\*.*;\s*$|#\s*(?:define|undef|if|ifdef|ifndef|el\w+|endif|include)\b)")
_COMMENT_MARKS = "#", "//", "--"
_TIGHT = str.maketrans({'"': "'", **dict.fromkeys(" \t,")})  # records have other quotes, blanks and commas


def choose_folded(
    lines: Sequence[str],
    start_line: int,
    symbols: Sequence[Symbol],
    around: int | None = None,
    *,
    has_directives: bool = True,
) -> tuple[int, ...] | None:
    """Return the numbers of the lines to show of a declaration, ascending; None for all of them.

    `lines` are those of the declaration from `start_line` on, `symbols` all of its file. Functions are shown
    whole, like what has none in it; of the rest also the lines next to `around`. Without directives,
    `# if` begins a comment.
    """
    if len(lines) <= LONG_LINES:
        return None
    last = start_line + len(lines) - 1
    functions = [
        one
        for one in symbols
        if one.kind in _WITH_BODY and start_line <= one.start_line < one.end_line <= last
    ]
    if any(one.start_line == start_line and one.end_line == last for one in functions):
        return None
    hidden: set[int] = set()
    shown = set() if around is None else {*range(around - NEAR_LINES, around + NEAR_LINES + 1)}
    for one in functions:
        if one.start_line not in hidden:  # of what a function declares inside, nothing is shown
            shown.update(_find_head(lines[one.start_line - start_line : one.end_line - start_line + 1], one))
        hidden.update(range(one.start_line, one.end_line + 1))
    is_left_out = is_plain_comment if has_directives else is_comment
    chosen = tuple(
        number
        for number, line in enumerate(lines, start_line)
        if number in shown or (number not in hidden and line.strip() and not is_left_out(line))
    )
    return chosen if functions and len(chosen) <= (1 - LEAST_SAVED) * len(lines) else None


def is_plain_comment(line: str) -> bool:
    """Return True for a comment that is neither a line of the preprocessor nor a statement with a pointer."""
    return is_comment(line) and not _LIKE_COMMENT.match(line)


def _find_head(lines: Sequence[str], function: Symbol) -> list[int]:
    """Return the numbers of the lines with the signature of a function, from the one with its name on."""
    name = re.compile(rf"(?<!\w){re.escape(function.name)}(?![\w'\")\]])")  # not the text of an annotation
    written = function.signature
    named = name.search(written, max(0, written.find(f"def {function.name}")))  # behind its decorators
    left = (written[named.start() :] if named else function.name).translate(_TIGHT)
    numbered = [pair for pair in enumerate(lines, function.start_line) if not is_comment(pair[1])]
    head: list[int] = []
    for number, line in numbered:
        found = None if head else name.search(line)
        text = (line[found.start() :] if found else line).translate(_TIGHT).rstrip("\r:;{")
        if not text or not (head or found):
            continue
        if text.startswith(left):
            return [*head, number]
        pairs = enumerate(zip(left, text, strict=False))
        shared = next((at for at, (one, other) in pairs if one != other), min(len(left), len(text)))
        if shared == len(text) or (shared and text.startswith(_COMMENT_MARKS, shared)):
            head.append(number)
            left = left[shared:]
        elif head:
            break
    return head or [next((number for number, line in numbered if name.search(line)), function.start_line)]
