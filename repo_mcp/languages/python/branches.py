"""The blocks of a Python text that need not run, and the rows of the variables that get a value in one.

What `if` or `except` binds holds after the statement only if that branch ran. The rows are written for
variables that are bound on two lines or more; the resolver follows them back from a use.

Left out on purpose: whether a condition can be true, and `with`, which is taken to run unless it is the
`suppress` of contextlib.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from repo_mcp.symbols.symbol_record import Binding

HIDDEN = 1_000_000  # lines: to the end of any function
_LEAVING = (ast.Return, ast.Raise)
_SKIPPING = (*_LEAVING, ast.Break, ast.Continue)


class Block(NamedTuple):
    """A block of statements, by its lines."""

    first: int
    last: int
    leaves: bool  # the block leaves the function at its end
    skips: bool  # the block leaves the rest of the loop around it, or the function


class Branches(NamedTuple):
    """The alternative blocks of one statement."""

    blocks: list[Block]
    last: int  # line of the statement
    is_complete: bool  # one of the blocks certainly runs
    is_loop: bool
    are_apart: bool  # only one of them runs, so that values of one are not visible in another


class BranchRow(NamedTuple):
    """A row about one block and a variable; see `Binding.BRANCH`."""

    line: int
    length: int
    hidden: int
    form: int


def list_branches(node: ast.stmt) -> Branches | None:
    """Return the blocks of a statement that need not run; None if it has none."""
    last = node.end_lineno or node.lineno
    if isinstance(node, ast.If):
        blocks = _list_blocks((node.body, node.orelse))
        return Branches(blocks, last, bool(node.orelse), False, True)
    if isinstance(node, ast.While):
        blocks = _list_blocks((node.body, node.orelse))
        blocks[0] = blocks[0]._replace(first=node.lineno)  # the condition is tested again
        is_sure = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return Branches(blocks, last, is_sure, True, False)
    if isinstance(node, ast.For | ast.AsyncFor):
        return Branches(_list_blocks((node.body, node.orelse)), last, False, True, False)
    if isinstance(node, ast.Match):
        blocks = _list_blocks(case.body for case in node.cases)
        return Branches(blocks, last, _is_any(node.cases[-1]), False, True)
    if isinstance(node, ast.Try | ast.TryStar):
        return _list_tried(node, last) if node.handlers else None
    if isinstance(node, ast.With | ast.AsyncWith) and any(map(_suppresses, node.items)):
        return Branches(_list_blocks((node.body,)), last, False, False, False)
    return None


def _suppresses(item: ast.withitem) -> bool:
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) == "suppress"


def _list_tried(node: ast.Try | ast.TryStar, last: int) -> Branches:
    """Return the blocks of a `try` with handlers; its `else`, if there is one, stands for the body."""
    handlers = [one.body for one in node.handlers]
    bodies = [*handlers, node.orelse] if node.orelse else [node.body, *handlers]
    return Branches(_list_blocks(bodies), last, True, False, False)


def _list_blocks(bodies: Iterable[Sequence[ast.stmt]]) -> list[Block]:
    return [
        Block(
            min(one.lineno for one in (body[0], *getattr(body[0], "decorator_list", ()))),
            body[-1].end_lineno or body[-1].lineno,
            isinstance(body[-1], _LEAVING),
            isinstance(body[-1], _SKIPPING),
        )
        for body in bodies
        if body
    ]


def _is_any(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def iter_rows(branches: Branches, lines: Sequence[int]) -> Iterator[BranchRow]:
    """Yield rows of the blocks that give a value to a variable which is bound on these ascending lines."""
    binding = [bisect_left(lines, one.first) < bisect_right(lines, one.last) for one in branches.blocks]
    is_complete = branches.is_complete and all(
        binds or block.skips for block, binds in zip(branches.blocks, binding, strict=True)
    )
    if branches.is_loop:
        forms = [Binding.SURE_LOOP if is_complete else Binding.LOOP, Binding.BRANCH][: len(binding)]
    else:
        forms = [Binding.BRANCH] * len(branches.blocks)
        if is_complete and any(binding):
            forms[binding.index(True)] = Binding.ONLY_BRANCH
    for block, binds, form in zip(branches.blocks, binding, forms, strict=True):
        if binds:
            apart = branches.last - block.last if branches.are_apart else 0
            hidden = HIDDEN if block.leaves else apart
            yield BranchRow(block.last, block.last - block.first, hidden, int(form))
