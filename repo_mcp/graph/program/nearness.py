"""Paths in order of nearness: a name more likely means something declared near its use."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def order_by_nearness(paths: Sequence[str], near: str) -> list[str]:
    """Reorder ascending paths: `near` first, then its folder, then the one above, and so on to the root."""
    ordered: list[str] = []
    first = end = bisect_left(paths, near)
    if first < len(paths) and paths[first] == near:
        end += 1
        ordered.append(near)
    folder = near
    while folder:
        folder = folder.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        start = bisect_left(paths, prefix)
        stop = bisect_left(paths, f"{folder}0") if folder else len(paths)  # "0" is the character after "/"
        ordered += [*paths[start:first], *paths[end:stop]]
        first, end = start, stop
    return ordered
