"""Reads the arguments of a C# call, each in the form that `types.py` describes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.functions import FUNCTIONS, read_function
from repo_mcp.languages.csharp.products import is_product
from repo_mcp.languages.csharp.types import (
    MAX_ARGUMENTS_CHARS,
    NEW,
    NO_TYPE,
    NULL,
    WrittenArgument,
    name_arity,
)
from repo_mcp.languages.csharp.walk import CSharpWalk, Passed
from repo_mcp.languages.treesitter.scope_walk import UNKNOWN, find_head
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_ARGUMENTS = 8  # arguments of one call that are read
MAX_VALUE_CHARS = 80
MAX_DEPTH = 6  # nested expressions that are read
_SHOWN = {
    "string_literal": "=string",
    "verbatim_string_literal": "=string",
    "raw_string_literal": "=string",
    "interpolated_string_expression": "=string",
    "character_literal": "=char",
    "boolean_literal": "=bool",
    "is_pattern_expression": "=bool",
    "is_expression": "=bool",
    "null_literal": NULL,
    "typeof_expression": "=System.Type",
    "sizeof_expression": "=int",
    "anonymous_object_creation_expression": NO_TYPE,
}
_TYPED = {
    "object_creation_expression": "type",
    "array_creation_expression": "type",
    "cast_expression": "type",
    "default_expression": "type",
    "as_expression": "right",
}
_CHAINS = frozenset(
    {
        "identifier",
        "this",
        "member_access_expression",
        "conditional_access_expression",
        "invocation_expression",
        "element_access_expression",
        "await_expression",
    }
)
_DECIDED = frozenset({"lambda_expression", "implicit_object_creation_expression", "declaration_expression"})
_SEEN_THROUGH = frozenset({"parenthesized_expression", "checked_expression", "postfix_unary_expression"})
_BOOLEAN = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_REAL = {"f": "=float", "m": "=decimal"}
_SAME_TYPE = frozenset({"-", "+", "~", "++", "--"})
_ANGLE = re.compile(rb"[<>]")
_WHOLE = re.compile(r"(0x[0-9a-f]{1,20}|0b[01]{1,70}|[0-9]{1,25})(u|l|ul|lu)?")
_BY_REFERENCE = frozenset({"ref", "out"})


def refer_call(
    walk: CSharpWalk,
    name: str,
    start: int,
    qualifier: str,
    arity: int,
    arguments: Node | None,
    *,
    is_new: bool = False,
) -> None:
    """Add a call, with its number of type arguments and with what is known of its arguments."""
    count, written = _read_arguments(walk, arguments)
    if arguments is not None and qualifier != UNKNOWN:
        types = read_type_arguments(walk, start + len(name.encode())) if arity and not is_new else ""
        if types:  # a name has no type arguments, so the whole chain is the qualifier
            _note_passed(walk, arguments, "", f"{qualifier}.{name}{types}".lstrip("."), start)
        else:
            _note_passed(walk, arguments, name, qualifier, start)
    if written:
        walk.arguments[start] = written
        walk.asked.update(find_head(one.value) for one in written)
    alias = NEW * is_new + name_arity(arity)
    walk.refer(ReferenceRole.CALL, name, start, qualifier, alias, count + 1)


def _read_arguments(walk: CSharpWalk, arguments: Node | None) -> tuple[int, list[WrittenArgument]]:
    """Return the number of arguments, and the first MAX_ARGUMENTS of them as `WrittenArgument`."""
    if arguments is None:
        return 0, []
    count = arguments.named_child_count
    nodes: Iterable[Node | None] = map(arguments.named_child, range(min(count, MAX_ARGUMENTS)))
    if walk.text.find(b"/", arguments.start_byte, arguments.end_byte) >= 0:
        plain = [one for one in arguments.named_children if one.type != "comment"]
        count, nodes = len(plain), plain[:MAX_ARGUMENTS]
    return count, [_describe(walk, one) for one in nodes if one is not None]


def _note_passed(walk: CSharpWalk, arguments: Node, name: str, qualifier: str, start: int) -> None:
    """Note the functions, `new()` and `out var x` among arguments, whose types the call decides."""
    number = 0
    for one in arguments.named_children:
        if one.type == "comment" or number >= MAX_ARGUMENTS:
            continue
        value = one.children[-1] if one.children else one
        if value.type in _DECIDED:
            walk.passed[value.start_byte] = Passed(name, qualifier, start, number)
        number += 1


def read_type_arguments(walk: CSharpWalk, start: int) -> str:
    """Return type arguments at a byte offset, such as "<A, B<C>>"; "" if they are long."""
    depth = 0
    for found in _ANGLE.finditer(walk.text, start, start + MAX_ARGUMENTS_CHARS):
        depth += 1 if found[0] == b"<" else -1
        if not depth:
            return " ".join(walk.text[start : found.end()].decode("utf-8", "replace").split())
    return ""


def _describe(walk: CSharpWalk, argument: Node) -> WrittenArgument:
    children = argument.children
    if not children:
        return WrittenArgument("", UNKNOWN)
    value = read_value(walk, children[-1])
    if len(children) == 1:
        return WrittenArgument("", value)
    is_reference = children[0].type in _BY_REFERENCE or children[-2].type in _BY_REFERENCE
    name = argument.child_by_field_name("name")
    form = "&" if is_reference else ""
    form = form if name is None else f"{walk.read_name(name)}:{form}"
    return WrittenArgument(form, value)


def read_value(walk: CSharpWalk, value: Node, depth: int = 0) -> str:
    """Return what is known of an expression, in the form of `WrittenArgument.value`."""
    kind = value.type
    if kind in _CHAINS:
        text = walk.read_chain(value)
        if text.startswith("nameof("):
            return "=string"
    elif kind in _SHOWN:
        is_bytes = walk.text[value.end_byte - 2 : value.end_byte].lower() == b"u8"
        return UNKNOWN if is_bytes else _SHOWN[kind]
    elif kind in _TYPED:
        text = walk.read_type_text(value.child_by_field_name(_TYPED[kind]))
    else:
        text = _read_other(walk, value, depth + 1) if depth < MAX_DEPTH else UNKNOWN
    return text if len(text) <= MAX_VALUE_CHARS else UNKNOWN


def _read_other(walk: CSharpWalk, value: Node, depth: int) -> str:
    kind = value.type
    if kind == "integer_literal":
        return _read_whole(walk.read(value))
    if kind == "real_literal":
        return _REAL.get(walk.read(value)[-1].lower(), "=double")
    if kind in FUNCTIONS:
        return read_function(walk, value, MAX_VALUE_CHARS)
    if kind == "declaration_expression":
        return UNKNOWN if is_product(value) else walk.read_type_text(value.child_by_field_name("type"))
    if kind in _SEEN_THROUGH and value.named_child_count:
        return read_value(walk, value.named_children[0], depth)
    if kind == "prefix_unary_expression":
        operator = value.children[0].type
        if operator == "!":
            return "=bool"
        return read_value(walk, value.children[-1], depth) if operator in _SAME_TYPE else UNKNOWN
    if kind == "binary_expression":
        return _read_operation(walk, value, depth)
    if kind == "conditional_expression":
        first, other = (read_value(walk, one, depth) for one in value.named_children[-2:])
        return first if other in {first, NULL} else UNKNOWN
    return UNKNOWN


def _read_whole(text: str) -> str:
    """Return the type of a whole number by its suffix or size; "0" or "1" if it fits an int."""
    found = _WHOLE.fullmatch(text.lower().replace("_", ""))
    if found is None:
        return UNKNOWN
    if found[2]:
        return {"u": "=uint", "l": "=long"}.get(found[2], "=ulong")
    digits = found[1]
    number = int(digits, 0) if digits[:2] in {"0x", "0b"} else int(digits)
    if number < 1 << 31:
        return "1" if number else "0"
    return "=uint" if number < 1 << 32 else "=long" if number < 1 << 63 else "=ulong"


def _read_operation(walk: CSharpWalk, value: Node, depth: int) -> str:
    """Return the type of a comparison, of a sum with a string, or of `a ?? b`."""
    operator = value.child_by_field_name("operator")
    word = operator.type if operator is not None else ""
    if word in _BOOLEAN:
        return "=bool"
    left, right = (value.child_by_field_name(side) for side in ("left", "right"))
    if left is None or right is None or word not in {"+", "??"}:
        return UNKNOWN
    sides = {read_value(walk, right, depth), read_value(walk, left, depth)}
    if word == "+":
        return "=string" if "=string" in sides else UNKNOWN
    return sides.pop() if len(sides) == 1 else UNKNOWN
