"""The values that a Python variable may have at a line, of all that its function assigns.

Values are followed back from the line. If a value is assigned in a block that ended before, such as a branch
of `if`, those before the block may hold as well, unless one of its alternatives certainly runs. A value that
is assigned further down in a loop around the line may hold from the second turn on.

Left out on purpose: conditions, and whether two branches depend on the same one. A variable that is bound in
more than MAX_BLOCKS blocks may have any of its values anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from repo_mcp.graph.python.names import Bound
from repo_mcp.symbols.symbol_record import Binding

MAX_BLOCKS = 64  # blocks of one variable: the work grows with their square
_BLOCKS = frozenset({Binding.BRANCH, Binding.ONLY_BRANCH, Binding.LOOP, Binding.SURE_LOOP})
_LOOPS = frozenset({Binding.LOOP, Binding.SURE_LOOP})
_RUNNING = frozenset({Binding.ONLY_BRANCH, Binding.SURE_LOOP})  # no value from before these holds after them


class _Block(NamedTuple):
    first: int
    last: int
    hidden: int  # the last line on which its values do not count: another branch runs there
    form: int


def is_block(bound: Bound) -> bool:
    """Return whether a row describes a block rather than a value."""
    return bound.form in _BLOCKS


def list_reaching(bounds: Sequence[Bound], line: int) -> list[Bound]:
    """Return the bindings whose values may hold on a line that uses the variable, the last one first.

    In `x = x.next` the name still has its earlier value.
    """
    blocks = [_read_block(one) for one in bounds if is_block(one)]
    values = [one for one in bounds if not is_block(one)]
    if len(blocks) > MAX_BLOCKS:
        return values
    before = [one for one in values if one.line < line or (one.line == line and _is_at_once(one))]
    found = _list_last(before, blocks, line)
    for block in blocks:
        if block.form in _LOOPS and block.first <= line <= block.last:
            if any(block.first <= one.line and not _list_left(blocks, one.line, line) for one in before):
                continue  # every turn of the loop binds it before the line
            later = [one for one in values if line <= one.line <= block.last]
            found += [one for one in _list_last(later, blocks, block.last + 1) if one not in found]
    return found


def _is_at_once(bound: Bound) -> bool:
    """Return whether a value may hold on its own line: not if it is computed from the variable."""
    return not bound.is_own and not bound.is_other


def _read_block(bound: Bound) -> _Block:
    return _Block(bound.line - int(bound.name), bound.line, bound.line + int(bound.qualifier), bound.form)


def _list_left(blocks: Sequence[_Block], inside: int, line: int) -> list[_Block]:
    """Return the blocks around one line that ended before another, the outermost first."""
    return sorted(one for one in blocks if one.first <= inside <= one.last < line)


def _list_last(before: Sequence[Bound], blocks: Sequence[_Block], line: int) -> list[Bound]:
    """Return the bindings in a range that may hold at its end, `line`."""
    found: list[Bound] = []
    waiting = list(before)
    while waiting:
        last = waiting[-1]
        left = _list_left(blocks, last.line, line)
        if not left:
            return [*found, *(one for one in waiting if one.line == last.line)]
        block = left[0]
        inner = [one for one in waiting if one.line >= block.first]
        waiting = waiting[: len(waiting) - len(inner)]
        if line <= block.hidden:
            continue
        found += _list_last(inner, [one for one in blocks if one != block], block.last + 1)
        if block.form in _RUNNING:
            break
    return found
