"""The words on symbols whose uses do not name them, which are not followed: operators, indexers, destructors
and the initialisers that literals call.

Left out on purpose: the methods of Rust that stand for operators. They are like any other method, and only
the trait tells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.symbols.model import CALLABLE_KINDS, PLAIN_TYPES_OF_JAVA, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.graph.nodes import Node

OF_KNOWN_TYPES = "A subscript is followed only on values whose type is known."
NO_INDEXERS = "Uses of indexers are not followed."
NO_OPERATORS = "Uses of operators are not followed."
BY_LITERALS = "Literals call init({}:) without its name: these are not followed."
RUN_UNNAMED = "The language itself runs {}: from where is not followed."
AS_PLAIN_TYPE = "Uses of {} as a type, as a base and after new are not recorded, as there are so many."
IMPLICIT = "Constructors of subclasses that begin without super(...) run it: these are not followed."
_OPERATOR = re.compile(r"operator\W.*|[^\w~].*")
_SPECIAL = re.compile(r"__\w+__")
_OF_LITERAL = re.compile(r"\((\w+Literal)\b")  # in Swift, as in `init(stringLiteral value: String)`
_WITH_OPERATORS = frozenset({"c", "cpp", "csharp", "swift"})
_MADE = frozenset({"__init__", "__new__"})  # of Python: a call of the type runs these


def describe_plain_type(node: Node) -> str:
    """Return that most uses of a type are not recorded; "" for any other symbol than such types of Java."""
    is_plain = node.symbol.name in PLAIN_TYPES_OF_JAVA and node.qualified_name.startswith("java.lang.")
    return AS_PLAIN_TYPE.format(node.symbol.name) if node.language == "java" and is_plain else ""


def describe_unnamed_uses(node: Node) -> str:
    """Return which uses of a symbol are not followed because they do not name it; "" if all name it."""
    name, language = node.symbol.name, node.language
    if language == "python":
        is_special = _SPECIAL.fullmatch(name) and node.symbol.kind in CALLABLE_KINDS and name not in _MADE
        return RUN_UNNAMED.format(name) if is_special else ""
    if language == "java" and node.symbol.kind is SymbolKind.CONSTRUCTOR:
        return IMPLICIT if not node.symbol.parameter_count else ""
    if language not in _WITH_OPERATORS:
        return ""
    if name == "this[]":
        return NO_INDEXERS
    if name == "subscript" and language == "swift":
        return OF_KNOWN_TYPES
    literal = _OF_LITERAL.match(node.symbol.parameters) if name == "init" and language == "swift" else None
    if literal is not None:
        return BY_LITERALS.format(literal[1])
    if name.startswith("~") or (name == "deinit" and language == "swift"):
        return RUN_UNNAMED.format(name)
    return NO_OPERATORS if _OPERATOR.fullmatch(name) else ""
