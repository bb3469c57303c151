"""The literals among the arguments of a C++ call, by which an overload is chosen.

`run("a", 2, x)` is recorded as a call with the alias "|si?": one mark for each argument. Left out on purpose:
the types of all other arguments, zeros, which may be pointers, and the types that suffixes give to numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import BEHIND_ALIAS

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_MARKED = 8  # arguments
_MARKS = {
    "string_literal": "s",
    "raw_string_literal": "s",
    "concatenated_string": "s",
    "char_literal": "c",
    "true": "b",
    "false": "b",
    "null": "n",
}
_OTHER = "?"


def mark_literals(walk: CaptureWalk, arguments: Node | None) -> str:
    """Return the marks of the arguments of a call, after BEHIND_ALIAS; "" if none of them is a literal."""
    if arguments is None:
        return ""
    first = ((one, one.type) for one in arguments.named_children[: MAX_MARKED + 1])
    values = [(one, kind) for one, kind in first if kind != "comment"]
    marks = "".join(_mark(walk, one, kind) for one, kind in values[:MAX_MARKED])
    return BEHIND_ALIAS + marks if marks.strip(_OTHER) else ""


def _mark(walk: CaptureWalk, node: Node, kind: str) -> str:
    mark = _MARKS.get(kind, _OTHER)
    if mark in "sc" and walk.text[node.start_byte : node.start_byte + 1] in {b"L", b"u", b"U"}:
        return "w" if mark == "s" else _OTHER
    if mark == "n":
        return mark if walk.read(node) == "nullptr" else _OTHER
    if kind == "unary_expression":
        inner = node.child_by_field_name("argument")
        is_number = inner is not None and inner.type == "number_literal"
        return _mark(walk, inner, "number_literal") if inner is not None and is_number else _OTHER
    if kind != "number_literal":
        return mark
    text = walk.read(node).lower()
    if text.isdigit():
        return "i" if text != "0" else _OTHER
    return "f" if text.replace(".", "", 1).isdigit() else "a"
