"""Tells apart the rows that bind one Python variable: values, tested classes, comprehensions, blocks.

Left out on purpose: the values themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.python.branches import is_block, list_reaching
from repo_mcp.graph.python.names import Bound
from repo_mcp.symbols.symbol_record import Binding

CONDITIONS = frozenset({Binding.NARROWED, Binding.WIDENED, Binding.EXCLUDED})


def list_plain(bounds: Sequence[Bound]) -> list[Bound]:
    """Return the rows that bind a variable, without those of conditions and blocks."""
    return [one for one in bounds if one.form not in CONDITIONS and not is_block(one)]


def _list_ends(bounds: Sequence[Bound]) -> list[Bound]:
    """Return the rows that end comprehensions; the name of each is its distance in lines from the start."""
    return [one for one in bounds if one.form == Binding.WIDENED and one.name.isdigit()]


def list_comprehended(bounds: Sequence[Bound], line: int) -> list[Bound] | None:
    """Return the bindings of the innermost comprehension around a line; None outside of comprehensions."""
    starts = [one.line - int(one.name) for one in _list_ends(bounds) if line <= one.line]
    starts = [one for one in starts if one <= line]
    if not starts:
        return None
    return [one for one in bounds if one.line == max(starts) or one.form in CONDITIONS]


def drop_comprehended(bounds: Sequence[Bound]) -> Sequence[Bound]:
    """Return the bindings without those of comprehensions."""
    ends = _list_ends(bounds)
    starts = {one.line - int(one.name) for one in ends}
    if not ends:
        return bounds
    return [one for one in bounds if one not in ends and (one.line not in starts or one.form in CONDITIONS)]


def has_other(bounds: Sequence[Bound], chosen: Sequence[Bound], line: int) -> bool:
    """Return whether a variable may have a value of unknown type at a line (0: any line).

    A condition that was chosen decides the class of all values above it.
    """
    plain = [one for one in bounds if one.form not in CONDITIONS]
    checked = max((one.line for one in chosen if one.form in CONDITIONS), default=0)
    reaching = list_reaching(plain, line) if line else plain
    return any(one.is_other and one.line >= checked for one in reaching)


def list_holding(bounds: Sequence[Bound], start: int, line: int) -> list[Bound]:
    """Return the last conditions that hold at `line`, of those that begin at `start` or later."""
    holding: dict[tuple[str, str], Bound] = {}
    for one in bounds:
        if start <= one.line <= line:
            if one.form == Binding.NARROWED:
                holding[one.qualifier, one.name] = one
            elif one.form in (Binding.WIDENED, Binding.EXCLUDED):
                holding.pop((one.qualifier, one.name), None)
    last = max((one.line for one in holding.values()), default=0)
    return [one for one in holding.values() if one.line == last]


def list_excluded(bounds: Sequence[Bound], line: int) -> list[Bound]:
    """Return the rows of classes of which a tested variable is certainly no instance at `line`."""
    last = max((one.line for one in list_plain(bounds) if one.line <= line), default=0)
    excluded: dict[tuple[str, str], Bound] = {}
    for one in bounds:
        if last <= one.line <= line:
            if one.form == Binding.EXCLUDED:
                excluded[one.qualifier, one.name] = one
            elif one.form in CONDITIONS:
                excluded.pop((one.qualifier, one.name), None)
    return list(excluded.values())
