"""Outlines of documents: the headings of Markdown, reStructuredText and HTML, nested by level.

A heading reaches to the line before the next heading of its level or a higher one. `heading_readers` says
which lines are headings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from repo_mcp.languages.outline.adapter import Adapter
from repo_mcp.languages.outline.heading_readers import READERS, Heading
from repo_mcp.languages.outline.outline_limits import MAX_PARENT_CHARS, MAX_SYMBOLS, cut
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.model import Outline, Symbol

PARSER = "headings"


class HeadingsAdapter(Adapter):
    """The adapter of Markdown, reStructuredText and HTML."""

    name = "headings"

    def __init__(self, find_language: Callable[[str], Language]) -> None:
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        """Return True for files of Markdown, reStructuredText and HTML."""
        return self._find_language(path).name in READERS

    def outline(self, path: str, text: str) -> Outline:
        """Return the headings of a text as nested symbols, at most MAX_SYMBOLS."""
        language = self._find_language(path).name
        lines = text.removesuffix("\n").split("\n")
        headings = list(islice(READERS[language](lines), MAX_SYMBOLS + 1))
        truncated = len(headings) > MAX_SYMBOLS
        warnings = (f"only the first {MAX_SYMBOLS:,} headings are listed",) if truncated else ()
        return Outline(path, language, _nest(headings[:MAX_SYMBOLS], len(lines)), PARSER, warnings, truncated)


def _nest(headings: Sequence[Heading], total: int) -> tuple[Symbol, ...]:
    """Return the headings as symbols, each nested in the last one of a higher level."""
    ends = [total] * len(headings)
    parents: list[str | None] = []
    open_: list[tuple[int, int, str]] = []  # number, level, qualified name
    for number, heading in enumerate(headings):
        while open_ and open_[-1][1] >= heading.level:
            ends[open_.pop()[0]] = heading.line - 1
        parent = open_[-1][2] if open_ else None
        parents.append(parent)
        whole = heading.title if parent is None else f"{parent}.{heading.title}"
        open_.append((number, heading.level, cut(whole, MAX_PARENT_CHARS)))
    return tuple(
        Symbol("heading", one.title, one.shown, one.line, max(one.line, end), None, parent)
        for one, end, parent in zip(headings, ends, parents, strict=True)
    )
