"""The types that a class, an interface or an object is written to be of, by the names in their positions.

An object with functions that is the value of a variable implements the type of that variable, as a class
implements an interface: calls through the type may run its functions.

Left out on purpose: objects of data alone, of which a type may have hundreds, and objects without a
variable, which declare nothing that could be named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.typescript.declarations import FUNCTION_VALUES
from repo_mcp.languages.typescript.types import MAX_STEPS, SEEN_THROUGH
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

TYPE_NODES = frozenset({"type_identifier", "nested_type_identifier", "generic_type"})
MAX_MEMBERS = 200  # of an object, among which a function is looked for


def find_base(walk: ScriptWalk, node: Node) -> Node | None:
    """Return the name of a base; for `Required<Omit<T, "a">>`, that of T."""
    for _ in range(MAX_STEPS):
        if node.type != "generic_type":
            break
        name, types = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if walk.read(name) not in SEEN_THROUGH or types is None or not types.named_child_count:
            return name
        node = types.named_children[0]
    return node if node.type in TYPE_NODES else None


def note_implemented(walk: ScriptWalk, type_node: Node | None, value: Node | None) -> None:
    """Note that a declared variable implements its written type, or that after `satisfies` in its value."""
    written = [] if type_node is None else type_node.named_children
    while value is not None and value.type == "satisfies_expression" and value.named_child_count == 2:
        written = [*written, value.named_children[1]]
        value = value.named_children[0]
    if not written or value is None or value.type != "object" or not _has_function(value):
        return
    for one in written:
        named = find_base(walk, one) if one.type in TYPE_NODES else None
        if named is not None:
            walk.base_roles[named.start_byte] = ReferenceRole.IMPLEMENT


def _has_function(value: Node) -> bool:
    for member in value.named_children[:MAX_MEMBERS]:
        inner = member.child_by_field_name("value") if member.type == "pair" else None
        if member.type == "method_definition" or (inner is not None and inner.type in FUNCTION_VALUES):
            return True
    return False
