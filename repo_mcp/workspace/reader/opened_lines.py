"""Selects lines of a file that was read through the repository reader, and warns about that reading."""

from __future__ import annotations

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import OpenedText
from repo_mcp.text.lines import SourceText, decode_source, split_lines
from repo_mcp.workspace.reader.opened_file import OpenedFile


def show_lines(
    opened: OpenedFile, start_line: int | None, end_line: int | None, usual_lines: int, most_lines: int
) -> OpenedText:
    """Return lines of a file, clamped to its end and to `most_lines`; `usual_lines` if `end_line` is None.

    Raises RepoError with INVALID_ARGUMENT for lines that do not exist, and as `decode_source` if not text.
    """
    text = decode_source(opened.data)
    lines = split_lines(text.data)
    start = 1 if start_line is None else start_line
    end = start + usual_lines - 1 if end_line is None else end_line
    _check_lines(start, end, len(lines))
    last = min(end, start + most_lines - 1, len(lines))
    return OpenedText(
        opened.path,
        start,
        last,
        len(lines),
        tuple(line.decode("utf-8", "replace") for line in lines[start - 1 : last]),
        truncated=last < min(end, len(lines)) or (end_line is None and last < len(lines)),
        warnings=describe_reading(opened, text),
        is_ended=last < len(lines) or text.data.endswith(b"\n"),
        wanted_line=None if end_line is None else min(end, len(lines)),
    )


def describe_reading(opened: OpenedFile, text: SourceText) -> tuple[str, ...]:
    """Return warnings about the text of a file and about how it was read."""
    if not opened.changed_while_reading:
        return text.warnings
    return *text.warnings, "The file changed while it was read; lines of two versions may be mixed."


def _check_lines(start: int, end: int, total: int) -> None:
    """Raise RepoError with INVALID_ARGUMENT for bad lines, naming the argument and its limits."""
    if start < 1 or (start > total and not (start == 1 and total == 0)):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"start_line is {start}; the file has {total} lines.",
            f"Give a start_line from 1 to {max(1, total)}.",
            {"argument": "start_line", "total_lines": total},
        )
    if end < start:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"end_line is {end}, before start_line {start}.",
            "Give an end_line that is not before start_line, or none.",
            {"argument": "end_line", "total_lines": total},
        )
