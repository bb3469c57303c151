"""The facts about a Python statement that declares something, for the outline and for the symbol record.

Two passes need them: `tree` visits statements and renders rows of an outline; `statements` also visits
expressions and makes symbols and references. What both need is found here, so that they cannot disagree. Left
out on purpose: kinds and signatures, which an outline and a record show differently.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DefinitionNode = FunctionNode | ast.ClassDef

_ACCESSORS = frozenset({"setter", "getter", "deleter"})
TYPE_ALIAS_NODE: Any = getattr(ast, "TypeAlias", None)  # a `type` statement, from Python 3.12


def find_last_name(node: ast.AST) -> str:
    """Return the `c` of `c`, `a.b.c`, `c[T]` or `a.b.c(...)`; empty for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def find_start_line(node: DefinitionNode) -> int:
    """Return the line of the first decorator, or of the definition if it has none."""
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def list_decorator_names(node: DefinitionNode) -> list[str]:
    """Return the last names of the decorators."""
    return [find_last_name(one) for one in node.decorator_list]


def is_property(words: Iterable[str]) -> bool:
    """Return whether decorators make a method an attribute.

    They do if a name ends in `property`, as that of `cached_property`, or is an accessor of a property.
    """
    return any(word.endswith("property") or word in _ACCESSORS for word in words)


def find_docstring(body: Sequence[ast.stmt]) -> str | None:
    """Return the string that a function or class begins with, as the text has it."""
    first = body[0] if body else None
    if type(first) is ast.Expr and type(first.value) is ast.Constant:
        value = first.value.value
        return value if type(value) is str else None
    return None


def list_targets(target: ast.expr) -> list[ast.expr]:
    """Return the names and other expressions that a target assigns to, in order, also inside sequences."""
    found: list[ast.expr] = []
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Tuple | ast.List):
            waiting += reversed(node.elts)
        elif isinstance(node, ast.Starred):
            waiting.append(node.value)
        else:
            found.append(node)
    return found


def is_declared_alias(statement: ast.AST) -> bool:
    """Return True for `type A = ...` and `A: TypeAlias = ...`."""
    if isinstance(statement, ast.AnnAssign):
        return find_last_name(statement.annotation) == "TypeAlias"
    return type(statement) is TYPE_ALIAS_NODE


def is_made_type(statement: ast.AST, makers: frozenset[str]) -> bool:
    """Return True for `A = NewType(...)` and the like; `makers` are the called names, without qualifiers."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    return find_last_name(statement.value) in makers


def list_parameter_names(args: ast.arguments) -> list[str]:
    """Return the names that parameters bind, those with a star last."""
    names = [one.arg for one in args.args]
    if args.posonlyargs:
        names = [one.arg for one in args.posonlyargs] + names
    if args.kwonlyargs:
        names += [one.arg for one in args.kwonlyargs]
    for star in (args.vararg, args.kwarg):
        if star is not None:
            names.append(star.arg)
    return names


def iter_parameters(args: ast.arguments) -> Iterator[tuple[str, ast.arg | None, ast.expr | None]]:
    """Yield the stars or mark, parameter and default in order; "/" and a lone "*" have only a mark."""
    positional = [*args.posonlyargs, *args.args]
    without = len(positional) - len(args.defaults)
    for number, arg in enumerate(positional):
        yield "", arg, args.defaults[number - without] if number >= without else None
        if number + 1 == len(args.posonlyargs):
            yield "/", None, None
    if args.vararg is not None or args.kwonlyargs:
        yield "*", args.vararg, None
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield "", arg, default
    if args.kwarg is not None:
        yield "**", args.kwarg, None
