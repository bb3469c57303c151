"""Makes a hit of lines of a live file: of those that are given by number, or of the head of a declaration.

Left out on purpose: which lines a query wants (`snippets.py`, `report_lines.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.model import Hit
from repo_mcp.ranking.page.live_chunks import LiveChunk, decode_lines

ALSO_NAMED = 4  # further declarations that a rated hit names, the best first
HEADS_SHOWN = 3  # of these: the lines with their names
SPARE_SHARE = 0.5  # if no more than this share of the shown lines is left of a declaration, it is shown whole
MAX_LEAD_LINES = 4  # decorators that are shown above the line with the name
MAX_LINE_CHARS = 240  # of a line in a snippet; open_file shows more


def show_declaration(live: LiveChunk, symbol: SymbolSpan, most_lines: int) -> Hit:
    """Return the hit that shows a declaration in a chunk's file: its head, and what follows."""
    first = symbol.head_line if symbol.name_line - symbol.head_line < MAX_LEAD_LINES else symbol.name_line
    last = min(symbol.end_line, first + most_lines - 1)
    if symbol.end_line - last <= most_lines * SPARE_SHARE:
        last = symbol.end_line
    return show_lines(live, dict(enumerate(decode_lines(live.lines, first, last), first)), symbol)


def show_lines(
    live: LiveChunk,
    lines: Mapping[int, str],
    symbol: SymbolSpan | None,
    rated: Sequence[SymbolSpan] = (),
    most_named: int = ALSO_NAMED,
) -> Hit:
    """Return the hit of lines by number, ascending. It names the best of `rated` that it does not show.

    Of the first of these it also has the heads.
    """
    ranked = live.ranked
    numbers = list(lines)
    also = [
        span
        for span in rated
        if span != symbol
        and span.end_line > span.head_line
        and not all(map(lines.__contains__, range(span.name_line, span.end_line + 1)))
    ][:most_named]
    named = sorted({span.name_line for span in also[:HEADS_SHOWN]} - lines.keys())
    heads = {at: live.lines[at - 1].decode("utf-8", "replace") for at in named}
    return Hit(
        ranked.path,
        numbers[0],
        numbers[-1],
        render_numbered(lines),
        ranked.score,
        ranked.matched_terms,
        None if symbol is None else symbol.qualified_name,
        ranked.explanation,
        ranked.chunk_id,
        (ranked.chunk.start_line, min(ranked.chunk.end_line, live.lines.line_count)),
        None if symbol is None else (symbol.head_line, symbol.end_line),
        tuple([(span.qualified_name, (span.head_line, span.end_line)) for span in also]),
        render_numbered(heads) if heads else "",
        "" if symbol is None else symbol.name,
    )


def render_numbered(lines: Mapping[int, str]) -> str:
    """Render lines by their numbers, `<number>\\t<text>\\n` each, with long lines cut."""
    if len(max(lines.values(), key=len, default="")) > MAX_LINE_CHARS:
        lines = {
            number: line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"
            for number, line in lines.items()
        }
    return "".join([f"{number}\t{line}\n" for number, line in lines.items()])
