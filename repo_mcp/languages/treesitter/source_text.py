"""The text of captured nodes: pieces of it, and line numbers, by byte offset.

Nodes know their rows and texts too, but asking them takes several times as long.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

KEPT_CHAINS = 4_096  # expressions whose names need not be read again: most are written several times
MOST_COMMENTS = 16  # times the bytes of a line that are looked through for that line without comments

# A comment, or (in the first group, which stays) a text or character that may hold what looks like one. In a
# text that begins with `@"`, of C#, a backslash is a character like any other. Any other text ends with its
# line at the latest, so that each is read once.
_COMMENT = re.compile(
    rb"""(@"[^"]*+(?:""[^"]*+)*"|"[^"\\\n]*+(?:\\(?:.|\Z)[^"\\\n]*+)*"?|'(?:[^'\\\n]|\\.)'|`[^`]*+`)"""
    rb"""|(?<![ \t])[ \t]*+(?://[^\n]*+|/\*.*?(?:\*/|\Z))(?=(\w)?)""",
    re.DOTALL,
)


def leave_out_comments(code: bytes) -> bytes:
    """Return C-like code without comments, each with the blanks before it."""
    if b"//" not in code and b"/*" not in code:
        return code
    return _COMMENT.sub(lambda found: found[1] or (b" " if found[2] else b""), code)


class SourceText:
    """A text as bytes: UTF-8, apart from invalid bytes."""

    line_bytes = 600  # of a node that `read_line` reads by default

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._chars = text.decode("latin-1")  # one character per byte: slices in half the time
        self._breaks: list[int] = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")).tolist()

    def read(self, node: Node | None) -> str:
        """Return the text of a node; empty for None."""
        return "" if node is None else self.read_piece(node.start_byte, node.end_byte)

    def read_piece(self, start: int, end: int) -> str:
        """Return the text from byte `start` to byte `end`; invalid UTF-8 is replaced."""
        found = self._chars[start:end]
        return found if found.isascii() else found.encode("latin-1").decode("utf-8", "replace")

    def read_line(self, node: Node | None, most_bytes: int = 0) -> str:
        """Return the text of a node on one line, without comments.

        It has at most so many bytes, or else `line_bytes`. A comment that ends with its line would seem to
        take in what follows.
        """
        if node is None:
            return ""
        start, end, most = node.start_byte, node.end_byte, most_bytes or self.line_bytes
        text = self.text[start : min(end, start + most)]
        if b"//" in text or b"/*" in text:
            text = self._read_code(start, end, most)
        return " ".join(text.decode("utf-8", "replace").split())

    def _read_code(self, start: int, end: int, most: int) -> bytes:
        """Return at most so many bytes of the text between two offsets without the comments in it."""
        window = most
        while True:
            window *= 2
            code = leave_out_comments(self.text[start : min(end, start + window)])
            if len(code) >= most or start + window >= end or window >= most * MOST_COMMENTS:
                return code[:most]

    def is_gap(self, start: int, end: int) -> bool:
        """Return True when only white space, and less than 4,096 bytes, lies between two offsets."""
        return end - start < 4_096 and not self.text[start:end].strip()

    def find_line(self, start: int) -> int:
        """Return the line of a byte offset, from 1."""
        return bisect_left(self._breaks, start) + 1

    @property
    def line_count(self) -> int:
        """Return the number of lines; the last may lack a line feed."""
        return len(self._breaks) + (self.text[-1:] not in {b"\n", b""})


def find_first_child(node: Node) -> Node | None:
    """Return the first named child of a node, or None; the library's own method raises if there is none."""
    return next(iter(node.named_children), None)


def find_child(node: Node, node_type: str) -> Node | None:
    """Return the first named child of a type, or None."""
    return next((one for one in node.named_children if one.type == node_type), None)
