"""The text under captured nodes: as written, on one line, and as chains of dotted names.

Chains are read by their characters, not by their nodes: `a->b(x).c[1]` is "a.b().c.[]" in every language.
Texts are cut before they are read, and bracketed parts are dropped from the inside out at most a few
times, so that no chain costs more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.source_text import SourceText

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_CHAIN_BYTES = 600  # of the text before a called name; a longer one becomes "?"
MAX_TAKEN_BYTES = 1 << 16  # marked in one node at most: nodes may be nested

_STRINGS = re.compile(rb'"[^"\\\n]*"')
_ROUND = re.compile(rb"\([^()\[\]{}]*\)")
_SQUARE = re.compile(rb"\s*\[[^()\[\]{}]*\]")
_CURLY = re.compile(rb"\s*\{[^()\[\]{}]*\}")
MAX_NESTED = 6  # brackets in each other that are dropped
_TYPE_ARGUMENTS = re.compile(rb"(?:::)?<[\w\s,:&*.?]*>")
_SEPARATORS = re.compile(rb"[?!]*\s*(?:->|::|\.(?!\[))\s*|[?!]+(?=\.\[)")
_PREFIX = re.compile(rb"[\s&*(]*+(?:(?:await|try[?!]?|mut|new)\s++){0,4}")
_CHAIN = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?:\(\)|\.\[\]|\.[\w$\x80-\xff]++)*")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


class CaptureText(SourceText):
    """A text, and which of its identifiers are accounted for."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.taken: set[int] = set()  # starts of identifiers that are accounted for

    def read_line(self, node: Node | None, limit: int = 300) -> str:
        """Return the text of a node on one line, from `2 * limit` bytes at most."""
        if node is None:
            return ""
        text = self.text[node.start_byte : min(node.end_byte, node.start_byte + 2 * limit)]
        return " ".join(text.decode("utf-8", "replace").split())

    def read_chain(self, node: Node | None) -> str:
        """Return the qualifier of a member, dotted: "a.b", "make()", "list.[]"; "?" for anything else."""
        if node is None:
            return ""
        start, end = node.start_byte, node.end_byte
        if end - start > MAX_CHAIN_BYTES:
            return "?"
        text = self.text[start:end]
        if not text.isalnum():
            text = _simplify(text)
        return text.decode("utf-8", "replace") if text else "?"

    def simplify(self, text: bytes) -> str:
        """Return a text in the form of `read_chain`; empty when it is not a chain of members."""
        return _simplify(text[:MAX_CHAIN_BYTES]).decode("utf-8", "replace")

    def take_words(self, node: Node) -> None:
        """Mark the words inside a node as not being uses of names."""
        start = node.start_byte
        self.taken.update(self.iter_words(start, min(node.end_byte, start + MAX_TAKEN_BYTES)))

    def iter_words(self, start: int, end: int) -> Iterator[int]:
        """Yield the byte offset of each word between `start` and `end`."""
        return (found.start() for found in _WORD.finditer(self.text, start, end))


def _simplify(text: bytes) -> bytes:
    """Return a chain of members as dotted names; empty when it is not one."""
    start = _PREFIX.match(text)
    text = text[start.end() :] if start is not None else text
    text = text.rstrip(b" \n\t?!")
    if text.count(b")") > text.count(b"("):
        text = text[: text.rindex(b")")]
    if b"(" in text or b"[" in text or b"{" in text:
        text = _collapse(text)
    if b"<" in text:
        for _ in range(3):
            text = _TYPE_ARGUMENTS.sub(b"", text)
    text = _SEPARATORS.sub(b".", text)
    return text if _CHAIN.fullmatch(text) else b""


def _collapse(text: bytes) -> bytes:
    """Return a chain without what its brackets hold; round ones stay, square ones become a member."""
    text = _STRINGS.sub(b"", text)
    for _ in range(MAX_NESTED):
        shorter = _CURLY.sub(b"", _SQUARE.sub(b"\x01", _ROUND.sub(b"\0", text)))
        if shorter == text:
            break
        text = shorter
    return text.replace(b"\0", b"()").replace(b"\x01", b".[]")
