"""Renders exact matches as hits, or as text: one for each file, whose lines and declarations are told once.

    {"path":"a/ledger.py","start_line":12,"end_line":14,"snippet":"12\\tdef post(...):\\n14\\t    post(x)\\n",
     "symbol":"Ledger.post","symbol_lines":[12,20]}

Where the lines of a file lie in several declarations, each of these stands in the snippet before its lines,
with its own span: `12-20 Ledger.post`, and then `30-41 .close` for the next one of the same class. Where the
line that declares a function follows, its span says enough: `50-61`. `more` counts the lines that match but
are not shown.

As text, a file is its path, and all of its lines in that way, numbered as ripgrep numbers them; a span whose
first line declares stands in place of that line's number:

    a/ledger.py
    12-20 Ledger.post
    14:    post(x)
    30-41:def close(self):
    +2 more
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from repo_mcp.text.escapes import escape_text
from repo_mcp.toolsets.answers import Result

if TYPE_CHECKING:
    from repo_mcp.exact.page_lines import PageLine
    from repo_mcp.model import ExactAnswer, ExactMatch

PAGE_LINES = 50  # that match, shared by the files of a page; about 3,000 characters
LEAST_PER_FILE = 5


Shown = tuple[Sequence["ExactMatch"], int]  # the matches to show of one file, and how many it has


def choose_matches(answer: ExactAnswer, max_per_file: int | None, start: int = 0) -> list[Shown]:
    """Return what to show of each file from the one at `start`, in order.

    Without `max_per_file`, few files have more lines each.
    """
    counts = dict(answer.files[start:])
    most = max_per_file or max(LEAST_PER_FILE, PAGE_LINES // max(1, len(counts)))
    files = groupby(answer.matches, key=attrgetter("path"))
    return [(list(own)[:most], counts[path]) for path, own in files if path in counts]


def write_file(matches: Sequence[ExactMatch], count: int) -> str:
    """Return what `choose_matches` chose of one file, as text."""
    from repo_mcp.exact.page_lines import list_page_lines

    more = f"+{count - len(matches)} more\n" if count > len(matches) else ""
    lines = _iter_named(list_page_lines(matches), ":")
    return f"{escape_text(matches[0].path)}\n{''.join(lines)}{more}"


def render_file(matches: Sequence[ExactMatch], count: int) -> Result:
    """Return what `choose_matches` chose of one file, as a hit."""
    from repo_mcp.exact.page_lines import list_page_lines

    lines = list_page_lines(matches)
    first = matches[0]
    is_one = all(match.symbol_lines == first.symbol_lines for match in matches)
    named = None if first.symbol is None or not is_one else escape_text(first.symbol)
    return {
        "path": escape_text(first.path),
        "start_line": lines[0].number,
        "end_line": lines[-1].number,
        "snippet": "".join(_iter_numbered(lines) if is_one else _iter_named(lines)),
        "symbol": named,
        "symbol_lines": None if named is None else first.symbol_lines,
        "more": count - len(matches),
    }


def _iter_numbered(lines: Sequence[PageLine]) -> Iterator[str]:
    for line in lines:
        yield f"{line.number}\t{line.text}\n"


def _iter_named(lines: Sequence[PageLine], mark: str = "\t") -> Iterator[str]:
    """Yield numbered lines, and the declarations that they lie in, each before its first line.

    `mark` stands behind a number; with `:` also behind a span in its place.
    """
    last: tuple[int, int] | None = None
    parent = ""  # of the declaration named last
    for line in lines:
        match, number = line.match, str(line.number)
        if match is not None and match.symbol_lines != last:
            last = match.symbol_lines
            if last is not None:
                around, dot, name = escape_text(match.symbol or "").rpartition(".")
                is_told = match.declares and around in ("", parent)
                told = "" if is_told else f" {'' if around == parent else around}{dot}{name}"
                span = f"{last[0]}-{last[1]}"
                if is_told and mark == ":" and last[0] == line.number:
                    number = span
                else:
                    yield f"{span}{told}\n"
                parent = around
        yield f"{number}{mark}{line.text}\n"
