"""Finds files whose names are similar to one that no file has: `backupable_db.cc` for `backup_engine.cc`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import islice
from posixpath import splitext

from index_format import IndexFormatError, Snapshot
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.late_patterns import compile_late
from repo_mcp.text.roles import order_by_role

MAX_NAMED = 3
LEAST_SIMILAR = 0.5  # least similarity of two names that share a word (difflib's ratio, 0 to 1)
MAX_COMPARED = 2_000  # most names that are compared, at some 20 microseconds each
_PART = compile_late(r"[A-Za-z][a-z]{3,}|[A-Z]{4,}")  # Shorter words are in too many names


def find_similar_files(snapshot: Snapshot, name: str) -> list[str]:
    """Return indexed files of names like `name`; none if the index cannot tell."""
    try:
        return choose_similar(name, KnownFiles(snapshot).iter_paths())
    except (IndexFormatError, OSError):  # a search will say so
        return []


def choose_similar(name: str, paths: Iterable[str]) -> list[str]:
    """Return the paths whose names have the extension and a word of `name`, the most similar first."""
    stem, extension = splitext(name)
    parts = {part.lower() for part in _PART.findall(stem)}
    if not parts:
        return []
    holds = re.compile("|".join(map(re.escape, sorted(parts)))).search
    ending = extension.lower()
    names = ((path.rpartition("/")[2].lower(), path) for path in sorted(paths))
    fitting = order_by_role([path for own, path in names if own.endswith(ending) and holds(own)])
    similar = [(_rate(path, name), path) for path in islice(fitting, MAX_COMPARED)]
    best = sorted(similar, key=lambda pair: -pair[0])  # Stable: equals stay in the order of roles
    return [path for share, path in best[:MAX_NAMED] if share >= LEAST_SIMILAR]


def _rate(path: str, name: str) -> float:
    return SequenceMatcher(None, path.rpartition("/")[2].lower(), name.lower()).ratio()
