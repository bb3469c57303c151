"""Shapes of symbols: tokens with all identifiers made equal, in overlapping runs of SHINGLE tokens.

Texts are read in their present state. Left out on purpose: the grammar of any language; the words of a
comment are tokens like any others.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.symbols.symbol_record import SymbolRecord

SHINGLE = 4  # tokens
MAX_SHAPE_CHARS = 8_000  # read of one symbol
KEPT_LETTERS = 1_024

Shape = frozenset[tuple[str, ...]]

# A longer string counts as its words, or each unclosed quote would be scanned to the end of its line.
_STRINGS = r"\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
_TOKEN = re.compile(rf"[^\W\d]\w*|\d[\w.]*|{_STRINGS}|[^\w\s]")
# Equivalent for ASCII text, in half the time.
_PLAIN_TOKEN = re.compile(rf"[A-Za-z_]\w*|\d[\w.]*|{_STRINGS}|[^\w\s\x1c-\x1f]", re.ASCII)
_WORDS = """
    if else elif for while do return switch case break continue try except catch finally raise throw with
    yield await async new delete in is not and or lambda def func fn function class struct interface enum
    import from export const let var static public private protected void int bool string true false null
    None True False self this super match loop goto defer go select
"""
_KEYWORDS = {word: word for word in _WORDS.split()}
_LINE_FEED = 0x0A


class Shapes:
    """The shapes of symbols of one program, for one call. Each file is read once."""

    def __init__(self, program: Program) -> None:
        """Read nothing yet."""
        self._program = program
        self._texts: dict[str, _Lines] = {}

    def find(self, declaration: Declaration, record: SymbolRecord) -> Shape:
        """Return the token runs of a declared symbol; empty when its file cannot be read."""
        lines = self._texts.get(declaration.path)
        if lines is None:
            text = self._program.read_text(declaration.path) or ""
            lines = self._texts[declaration.path] = _Lines(text)
        start = int(record.starts[declaration.ordinal]) - 1
        return build_shape(lines.cut(start, start + int(record.spans[declaration.ordinal]) + 1))


def build_shape(text: str) -> Shape:
    """Return the token runs of the first MAX_SHAPE_CHARS characters of a text."""
    text = text[:MAX_SHAPE_CHARS]
    pattern = _PLAIN_TOKEN if text.isascii() else _TOKEN
    tokens = [_KEYWORDS.get(token) or _abstract(token[0]) for token in pattern.findall(text)]
    return frozenset(zip(*(tokens[ordinal:] for ordinal in range(SHINGLE)), strict=False))


def compare_shapes(one: Shape, other: Shape) -> float:
    """Return the Jaccard similarity of two shapes, from 0 to 1; 0 when both are empty."""
    both = len(one & other)
    whole = len(one) + len(other) - both
    return both / whole if whole else 0.0


class _Lines:
    """A text that can be cut by line numbers."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8", "surrogatepass")
        self._ends: npt.NDArray[np.int64] = np.flatnonzero(
            np.frombuffer(self._data, dtype=np.uint8) == _LINE_FEED
        )

    def cut(self, start: int, end: int) -> str:
        """Return lines `start` to before `end` (0-based), at most 4 * MAX_SHAPE_CHARS bytes, or ""."""
        if start > len(self._ends):
            return ""
        first = int(self._ends[start - 1]) + 1 if start else 0
        last = int(self._ends[end - 1]) if end <= len(self._ends) else len(self._data)
        # A character has at most four bytes in UTF-8.
        return self._data[first : min(last, first + 4 * MAX_SHAPE_CHARS)].decode("utf-8", "ignore")


@lru_cache(KEPT_LETTERS)
def _abstract(first: str) -> str:
    """Return the token that stands for a non-keyword, by its first character: a name, a number, a string."""
    if first.isalpha() or first == "_":
        return "n"
    if first.isdigit():
        return "0"
    return "s" if first in "\"'" else first
