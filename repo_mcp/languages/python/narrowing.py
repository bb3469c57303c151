"""Conditions that narrow the class of a Python variable in the lines where they hold.

They are `isinstance(x, C)`, and calls of functions whose names begin with "is", which may be type guards.

A condition holds in the branch that it guards. After an assertion, or a branch that leaves its block unless
the condition holds, it holds to the end of the block. Only plain variables are narrowed, by single conditions
and those joined by `and`; the `else` branch is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from repo_mcp.languages.python.paths import find_path
from repo_mcp.languages.python.scopes import BUILTINS
from repo_mcp.languages.python.types import MAX_FORMS, Form, describe
from repo_mcp.symbols.symbol_record import Binding

NARROWED, WIDENED, EXCLUDED = map(int, (Binding.NARROWED, Binding.WIDENED, Binding.EXCLUDED))
MAX_CONDITIONS = 6  # in one `and`
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Told = tuple[str, list[Form]]  # a variable, and the forms of its class


class Narrowing(NamedTuple):
    """A variable whose class is known from one line on, up to but excluding another."""

    name: str
    forms: list[Form]
    start: int
    end: int


def narrow_branch(test: ast.expr, body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield the narrowings in the branch of a condition, and in the condition itself."""
    if body:
        end = _find_end(body[-1])
        for name, forms in _iter_conditions(test):
            yield Narrowing(name, forms, test.lineno, end)


def narrow_others(node: ast.If) -> Iterator[Narrowing]:
    """Yield the narrowings in the branch that runs after a false `isinstance`, or a true `not`."""
    denied = _find_denied(node)
    for one in narrow_branch(denied, node.orelse) if denied is not None else ():
        yield one._replace(start=node.orelse[0].lineno)
    body = node.orelse if denied is None else node.body
    if body:
        end = _find_end(body[-1])
        yield from _exclude(denied or node.test, body[0].lineno, end)


def _exclude(test: ast.expr, start: int, end: int) -> Iterator[Narrowing]:
    """Yield the classes of which a variable is certainly no instance after a false `isinstance`."""
    for name, forms in _iter_conditions(test) if isinstance(test, ast.Call) else ():
        own = [
            (qualifier, last) for qualifier, last, _ in forms if last and (qualifier or last not in BUILTINS)
        ]
        excluded = [(*one, EXCLUDED) for one in own]
        if excluded:
            yield Narrowing(name, excluded, start, end)


def narrow_expression(test: ast.expr, node: ast.expr) -> Iterator[Narrowing]:
    """Yield the narrowings in an expression that a condition guards, as the rest of an `and`."""
    for name, forms in _iter_conditions(test):
        yield Narrowing(name, forms, test.lineno, _find_end(node))


def narrow_block(body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield the narrowings that hold after statements of a block, to its end."""
    end = _find_end(body[-1]) if body else 0
    for statement in body[:-1]:
        if isinstance(statement, ast.Assert):
            test: ast.expr | None = statement.test
        elif isinstance(statement, ast.If) and not statement.orelse:
            is_left = isinstance(statement.body[-1], _LEAVING)
            test = _find_denied(statement) if is_left else None
            if is_left and test is None:
                yield from _exclude(statement.test, _find_end(statement), end)
        else:
            continue
        if test is not None:
            for name, forms in _iter_conditions(test):
                yield Narrowing(name, forms, _find_end(statement), end)


def _find_denied(statement: ast.If) -> ast.expr | None:
    """Return the condition after `if not`, or None."""
    test = statement.test
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None


def _iter_conditions(test: ast.expr) -> Iterator[_Told]:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts[:MAX_CONDITIONS]:
        if not isinstance(part, ast.Call) or not part.args or not isinstance(part.args[0], ast.Name):
            continue
        function = find_path(part.func)
        if function == "isinstance":
            if len(part.args) == 2 and (forms := _list_class_forms(part.args[1])):
                yield part.args[0].id, forms
        elif function.rpartition(".")[2].startswith("is"):
            yield part.args[0].id, [(f"{function}()", "", NARROWED)]


def _list_class_forms(node: ast.expr) -> list[Form]:
    """Return the forms of the second argument of `isinstance`: a class, builtin or not, or several."""
    waiting = [node]
    classes: list[ast.expr] = []
    while waiting and len(classes) < MAX_FORMS:
        one = waiting.pop()
        if isinstance(one, ast.Tuple):
            waiting += reversed(one.elts[:MAX_FORMS])
        elif isinstance(one, ast.BinOp):
            waiting += (one.right, one.left)
        else:
            classes.append(one)
    forms = [describe(one, NARROWED) for one in classes if isinstance(one, ast.Name | ast.Attribute)]
    # If one of the classes is unknown, none counts: the variable may have members of that one.
    return [one for one in forms if one is not None] if len(forms) == len(classes) else []


def _find_end(node: ast.stmt | ast.expr) -> int:
    """Return the line after a node."""
    return (node.end_lineno or node.lineno) + 1
