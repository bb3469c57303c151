"""Takes the lines of declarations from an outline, where an installed adapter makes one."""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.model import Outline

SpanFinder = Callable[[str, bytes], tuple[SymbolSpan, ...]]


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
