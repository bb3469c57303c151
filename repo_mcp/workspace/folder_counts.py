"""Counts files by folder, in a few rows that say where a long list goes on. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def count_folders(paths: Sequence[str], most: int) -> dict[str, int]:
    """Return the numbers of files by at most `most` globs, ascending, none of which has files of another.

    `a/**` stands for all files in a folder, `a/*` for those that are in none of its folders. The largest
    folder is divided first, and one that has more parts than there is room for is not divided. If that is the
    root, its largest parts are given, and not all files are counted.
    """
    open_folders, counted = {"": list(paths)}, dict[str, int]()
    while open_folders:
        folder = max(open_folders, key=lambda one: (len(open_folders[one]), one))
        inside = open_folders.pop(folder)
        parts: dict[str, list[str]] = {}
        for path in inside:
            name, slash, _ = path[len(folder) :].partition("/")
            parts.setdefault(f"{folder}{name}/" if slash else "", []).append(path)
        if len(parts) + len(open_folders) + len(counted) > most:
            if folder:
                counted[f"{folder}**"] = len(inside)
                continue
            parts = dict(sorted(parts.items(), key=lambda part: -len(part[1]))[:most])
        if direct := parts.pop("", None):
            counted[f"{folder}*" if folder else "/*"] = len(direct)
        open_folders |= parts
    return dict(sorted(counted.items()))
