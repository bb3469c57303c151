"""The namespaces of a data directory, each the directory of one index: marked as used, and removed when old.

Another format version, configuration, root or key has a namespace of its own beside ours. What is not used
any more would lie there for ever; so one that nobody opened for UNUSED_SECONDS goes, under its lock, which
says that nobody writes it. Who still reads it keeps what he has opened, and finds no index the next time.

Only directories with names of our pattern are looked at, only files with names of our patterns are deleted,
and nothing is reached through a link: the data directory may have come with the repository.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from index_format import SEAL_SUFFIX, DiskDirectory, IndexFormatError

UNUSED_SECONDS = 14 * 24 * 3600.0  # a server that opens its root renews it
MAX_NAMESPACES = 1_000  # looked at in one go
_NAMESPACE = re.compile(r"(?:index|structure|vectors)-v[0-9]{1,6}-[0-9a-f]{16}")
_DETACHED = re.compile(r"\.removed-(?:index|structure|vectors)-v[0-9]{1,6}-[0-9a-f]{16}")
_OWN_FILES = frozenset({"manifest", "lock", "seen", "seen.changes", "purge"})
_OWN_SUFFIXES = (".seg", ".tmp", SEAL_SUFFIX)
_LOCK = "lock"

Clock = Callable[[], float]


def mark_used(path: str) -> None:
    """Say that a namespace is in use now. Does nothing where that cannot be said."""
    with suppress(OSError):
        os.utime(path, follow_symlinks=False)


def remove_unused(data_dir: str, keep: Collection[str], clock: Clock = time.time) -> tuple[str, ...]:
    """Remove the namespaces that nobody used for long, but for those to `keep`. Never raises.

    Returns the names of those that are gone.
    """
    removed = []
    for name in _list_namespaces(data_dir):
        path = os.path.join(data_dir, name)
        if name not in keep and (_DETACHED.fullmatch(name) or _is_unused(path, clock())) and remove(path):
            removed.append(name)
    return tuple(removed)


def remove(path: str) -> bool:
    """Remove one namespace, unless somebody writes it, or it holds what is not ours. Never raises."""
    above, name = os.path.split(path)
    detached = path if name.startswith(".") else os.path.join(above, f".removed-{name}")
    try:
        directory = DiskDirectory(path)
        lock = directory.lock(_LOCK)
        try:
            if detached != path:
                os.rename(path, detached)  # who comes now makes a new one
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
    """True when neither the directory nor its manifest was touched for long. A time to come is no use."""
    try:
        times = [os.stat(path, follow_symlinks=False).st_mtime]
        with suppress(FileNotFoundError):
            times.append(os.stat(os.path.join(path, "manifest"), follow_symlinks=False).st_mtime)
    except OSError:
        return False
    return now - max(times) > UNUSED_SECONDS
