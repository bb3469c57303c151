"""Names that destructuring binds, `{a, b: c}` and `[a, b]`: each is a member of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import CALLED, SAME, TYPE, UNKNOWN
from repo_mcp.languages.typescript.contextual_types import MAX_ITEMS, bind_expected
from repo_mcp.languages.typescript.walk import EXPECTED, ScriptWalk, read_type_text, write_owner
from repo_mcp.symbols.model import MAX_PARAMETERS
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BOUND_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_KEYS = _BOUND_NAMES | {"property_identifier"}


def bind_pattern(walk: ScriptWalk, pattern: Node, owner: str) -> None:
    """Record that the names in `{a, b: c}` are members of `owner`."""
    if owner == UNKNOWN or pattern.type != "object_pattern":
        return
    for one in pattern.named_children:
        if one.type == "rest_pattern" and one.named_child_count:
            _bind_rest(walk, one.named_children[0], owner)
            continue
        key: Node | None = one
        local: Node | None = one
        if one.type == "object_assignment_pattern":
            key = local = one.child_by_field_name("left")
        elif one.type == "pair_pattern":
            key, local = one.child_by_field_name("key"), one.child_by_field_name("value")
        if local is not None and local.type == "assignment_pattern":
            local = local.child_by_field_name("left")
        if key is None or local is None:
            continue
        name = walk.read_name(key)
        if key.type in _KEYS:
            walk.refer(ReferenceRole.USE, name, key.start_byte, owner)
        if local.type in _BOUND_NAMES:
            walk.refer(ReferenceRole.BIND, name, local.start_byte, owner, walk.read(local), SAME)
        elif local.type == "object_pattern" and not owner.endswith("()"):
            bind_pattern(walk, local, f"{owner}.{name}")


def bind_items(walk: ScriptWalk, pattern: Node, type_node: Node | None, value: Node | None) -> None:
    """Record that the names in `[a, b]` are the members "0" and "1" of a type or a value."""
    start = pattern.start_byte
    alias = f"{EXPECTED}{start}"
    if type_node is not None:
        walk.refer(ReferenceRole.BIND, f":{read_type_text(walk, type_node)}", start, "", alias, TYPE)
    else:
        walk.bind_value(alias, value, start)
    at = 0
    for one in pattern.children:
        at += one.type == ","
        local = one.child_by_field_name("left") if one.type == "assignment_pattern" else one
        if local is not None and local.type == "identifier":
            walk.refer(ReferenceRole.BIND, str(at), local.start_byte, alias, walk.read(local), SAME)
        elif local is not None and local.type == "object_pattern":
            bind_pattern(walk, local, f"{alias}.{at}")


def bind_tuple(walk: ScriptWalk, value: Node, ordinal: int) -> None:
    """Record the values that a function returns in a tuple: `[a, b] as const`."""
    for at, one in enumerate(value.named_children[:MAX_ITEMS]):
        if one.type == "identifier":
            walk.refer(ReferenceRole.BIND, walk.read(one), one.start_byte, "", f"this.{at}", SAME, ordinal)


def _bind_rest(walk: ScriptWalk, local: Node, owner: str) -> None:
    """Record that the variable in `{a, ...local}` has the other members of `owner`."""
    if local.type == "identifier":
        qualifier, _, name = owner.removesuffix("()").rpartition(".")
        arguments = CALLED if owner.endswith("()") else SAME
        walk.refer(ReferenceRole.BIND, name, local.start_byte, qualifier, walk.read(local), arguments)


def read_pattern_owner(walk: ScriptWalk, pattern: Node, type_node: Node | None) -> str:
    """Return the owner of the members in the pattern of a parameter, by its written type."""
    if type_node is None:
        return UNKNOWN
    return write_owner(walk, read_type_text(walk, type_node), pattern.start_byte)


def bind_parameters(walk: ScriptWalk, node: Node) -> None:
    """Bind the untyped parameters of a function with a contextual type."""
    single, parameters = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
    found = [single] if single is not None else [] if parameters is None else parameters.named_children
    names = [one for one in found if one.type != "comment"][:MAX_PARAMETERS]
    for index, one in enumerate(names):
        pattern: Node | None = one
        if one.type in {"required_parameter", "optional_parameter"}:
            is_typed = one.child_by_field_name("type") is not None
            pattern = None if is_typed else one.child_by_field_name("pattern")
        if pattern is None:
            continue
        start = pattern.start_byte
        if pattern.type == "identifier":
            walk.bind(walk.read(pattern))
            bind_expected(walk, node, walk.read(pattern), index, start)
        elif pattern.type == "object_pattern" and bind_expected(
            walk, node, f"{EXPECTED}{start}", index, start
        ):
            bind_pattern(walk, pattern, f"{EXPECTED}{start}")
