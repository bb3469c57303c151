"""The lines that are shown of a section: all of a short one, the best window of a long one."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.documentation.query_words import QueryTermFinder, QueryWords, list_terms
from repo_mcp.text.lines import trim_blank

WHOLE_LINES, WHOLE_CHARS = 20, 1_600  # a section of at most so many is shown whole
WINDOW_LINES = 14  # shown of a longer section
FIRST_WORTH = 1.3  # factor of the window at the start of a section
LINE_CHARS = 500  # shown of one line
_CUT = "…"


def choose_lines(
    lines: Sequence[str], first: int, last: int, words: QueryWords, heading_line: int
) -> tuple[int, int]:
    """Return the first and last line to show between `first` and `last`, without blank lines at the ends.

    The first lines usually say what the section is about, so they are shown unless other lines are clearly
    better. A heading is shown with the lines below it when both fit.
    """
    first, last = _trim(lines, first, last)
    own = [len(line) for line in lines[first - 1 : last]]
    if len(own) <= WHOLE_LINES and sum(min(size, LINE_CHARS) for size in own) <= WHOLE_CHARS:
        return first, last
    found = QueryTermFinder(words.terms).find(lines[first - 1 : last])
    worths = {bits: words.match_terms(list_terms(bits, words.terms)) for bits in set(found)}
    start, end = _choose_window(found, own, worths, FIRST_WORTH if first == heading_line else 1.0)
    if first + start - heading_line < WINDOW_LINES // 2 and heading_line >= first:
        while first + start > heading_line and _fits(own, start - 1, end):
            start -= 1
    return _trim(lines, first + start, first + end - 1)


def _choose_window(
    found: Sequence[int], sizes: Sequence[int], worths: dict[int, tuple[float, ...]], first_worth: float
) -> tuple[int, int]:
    """Return the half-open span of lines that fits and shows most of the words; of equal spans, the first.

    It begins at a line with a word, or at the first line; then its worth is multiplied by `first_worth`. A
    word counts for its best line, and a little for each further one.
    """
    best, chosen = -1.0, (0, _fill(sizes, 0))
    for start, bits in enumerate(found):
        if start and not bits:
            continue
        end = _fill(sizes, start)
        inside = [worths[one] for one in found[start:end] if one]
        whole = sum(max(column) for column in zip(*inside, strict=True))
        worth = (whole + 0.1 * sum(map(sum, inside))) * (1.0 if start else first_worth)
        worth = round(worth, 6)
        if worth > best:
            best, chosen = worth, (start, end)
    return chosen


def _fill(sizes: Sequence[int], start: int) -> int:
    """Return the end (exclusive) of the largest window that begins at a line."""
    end = start + 1
    while end < len(sizes) and _fits(sizes, start, end + 1):
        end += 1
    return end


def _fits(sizes: Sequence[int], start: int, end: int) -> bool:
    if end - start > WINDOW_LINES:
        return False
    return sum(min(size, LINE_CHARS) for size in sizes[start:end]) <= WHOLE_CHARS


def _trim(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return the first and last line without blank lines at the ends; at least one line is left."""
    start, end = trim_blank(lines, first - 1, last)
    return start + 1, end


def render_lines(lines: Sequence[str], words: QueryWords) -> str:
    """Return the lines joined; a very long line is cut to the part around its first word of the query."""
    return "\n".join(_cut_line(line, words) for line in lines)


def _cut_line(line: str, words: QueryWords) -> str:
    if len(line) <= LINE_CHARS:
        return line
    folded = line[: 200 * LINE_CHARS].lower()
    positions = (folded.find(word.text.lower()) for word in words.words)
    position = min((position for position in positions if position >= 0), default=0)
    start = max(0, min(position - LINE_CHARS // 3, len(line) - LINE_CHARS))
    return (
        (_CUT if start else "")
        + line[start : start + LINE_CHARS]
        + (_CUT if start + LINE_CHARS < len(line) else "")
    )
