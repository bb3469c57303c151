"""The types of the arguments of a Java call, by which an overload is chosen.

`run("a" + b, 2, x, size, Mode.FAST, f())` is recorded as a call with the alias
"|String,int,Item,.size,.Mode.FAST,?": a type for each literal, each `new`, each cast, and each local variable
with a written type; the name of any other variable or static field behind a dot. A comparison is boolean, and
`items.length` a number. Left out on purpose: what calls and other operators return, and `null`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.languages.treesitter.parameter_types import make_plain
from repo_mcp.symbols.model import BEHIND_ALIAS, OF_VARIABLE, UNKNOWN_TYPE

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_TYPED = 8  # arguments
MAX_TYPE_CHARS = 60  # of a longer type nothing is recorded
MAX_JOINED = 20  # operands of one text
MAX_CACHED = 2_000  # written types, of which one with nested arguments takes 1 ms: 1 MB
_LITERALS = {
    "string_literal": "String",
    "character_literal": "char",
    "true": "boolean",
    "false": "boolean",
    "class_literal": "Class",
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
}
_STATIC_FIELD = re.compile(r"(?:\w+\.)*[A-Z]\w*\.\w+", re.ASCII)
_SUFFIXES = {"intl": "long", "doublef": "float"}
_NUMBERS = frozenset({"int", "long", "float", "double"})
_WITH_OPERATOR = frozenset({"binary_expression", "unary_expression"})
_DECIDING = frozenset({"!", "&&", "||", "==", "!=", "<", ">", "<=", ">="})
_TYPED = frozenset({"object_creation_expression", "cast_expression"})


def type_arguments(walk: CaptureWalk, arguments: Node | None) -> str:
    """Return the types of the arguments of a call, after BEHIND_ALIAS; "" if none is known."""
    if arguments is None:
        return ""
    values = [one for one in arguments.named_children[: MAX_TYPED + 1] if not one.type.endswith("comment")]
    types = [_find_type(walk, one) for one in values[:MAX_TYPED]]
    return BEHIND_ALIAS + ",".join(types) if any(one != UNKNOWN_TYPE for one in types) else ""


def _find_type(walk: CaptureWalk, node: Node) -> str:
    if node.type == "identifier":
        name = walk.read(node)
        written = _find_written(walk, name)
        return OF_VARIABLE + name if written is None else _shorten(written)
    if node.type in _TYPED:
        return _shorten(walk.read_line(node.child_by_field_name("type")))
    if node.type == "field_access":
        name = walk.read(node)
        is_static = _STATIC_FIELD.fullmatch(name) and len(name) <= MAX_TYPE_CHARS
        return OF_VARIABLE + name if is_static else "int" if name.endswith(".length") else UNKNOWN_TYPE
    if node.type in _WITH_OPERATOR and walk.read(node.child_by_field_name("operator")) in _DECIDING:
        return "boolean"
    literal = _LITERALS.get(node.type, UNKNOWN_TYPE)
    if literal in _NUMBERS:
        return _SUFFIXES.get(literal + walk.read(node)[-1:].lower(), literal)
    if node.type == "unary_expression":
        inner = node.child_by_field_name("operand")
        number = _LITERALS.get(inner.type, UNKNOWN_TYPE) if inner is not None else UNKNOWN_TYPE
        return _find_type(walk, inner) if inner is not None and number in _NUMBERS else UNKNOWN_TYPE
    return "String" if literal == UNKNOWN_TYPE and _is_joined(walk, node) else literal


def _find_written(walk: CaptureWalk, name: str) -> str | None:
    """Return the written type of a local variable, "" for one without; None for a name that is not local."""
    for scope in reversed(walk.scopes):
        written = walk.written_types.get((scope.ordinal, name))
        if written is not None or (scope.ordinal, name) in walk.members:
            return written
    return None


@lru_cache(maxsize=MAX_CACHED)
def _shorten(written: str) -> str:
    """Return a type without packages and type arguments; UNKNOWN_TYPE for more than one name and brackets."""
    plain = make_plain(written)
    is_name = plain.removesuffix("[]").removesuffix("[]").isidentifier() and len(plain) <= MAX_TYPE_CHARS
    return plain if is_name else UNKNOWN_TYPE


def is_text(walk: CaptureWalk, node: Node) -> bool:
    """Return whether an expression is itself a text: a literal, or `("a" + b)`."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node.type == "string_literal" or _is_joined(walk, node)


def _is_joined(walk: CaptureWalk, node: Node) -> bool:
    """Return whether an expression concatenates texts: `"a" + b + c`."""
    for _ in range(MAX_JOINED):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type != "binary_expression" or left is None or right is None:
            return False
        if walk.read(node.child_by_field_name("operator")) != "+":
            return False
        if "string_literal" in {left.type, right.type}:
            return True
        node = left
    return False
