"""Conditions in TypeScript that show which of several types a value has: `x instanceof T`, `x.kind === 1`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.types import MAX_STEPS
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

TESTED = "?:"  # the alias of a BIND row whose qualifier is a value whose type a condition shows
_NAMED = frozenset({"identifier", "member_expression", "this"})
_NO_KINDS = frozenset({"null", "undefined"})  # comparing with these shows no type
_ASSIGNED = (
    rb"\s*(?:=(?!=)|[-+*/%&|^?<>]{1,3}=(?!=)|,[^()\n]*\)\s*=>)"  # or bound by a function: `x =>`, `(x, y) =>`
)
_BRANCHES = frozenset({"if_statement", "ternary_expression"})


def on_test(walk: ScriptWalk, node: Node) -> None:
    """Add a row for the value whose type a comparison shows.

    It has the class that `instanceof` names, and the last line of the branch in which that holds, or 0.
    """
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return
    if operator.type == "instanceof":
        last = _find_last_line(walk, node, left) if right.type == "identifier" else 0
        _refer(walk, node, left, walk.read(right) if last else "", last)
    elif operator.type == "in":
        _refer(walk, node, right)
    else:
        for kind, other in ((left, right), (right, left)):
            if kind.type == "member_expression" and walk.read(other) not in _NO_KINDS:
                _refer(walk, node, kind.child_by_field_name("object"))


def on_switch(walk: ScriptWalk, node: Node) -> None:
    """Add a row for the value of whose members a `switch` compares one."""
    value = node.child_by_field_name("value")
    while value is not None and value.type == "parenthesized_expression":
        value = find_first_child(value)
    if value is not None and value.type == "member_expression":
        _refer(walk, node, value.child_by_field_name("object"))


def _refer(walk: ScriptWalk, node: Node, value: Node | None, name: str = "", last: int = 0) -> None:
    chain = walk.read_chain(value) if value is not None and value.type in _NAMED else UNKNOWN
    if chain != UNKNOWN:
        walk.refer(ReferenceRole.BIND, name, node.start_byte, chain, TESTED, last)


def _find_last_line(walk: ScriptWalk, node: Node, value: Node) -> int:
    """Return the last line of the branch that is taken if a comparison holds.

    Returns 0 if other conditions decide it as well, or if the value is assigned again there.
    """
    for _ in range(MAX_STEPS):
        parent = node.parent
        if parent is None:
            break
        if parent.type in _BRANCHES:
            taken = parent.child_by_field_name("consequence")
            if taken is None or node.start_byte > taken.start_byte:
                break
            assigned = rb"(?<![\w$.])" + re.escape(walk.text[value.start_byte : value.end_byte]) + _ASSIGNED
            is_assigned = re.search(assigned, walk.text[taken.start_byte : taken.end_byte])
            return 0 if is_assigned else taken.end_point[0] + 1
        operator = parent.child_by_field_name("operator")
        is_and = operator is not None and operator.type == "&&"
        if parent.type != "parenthesized_expression" and not is_and:
            break
        node = parent
    return 0
