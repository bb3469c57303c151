"""Show each line once where a function is declared inside another one, and both are found. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.records import Finding


def show_once(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, without the chosen lines that two of them show, one of which contains the other.

    If the outer one shows all of them, only the first is left to the inner one. Otherwise, the inner one has
    them, and the outer one the first.
    """
    kept = list(findings)
    of_file: dict[str, list[int]] = {}
    for at, one in enumerate(findings):
        if one.shown:
            of_file.setdefault(one.path, []).append(at)
    for own in of_file.values():
        for outer in own:
            for inner in own:
                if _contains(kept[outer], kept[inner]):
                    kept[outer], kept[inner] = _divide(kept[outer], kept[inner])
    return kept


def _contains(outer: Finding, inner: Finding) -> bool:
    size = outer.end_line - outer.start_line
    return (
        outer.start_line <= inner.start_line
        and inner.end_line <= outer.end_line
        and inner.end_line - inner.start_line < size
    )


def _divide(outer: Finding, inner: Finding) -> tuple[Finding, Finding]:
    """Return both findings, each line of the inner one but its first with one of them."""
    first, *rest = inner.shown
    if not rest or set(rest).isdisjoint(outer.shown):
        return outer, inner
    if set(rest) <= set(outer.shown):
        return outer, replace(inner, shown=(first,))
    return replace(outer, shown=tuple(at for at in outer.shown if at not in rest)), inner
