"""Branches of the C preprocessor of which a grammar reads only the first one.

A grammar reads each branch between `#if` and `#endif` as whole statements. If the first one is none, such as
`if (a) {` before a branch `if (b) {`, what it begins would never end for the grammar. So the other branches
are blanked, and only the calls in them are found, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.languages.treesitter.blanking import blank, blank_match

DIRECTIVE = re.compile(rb"\n[ \t]*+#[^\n]*+")
# `#if A`, lines, perhaps `#elif B` or `#else` and lines, `#endif`, without directives among the lines
_PLAIN_LINES = rb"(?:(?![ \t]*+#)[^\n]*+\n){1,80}"
_BRANCHES = re.compile(
    rb"\n([ \t]*+#[ \t]*+if[^\n]*+(?<!\\)\n)(" + _PLAIN_LINES
    + rb")((?:[ \t]*+#[ \t]*+(?:else|elif)\b[^\n]*+\n" + _PLAIN_LINES
    + rb"){0,8})([ \t]*+#[ \t]*+endif\b[^\n]*+)"
)  # fmt: skip
_TEXT_OR_COMMENT = re.compile(rb"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*+|/\*.*?\*/", re.S)
_ELSE = re.compile(rb"else\b")
_CALL = re.compile(rb"(?<![\w.>:~])([A-Za-z_]\w*+)[ \t]*+\(")
_TYPE_BEFORE = re.compile(rb"\s*+([\w:]++)(?:[\s*&]++[\w:]++)*[\s*&]++")
_BEFORE_CALLS = frozenset(b"return else do case throw goto new delete co_return co_await".split())
_NO_CALLS = frozenset(b"if for while switch return sizeof defined else do case typeof alignof".split())
_OPENING = {b"}": b"{", b")": b"("}
_OPERATOR = re.compile(rb"&&|[|?+,]")
_CONTINUED = re.compile(rb"\s*+[{|&?+,)]")


def keep_first_branches(text: bytes) -> bytes:
    """Return a text with all branches but the first one blanked where that is no whole statement."""
    return _BRANCHES.sub(_keep_first, text)


def _keep_first(found: re.Match[bytes]) -> bytes:
    if not _is_cut(found):
        return found.group()
    return b"\n" + blank(found[1]) + found[2] + blank(found[3]) + blank(found[4])


def leaves_out_branches(text: bytes) -> bool:
    """Return whether a branch of a text is not read, because the first one is no whole statement."""
    return next(_iter_left_out(text), None) is not None


def iter_left_out_calls(text: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each call, not of a member, in a branch that is not read."""
    for found in _iter_left_out(text):
        first = found.string.count(b"\n", 0, found.start(3))
        branch = DIRECTIVE.sub(b"\n;", _TEXT_OR_COMMENT.sub(blank_match, b"\n" + found[3]))
        for call in _CALL.finditer(branch):
            if call[1] not in _NO_CALLS and not _declares(branch, call.start()):
                yield first + branch.count(b"\n", 0, call.start()) - 1, call[1].decode()


def _declares(text: bytes, at: int) -> bool:
    """Return whether a type stands before a name: only words, since the end of the last statement."""
    begun = max(text.rfind(mark, 0, at) for mark in (b";", b"{", b"}")) + 1
    found = _TYPE_BEFORE.fullmatch(text, begun, at)
    return found is not None and found[1] not in _BEFORE_CALLS


def _iter_left_out(text: bytes) -> Iterator[re.Match[bytes]]:
    return (one for one in _BRANCHES.finditer(b"\n" + text) if one[3] and _is_cut(one))


def _is_cut(found: re.Match[bytes]) -> bool:
    """Return whether the first branch is no whole statement.

    It begins with `else`, is part of an expression or the head of what follows, opens a bracket that it does
    not close, or closes one that it did not open.
    """
    lines = _TEXT_OR_COMMENT.sub(b"", found[2]).strip()
    if _ELSE.match(lines) is not None or _cuts_brackets(lines):
        return True
    if b";" not in lines:
        is_part = _OPERATOR.match(lines) is not None or lines.endswith((b"&&", b"|", b"?", b"+"))
        if is_part or (lines.endswith(b",") and not found[3]):
            return True
    is_whole = not lines or lines[-1:] in b";{}:,"
    return not is_whole and _CONTINUED.match(found.string, found.end()) is not None


def _cuts_brackets(lines: bytes) -> bool:
    """Return whether lines open a bracket that they do not close, or close one that they did not open."""
    depths = {b"{": 0, b"(": 0}
    for bracket in re.findall(rb"[{}()]", lines):
        opening = _OPENING.get(bracket, bracket)
        depths[opening] += 1 if bracket == opening else -1
        if depths[opening] < 0:
            return True
    return any(depths.values())
