"""Chains of members in C and C++ that begin with a cast: "^Base.next" for `((Base *) value)->next`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_scopes import MAX_CHAIN_BYTES, name_chain
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, count_arguments
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import CAST, CAST_OUTER
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_STEPS = 12  # members after a cast, and brackets around it
_CASTS_TEXT = """
static_cast dynamic_cast const_cast reinterpret_cast static_pointer_cast dynamic_pointer_cast qobject_cast
"""
_CASTS = frozenset(_CASTS_TEXT.split())
_STEPS = {"field_expression": "argument", "call_expression": "function", "subscript_expression": "argument"}


def read_object(walk: CaptureWalk, node: Node | None) -> str:
    """Return the chain of the expression before a member; after a cast, it begins with the type."""
    if node is None:
        return ""
    start, end = node.start_byte, node.end_byte
    # a long text is not even searched, since it may begin many chains
    is_long = end - start > MAX_CHAIN_BYTES
    if is_long or not (walk.text.startswith(b"(", start) or walk.text.find(b"_cast<", start, end) >= 0):
        return walk.read_chain(node)
    inner, written = _find_cast(walk, node)
    found = read_type(written)
    behind = name_chain(b"x" + walk.text[inner.end_byte : end].lstrip())
    if not found.name or found.is_items or not behind.startswith("x"):
        return walk.read_chain(node)
    return f"{CAST}{CAST_OUTER.join(found.names)}{behind[1:]}"


def refer_called(
    walk: CaptureWalk, name: Node, before: Node | None, arguments: Node | None, alias: str = ""
) -> None:
    """Add a call of a name; `before` is the node of its object."""
    walk.taken.add(name.start_byte)
    count = count_arguments(walk, arguments)
    walk.refer(ReferenceRole.CALL, walk.read(name), name, read_object(walk, before), alias, count)


def _find_cast(walk: CaptureWalk, node: Node) -> tuple[Node, str]:
    """Return the first value in a chain, and the written type to which it is cast; "" without a cast."""
    for _ in range(MAX_STEPS):
        if node.type == "call_expression" and (written := _read_template_cast(walk, node)):
            return node, written
        inner = node.child_by_field_name(_STEPS.get(node.type, ""))
        if inner is None:
            break
        node = inner
    value: Node | None = node
    for _ in range(MAX_STEPS):
        if value is None or value.type != "parenthesized_expression":
            break
        value = next(iter(value.named_children), None)
    is_cast = value is not None and value is not node and value.type == "cast_expression"
    return node, walk.read_line(value.child_by_field_name("type")) if is_cast and value is not None else ""


def _read_template_cast(walk: CaptureWalk, call: Node) -> str:
    """Return T in `static_cast<T>(value)` and the like; "" for another call."""
    head, _, inside = walk.read_line(call.child_by_field_name("function")).partition("<")
    return inside.rpartition(">")[0] if head.removeprefix("std::") in _CASTS else ""
