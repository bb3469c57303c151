"""Lists the lines to show for exact matches, as ripgrep does: each once, in order, with those around them."""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import dataclass


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
    for match in matches:
        first = match.start_line - len(match.before)
        own = [(match.start_line, match.line), *enumerate(match.rest, match.start_line + 1)]
        around = [*enumerate(match.before, first), *enumerate(match.after, match.end_line + 1)]
        numbers = [number for number, _ in (*around, *own) if number not in texts]
        begins.setdefault(min(numbers, default=match.start_line), match)
        for number, text in around:
            texts.setdefault(number, (text, False))
        for number, text in own:
            texts[number] = text, True
    return [
        PageLine(number, text, begins.get(number), is_match)
        for number, (text, is_match) in sorted(texts.items())
    ]
