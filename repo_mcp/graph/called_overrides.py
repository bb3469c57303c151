"""The words on overrides of a symbol that are called by their own types, which are no callers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.graph.program import Declaration

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph

MAX_NAMED = 3


def describe_called_overrides(
    graph: Graph, below: tuple[tuple[Declaration, int], ...], *, is_complete: bool = True
) -> str:
    """Return a sentence with the most called overrides and their numbers of calls; "" for none."""
    if not below:
        return ""
    most = sorted(below, key=lambda one: -one[1])[:MAX_NAMED]
    names = [(graph.get_node(one).name_inside, count) for one, count in most]
    named = ", ".join(f"{'.'.join(name.split('.')[-2:])} ({count:,})" for name, count in names)
    more = f" and {len(below) - MAX_NAMED:,} more" if len(below) > MAX_NAMED else ""
    least = "" if is_complete else "At least "
    has = "override has" if len(below) == 1 else "overrides have"
    return f"{least}{len(below):,} {has} calls of {'its' if len(below) == 1 else 'their'} own: {named}{more}."
