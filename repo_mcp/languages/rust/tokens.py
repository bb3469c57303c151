"""The token trees of Rust macros: tokens, and groups in brackets, with the lines they are on.

As macros see it, a doc comment is `#[...]` around the comment. Left out on purpose: comments in comments,
inner doc comments, and the spans of tokens beyond their lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.record_classes import dataclass

MAX_NESTED = 40  # nested groups
_TOKEN = re.compile(
    rb"(?P<doc>///(?!/)[^\n]*+)|(?P<space>[ \t\r\n]++|//[^\n]*+)|(?P<comment>/\*)|(?P<raw>[bc]?r(#{0,9})\")"
    rb"|(?P<literal>[bc]?\"[^\"\\]*+(?:\\.[^\"\\]*+)*\""
    rb"|b?'(?:\\(?:u\{\w{1,9}\}|x\w\w|[^ux])|[^\\'\n\x80-\xff]|[\xc0-\xff][\x80-\xbf]{1,3})'"
    rb"|[0-9]\w*+(?:\.[0-9]\w*+)?(?:(?<=[eE])[+-]\w++)?)"
    rb"|(?P<lifetime>'[A-Za-z_]\w*+)|(?P<word>(?:r#)?[A-Za-z_\x80-\xff][\w\x80-\xff]*+)"
    rb"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    rb"|(?P<mark><<=|>>=|\.\.\.|\.\.=|::|->|=>|==|!=|<=|>=|&&|\|\||[-+*/%^&|]=|\.\.|<<|>>|[^\"'\\\s])",
    re.S,
)
CLOSING = {b"(": b")", b"[": b"]", b"{": b"}", b"": b""}
INVISIBLE = b""  # the bracket of a group that is a fragment, which is matched only as a whole


class UndecidedMacro(Exception):
    """Raised for a macro call whose items cannot be determined."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token; two tokens are equal only if they are the same object."""

    text: bytes
    kind: str  # "word", "literal", "lifetime", "mark" or "doc"
    line: int  # of the token in the call; 0 if it comes from a definition
    is_spaced: bool  # a space stands before it


@dataclass(frozen=True, slots=True)
class Group:
    """A token tree in brackets, or a fragment without any."""

    bracket: bytes
    trees: Sequence[Tree]
    line: int  # of the opening bracket; 0 in a definition
    is_spaced: bool
    fragment: str = ""  # the kind of fragment as which an INVISIBLE one was matched


Tree = Token | Group


class Steps:
    """The number of steps that the macros of one file may still take."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, count: int = 1) -> None:
        """Count steps. Raises UndecidedMacro after too many."""
        self._left -= count
        if self._left < 0:
            raise UndecidedMacro


def read_trees(text: bytes, start: int, end: int, line: int, steps: Steps) -> list[Tree]:
    """Return the token trees between two offsets; `line` is that of the first, or 0 in a definition.

    Raises UndecidedMacro for brackets that do not match, and for literals without an end.
    """
    open_groups: list[tuple[bytes, int, bool, list[Tree]]] = [(b"", 0, False, [])]
    at, is_spaced, counted = start, False, start
    while at < end:
        steps.take()
        found = _TOKEN.match(text, at, end)
        kind = found.lastgroup if found is not None else None
        if found is None or kind is None:
            raise UndecidedMacro
        first, at = at, found.end()
        if kind == "space":
            is_spaced = True
            continue
        if kind in {"raw", "comment"}:
            last = b"*/" if kind == "comment" else b'"' + found.group(5)
            at = text.find(last, at, end) + len(last)
            if at < len(last) + first:
                raise UndecidedMacro
        if line:
            line, counted = line + text.count(b"\n", counted, first), first
        trees = open_groups[-1][3]
        if kind == "open":
            if len(open_groups) > MAX_NESTED:
                raise UndecidedMacro
            open_groups.append((found.group(), line, is_spaced, []))
        elif kind == "close":
            bracket, opened, was_spaced, inside = open_groups.pop()
            if CLOSING[bracket] != found.group():
                raise UndecidedMacro
            open_groups[-1][3].append(Group(bracket, inside, opened, was_spaced))
        elif kind == "doc":
            doc = Token(text[first:at], kind, line, is_spaced=False)
            trees += (Token(b"#", "mark", line, is_spaced=True), Group(b"[", [doc], line, is_spaced=False))
        elif kind != "comment":
            trees.append(Token(text[first:at], "literal" if kind == "raw" else kind, line, is_spaced))
        is_spaced = kind == "comment"
    if len(open_groups) > 1:
        raise UndecidedMacro
    return open_groups[0][3]
