"""The text that a walk over captured nodes is of: pieces of it, and lines, by bytes.

Nodes know rows and texts as well; to ask them takes several times as long as to look here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BREAK = re.compile(rb"\n")


class SourceText:
    """A text, UTF-8 but for what is not."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._chars = text.decode("latin-1")  # a character for each byte: cut in half the time
        self._breaks = [found.start() for found in _BREAK.finditer(text)]

    def read(self, node: Node | None) -> str:
        """The text of a node; empty for none."""
        return "" if node is None else self.read_piece(node.start_byte, node.end_byte)

    def read_piece(self, start: int, end: int) -> str:
        """The text between two bytes."""
        found = self._chars[start:end]
        return found if found.isascii() else found.encode("latin-1").decode("utf-8", "replace")

    def find_line(self, start: int) -> int:
        """The line of a byte, from 1."""
        return bisect_left(self._breaks, start) + 1

    @property
    def line_count(self) -> int:
        """Lines, the last of which may have no end."""
        return len(self._breaks) + (self.text[-1:] not in {b"\n", b""})
