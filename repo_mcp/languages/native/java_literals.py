"""The literals among the arguments of a Java call, by which an overload is chosen.

`run("a" + b, 2, x)` is recorded as a call with the alias "|si?": one mark for each argument. Left out on
purpose: the types of all other arguments, and `null`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import BEHIND_ALIAS

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_MARKED = 8  # arguments
MAX_JOINED = 20  # operands of one text
_MARKS = {
    "string_literal": "s",
    "character_literal": "c",
    "true": "b",
    "false": "b",
    "class_literal": "t",
    "decimal_integer_literal": "i",
    "hex_integer_literal": "i",
    "octal_integer_literal": "i",
    "binary_integer_literal": "i",
    "decimal_floating_point_literal": "d",
    "hex_floating_point_literal": "d",
}
_SUFFIXES = {"il": "l", "df": "f"}
_OTHER = "?"


def mark_literals(walk: CaptureWalk, arguments: Node | None) -> str:
    """Return the marks of the arguments of a call, after BEHIND_ALIAS; "" if none of them is a literal."""
    if arguments is None:
        return ""
    values = [one for one in arguments.named_children[: MAX_MARKED + 1] if not one.type.endswith("comment")]
    marks = "".join(_mark(walk, one) for one in values[:MAX_MARKED])
    return BEHIND_ALIAS + marks if marks.strip(_OTHER) else ""


def _mark(walk: CaptureWalk, node: Node) -> str:
    mark = _MARKS.get(node.type, _OTHER)
    if mark in "id":
        return _SUFFIXES.get(mark + walk.read(node)[-1:].lower(), mark)
    if node.type == "unary_expression":
        inner = node.child_by_field_name("operand")
        number = _mark(walk, inner) if inner is not None else _OTHER
        return number if number in "ildf" else _OTHER
    return "s" if mark == _OTHER and _is_joined(walk, node) else mark


def is_text(walk: CaptureWalk, node: Node) -> bool:
    """Return whether an expression is itself a text: a literal, or `("a" + b)`."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node.type == "string_literal" or _is_joined(walk, node)


def _is_joined(walk: CaptureWalk, node: Node) -> bool:
    """Return whether an expression concatenates texts: `"a" + b + c`."""
    for _ in range(MAX_JOINED):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type != "binary_expression" or left is None or right is None:
            return False
        if walk.read(node.child_by_field_name("operator")) != "+":
            return False
        if "string_literal" in {left.type, right.type}:
            return True
        node = left
    return False
