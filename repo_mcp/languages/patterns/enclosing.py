"""Finds the declaration around a line of a text. Caches the declarations of recent texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.lru_cache import LruCache

CACHED_SPANS = 20_000  # of the files of some hundred pages; about 8 MB


class Declarations:
    """The declarations of one text. Safe for use from several threads."""

    def __init__(self, spans: Sequence[SymbolSpan]) -> None:
        self._spans = spans
        self._heads = [span.head_line for span in spans]

    def __len__(self) -> int:
        return len(self._spans)

    def find_innermost(self, line: int, least_lines: int = 1) -> SymbolSpan | None:
        """Return the innermost declaration of at least `least_lines` around a line, counted from 1.

        A declaration begins at its decorators, not at the comments above it.
        """
        for place in range(bisect_right(self._heads, line) - 1, -1, -1):  # the last to begin is innermost
            span = self._spans[place]
            if span.end_line >= line and span.end_line - span.head_line >= least_lines - 1:
                return span
        return None

    def find_between(self, first: int, last: int) -> list[SymbolSpan]:
        """Return the declarations whose names are in the lines from `first` to `last`, in order."""
        return [span for span in self._spans if first <= span.name_line <= last]


_known: LruCache[tuple[str, bytes], Declarations] = LruCache(CACHED_SPANS, lambda one: len(one) + 1)


def find_declarations(language: Language, text: bytes, fingerprint: bytes) -> Declarations:
    """Return the declarations of normalised text. Takes about 6 ms for 100 KB, unless they are cached.

    `fingerprint` must be that of the text, or of the file that it comes from.
    """
    known = _known.find((language.name, fingerprint))
    if known is not None:
        return known
    return _known.put((language.name, fingerprint), Declarations(list_declared_spans(language, text)))
