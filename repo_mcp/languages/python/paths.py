"""Python expressions as paths: names, attributes, calls with their arguments, and subscripts, `a.b(_).c[]`.

The arguments of a call are written in this form, by which a resolver can choose an overload:

    f(x, True, mode="rb", *rest)    f(_,True,mode='rb',*)

Each argument is `_` unless it is a constant that may decide between overloads: True, False, None, a short
string, `0` for any number and `'` for any other string. A star means that there may be more. What a call may
return a copy of, or an object of, is written with its names: `replace(@a.b,c=0)`, `make(@Kind)`. So is a key
that is a constant by its capitals, since it may have a type that says what it leads to:
`a[KEY].get(&b.KEY,None)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

MAX_PATH_CHARS = 160
MAX_STRING_CHARS = 1_000  # of a quoted annotation
MAX_LINKS = 40
UNKNOWN = "?"
_TYPING = frozenset({"typing", "typing_extensions", "t"})  # `import typing as t` is a wide habit
MAX_ARGUMENTS = 8  # arguments of one call; if there are more, none is recorded
COPIED = "@"  # before the names of what a call may return a copy of, or of a class, an object
KEYED = "&"  # before the names of a key whose value a call returns
_GETTING = frozenset({"get", "pop", "setdefault"})
_COPYING = frozenset({"copy", "deepcopy"})
_CHANGING = frozenset({"replace", "evolve"})
_SHORT = re.compile(r"[\w+-]{0,16}", re.ASCII)  # strings that are recorded as they are


def parse_quoted(text: str) -> ast.expr | None:
    """Return the expression in a string; None when it does not parse or is too long."""
    if len(text) > MAX_STRING_CHARS or not text or text.isspace():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return None


def is_cast(node: ast.Call) -> bool:
    """Return True for `cast(type, value)` of typing, but not for `view.cast("B", shape)`."""
    func: Any = node.func
    if type(func) is ast.Attribute and type(func.value) is ast.Name and func.value.id in _TYPING:
        word = func.attr
    else:
        word = func.id if type(func) is ast.Name else ""
    return word == "cast" and len(node.args) == 2 and not node.keywords


def find_cast(node: ast.Call) -> ast.expr | None:
    """Return the type in `cast(type, value)`, parsed if it is quoted; None for any other call."""
    if not is_cast(node):
        return None
    made = node.args[0]
    if isinstance(made, ast.Constant) and isinstance(made.value, str):
        return parse_quoted(made.value)
    return made


def find_path(node: ast.expr) -> str:
    """Return the path of names, attributes, calls and subscripts, `a.b(_).c[]`; "?" for others and long ones.

    A cast to a class is written as a call of it.
    """
    if type(node) is ast.Name:
        return node.id
    parts: list[str] = []
    while True:
        kind = type(node)
        if kind is ast.Name:
            parts.append(node.id)  # type: ignore[attr-defined]
            break
        if kind is ast.Attribute:
            parts.append("." + node.attr)  # type: ignore[attr-defined]
            node = node.value  # type: ignore[attr-defined]
        elif kind is ast.Call:
            cast, call = find_cast(node), node  # type: ignore[arg-type]
            node = cast or call.func  # type: ignore[attr-defined]
            is_plain = cast is not None or (type(node) is ast.Name and node.id == "super")
            parts.append("()" if is_plain else write_arguments(call))  # type: ignore[arg-type]
        elif kind is ast.Subscript:
            parts.append(write_key(node))  # type: ignore[arg-type]
            node = node.value  # type: ignore[attr-defined]
        elif kind is ast.Await:
            node = node.value  # type: ignore[attr-defined]
        else:
            return UNKNOWN
        if len(parts) > MAX_LINKS:
            return UNKNOWN
    path = "".join(reversed(parts))
    return path if len(path) <= MAX_PATH_CHARS else UNKNOWN


def write_arguments(call: ast.Call) -> str:
    """Return the arguments of a call in parentheses: "(_,True,mode='rb')"."""
    args, keywords = call.args, call.keywords
    if not args and not keywords:
        return "()"
    if len(args) + len(keywords) > MAX_ARGUMENTS:
        return "(*)"
    parts = [_write(one) for one in args]
    if _may_copy(call) and (chain := _find_names(args[0])):
        parts[0] = COPIED + chain
    elif args and isinstance(call.func, ast.Attribute) and call.func.attr in _GETTING:
        parts[0] = KEYED + key if (key := _find_constant(args[0])) else parts[0]
    for keyword in keywords:
        parts.append("*" if keyword.arg is None else f"{keyword.arg}={_write(keyword.value)}")
    return f"({','.join(parts)})"


def write_key(node: ast.Subscript) -> str:
    """Return the key of a subscript in brackets if it is a constant, else the brackets alone."""
    key = node.slice
    kind = type(key)
    return f"[{_find_constant(key)}]" if kind is ast.Name or kind is ast.Attribute else "[]"


def _find_constant(node: ast.expr) -> str:
    """Return the dotted names of a constant, whose last one is written in capitals; empty for any other."""
    return _find_names(node) if _find_last(node).isupper() else ""


def _is_class(node: ast.expr) -> bool:
    """Return whether an argument is named like a class."""
    last = _find_last(node).lstrip("_")
    return last[:1].isupper() and not last.isupper()


def _find_last(node: ast.expr) -> str:
    return node.id if type(node) is ast.Name else node.attr if type(node) is ast.Attribute else ""


def _may_copy(call: ast.Call) -> bool:
    """Return whether a call looks like `dataclasses.replace`, `copy.copy` and the like, or gets a class."""
    word = _find_last(call.func)
    is_copy = len(call.args) == 1 and word in (_CHANGING if call.keywords else _COPYING)
    return is_copy or (bool(call.args) and _is_class(call.args[0]))


def _find_names(node: ast.expr) -> str:
    """Return the dotted names that an expression consists of; empty for any other."""
    path = find_path(node) if type(node) in (ast.Name, ast.Attribute) else UNKNOWN
    return path if path.replace(".", "").isidentifier() else ""


def _write(argument: ast.expr) -> str:
    if type(argument) is ast.Constant:
        value = argument.value
        if value is None or value is True or value is False:
            return str(value)
        if type(value) is str:
            return f"'{value}'" if _SHORT.fullmatch(value) else "'"
        return "0" if type(value) in (int, float) else "_"
    return "*" if type(argument) is ast.Starred else "_"
