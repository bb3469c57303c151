"""Lists the lines to show for exact matches, as ripgrep does: each once, in order, with those around them."""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a file that is shown."""

    number: int  # counted from 1
    text: str
    match: ExactMatch | None  # the first match for which lines from this one on are shown
    is_match: bool  # False: it is only near a match


def list_page_lines(matches: Iterable[ExactMatch]) -> list[PageLine]:
    """Return the lines to show for the matches of one file, which must be in order."""
    texts: dict[int, tuple[str, bool]] = {}
    begins: dict[int, ExactMatch] = {}
    last: ExactMatch | None = None
    for match in matches:
        first = match.start_line - len(match.before)
        own = [(match.start_line, match.line), *enumerate(match.rest, match.start_line + 1)]
        around = [*enumerate(match.before, first), *enumerate(match.after, match.end_line + 1)]
        numbers = [number for number, _ in (*around, *own) if number not in texts]
        begin = min(numbers, default=match.start_line)
        head = match.symbol_lines[0] if match.symbol_lines else begin
        if begin < head:  # lines before the declaration of the match
            if last is not None and not _is_inside(last, begin):
                begins.setdefault(begin, replace(match, symbol=None, symbol_lines=None))
            begin = min(head, match.start_line)
        elif begin > head >= first and (last is None or head > last.end_line):
            begin = head  # where it begins was shown as a line near the match before
        begins.setdefault(begin, match)
        last = match
        for number, text in around:
            texts.setdefault(number, (text, False))
        for number, text in own:
            texts[number] = text, True
    return [
        PageLine(number, text, begins.get(number), is_match)
        for number, (text, is_match) in sorted(texts.items())
    ]


def _is_inside(match: ExactMatch, line: int) -> bool:
    """Return True if a line is in the declaration around a match."""
    return match.symbol_lines is not None and match.symbol_lines[0] <= line <= match.symbol_lines[1]
