"""Matches as an answer shows them: the line, cut if it is long, the lines around it, and the declaration.

Left out on purpose: finding them (`search.py`).
"""

from __future__ import annotations

from repo_mcp.exact.line_matcher import LineMatch
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import replace

MAX_LINE_CHARS = 400  # a matching line of up to so many characters is shown whole; open_file shows more
CUT_LINE_CHARS = 160  # characters shown of a longer line, which is mostly generated or prose
CHARS_BEFORE_MATCH = 60  # of these, characters before the match
MAX_MATCH_LINES = 50  # most lines shown of one match
LEAST_SYMBOL_LINES = 2  # a declaration of one line is not named, because that line is shown


def build_match(path: str, data: bytes, match: LineMatch, context_lines: int) -> ExactMatch:
    """Return a match in normalised text as the answer shows it."""
    line_end = data.find(b"\n", match.line_start)
    line_end = line_end if line_end >= 0 else len(data)
    line = data[match.line_start : line_end].decode("utf-8", "replace")
    column = len(data[match.line_start : match.start].decode("utf-8", "replace"))
    length = len(data[match.start : min(match.end, line_end)].decode("utf-8", "replace"))
    before, after = _find_context(data, match, context_lines) if context_lines else ((), ())
    rest: tuple[str, ...] = ()
    if match.end_line > match.start_line:
        rest = _decode_lines(
            data[line_end + 1 : match.line_end].split(b"\n", MAX_MATCH_LINES)[:MAX_MATCH_LINES]
        )
    return ExactMatch(
        path,
        match.start_line,
        match.end_line,
        column + 1,
        _cut_around(line, column, length),
        before,
        after,
        rest,
    )


def _find_context(
    data: bytes, match: LineMatch, context_lines: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start = match.line_start
    for _ in range(context_lines):
        start = data.rfind(b"\n", 0, max(0, start - 1)) + 1
    end, last = match.line_end, len(data) - data.endswith(b"\n")  # no line begins behind the last line's end
    for _ in range(context_lines):
        end = data.find(b"\n", end + 1) if end < last else last
        end = last if end < 0 else end
    before = data[start : max(start, match.line_start - 1)].split(b"\n") if match.line_start else []
    after = data[match.line_end + 1 : end].split(b"\n") if match.line_end < last else []
    return _decode_lines(before), _decode_lines(after)


def _decode_lines(lines: list[bytes]) -> tuple[str, ...]:
    return tuple(_cut_around(line.decode("utf-8", "replace"), 0) for line in lines)


def _cut_around(line: str, column: int, length: int = 0) -> str:
    """Return a long line cut around a match of `length` characters at `column`, with ellipses where cut.

    The match itself is cut only if it has more than MAX_LINE_CHARS characters, as matches of `.*` may have.
    """
    if len(line) <= MAX_LINE_CHARS:
        return line
    start = 0 if column + CHARS_BEFORE_MATCH < CUT_LINE_CHARS else column - CHARS_BEFORE_MATCH
    end = max(start + CUT_LINE_CHARS, column + length)
    end = end if end - start <= MAX_LINE_CHARS else start + CUT_LINE_CHARS
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def name_symbol(match: ExactMatch, declarations: Declarations) -> ExactMatch:
    """Return a match with the declaration around it, if there is one of two lines or more."""
    span = declarations.find_innermost(match.start_line, LEAST_SYMBOL_LINES)
    if span is None:
        return match
    return replace(
        match,
        symbol=span.qualified_name,
        symbol_name=span.name,
        symbol_lines=(span.head_line, span.end_line),
        declares=match.start_line <= span.name_line <= match.end_line,
    )
