"""The variable in a parenthesised assignment that is used as a value: `reply` in `(reply = ask()).status`."""

from __future__ import annotations

import re

_ASSIGNED = re.compile(rb"\(\s*+([A-Za-z_$@][\w$@]*+(?:(?:\.|->)[\w$@]++){0,9})\s*+(?:\?\?)?=(?![=>~])")
_BRACKET = re.compile(rb"[()]")


def name_assigned(text: bytes) -> bytes:
    """Return the variable that an expression `(name = value)` assigns; empty for any other."""
    found = _ASSIGNED.match(text)
    if found is None or not text.endswith(b")"):
        return b""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] == b"(" else -1
        if not depth:
            return found[1] if bracket.end() == len(text) else b""
    return b""
