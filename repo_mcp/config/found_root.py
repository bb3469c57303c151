"""The repository around a directory, found upward by its marks, as Git does.

    find_root("/home/me/ledger/src/checks")    "/home/me/ledger", if that holds .git
    find_root("/home/me/Downloads")            None

The nearest mark counts, so a submodule, or a part of a monorepo with a `repo_mcp.toml` of its own, is a
repository of its own. The user's home, the directories above it and system directories never are one: nobody
who keeps `.git` in the home directory means to have all of it served. In a directory that everybody may write
to, such as `/tmp`, a mark of another user does not count.

Left out on purpose: roots that a person has named, which may be any directory, and what marks mean to others.
"""

from __future__ import annotations

import os
import sys

from repo_mcp.config.home import find_home
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.system_places import is_system_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

AUTO = "auto"  # value of --repo-root with which the root is searched for
MARKS = (".git", ".hg", ".jj", "repo_mcp.toml")


def find_root(directory: str) -> str | None:
    """Return the nearest directory with a mark, from an absolute `directory` upward; None without one."""
    if not directory:
        return None
    homes = _identify_homes()
    for place in _iter_upward(directory):
        if _identify(place) in homes:
            return None
        if any(_is_mark(place, name) for name in MARKS):
            return None if _is_top(place) or is_system_place(place) else place
    return None


def hold_found_root() -> HeldDirectory | None:
    """Return the root around the working directory, open from now on; None where there is none."""
    root = find_root(find_working_directory())
    try:
        return None if root is None else HeldDirectory(root)
    except OSError:
        return None


def find_working_directory() -> str:
    """Return the working directory, or "" where it was deleted or cannot be reached."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def explain_refusal(directory: str) -> str:
    """Return why a directory is not served unless a person names it, as "is your home directory".

    Return "" for one that may be. An absolute path is taken, and links in it are followed.
    """
    place = _identify(directory)
    if place is None or not os.path.isdir(directory):
        return "is not a directory that exists"
    if _is_top(directory) or is_system_place(directory):
        return "is a system directory"
    if place in _identify_homes():
        return "is your home directory or a directory above it"
    if not os.access(directory, os.R_OK | os.X_OK):
        return "cannot be read"
    return ""


def _identify_homes() -> set[tuple[int, int] | None]:
    """Return what identifies the user's home and every directory above it, by either of its names."""
    home = find_home()
    names = {home, os.path.realpath(home)} if os.path.isabs(home) else set()
    return {_identify(place) for name in names for place in _iter_upward(name)} - {None}


def _iter_upward(directory: str) -> Iterator[str]:
    above = os.path.dirname(directory)
    while above != directory:
        yield directory
        directory, above = above, os.path.dirname(above)
    yield directory


def _is_top(directory: str) -> bool:
    """Return True for the root of a file system; on Windows each drive has one."""
    return os.path.dirname(directory) == directory


def _identify(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _is_mark(directory: str, name: str) -> bool:
    try:
        mark = os.lstat(os.path.join(directory, name))
        if sys.platform == "win32":
            return True
        return not os.stat(directory).st_mode & 0o002 or mark.st_uid == os.geteuid()
    except (OSError, ValueError):
        return False
