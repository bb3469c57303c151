"""Uses of names in C# patterns: constants, types, and the members that `{ Name: pattern }` compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.types import IN_PATTERN
from repo_mcp.languages.csharp.walk import CSharpWalk
from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

# What a pattern around another one compares is compared by that one too.
_SAME_VALUE = frozenset(
    {"negated_pattern", "and_pattern", "or_pattern", "parenthesized_pattern", "switch_expression_arm"}
)
_COMPARING = frozenset(
    {"is_pattern_expression", "is_expression", "switch_expression", "switch_statement", "switch_section"}
)
_MAX_DEPTH = 12  # of patterns within patterns
_MAX_AROUND = 30  # patterns of the same value around one: finding each costs its depth


def on_pattern_name(walk: CSharpWalk, node: Node) -> None:
    """Add a name alone, which is a constant or a type: `case Name:`, `is Name`."""
    if node.start_byte not in walk.taken:
        walk.taken.add(node.start_byte)
        name = walk.read_name(node)
        if name != "_":
            walk.refer(ReferenceRole.USE, name, node.start_byte, "", IN_PATTERN)


def on_subpattern(walk: CSharpWalk, node: Node) -> None:
    """Add the member that `{ Name: pattern }` compares, of the type or value before the brace."""
    name_node = node.children[0]
    walk.taken.add(name_node.start_byte)
    parent = node.parent
    if parent is not None and parent.type == "property_pattern_clause" and parent.parent is not None:
        owner = _read_owner(walk, parent.parent, 0)
        walk.refer(ReferenceRole.USE, walk.read_name(name_node), name_node.start_byte, owner)


def _read_owner(walk: CSharpWalk, pattern: Node, depth: int) -> str:
    """Return the chain of the value that a pattern compares, with the type that it then has."""
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
    """Return the chain of the member that a subpattern around a pattern compares."""
    clause = subpattern.parent
    first = subpattern.children[0]
    if clause is None or clause.type != "property_pattern_clause" or clause.parent is None:
        return UNKNOWN
    owner = _read_owner(walk, clause.parent, depth + 1)
    is_plain = owner != UNKNOWN and first.type == "identifier"
    return f"{owner}.{walk.read_name(first)}" if is_plain else UNKNOWN
