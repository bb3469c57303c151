"""An expression that is not even compiled for texts that cannot match it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.late_patterns import compile_late


class PrefilteredPattern:
    """An expression whose matches all contain one of a few texts, its signs.

    Most queries are a few words and hold no sign: then the expression is not even compiled.
    """

    def __init__(self, signs: Sequence[str], source: str, flags: int = 0) -> None:
        self._signs = signs
        self._pattern = compile_late(source, flags)

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Return an iterator of the matches in the order of the text."""
        return self._pattern.finditer(text) if self._may_match(text) else iter(())

    def replace(self, put: str, text: str) -> str:
        """Return the text with `put`, which may name groups, instead of each match."""
        return self._pattern.sub(put, text) if self._may_match(text) else text

    def _may_match(self, text: str) -> bool:
        return any(sign in text for sign in self._signs)
