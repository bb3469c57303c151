"""The parameters of lambdas in Java without written types: the called function declares what they are.

The row of such a parameter names what is called, with the number of its arguments and of the parameters of
the lambda: "map(1,1)", "new Task(2,0)". If the lambda itself has a written type, the name is the text of that
type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import MAX_PARAMETERS, name_parameter

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_LAMBDA = "lambda_expression"


def bind_passed(walk: CaptureWalk, arguments: Node | None, name: str, qualifier: str) -> None:
    """Record the parameters of the lambdas that are passed to a call."""
    if arguments is None or walk.text.find(b"->", arguments.start_byte, arguments.end_byte) < 0:
        return
    passed = [one for one in arguments.named_children if not one.type.endswith("comment")]
    for position, one in enumerate(passed, 1):
        if one.type == _LAMBDA:
            names = _list_untyped(one)
            _bind(walk, names, f"{name}({len(passed)},{len(names)})", qualifier, position)


def bind_typed(walk: CaptureWalk, value: Node, type_text: str) -> None:
    """Record the parameters of a lambda that is the value of a variable with a written type."""
    if value.type == _LAMBDA:
        _bind(walk, _list_untyped(value), type_text, "", 0)


def _list_untyped(node: Node) -> list[Node]:
    """Return the names of the parameters of a lambda that are written without types."""
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return []
    if listed.type == "identifier":
        return [listed]
    return listed.named_children if listed.type == "inferred_parameters" else []


def _bind(walk: CaptureWalk, names: list[Node], called: str, qualifier: str, position: int) -> None:
    for index, one in enumerate(names[:MAX_PARAMETERS]):
        walk.bind_call(walk.read(one), called, qualifier, one, name_parameter(position, index))
