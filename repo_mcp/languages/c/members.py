"""Uses of members of structs in C and C++: `p->size`, `s.size`, `{.size = 1}`, `offsetof(struct s, size)`.

The expression before a member is recorded as in any other language, as a chain of names. If the text names
the type instead, in a cast or an initialiser, the chain begins with the type, and the row is marked OF_TYPE.

Left out on purpose: positional values of initialisers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.c.casts import read_object
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import OF_TYPE
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_BRACKETS = 4  # around a cast


def on_member(walk: CaptureWalk, node: Node) -> None:
    """Add a use of a member of an expression."""
    field = node.child_by_field_name("field")
    if field is None or field.type != "field_identifier" or field.start_byte in walk.taken:
        return
    walk.taken.add(field.start_byte)
    before = node.child_by_field_name("argument")
    name, made = walk.read(field), _read_cast(walk, before)
    if made:
        walk.refer(ReferenceRole.USE, name, field, made, "", OF_TYPE)
    else:
        walk.refer(ReferenceRole.USE, name, field, read_object(walk, before))


def _read_cast(walk: CaptureWalk, node: Node | None) -> str:
    """Return the name of the type to which an expression is cast; "" for any other expression."""
    if node is None or not walk.text.startswith(b"(", node.start_byte):
        return ""  # most expressions; comparing offsets takes a third of the time of asking for a type
    for _ in range(MAX_BRACKETS):
        if node is None or node.type != "parenthesized_expression":
            break
        node = next(iter(node.named_children), None)
    if node is None or node.type != "cast_expression":
        return ""
    return _read_plain_type(walk.read_line(node.child_by_field_name("type")))


def _read_plain_type(text: str) -> str:
    found = read_type(text)
    return "" if found.qualifier else found.name


def note_initialised(walk: CaptureWalk, value: Node | None, type_text: str) -> None:
    """Note the type of an initialiser list, whose designators name members of that type."""
    if value is not None and value.type == "initializer_list":
        name = _read_plain_type(type_text)
        if name:
            walk.values_to_come[value.start_byte] = name, type_text.count("[")


def on_compound_literal(walk: CaptureWalk, node: Node) -> None:
    """Note the type of `(struct s){.size = 1}`."""
    note_initialised(
        walk, node.child_by_field_name("value"), walk.read_line(node.child_by_field_name("type"))
    )


def on_initializer(walk: CaptureWalk, node: Node) -> None:
    """Open an initialiser list; inside the list of an array, it has the type of an item."""
    values, start = walk.open_values, node.start_byte
    while values and values[-1][0] <= start:
        values.pop()
    chain, levels = walk.values_to_come.pop(start, ("", 0))
    if not chain and values and values[-1][1]:
        chain, levels = _take_item(*values[-1][1:])
    values.append((node.end_byte, chain, levels))


def _take_item(chain: str, levels: int) -> tuple[str, int]:
    """Return the chain and the levels of an item: the levels are those of the array that begins the chain."""
    return (chain, levels - 1) if levels else (f"{chain}.[]", 0)


def on_initializer_pair(walk: CaptureWalk, node: Node) -> None:
    """Add a use of each member that `.size = 1` names."""
    values, start = walk.open_values, node.start_byte
    while values and values[-1][0] <= start:
        values.pop()
    if not values:
        return
    chain, levels = values[-1][1:]
    for designator in node.children_by_field_name("designator"):
        name_node = next(iter(designator.named_children), None)
        if designator.type == "subscript_designator":
            chain, levels = _take_item(chain, levels) if chain else ("", 0)
        elif name_node is not None:
            name = walk.read(name_node)
            walk.taken.add(name_node.start_byte)
            walk.refer(ReferenceRole.USE, name, name_node, chain or "?", "", OF_TYPE if chain else 0)
            chain, levels = (f"{chain}.{name}" if chain else ""), 0
    value = node.child_by_field_name("value")
    if chain and value is not None and value.type == "initializer_list":
        walk.values_to_come[value.start_byte] = chain, levels


def on_offset(walk: CaptureWalk, node: Node) -> None:
    """Add a use of the member in `offsetof(struct s, size)`."""
    member = node.child_by_field_name("member")
    name = _read_plain_type(walk.read_line(node.child_by_field_name("type")))
    if member is not None and name:
        walk.refer(ReferenceRole.USE, walk.read(member), member, name, "", OF_TYPE)
