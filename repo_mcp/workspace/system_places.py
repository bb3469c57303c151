"""Directories that are not repositories: the root of the file system, and the kernel's virtual file systems.

A user who serves one of them most likely meant another directory, so an option must confirm it. They are
recognised by what is there, not by name: a link to `/` is `/`. Cheap, since every start checks this.
"""

from __future__ import annotations

import os

_KERNEL_PLACES = ("/proc", "/sys", "/dev")


def is_system_place(path: str) -> bool:
    """Return True for the root of the file system, and for paths in a file system of the kernel's."""
    try:
        status, top = os.stat(path), os.stat(os.path.abspath(os.sep))
    except (OSError, ValueError):
        return False
    if (status.st_dev, status.st_ino) == (top.st_dev, top.st_ino):
        return True
    return status.st_dev != top.st_dev and status.st_dev in map(_find_device, _KERNEL_PLACES)


def _find_device(path: str) -> int:
    try:
        return os.stat(path).st_dev
    except OSError:
        return -1
