"""Handlers of captures that mean the same in every dialect of the capture walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, Handler
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def on_comment(walk: CaptureWalk, node: Node) -> None:
    """Note a comment: it documents a declaration that begins on the next line."""
    walk.note_comment(node)


def on_bound(walk: CaptureWalk, node: Node) -> None:
    """Bind the name of a local variable or a type parameter."""
    walk.bind_name(node)


def on_taken(walk: CaptureWalk, node: Node) -> None:
    """Mark an identifier that is not a use of a name."""
    walk.taken.add(node.start_byte)


def on_type(walk: CaptureWalk, node: Node) -> None:
    """Add a reference to a type by its bare name."""
    if node.start_byte not in walk.taken:
        walk.refer_type(node, walk.read(node))


def make_role_handler(role: ReferenceRole) -> Handler:
    """Return a handler that gives the types inside a node a role."""

    def handle(walk: CaptureWalk, node: Node) -> None:
        walk.set_role(node, role)

    return handle


on_types = make_role_handler(ReferenceRole.TYPE)
on_inherit = make_role_handler(ReferenceRole.INHERIT)
on_implement = make_role_handler(ReferenceRole.IMPLEMENT)
on_extend = make_role_handler(ReferenceRole.EXTEND)


def count_arguments(walk: CaptureWalk, node: Node | None) -> int:
    """Return the number of arguments plus 1; 0 where there is no argument list."""
    if node is None:
        return 0
    count = node.named_child_count + 1
    if walk.text.find(b"/", node.start_byte, node.end_byte) >= 0:
        count -= sum(one.type.endswith("comment") for one in node.named_children)
    return count


def read_called(walk: CaptureWalk, name: Node, before: Node | None, arguments: Node | None) -> None:
    """Add a call of a name; `before` is the node of its qualifier."""
    walk.taken.add(name.start_byte)
    qualifier = walk.read_chain(before)
    walk.refer(ReferenceRole.CALL, walk.read(name), name, qualifier, "", count_arguments(walk, arguments))


def split_path(path: str) -> tuple[str, str]:
    """Return the name and the qualifier of a dotted path."""
    qualifier, _, name = path.rpartition(".")
    return name, qualifier
