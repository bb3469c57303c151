"""Cuts from a large text the part that shows which declarations are around some of its lines.

Finding all declarations of a text takes time in proportion to its length, though a hit asks only for those
around fifty lines. In C and similar languages a `}` in the first column ends every declaration that is open
there, so the text between two such lines tells as much about what lies between them as the whole text does.
Where there are only macros, as in headers of hardware registers, no brace is open, and one macro below
another begins anew.

Everything here errs on the safe side: where the rules of `declared_spans` and `landmarks` might see beyond a
cut, it is made farther off, at last at the ends of the text. Only MAX_STEPS differs: where so many lines are
examined before the cut, declarations of the whole text end too soon, and those of the part do not.
"""

from __future__ import annotations

import re

from repo_mcp.languages.patterns.declaration_ends import MAX_HEADER_LINES
from repo_mcp.languages.patterns.line_layout import MAX_LEAD_LINES
from repo_mcp.late_patterns import compile_late

# Languages with braces whose declarations are matched line by line, comments and an opening brace aside.
CUT_LANGUAGES = frozenset({"c", "cpp", "go"})
NEAR_BYTES = 16_384  # around the lines, where a `}` or a run of macros is looked for first
MAX_AHEAD_BYTES = 700  # from a name to the brace that a pattern looks for
MAX_STARS = 300  # looked at one by one for the comment before a line
_MACRO = b"#define"
MAX_BRACES = 20  # in macros and comments, looked at one by one
_NO_HEAD = re.compile(rb"#|\s*(?:/?\*|//|$)")  # declares nothing but a macro
_ASSIGNED_OPENER = compile_late(rb"=[^\n=]*[(\[]\s*\n")  # a value over several lines


def cut_around(text: bytes, start: int, stop: int) -> tuple[int, int]:
    """Return the part of normalised text that shows the declarations around the lines in [start, stop).

    All are byte offsets where lines begin. What is named in the first line of the part is around none of
    the lines, unless that is the first of the text.
    """
    begin = _find_begin(text, start)
    return begin, _find_end(text, begin, stop)


def _find_begin(text: bytes, start: int) -> int:
    near = max(0, start - NEAR_BYTES)
    found = _find_close_before(text, near, start)
    if found is None and near:
        found = _find_macro_before(text, near, start)
        if found is None:
            found = _find_close_before(text, 0, near)
    return found or 0


def _find_end(text: bytes, begin: int, stop: int) -> int:
    if text.find(b"{", begin, stop) < 0:
        end = _find_line_after(text, stop)
        if text.find(b"{", begin, end) < 0 and not _may_assign(text, begin, end):
            return end
    return _find_close_after(text, stop)


def _find_close_before(text: bytes, low: int, start: int) -> int | None:
    """Return where the last line in [low, start) begins that ends every declaration before it."""
    if text.rfind(b"}", low, start) < 0:  # looking for one byte takes a fiftieth of the time
        return None
    at = start
    while (at := text.rfind(b"\n}", low, at)) >= 0:
        if _ends_all(text, at + 1):
            return at + 1
    return None


def _find_close_after(text: bytes, stop: int) -> int:
    """Return the end of the first line from `stop` on that ends all before it, or of the text."""
    at = stop - 1
    while text.find(b"}", at) >= 0 and (at := text.find(b"\n}", at)) >= 0:
        at += 1
        if _ends_all(text, at):
            return _find_next(text, at)
    return len(text)


def _ends_all(text: bytes, at: int) -> bool:
    """Return whether a line that begins with `}` ends every declaration whose name is not below it."""
    line = text[at : (after := _find_next(text, at))].rstrip()
    if line.endswith((b"(", b"[", b"\\")) or _is_continued(text, at) or _may_be_comment(text, at):
        return False
    depth = 0
    for _ in range(MAX_HEADER_LINES):  # up to a brace, a semicolon, or a blank line outside brackets
        depth += line.count(b"(") - line.count(b")")
        if b"{" in line:
            return False
        if (not line and depth <= 0) or line.endswith(b";"):
            return True
        line = text[after : (after := _find_next(text, after))].rstrip()
    return True


def _find_macro_before(text: bytes, low: int, start: int) -> int | None:
    """Return where a macro right above another begins, the last in (low, start) that nothing encloses.

    No other declaration is open there, and the head of none goes on.
    """
    lines = text[text.find(b"\n", low) + 1 : start].split(b"\n")[:-1]
    upper: int | None = None  # the first of two macros
    for place in range(len(lines) - 2, 0, -1):
        line, below = lines[place : place + 2]
        if not _NO_HEAD.match(line) or line.rstrip().endswith(b"\\"):
            upper = None
            continue
        if upper is None and line.startswith(_MACRO) and below.startswith(_MACRO):
            upper = place
        if upper is not None and upper - place >= MAX_HEADER_LINES:
            at = start - sum(map(len, lines[upper:])) - len(lines[upper:])
            return None if _may_be_comment(text, at) or _may_be_open(text, at) else at
    return None


def _may_be_open(text: bytes, at: int) -> bool:
    """Return whether a declaration of several lines may begin before a line and go on after it."""
    brace = at
    for _ in range(MAX_BRACES):
        brace = text.rfind(b"{", 0, brace)
        closed = 0 if brace < 0 else _find_closed(text, brace, at)
        if closed is not None:
            return _may_assign(text, closed, at)
        if not _is_headless(text, brace):
            break
    return True


def _find_closed(text: bytes, brace: int, end: int) -> int | None:
    """Return where the first line before `end` begins that closes what a brace opened, if there is one."""
    while (brace := text.find(b"\n}", brace, end)) >= 0:
        brace += 1
        line = text[brace : _find_next(text, brace)].rstrip()
        if not line.endswith((b"(", b"[", b"{")) and not _may_be_comment(text, brace):
            return brace
    return None


def _is_headless(text: bytes, at: int) -> bool:
    """Return whether the lines above an offset, as many as a head has, begin no declaration but macros.

    A brace at the offset then opens none.
    """
    start = at
    for _ in range(MAX_HEADER_LINES + 1):
        start = text.rfind(b"\n", 0, start)
        if start < 0:
            break
    return all(map(_NO_HEAD.match, text[start + 1 : at].split(b"\n")))


def _may_assign(text: bytes, begin: int, end: int) -> bool:
    """Return whether a value of several lines may begin in a part of a text."""
    first = text.find(b"=", begin, end)  # sooner than the expression finds it
    return first >= 0 and _ASSIGNED_OPENER.search(text, first, end) is not None


def _may_be_comment(text: bytes, at: int) -> bool:
    """Return whether a line may begin inside a comment: the last mark before it opens one."""
    star = at
    for _ in range(MAX_STARS):
        star = text.rfind(b"*", 0, star)
        if star < 1:
            return False
        if text.startswith(b"/", star - 1):
            return True
        if text.startswith(b"/", star + 1):
            return False
    opened = text.rfind(b"/*", 0, star)
    return opened >= 0 and opened > text.rfind(b"*/", 0, star) - 2


def _is_continued(text: bytes, at: int) -> bool:
    """Return whether the line above the one at `at` ends in a backslash."""
    return text[text.rfind(b"\n", 0, max(0, at - 1)) + 1 : at].rstrip().endswith(b"\\")


def _find_line_after(text: bytes, stop: int) -> int:
    """Return where a line after `stop` begins that ends macros and statements.

    It is far enough away that the text up to it holds the comments and decorators of everything that reaches
    lines before `stop`.
    """
    at = min(len(text), _skip_lines(text, stop, 2 * MAX_LEAD_LINES) + MAX_AHEAD_BYTES)
    at = _skip_lines(text, at, MAX_HEADER_LINES)
    while at < len(text) and (text[at : at + 1].isspace() or _is_continued(text, at)):
        at = _find_next(text, at)
    return at


def _skip_lines(text: bytes, at: int, count: int) -> int:
    """Return where the line begins that comes `count` lines after the one at `at`, or the text ends."""
    while count and at < len(text):
        piece = text[at : at + NEAR_BYTES]
        lines = piece.split(b"\n", count)
        at += len(piece) - len(lines[-1]) if len(lines) > 1 else _find_next(text, at) - at
        count -= max(1, len(lines) - 1)
    return at


def _find_next(text: bytes, at: int) -> int:
    """Return where the line after the one at `at` begins, at most the end of the text."""
    return text.find(b"\n", at) + 1 or len(text)
