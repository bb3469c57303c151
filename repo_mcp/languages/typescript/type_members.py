"""Parts of TypeScript types that have no name: signatures, index signatures, and type parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import TYPE
from repo_mcp.languages.typescript.declarations import TYPE_HOLDERS
from repo_mcp.languages.typescript.walk import RESULT, ScriptWalk, read_type_text
from repo_mcp.symbols.model import KEYLESS, Binding
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def on_call_signature(walk: ScriptWalk, node: Node) -> None:
    """Record the parameters and the result of calling a value of the innermost type, and open their scope.

    The type has the parameters of the first signature; each row has those of its own signature, and the
    result.
    """
    entry = walk.entry
    if entry.kind in TYPE_HOLDERS and not walk.is_local:
        result = read_type_text(walk, node.child_by_field_name("return_type"))
        taken = read_type_text(walk, node.child_by_field_name("parameters"))
        entry.parameters = entry.parameters or taken
        walk.refer(ReferenceRole.BIND, f":{result}", node.start_byte, taken, RESULT, TYPE)
    walk.open_scope(node.end_byte)


def on_construct_signature(walk: ScriptWalk, node: Node) -> None:
    """Record that a value of the innermost type constructs objects, and open the scope of the parameters."""
    _add_keyless(walk, node, "new")
    walk.open_scope(node.end_byte)


def _add_keyless(walk: ScriptWalk, node: Node, what: str) -> None:
    """Record a part of the innermost type that has no name."""
    if walk.entry.kind in TYPE_HOLDERS and not walk.is_local:
        walk.refer(ReferenceRole.BIND, what, node.start_byte, "", KEYLESS, TYPE)


def on_type_scope(walk: ScriptWalk, node: Node) -> None:
    """Open the scope of a function type, whose parameters are visible nowhere else."""
    walk.open_scope(node.end_byte)


def on_index(walk: ScriptWalk, node: Node) -> None:
    """Bind the key of `[key: string]: T`, and record the items of the innermost type."""
    _add_keyless(walk, node, f":{read_type_text(walk, node.child_by_field_name('type'))}")
    walk.open_scope(node.end_byte)
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        walk.bind(walk.read(name_node))


def on_bound_type(walk: ScriptWalk, node: Node) -> None:
    """Bind a name that a type binds."""
    walk.taken.add(node.start_byte)
    walk.bind(walk.read(node))


def on_type_parameter(walk: ScriptWalk, node: Node) -> None:
    """Bind a type parameter."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    on_bound_type(walk, name_node)
    constraint, default = node.child_by_field_name("constraint"), node.child_by_field_name("value")
    texts = [walk.read_line(one) for one in (constraint, default)]
    bound = ":" + texts[0].removeprefix("extends") if texts[0] else ":"
    bound += f" = {texts[1].removeprefix('=').strip()}" if texts[1] else ""
    walk.refer(ReferenceRole.BIND, bound, node.start_byte, "", f"<{walk.read(name_node)}", Binding.BOUND)
