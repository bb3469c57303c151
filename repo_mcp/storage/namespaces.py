"""Namespaces of a data directory: one directory per index, marked when used and removed when old.

Another format version, configuration, root or key has a namespace of its own beside ours. Unused ones would
stay for ever, so one that nobody has opened for UNUSED_SECONDS is removed. That happens under its lock, so
that nobody is writing it. Readers keep the files that they have open, and find no index the next time.

Only directories whose names match our pattern are examined, only files whose names match our patterns are
deleted, and no link is followed: the data directory may have come with the repository.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from index_format import SEAL_SUFFIX, DiskDirectory, IndexFormatError

UNUSED_SECONDS = 14 * 24 * 3600.0  # counted from the last time a server opened its root
MAX_NAMESPACES = 1_000  # examined in one call
_NAMESPACE = re.compile(r"(?:index|structure|vectors)-v[0-9]{1,6}-[0-9a-f]{16}")
_DETACHED = re.compile(r"\.removed-(?:index|structure|vectors)-v[0-9]{1,6}-[0-9a-f]{16}")
_OWN_FILES = frozenset({"manifest", "lock", "seen", "seen.changes", "purge"})
_OWN_SUFFIXES = (".seg", ".tmp", SEAL_SUFFIX)
_LOCK = "lock"

Clock = Callable[[], float]


def mark_used(path: str) -> None:
    """Mark a namespace as in use now. Does nothing when its time cannot be set."""
    with suppress(OSError):
        os.utime(path, follow_symlinks=False)


def remove_unused(data_dir: str, keep: Collection[str], clock: Clock = time.time) -> tuple[str, ...]:
    """Remove the namespaces unused for UNUSED_SECONDS, except those in `keep`. Never raises.

    Returns the names of those that are gone.
    """
    removed = []
    for name in _list_namespaces(data_dir):
        path = os.path.join(data_dir, name)
        if name not in keep and (_DETACHED.fullmatch(name) or _is_unused(path, clock())) and remove(path):
            removed.append(name)
    return tuple(removed)


def remove(path: str) -> bool:
    """Remove a namespace, unless it is being written or holds other files than ours. Never raises."""
    above, name = os.path.split(path)
    detached = path if name.startswith(".") else os.path.join(above, f".removed-{name}")
    try:
        directory = DiskDirectory(path)
        lock = directory.lock(_LOCK)
        try:
            if detached != path:
                os.rename(path, detached)  # a new opener creates a new one
            directory = DiskDirectory(detached)
            for file in directory.list_names():
                if file in _OWN_FILES or file.endswith(_OWN_SUFFIXES):
                    directory.delete(file)
        finally:
            lock.release()
        os.rmdir(detached)
    except (OSError, IndexFormatError):
        return False
    return True


def _list_namespaces(data_dir: str) -> list[str]:
    try:
        with os.scandir(data_dir) as entries:
            found = sorted(
                entry.name
                for entry in entries
                if (_NAMESPACE.fullmatch(entry.name) or _DETACHED.fullmatch(entry.name))
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
    return found[:MAX_NAMESPACES]


def _is_unused(path: str, now: float) -> bool:
    """Return True when directory and manifest are older than UNUSED_SECONDS. Future times count as used."""
    try:
        times = [os.stat(path, follow_symlinks=False).st_mtime]
        with suppress(FileNotFoundError):
            times.append(os.stat(os.path.join(path, "manifest"), follow_symlinks=False).st_mtime)
    except OSError:
        return False
    return now - max(times) > UNUSED_SECONDS
