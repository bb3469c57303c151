"""Anonymous functions in C#: what an argument records of their parameters, and whether they return a value.

"=>2r;A;B" has two parameters, of the types A and B, and returns a value. The letters after the count are
those of `Outcome`. If the body is an expression that calls something, ":" and a chain follow them: what is
called decides whether there is a value.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.types import FUNCTION, OF_CALL, OF_PARAMETER
from repo_mcp.languages.treesitter.scope_walk import UNKNOWN, find_head

if TYPE_CHECKING:
    from repo_mcp.languages.csharp.walk import CSharpWalk
    from repo_mcp.languages.treesitter.parser import Node

FUNCTIONS = frozenset({"lambda_expression", "anonymous_method_expression"})
ASYNC = "a"  # before the outcome
MAX_NODES = 300  # nodes of a body that are read
_HAS_VALUE_AND_ACTS = frozenset(
    {
        "assignment_expression",
        "postfix_unary_expression",
        "object_creation_expression",
        "implicit_object_creation_expression",
    }
)
_UNENDING = frozenset(
    {"throw_statement", "while_statement", "for_statement", "do_statement", "try_statement"}
)
_INNER = FUNCTIONS | {"local_function_statement"}
_RETURN = re.compile(rb"\breturn\b")


class Outcome(StrEnum):
    """The kinds of functions by what they return."""

    UNKNOWN = ""
    NOTHING = "v"
    VALUE = "r"
    BOTH = "b"  # a value, but the function also fits where none is wanted


def read_function(walk: CSharpWalk, function: Node, most: int) -> str:
    """Return what is known of a function, in at most `most` characters."""
    parameters = function.child_by_field_name("parameters")
    outcome = _read_outcome(walk, function, parameters)
    if parameters is None or not parameters.children:
        text = f"{FUNCTION}1" if function.type == "lambda_expression" else FUNCTION
        return text + outcome if len(text + outcome) <= most else text
    listed = [one for one in parameters.named_children if one.type == "parameter"]
    types = [walk.read_type_text(one.child_by_field_name("type")).removeprefix("=") for one in listed]
    count = f"{FUNCTION}{parameters.named_child_count}"
    of_parameters = "".join(f"{OF_PARAMETER}{one}" for one in types)
    if any(one in {"", UNKNOWN} or "," in one for one in types):
        of_parameters = ""
    return next(
        one
        for one in (count + outcome + of_parameters, count + of_parameters, count)
        if len(one) <= most or one == count
    )


def _read_outcome(walk: CSharpWalk, function: Node, parameters: Node | None) -> str:
    body = function.child_by_field_name("body")
    if body is None and function.named_child_count:
        body = function.named_children[-1]
    if body is None:
        return ""
    words = walk.text[function.start_byte : (parameters or body).start_byte]
    before = ASYNC if b"async" in words else ""
    if body.type == "block":
        return before + _judge_block(walk, body)
    if before and body.type == "await_expression" and body.named_child_count:
        body = body.named_children[0]
    elif body.type == "await_expression":
        return before
    if body.type == "invocation_expression":
        chain = walk.read_chain(body)
        own = set(re.findall(r"\w+", walk.read_line(parameters))) if parameters is not None else set()
        return before if chain == UNKNOWN or find_head(chain) in own else before + OF_CALL + chain
    if body.type in _HAS_VALUE_AND_ACTS or walk.text.startswith((b"++", b"--"), body.start_byte):
        return before + Outcome.BOTH
    is_open = body.type in {"throw_expression", "conditional_access_expression", "parenthesized_expression"}
    return before + (Outcome.UNKNOWN if is_open else Outcome.VALUE)


def _judge_block(walk: CSharpWalk, body: Node) -> Outcome:
    """Return what a block returns, by its statements outside of inner functions."""
    if _RETURN.search(walk.text, body.start_byte, body.end_byte) is None:
        last = body.named_children[-1].type if body.named_child_count else ""
        return Outcome.UNKNOWN if last in _UNENDING else Outcome.NOTHING
    waiting, seen = [body], 0
    is_plain = False
    while waiting:
        for one in waiting.pop().named_children:
            seen += 1
            if one.type == "return_statement":
                if one.named_child_count:
                    return Outcome.VALUE
                is_plain = True
            elif one.type not in _INNER:
                waiting.append(one)
        if seen > MAX_NODES:
            return Outcome.UNKNOWN
    return Outcome.NOTHING if is_plain or body.named_children[-1].type not in _UNENDING else Outcome.UNKNOWN
