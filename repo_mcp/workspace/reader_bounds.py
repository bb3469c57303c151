"""The refusals that an operator may ask for besides names: files with several names, other file systems.

A second name (hard link) of a denied file, or of one outside the root, looks like any file; but that a file
has several names can be seen. A file system mounted below the root belongs to another tree, which may not be
meant to be served. Both refusals are off by default: copies made by linking (`cp -al`, the stores of some
package tools) consist of hard links, and parts of a checkout may well be mounted.

A file system is identified by its device number, as in `find -xdev`. The same file system mounted again below
the root (a bind mount) has the same number and is not noticed, and subvolumes of btrfs have numbers of
their own.
"""

from __future__ import annotations

import os
import stat as modes
from dataclasses import dataclass

HARD_LINK = "hard_link"
OTHER_FILE_SYSTEM = "other_file_system"
RULES = {HARD_LINK: "--refuse-hard-links", OTHER_FILE_SYSTEM: "--one-file-system"}


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals that the operator asks for."""

    hard_links: bool = False  # files that have another name
    other_file_systems: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """The refusals of one repository reader, now that its root is open."""

    hard_links: bool = False
    device: int | None = None  # the only one served; None: any

    @property
    def are_wide(self) -> bool:
        """Return True when nothing is refused."""
        return not self.hard_links and self.device is None

    def find_refusal(self, status: os.stat_result) -> str | None:
        """Return why a file with this status is refused, as counted in listings; None if it is served."""
        if self.device is not None and status.st_dev != self.device:
            return OTHER_FILE_SYSTEM
        if self.hard_links and status.st_nlink > 1 and modes.S_ISREG(status.st_mode):
            return HARD_LINK
        return None


def find_entry_refusal(bounds: Bounds, entry: os.DirEntry[str]) -> str | None:
    """Return the refusal of a directory entry; None if it is served, or gone by now. See `find_refusal`.

    Windows gives neither number for an entry: there the reader finds out when it opens the file.
    """
    if bounds.are_wide or os.name == "nt":
        return None
    try:
        return bounds.find_refusal(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return None
