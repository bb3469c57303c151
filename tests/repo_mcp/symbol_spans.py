"""List the declarations of a text by the language of its path."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.language_registry import find_language


def list_symbol_spans(
    path: str, text: bytes, overrides: Mapping[str, str] | None = None
) -> tuple[SymbolSpan, ...]:
    """Return the declarations of normalised text; `overrides` maps extensions to other languages."""
    return list_declared_spans(find_language(path, overrides), text)
