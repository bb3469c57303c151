"""Tells products from pointers: the grammar reads the argument `a * B` as a variable of type `a*`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def is_product(node: Node) -> bool:
    """Return whether a declaration in an argument, or its pointer type, is a product: it lacks `out`."""
    declared = node.parent if node.type == "pointer_type" else node
    if declared is None or declared.type != "declaration_expression":
        return False
    argument = declared.parent
    if argument is None or argument.type != "argument" or declared.named_child(0).type != "pointer_type":
        return False
    return not any(one.type == "out" for one in argument.children)
