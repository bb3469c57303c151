"""Reads what the bundler needs of a file's layout: its declarations, and the lines of its comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.landmarks import Spans, scan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Outline


@dataclass(frozen=True, slots=True)
class Layout:
    """The declarations of a text, and where it only speaks of them."""

    spans: tuple[SymbolSpan, ...]  # by line, each before those inside it
    comment_lines: frozenset[int]  # of comments that begin a line, and of docstrings


LayoutReader = Callable[[str, bytes], Layout]


def read_layout(
    path: str,
    text: bytes,
    overrides: Mapping[str, str] | None = None,
    find_outline: Callable[[str, bytes], Outline | None] = lambda _path, _text: None,
) -> Layout:
    """Return the layout of normalised text: declarations by `find_outline` where it knows any, otherwise by
    line patterns. `overrides` maps file extensions to languages other than the built-in ones."""
    language = find_language(path, overrides)
    landmarks = scan(language, text)
    outline = find_outline(path, text)
    spans = list_outlined_spans(outline) if outline is not None else ()
    if not spans:
        found = list_declared_spans(language, text, landmarks)
        spans = tuple(sorted(found, key=lambda span: (span.start_line, -span.end_line)))
    return Layout(spans, _number_lines(text, landmarks.doc_spans))


def list_outlined_spans(outline: Outline) -> tuple[SymbolSpan, ...]:
    """Return the declarations of an outline by line, each before those inside it."""
    spans = [
        SymbolSpan(
            one.start_line,
            one.end_line,
            one.start_line,
            one.start_line,
            one.name,
            one.name if one.parent_symbol is None else f"{one.parent_symbol}.{one.name}",
        )
        for one in outline.symbols
    ]
    return tuple(sorted(spans, key=lambda span: (span.start_line, -span.end_line)))


def _number_lines(text: bytes, spans: Spans) -> frozenset[int]:
    """Return the 1-based lines on which half-open byte spans lie; `spans` ascend."""
    lines: set[int] = set()
    line, offset = 1, 0
    for start, end in spans:
        line += text.count(b"\n", offset, start)
        last = line + text.count(b"\n", start, end)
        lines.update(range(line, last + 1))
        line, offset = last, end
    return frozenset(lines)
