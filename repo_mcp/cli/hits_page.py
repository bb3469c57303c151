"""Print the hits of a search in the style of ripgrep, with ranks.

     1. src/checksum.c:9  fletcher_step  1.532
      8-/* One step of the sum. */
      9:static void fletcher_step(...)

A ranked hit begins with a line of its rank, path and best line, the declaration around it and its
score. An exact match is one line, `path:line:text`; lines around it are `path-line-text`, and `--` separates
groups. A terminal and a pipe get the same text, apart from colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from repo_mcp.cli.console.text import FAINT, MATCH, NUMBER, PATH, Console, Text, visible
from repo_mcp.exact.page_lines import list_page_lines
from repo_mcp.model import ExactMatch, Hit
from repo_mcp.ranking.page.line_terms import find_best_line, find_line_terms
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.lines import escape_text


class HitsPage:
    """Prints the answers of searches on one console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, hits: Sequence[Hit], *, explain: bool = False) -> None:
        """Print the hits, best first; with `explain`, points and chunks."""
        for rank, hit in enumerate(hits, 1):
            rows = _read_snippet(hit)
            terms = [term for word in hit.matched_terms for term in get_word_terms(word)]
            matching = find_line_terms([content for _, content in rows], terms)
            self._print(_head(rank, hit, _find_line(hit, rows, matching)))
            if explain:
                points = ", ".join(f"{name} {value:+.3f}" for name, value in hit.explanation)
                self._print(Text(f"    {points}; chunk {hit.chunk_id}", FAINT))
            pattern = _match_pattern(terms)
            width = max((len(str(number)) for number, _ in rows), default=0)
            for (number, content), held in zip(rows, matching, strict=True):
                self._print(_numbered(number, content, width, pattern if held else None))
            self._print(Text())

    def list_paths(self, counts: Mapping[str, int | None], *, with_counts: bool = False) -> None:
        """Print the paths, each on a line; with their counts if asked."""
        for path, count in counts.items():
            line = Text(escape_text(path), PATH)
            self._print(Text.assemble(line, f":{count}") if with_counts else line)

    def list_matches(self, matches: tuple[ExactMatch, ...]) -> None:
        """Print the matching lines, each with path and number."""
        before: tuple[str, int] | None = None
        for path, number, content, is_match in _iter_lines(matches):
            has_gap = before is not None and before != (path, number - 1)
            if has_gap and any(match.before or match.after for match in matches):
                self._print(Text("--", FAINT))
            before = path, number
            mark = ":" if is_match else "-"
            place = ((escape_text(path), PATH), mark, (str(number), NUMBER), mark)
            self._print(Text.assemble(*place, visible(content)))

    def _print(self, text: Text) -> None:
        self._console.print(text)


def _head(rank: int, hit: Hit, line: int) -> Text:
    place = ((escape_text(hit.path), PATH), ":", (str(line), NUMBER))
    head = Text.assemble((f"{rank:>2}. ", FAINT), *place)
    if hit.symbol:
        head.append(f"  {escape_text(hit.symbol)}", "cyan")
    return head.append(f"  {hit.score:.3f}", FAINT)


def _find_line(hit: Hit, rows: Sequence[tuple[int, str]], matching: Sequence[int]) -> int:
    """Return the line to open for a hit: the best line of its symbol, if lines of that are shown."""
    first, last = hit.symbol_lines or (hit.start_line, hit.end_line)
    own = [place for place, (number, _) in enumerate(rows) if first <= number <= last] or range(len(rows))
    if not rows:
        return hit.start_line
    return rows[own[find_best_line([matching[place] for place in own])]][0]


def _read_snippet(hit: Hit) -> list[tuple[int, str]]:
    """Return number and text of each line of a snippet, without empty lines at its ends."""
    parts = (line.partition("\t") for line in hit.snippet.removesuffix("\n").split("\n"))
    rows = [(int(number), content) for number, tab, content in parts if tab]
    written = [place for place, (_, content) in enumerate(rows) if content.strip()]
    return rows[written[0] : written[-1] + 1] if written else []


def _numbered(number: int, content: str, width: int, pattern: re.Pattern[str] | None) -> Text:
    shown = Text(visible(content))
    if pattern is not None:
        shown.highlight(pattern, MATCH)
    mark = "-" if pattern is None else ":"
    return Text.assemble((f"    {number:>{width}}", NUMBER), mark, shown)


def _iter_lines(matches: tuple[ExactMatch, ...]) -> Iterator[tuple[str, int, str, bool]]:
    """Yield path, number and text of each line to show, once and in order, and True for matching lines."""
    for path, own in groupby(matches, key=attrgetter("path")):
        for line in list_page_lines(own):
            yield path, line.number, line.text, line.is_match


def _match_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that matches the terms anywhere, since a term may be a part or the stem of a word."""
    wanted = sorted({re.escape(term) for term in terms}, key=lambda term: (-len(term), term))
    return re.compile("|".join(wanted), re.IGNORECASE)
