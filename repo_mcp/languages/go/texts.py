"""Values of Go that its grammar does not tell: those in `new(...)`, and chains behind type assertions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_scopes import name_chain
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import CAST, CAST_OUTER

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_STEPS = 12  # members behind an assertion
# `new` before anything but a type: since Go 1.26 it takes a value, which the grammar calls an error.
_NEW_OF_VALUE = re.compile(
    rb"\bnew(?=\((?!\s*(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:\[[A-Za-z_*\[][^\n\"]*\])?,?\s*\)"
    rb"|[*\[)]|(?:map|chan|struct|func|interface)\b)))"
)
_STEPS = {"selector_expression": "operand", "call_expression": "function", "index_expression": "operand"}


def spell_plainly(text: bytes) -> bytes:
    """Return a text for the grammar, with another function in place of each `new` of a value."""
    return _NEW_OF_VALUE.sub(b"neu", text)


def read_operand(walk: CaptureWalk, node: Node | None) -> str:
    """Return the chain of the expression before a member: "^Store.list" for `value.(*Store).list`."""
    inner = node
    for _ in range(MAX_STEPS):
        if inner is None or node is None:
            break
        if inner.type == "type_assertion_expression":
            found = read_type(walk.read_line(inner.child_by_field_name("type")))
            behind = name_chain(b"x" + walk.text[inner.end_byte : node.end_byte])
            if found.name and not found.is_items and behind.startswith("x"):
                return f"{CAST}{CAST_OUTER.join(found.names)}{behind[1:]}"
            break
        inner = inner.child_by_field_name(_STEPS.get(inner.type, ""))
    return walk.read_chain(node)
