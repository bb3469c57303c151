"""Variables that are bound in the arguments of Rust macros, which a grammar sees as loose tokens.

In `assert!(others.iter().all(|one| one.is_good()))` the name `one` is not what it is outside. Parameters of
closures, and names that `let` and `for` bind, hide others of their name up to the end of their blocks. Left
out on purpose: their types, and the patterns of `match`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, note_binding

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_TREE_BYTES = 1 << 16  # of one macro call
_CLOSED = re.compile(rb"\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|'(?:[^'\\\n]|\\.)'|//[^\n]*+", re.S)
# A closure begins an expression, so that no value stands before its bar.
_CLOSURE = re.compile(rb"(?:[(,={\[;]|=>|&&|\bmove|\breturn)\s*+\|([^|;{}]{1,300}+)\|")
_LET = re.compile(rb"\b(?:let\s++([^=;{}]{1,200}?)=(?!=)|for\s++([^;{}]{1,200}?)\sin\b)")
_NAME = re.compile(rb"(?<![\w.:'])(?!(?:mut|ref)\b)([a-z_]\w*+)(?!\s*(?:::|\(|\{|!))")
_TYPE = re.compile(rb":[^,|=]*+")
_BRACKET = re.compile(rb"[()\[\]{},;]")


def bind_in_tokens(walk: CaptureWalk, node: Node) -> None:
    """Note the variables that the tokens of a macro call bind, and where they end."""
    start, end = node.start_byte, node.end_byte
    text = walk.text[start:end]
    if len(text) > MAX_TREE_BYTES or not (b"|" in text or b"let " in text or b"for " in text):
        return
    text = _CLOSED.sub(lambda found: b" " * len(found.group()), text)
    ends = _Ends(text)
    for found in _CLOSURE.finditer(text):
        _bind(walk, start, found, 1, ends.find(found.end()).argument)
    for found in _LET.finditer(text):
        group = 1 if found[1] is not None else 2
        _bind(walk, start, found, group, ends.find(found.end()).block)


def _bind(walk: CaptureWalk, offset: int, found: re.Match[bytes], group: int, end: int) -> None:
    first = found.start(group)
    pattern = _TYPE.sub(lambda one: b" " * len(one.group()), found[group])
    for name in _NAME.finditer(pattern):
        at = offset + first + name.start(1)
        walk.taken.add(at)
        walk.add_local(name[1].decode())
        walk.shadowing.add_block(offset + first, offset + end)
        note_binding(walk, name[1].decode(), at)


class _End(NamedTuple):
    """The ends of what begins at one place of a text."""

    block: int  # where the brackets around the place are closed
    argument: int  # the same, or a comma or semicolon before that


class _Ends:
    """The ends of the blocks of a text, found in one pass: a macro may have thousands of variables."""

    def __init__(self, text: bytes) -> None:
        marks = list(_BRACKET.finditer(text))
        self._offsets = [found.start() for found in marks]
        self._ends = [_End(len(text), len(text))]  # before each mark, the last first
        around = [self._ends[0]]  # the innermost block last
        for found in reversed(marks):
            at, mark = found.start(), found[0]
            if mark in b")]}":
                around.append(_End(at, at))
            elif mark in b",;":
                around[-1] = around[-1]._replace(argument=at)
            elif len(around) > 1:
                around.pop()
            self._ends.append(around[-1])
        self._ends.reverse()

    def find(self, place: int) -> _End:
        """Return where what begins at a place ends."""
        return self._ends[bisect_left(self._offsets, place)]
