"""Directories that are no repository: the root of the file system, and what the kernel shows there as files.

Whoever serves one of them most likely meant another; it takes an option to say that it was meant. Known by
what is there, not by name: a link to `/` is `/`. Cheap, for the ordinary command line asks it.
"""

from __future__ import annotations

import os

_KERNEL_PLACES = ("/proc", "/sys", "/dev")


def is_system_place(path: str) -> bool:
    """True for the root of the file system and for what lies in a file system of the kernel's own."""
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
