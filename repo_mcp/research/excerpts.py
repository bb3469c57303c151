"""Cut the live text of findings: the line that declares a symbol, and the lines of evidence.

A finding is left out when its lines no longer hold its name: the file has changed since it was parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from repo_mcp.research.locating import is_decorator
from repo_mcp.research.records import Finding
from repo_mcp.research.source import Source

MAX_LINE_CHARS = 140
MAX_LINES = 3
GAP = "…\n"


def add_excerpts(source: Source, findings: Sequence[Finding]) -> tuple[list[Finding], int]:
    """Return the findings with their excerpts, and the number of findings that were left out."""
    shown = [_add_excerpt(source, one) for one in findings]
    kept = [one for one in shown if one is not None]
    return kept, len(shown) - len(kept)


def _add_excerpt(source: Source, finding: Finding) -> Finding | None:
    lines = source.read_lines(finding.path)
    if finding.start_line > len(lines):
        return None if lines or finding.name else finding
    end = min(finding.end_line, len(lines))
    head = _find_name(lines, finding.name, finding.start_line, end)
    if head is None:
        return None
    wanted = sorted({head, *(line for line in finding.lines if line <= len(lines))})[:MAX_LINES]
    return replace(finding, end_line=end, excerpt=render_excerpt(lines, wanted))


def _find_name(lines: Sequence[str], name: str, start: int, end: int) -> int | None:
    """Return the first line that holds a name, preferring a whole word outside of decorators.

    Without a name, return the first line that is not blank.
    """
    if not name:
        return next((number for number in range(start, end + 1) if lines[number - 1].strip()), start)
    first = None
    for number in range(start, end + 1):
        line = lines[number - 1]
        if name in line:
            first = first or number
            if not is_decorator(lines, number) and _holds_word(line, name):
                return number
    return first


def _holds_word(line: str, name: str) -> bool:
    """Return True when a line holds a name with no letter, digit or underscore next to it."""
    at = line.find(name)
    while at >= 0:
        around = line[at - 1 : at] + line[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = line.find(name, at + 1)
    return False


def render_excerpt(lines: Sequence[str], numbers: Sequence[int]) -> str:
    """Return the given lines, each with its number, with a mark wherever lines between them are left out."""
    parts: list[str] = []
    before = 0
    for number in numbers:
        if before and number > before + 1:
            parts.append(GAP)
        text = lines[number - 1].rstrip()
        text = text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + "…"
        parts.append(f"{number}\t{text}\n")
        before = number
    return "".join(parts)
