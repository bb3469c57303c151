"""Paths in order of nearness: where names are more likely to mean what is declared near."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def order_by_nearness(paths: Sequence[str], near: str) -> list[str]:
    """Ascending paths, those in the folder of `near` first, then those in the one above, and so on.

    `near` itself comes first of all.
    """
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
        stop = bisect_left(paths, f"{folder}0") if folder else len(paths)  # "0" is the character behind "/"
        ordered += [*paths[start:first], *paths[end:stop]]
        first, end = start, stop
    return ordered
