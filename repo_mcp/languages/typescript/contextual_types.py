"""Contextual types: those that a value is expected to have, for its parameters and members.

They come from a variable, a result or a parameter with a written type. A function in that place has
parameters of that type, and the keys of an object are its members. A type is noted under the byte where the
value starts, before the walk gets there. If it has no name in the code, as that of a parameter has none, a
variable that is named EXPECTED and an offset stands for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import ITEM, SAME, TYPE
from repo_mcp.languages.typescript.types import read_type
from repo_mcp.languages.typescript.walk import EXPECTED, VALUE_WRAPPERS, ScriptWalk
from repo_mcp.symbols.model import ITSELF, RESULT, name_parameter
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

OF_ITEM = -1  # in place of a parameter: an item of what the name means
AS_IS = -2  # in place of a parameter: the type of the variable with that name
MAX_ITEMS = 200  # objects of a list that are read
_OF_WHAT = {0: TYPE, OF_ITEM: ITEM, AS_IS: SAME}  # position of a context -> how its variable is typed
_EXPECTING = frozenset({"object", "arrow_function", "function_expression"})
GIVEN = "()"  # in place of a member: what a function gives
_MAKERS = (b"() ", b"()=", b"async", b"function()", b"function ()")  # what takes nothing, or is waited for
_KEYS = frozenset({"property_identifier", "shorthand_property_identifier"})
_KEYED = {"pair": "key", "method_definition": "name"}  # members of an object -> the field of their key


def expect(walk: ScriptWalk, value: Node | None, type_text: str) -> None:
    """Note the contextual type of a value, for its parameters or members; of `value as T` it is T."""
    for _ in range(3):
        if value is None or value.type not in VALUE_WRAPPERS or not value.named_child_count:
            break
        inner = value.named_children
        if value.type in {"as_expression", "satisfies_expression"} and len(inner) == 2:
            type_text = walk.read_line(inner[1])
        value = inner[0]
    found = read_type(type_text) if value is not None and type_text else None
    if value is None or found is None or not found.name:
        return
    for one in _list_items(value) if found.is_items else [value]:
        walk.contexts[one.start_byte] = found.name, found.qualifier, 0


def _list_items(value: Node) -> list[Node]:
    """Return the objects in a list, or those that are the values of an object."""
    items: list[Node | None] = []
    if value.type == "array":
        items += value.named_children[:MAX_ITEMS]
    elif value.type == "object":
        items += [one.child_by_field_name("value") for one in value.named_children[:MAX_ITEMS]]
    return [one for one in items if one is not None and one.type == "object"]


def bind_expected(walk: ScriptWalk, node: Node, alias: str, index: int, start: int) -> bool:
    """Record a variable of a noted type (ITSELF), or a parameter of a function of a noted type.

    Return whether a type is noted.
    """
    context = walk.contexts.get(node.start_byte)
    if context is None or index > ITSELF:
        return False
    name, qualifier, position = context
    if index == ITSELF and position <= 0:
        walk.refer(ReferenceRole.BIND, name, start, qualifier, alias, _OF_WHAT[position])
    else:
        walk.refer(ReferenceRole.BIND, name, start, qualifier, alias, name_parameter(max(position, 0), index))
    return True


def expect_argument(walk: ScriptWalk, value: Node, name: str, qualifier: str, position: int) -> None:
    """Note the contextual type of the argument of `qualifier.name` at a position, counted from 1."""
    if value.type in _EXPECTING:
        walk.contexts[value.start_byte] = name, qualifier, position
    elif value.type == "array" and (items := _list_items(value)):
        start = value.start_byte
        arguments = name_parameter(position, ITSELF)
        walk.refer(ReferenceRole.BIND, name, start, qualifier, f"{EXPECTED}{start}", arguments)
        for one in items:
            walk.contexts[one.start_byte] = f"{EXPECTED}{start}", "", OF_ITEM


def expect_result(walk: ScriptWalk, value: Node, start: int) -> None:
    """Note the contextual type of a value that the function at `start` returns, if it has one itself.

    What a function gives that is passed to a call is recorded if others are likely to get it from that call.
    """
    context = walk.contexts.get(start)
    if context is not None and context[2] > 0 and walk.text.startswith(_MAKERS, start):
        name, qualifier, position = context
        walk.refer(
            ReferenceRole.BIND, name, start, qualifier, f"{EXPECTED}{start}", name_parameter(position, ITSELF)
        )
        walk.bind_value(f"{EXPECTED}{start}.{GIVEN}", value, value.start_byte)
    for _ in range(3):
        if value.type not in VALUE_WRAPPERS or value.type == "as_expression" or not value.named_child_count:
            break
        value = value.named_children[0]
    at = value.start_byte
    if (
        context is None
        or context[2] == OF_ITEM
        or at in walk.contexts
        or value.type not in _EXPECTING | {"array"}
    ):
        return
    name, qualifier, position = context
    alias = f"{EXPECTED}{at}r"
    walk.refer(ReferenceRole.BIND, name, at, qualifier, alias, name_parameter(max(position, 0), RESULT))
    _note(walk, value, alias, "", AS_IS)


def _note(walk: ScriptWalk, value: Node, name: str, qualifier: str, position: int) -> None:
    """Note the contextual type of an object or a function, or those of the objects in a list."""
    if value.type in _EXPECTING:
        walk.contexts[value.start_byte] = name, qualifier, position
    elif value.type == "array":
        for item in _list_items(value):
            walk.contexts[item.start_byte] = name, qualifier, OF_ITEM


def refer_keys(walk: ScriptWalk, node: Node) -> None:
    """Add a use of the member that each key of an object names, if the object has a contextual type."""
    start, members = node.start_byte, node.named_children
    if start not in walk.contexts or not members:
        return
    keys = [
        one.child_by_field_name(_KEYED[one.type]) if one.type in _KEYED else one
        for one in members
        if one.type in _KEYED or one.type == "shorthand_property_identifier"
    ]
    named = [one for one in keys if one is not None and one.type in _KEYS]
    if named and bind_expected(walk, node, f"{EXPECTED}{start}", ITSELF, start):
        for one in named:
            walk.refer(ReferenceRole.USE, walk.read_name(one), one.start_byte, f"{EXPECTED}{start}")
            holder = one.parent
            if holder is not None and holder.type == "method_definition":
                walk.contexts[holder.start_byte] = walk.read_name(one), f"{EXPECTED}{start}", 0
                continue
            value = None if holder is None else holder.child_by_field_name("value")
            if value is not None:
                _note(walk, value, walk.read_name(one), f"{EXPECTED}{start}", 0)
                if value.type == "call_expression":  # its result may decide a type argument of the object
                    walk.bind_value(f"{EXPECTED}{start}.{walk.read_name(one)}", value, value.start_byte)
