"""List the declarations of a text by the language of its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.languages.patterns.language_registry import find_language


def list_symbol_spans(
    path: str, text: bytes, overrides: Mapping[str, str] | None = None
) -> tuple[SymbolSpan, ...]:
    """Return the declarations of normalised text; `overrides` maps extensions to other languages."""
    return list_declared_spans(find_language(path, overrides), text)


def store_spans(spans: Iterable[SymbolSpan], above: int = 0) -> Declarations:
    """Return declarations in arrays, for a text with so many lines above it."""
    rows = [
        (
            span.start_line,
            span.end_line,
            span.name_line,
            span.head_line,
            span.name,
            span.qualified_name.removesuffix(span.name),
            span.owner,
        )
        for span in spans
    ]
    return Declarations(rows, above)
