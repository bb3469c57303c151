"""The shapes of symbols: their tokens with every identifier made equal, cut into overlapping runs of SHINGLE.

Texts are read as they are now. Left out on purpose: the grammar of any language; a comment's words are
tokens as others are.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from repo_mcp.graph.program.program import Declaration, Program
from repo_mcp.symbols.symbol_record import SymbolRecord

SHINGLE = 4  # tokens
MAX_SHAPE_CHARS = 8_000  # of one symbol
KEPT_LETTERS = 1_024

Shape = frozenset[tuple[str, ...]]

# A longer string is its words: quotes that nothing closes would each be followed to the end of their line.
_STRINGS = r"\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
_TOKEN = re.compile(rf"[^\W\d]\w*|\d[\w.]*|{_STRINGS}|[^\w\s]")
# The same for a text of ASCII, in half the time.
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
    """The shapes of symbols of one program, for one call: each file is read once."""

    def __init__(self, program: Program) -> None:
        """Reads nothing yet."""
        self._program = program
        self._texts: dict[str, _Lines] = {}

    def find(self, declaration: Declaration, record: SymbolRecord) -> Shape:
        """The runs of tokens of a symbol of a file's structure; none when the file cannot be read."""
        lines = self._texts.get(declaration.path)
        if lines is None:
            text = self._program.read_text(declaration.path) or ""
            lines = self._texts[declaration.path] = _Lines(text)
        start = int(record.starts[declaration.ordinal]) - 1
        return build_shape(lines.cut(start, start + int(record.spans[declaration.ordinal]) + 1))


def build_shape(text: str) -> Shape:
    """The runs of tokens of a text."""
    text = text[:MAX_SHAPE_CHARS]
    pattern = _PLAIN_TOKEN if text.isascii() else _TOKEN
    tokens = [_KEYWORDS.get(token) or _abstract(token[0]) for token in pattern.findall(text)]
    return frozenset(zip(*(tokens[ordinal:] for ordinal in range(SHINGLE)), strict=False))


def compare_shapes(one: Shape, other: Shape) -> float:
    """How many of the runs of both are runs of each, from 0 to 1."""
    both = len(one & other)
    whole = len(one) + len(other) - both
    return both / whole if whole else 0.0


class _Lines:
    """A text that is cut by its lines."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8", "surrogatepass")
        self._ends: npt.NDArray[np.int64] = np.flatnonzero(
            np.frombuffer(self._data, dtype=np.uint8) == _LINE_FEED
        )

    def cut(self, start: int, end: int) -> str:
        """The lines from `start`, from 0, to in front of `end`; "" for lines that are not there."""
        if start > len(self._ends):
            return ""
        first = int(self._ends[start - 1]) + 1 if start else 0
        last = int(self._ends[end - 1]) if end <= len(self._ends) else len(self._data)
        # Of UTF-8 no character has more than four bytes.
        return self._data[first : min(last, first + 4 * MAX_SHAPE_CHARS)].decode("utf-8", "ignore")


@lru_cache(KEPT_LETTERS)
def _abstract(first: str) -> str:
    """Return what a token that is no keyword counts as, by its first letter."""
    if first.isalpha() or first == "_":
        return "n"
    if first.isdigit():
        return "0"
    return "s" if first in "\"'" else first
