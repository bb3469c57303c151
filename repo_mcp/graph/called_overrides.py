"""The words on overrides of a symbol that are called by their own types, which are no callers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.graph.program import Declaration

if TYPE_CHECKING:
    from repo_mcp.graph.edges import CalledLines
    from repo_mcp.graph.graph import Graph

MAX_NAMED = 3


def describe_called_overrides(
    graph: Graph, below: tuple[tuple[Declaration, CalledLines], ...], *, is_complete: bool = True
) -> str:
    """Return a sentence with the most called overrides and their numbers of calls; "" for none."""
    if not below:
        return ""
    most = sorted(below, key=lambda one: -one[1].all)[:MAX_NAMED]
    names = [(graph.get_node(one).name_inside, lines.all) for one, lines in most]
    named = ", ".join(f"{'.'.join(name.split('.')[-2:])} ({count:,})" for name, count in names)
    more = f" and {len(below) - MAX_NAMED:,} more" if len(below) > MAX_NAMED else ""
    least = "" if is_complete else "At least "
    has = "override has" if len(below) == 1 else "overrides have"
    whose = "its own" if len(below) == 1 else "their own"
    where = ", all in tests" if all(lines.all == lines.in_tests for _, lines in below) else ""
    return f"{least}{len(below):,} {has} calls of {whose}{where}: {named}{more}."
