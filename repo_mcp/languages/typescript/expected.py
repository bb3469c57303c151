"""The type that is said where a value stands: of a variable, a result, or a parameter that it is given for.

A function that is written there has parameters of that type, and the keys of an object are its members. What
they are called is not always in the code: a variable EXPECTED and an offset stands for it then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import TYPE
from repo_mcp.languages.typescript.types import read_type
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.model import ITSELF, name_parameter
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

EXPECTED = "@"


def expect(walk: ScriptWalk, value: Node | None, type_text: str) -> None:
    """Note the type that is written for a value, for the parameters or members that it has."""
    found = read_type(type_text) if value is not None and type_text else None
    if value is not None and found is not None and found.name and not found.is_items:
        walk.contexts[value.start_byte] = found.name, found.qualifier, 0


def bind_expected(walk: ScriptWalk, node: Node, alias: str, index: int, start: int) -> bool:
    """Record that a variable is a parameter of a function whose type is noted, or has the noted type
    ITSELF; return True when there is one."""
    context = walk.contexts.get(node.start_byte)
    if context is None or index > ITSELF:
        return False
    name, qualifier, position = context
    if index == ITSELF and not position:
        walk.refer(ReferenceRole.BIND, name, start, qualifier, alias, TYPE)
    else:
        walk.refer(ReferenceRole.BIND, name, start, qualifier, alias, name_parameter(position, index))
    return True


def refer_keys(walk: ScriptWalk, node: Node) -> None:
    """Add a use of the member that each key of an object names, where the object's type is said."""
    start, members = node.start_byte, node.named_children
    if start not in walk.contexts or not members:
        return
    keys = [
        one.child_by_field_name("key") if one.type == "pair" else one
        for one in members
        if one.type in {"pair", "shorthand_property_identifier"}
    ]
    named = [
        one
        for one in keys
        if one is not None and one.type in {"property_identifier", "shorthand_property_identifier"}
    ]
    if named and bind_expected(walk, node, f"{EXPECTED}{start}", ITSELF, start):
        for one in named:
            walk.refer(ReferenceRole.USE, walk.read_name(one), one.start_byte, f"{EXPECTED}{start}")
