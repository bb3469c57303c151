"""Finds the declarations around lines of a text, and remembers those of the texts asked about last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from index_format import compute_fingerprint
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.lru_cache import LruCache

KEPT_SPANS = 20_000  # of the files of some hundred pages; about 8 MB

_known: LruCache[tuple[str, bytes], tuple[SymbolSpan, ...]] = LruCache(
    KEPT_SPANS, lambda spans: len(spans) + 1
)


def find_enclosing(
    language: Language, text: bytes, lines: Iterable[int], least_lines: int = 1
) -> list[SymbolSpan | None]:
    """Return the innermost declaration of at least `least_lines` around each line, counted from 1.

    None stands for a line outside of all. The text must be normalised. A declaration begins at its
    decorators, not at the comments above it.
    """
    spans = _known.get(
        (language.name, compute_fingerprint(text)), lambda: list_declared_spans(language, text)
    )
    heads = [span.head_line for span in spans]
    return [_find_innermost(spans, heads, line, least_lines) for line in lines]


def _find_innermost(
    spans: tuple[SymbolSpan, ...], heads: list[int], line: int, least_lines: int
) -> SymbolSpan | None:
    for place in range(bisect_right(heads, line) - 1, -1, -1):  # those that begin last are innermost
        span = spans[place]
        if span.end_line >= line and span.end_line - span.head_line >= least_lines - 1:
            return span
    return None
