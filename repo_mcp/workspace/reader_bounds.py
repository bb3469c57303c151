"""What the operator may have the door refuse besides names: files with several names, other file systems.

A second name (hard link) of a denied file, or of one outside the root, cannot be told from a file; that a
file has several names can. What is mounted below the root belongs to another tree, which nobody may have
meant to serve. Both are off unless asked for: copies made by linking (`cp -al`, the stores of some package
tools) are all hard links, and parts of a checkout may well be mounted.

A file system is told by its device number, as `find -xdev` does: the same one mounted once more below the
root (a bind mount from the same file system) has the same number and is not noticed, and subvolumes of btrfs
have numbers of their own.
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
    """What the operator asks for."""

    hard_links: bool = False  # files that have another name
    other_file_systems: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one door refuses, now that its root is open."""

    hard_links: bool = False
    device: int | None = None  # the only one that is served; None: any

    @property
    def are_wide(self) -> bool:
        """True when nothing is refused."""
        return not self.hard_links and self.device is None

    def find_refusal(self, status: os.stat_result) -> str | None:
        """Why what has this status is not served, as it is counted in listings; None when it is."""
        if self.device is not None and status.st_dev != self.device:
            return OTHER_FILE_SYSTEM
        if self.hard_links and status.st_nlink > 1 and modes.S_ISREG(status.st_mode):
            return HARD_LINK
        return None


def find_entry_refusal(bounds: Bounds, entry: os.DirEntry[str]) -> str | None:
    """As `find_refusal`, of an entry of a listing; None too for one that is gone by now.

    Windows tells neither number of an entry: there the door finds out when it opens it.
    """
    if bounds.are_wide or os.name == "nt":
        return None
    try:
        return bounds.find_refusal(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return None
