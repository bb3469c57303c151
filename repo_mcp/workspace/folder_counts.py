"""Counts files by folder, in a few rows that say where a long list goes on. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.workspace.globs import MAX_GLOB_CHARS

_SIGN = re.compile(r"[*?\[{}\\]|^!")  # characters with a meaning in a glob


def count_folders(paths: Sequence[str], most: int) -> dict[str, int]:
    """Return the numbers of files by at most `most` globs, ascending, none of which has files of another.

    `a/**` stands for all files in a folder, `a/*` for those that are in none of its folders. The largest
    folder is divided first, and one that has more parts than there is room for, or too long a glob for one of
    them, is not divided. If that is the root, its largest parts are given, and not all files are counted.
    """
    open_folders, counted = {"": list(paths)}, dict[str, int]()
    while open_folders:
        folder = max(open_folders, key=lambda one: (len(open_folders[one]), one))
        inside = open_folders.pop(folder)
        parts: dict[str, list[str]] = {}
        for path in inside:
            name, slash, _ = path[len(folder) :].partition("/")
            parts.setdefault(f"{folder}{name}/" if slash else "", []).append(path)
        too_many = len(parts) + len(open_folders) + len(counted) > most
        if folder and (too_many or any(len(_escape(part)) + len("**") > MAX_GLOB_CHARS for part in parts)):
            counted[f"{_escape(folder)}**"] = len(inside)
            continue
        if too_many:
            parts = dict(sorted(parts.items(), key=lambda part: -len(part[1]))[:most])
        if direct := parts.pop("", None):
            counted[f"{_escape(folder)}*" if folder else "/*"] = len(direct)
        open_folders |= parts
    return dict(sorted(counted.items()))


def _escape(folder: str) -> str:
    """Return a glob that matches a folder alone."""
    return _SIGN.sub(r"\\\g<0>", folder)
