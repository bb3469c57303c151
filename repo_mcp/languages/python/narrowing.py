"""Conditions that tell the class of a variable, and the lines in which they hold: `isinstance(x, C)`, and
calls of functions whose names begin with "is", which may be declared to tell a type.

A condition holds in the branch that it guards; an assertion, or a branch that leaves its block unless the
condition holds, tells it to the end of the block. Only plain variables are told, and only what both sides of
an `and` say; what an `else` knows is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from repo_mcp.languages.python.types import NARROWED, Form, find_path, list_class_forms

MAX_CONDITIONS = 6  # in one `and`
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Told = tuple[str, list[Form]]  # variable, and the forms of its class


class Narrowing(NamedTuple):
    """A variable whose class is known from one line on, and until before another."""

    name: str
    forms: list[Form]
    start: int
    end: int


def narrow_branch(test: ast.expr, body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield what holds in the branch of a condition, and in the condition itself."""
    if body:
        end = (body[-1].end_lineno or body[-1].lineno) + 1
        for name, forms in _iter_conditions(test):
            yield Narrowing(name, forms, test.lineno, end)


def narrow_expression(test: ast.expr, node: ast.expr) -> Iterator[Narrowing]:
    """Yield what holds in an expression that a condition guards: the rest of an `and`, a comprehension."""
    for name, forms in _iter_conditions(test):
        yield Narrowing(name, forms, test.lineno, (node.end_lineno or node.lineno) + 1)


def narrow_block(body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield what holds behind the statements of a block, until its end."""
    end = (body[-1].end_lineno or body[-1].lineno) + 1 if body else 0
    for statement in body[:-1]:
        if isinstance(statement, ast.Assert):
            test: ast.expr | None = statement.test
        elif isinstance(statement, ast.If) and not statement.orelse:
            test = _find_denied(statement) if isinstance(statement.body[-1], _LEAVING) else None
        else:
            continue
        if test is not None:
            for name, forms in _iter_conditions(test):
                yield Narrowing(name, forms, (statement.end_lineno or statement.lineno) + 1, end)


def _find_denied(statement: ast.If) -> ast.expr | None:
    """Return the condition behind `if not`, or None."""
    test = statement.test
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None


def _iter_conditions(test: ast.expr) -> Iterator[_Told]:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts[:MAX_CONDITIONS]:
        if not isinstance(part, ast.Call) or not part.args or not isinstance(part.args[0], ast.Name):
            continue
        function = find_path(part.func)
        if function == "isinstance":
            if len(part.args) == 2 and (forms := list_class_forms(part.args[1])):
                yield part.args[0].id, forms
        elif function.rpartition(".")[2].startswith("is"):
            yield part.args[0].id, [(f"{function}()", "", NARROWED)]
