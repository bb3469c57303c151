"""Imports of Rust: `use` and `extern crate`.

A `use` tree gives one IMPORT row for each of its leaves, and also an EXPORT row if it is public; `self::`,
`super::` and `crate::` stay as written. In a block inside a function, the row has the number of lines that
see its names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, split_path
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_USE_LEAVES = 1_000  # of one `use`


def on_extern_crate(walk: CaptureWalk, node: Node) -> None:
    """Add the import of a crate, and its export if it is public."""
    walk.take_words(node)
    name = walk.read(node.child_by_field_name("name"))
    alias = walk.read(node.child_by_field_name("alias")) or name
    walk.refer(ReferenceRole.IMPORT, "", node, name, alias)
    if _is_public(node):
        walk.refer(ReferenceRole.EXPORT, name, node, "", alias)


def _is_public(node: Node) -> bool:
    return any(one.type == "visibility_modifier" for one in node.children[:2])


def on_use(walk: CaptureWalk, node: Node) -> None:
    """Add the imports of a tree of paths, flattened without recursion."""
    walk.take_words(node)
    is_public = _is_public(node)
    seen_lines = _count_seen_lines(walk, node)
    argument = node.child_by_field_name("argument")
    waiting: list[tuple[Node, str]] = [(argument, "")] if argument is not None else []
    for _ in range(MAX_USE_LEAVES):
        if not waiting:
            return
        one, before = waiting.pop()
        if one.type == "scoped_use_list":
            path = _join(before, _read_path(walk, one.child_by_field_name("path")))
            inner = one.child_by_field_name("list")
            waiting.extend((child, path) for child in reversed(inner.named_children if inner else []))
        elif one.type == "use_list":
            waiting.extend((child, before) for child in reversed(one.named_children))
        else:
            _refer_leaf(walk, one, before, is_public, seen_lines)


def _count_seen_lines(walk: CaptureWalk, node: Node) -> int:
    """Return the number of lines from a `use` to the end of its block; 0 if its whole symbol sees it."""
    block = node.parent
    if block is None or block.type != "block" or block.parent is None or block.parent.type == "function_item":
        return 0
    return walk.find_line(block.end_byte) - walk.find_line(node.start_byte) + 1


def _refer_leaf(walk: CaptureWalk, node: Node, before: str, is_public: bool, seen_lines: int) -> None:
    alias = ""
    if node.type == "use_wildcard":
        path = _read_path(walk, next(iter(node.named_children), None))
        name, qualifier = "*", _join(before, path)
    else:
        if node.type == "use_as_clause":
            alias = walk.read(node.child_by_field_name("alias"))
            path = _read_path(walk, node.child_by_field_name("path"))
        else:
            path = _read_path(walk, node)
        whole = before if path == "self" else _join(before, path)
        name, qualifier = split_path(whole)
        alias = alias or name
    walk.refer(ReferenceRole.IMPORT, name, node, qualifier, alias, seen_lines)
    if is_public:
        walk.refer(ReferenceRole.EXPORT, name, node, qualifier, alias)


def _read_path(walk: CaptureWalk, node: Node | None) -> str:
    return "".join(walk.read(node).split()).replace("::", ".").strip(".") if node is not None else ""


def _join(before: str, path: str) -> str:
    return f"{before}.{path}" if before and path else before or path
