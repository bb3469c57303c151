"""Uses of names in C# patterns: constants, types, and the members that `{ Name: pattern }` compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.types import IN_PATTERN
from repo_mcp.languages.csharp.walk import CSharpWalk
from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

# Patterns whose value is also that of the pattern inside.
_SAME_VALUE = frozenset(
    {"negated_pattern", "and_pattern", "or_pattern", "parenthesized_pattern", "switch_expression_arm"}
)
_COMPARING = frozenset(
    {"is_pattern_expression", "is_expression", "switch_expression", "switch_statement", "switch_section"}
)
_MAX_DEPTH = 12  # of patterns within patterns
_MAX_NAMES = 12  # of members of members that one pattern names
_MAX_AROUND = 30  # patterns of the same value around one that are read: finding each costs its depth


def on_pattern_name(walk: CSharpWalk, node: Node) -> None:
    """Add the use of a bare name that is a constant or a type: `case Name:`, `is Name`."""
    if node.start_byte not in walk.taken:
        walk.taken.add(node.start_byte)
        name = walk.read_name(node)
        if name != "_":
            walk.refer(ReferenceRole.USE, name, node.start_byte, "", IN_PATTERN)


def on_subpattern(walk: CSharpWalk, node: Node) -> None:
    """Add the members that `{ Name: pattern }` and `{ Name.Part: pattern }` compare.

    The first one belongs to the type or value before the brace, any other one to the member before it.
    """
    names = _list_names(node.children[0])
    walk.taken.update(one.start_byte for one in names)
    parent = node.parent
    if parent is not None and parent.type == "property_pattern_clause" and parent.parent is not None:
        owner = _read_owner(walk, parent.parent, 0)
        for one in names:
            name = walk.read_name(one)
            walk.refer(ReferenceRole.USE, name, one.start_byte, owner)
            owner = UNKNOWN if owner == UNKNOWN else f"{owner}.{name}"


def _list_names(node: Node | None) -> list[Node]:
    """Return the nodes of the dotted names that a subpattern begins with, in the order of the text."""
    found: list[Node] = []
    while node is not None and node.type == "member_access_expression" and len(found) < _MAX_NAMES:
        name = node.child_by_field_name("name")
        found += [name] if name is not None else []
        node = node.child_by_field_name("expression")
    return [node, *reversed(found)] if node is not None and node.type == "identifier" else []


def _read_owner(walk: CSharpWalk, pattern: Node, depth: int) -> str:
    """Return the chain of the value that a pattern compares, with the type that the pattern gives it."""
    type_node = pattern.child_by_field_name("type") if pattern.type == "recursive_pattern" else None
    if type_node is not None:
        chain = walk.read_chain(type_node)
        return UNKNOWN if chain == UNKNOWN else f"{chain}()"
    around = pattern.parent
    for _ in range(_MAX_AROUND):
        if around is None or around.type not in _SAME_VALUE:
            break
        around = around.parent
    if around is None or depth >= _MAX_DEPTH:
        return UNKNOWN
    if around.type == "subpattern":
        return _read_member(walk, around, depth)
    if around.type == "switch_section":
        around = around.parent.parent if around.parent is not None else None
    compared = around.named_child(0) if around is not None and around.type in _COMPARING else None
    return walk.read_chain(compared) if compared is not None else UNKNOWN


def _read_member(walk: CSharpWalk, subpattern: Node, depth: int) -> str:
    """Return the chain of the member that the subpattern around a pattern compares."""
    clause = subpattern.parent
    if clause is None or clause.type != "property_pattern_clause" or clause.parent is None:
        return UNKNOWN
    owner = _read_owner(walk, clause.parent, depth + 1)
    names = [walk.read_name(one) for one in _list_names(subpattern.children[0])]
    return ".".join((owner, *names)) if names and owner != UNKNOWN else UNKNOWN
