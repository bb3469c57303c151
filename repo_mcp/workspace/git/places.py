"""Finds what Git keeps of a checkout outside its root, and the other checkouts of the same repository.

A linked work tree has a file `.git` instead of a directory, and both sides name each other:

    ROOT/.git                        gitdir: COMMON/worktrees/NAME
    COMMON/worktrees/NAME/gitdir     ROOT/.git
    COMMON/worktrees/NAME/commondir  ../..
    COMMON                           is MAIN/.git for the main work tree

Any of these may be hostile, as a root may come from anywhere: so a place counts only where both sides agree
and both belong to the user. What `.git` of a downloaded tree names has no file that leads back to that tree.

Nothing is executed, listed in an answer or followed through a link, and every file that is read is small.
Left out on purpose: submodules, whose bookkeeping names no other checkout, and a root inside a work tree.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator

from repo_mcp.record_classes import dataclass

DOT_GIT = ".git"
MAX_WORK_TREES = 1_000
MANY_BYTES = 1_000_000  # size of an index of 10,000 files
_MAX_POINTER_BYTES = 8_192  # twice the longest path
_WORK_TREES = "worktrees"
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class GitPlaces:
    """The directories in which Git keeps its own files of a checkout. All paths are absolute."""

    git_dir: str  # directory with the index of this checkout
    common_dir: str  # directory that all checkouts of the repository share


def find_git_places(root: str) -> GitPlaces | None:
    """Return where Git keeps its files of the checkout `root`; None for no checkout, or unproven places."""
    try:
        return _find(root)
    except (OSError, ValueError):
        return None


def has_many_files(root: str) -> bool:
    """Return True when Git tracks 10,000 files of the checkout `root`, by the size of its index."""
    places = find_git_places(root)
    try:
        return places is not None and os.lstat(os.path.join(places.git_dir, "index")).st_size >= MANY_BYTES
    except OSError:
        return False


def list_siblings(root: str) -> tuple[str, ...]:
    """Return the roots of the other checkouts of the same repository, the main one first. Never raises."""
    places = find_git_places(root)
    if places is None:
        return ()
    return tuple(other for other in _iter_roots(places.common_dir) if _is_sibling(other, places))


def read_git_file(directory: str, name: str, max_bytes: int) -> tuple[bytes, os.stat_result] | None:
    """Return the content and the status of a file of Git's own; None for anything but a small file of ours.

    Raises OSError.
    """
    descriptor = os.open(os.path.join(directory, name), _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes or not _is_ours(status):
            return None
        parts = []
        left = max_bytes + 1
        while left > 0 and (part := os.read(descriptor, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
        return (b"".join(parts), status) if left > 0 else None
    finally:
        os.close(descriptor)


def _find(root: str) -> GitPlaces | None:
    """Return the proven places. Raises OSError, ValueError."""
    pointer = os.path.join(root, DOT_GIT)
    status = os.lstat(pointer)
    if not _is_ours(status):
        return None
    if stat.S_ISDIR(status.st_mode):
        return GitPlaces(pointer, pointer)
    prefix, colon, target = _read_path(root, DOT_GIT).partition(":")
    if prefix != "gitdir" or not colon:
        return None
    git_dir = _resolve(root, target.strip())
    back = _resolve(git_dir, _read_path(git_dir, "gitdir"))
    common_dir = _resolve(git_dir, _read_path(git_dir, "commondir"))
    is_below = _is_same(os.path.dirname(git_dir), os.path.join(common_dir, _WORK_TREES))
    if not is_below or not _is_same(back, pointer) or not _is_ours(os.lstat(common_dir)):
        return None
    return GitPlaces(git_dir, common_dir)


def _is_sibling(root: str, places: GitPlaces) -> bool:
    """Return True for a checkout of the same repository that is another one."""
    found = find_git_places(root)
    try:
        return (
            found is not None
            and _is_same(found.common_dir, places.common_dir)
            and not _is_same(found.git_dir, places.git_dir)
        )
    except OSError:  # the checkout is being removed
        return False


def _iter_roots(common_dir: str) -> Iterator[str]:
    """Yield the roots that the bookkeeping names, the main one first."""
    if os.path.basename(common_dir) == DOT_GIT:
        yield os.path.dirname(common_dir)
    work_trees = os.path.join(common_dir, _WORK_TREES)
    try:
        names = sorted(os.listdir(work_trees))[:MAX_WORK_TREES]
    except OSError:
        return
    for name in names:
        git_dir = os.path.join(work_trees, name)
        try:
            pointer = _resolve(git_dir, _read_path(git_dir, "gitdir"))
        except (OSError, ValueError):
            continue
        if os.path.basename(pointer) == DOT_GIT:
            yield os.path.dirname(pointer)


def _read_path(directory: str, name: str) -> str:
    """Return the one line of a file of Git's own. Raises OSError, ValueError."""
    found = read_git_file(directory, name, _MAX_POINTER_BYTES)
    if found is None or b"\0" in found[0]:
        raise ValueError("not a pointer")
    return os.fsdecode(found[0]).rstrip("\r\n")


def _resolve(directory: str, path: str) -> str:
    """Return a path that is relative to a directory, or absolute. Raises ValueError for none."""
    if not path:
        raise ValueError("empty")
    return os.path.normpath(os.path.join(directory, path))


def _is_same(one: str, other: str) -> bool:
    """Return True when both paths name the same file or directory itself. Raises OSError."""
    return os.path.samestat(os.lstat(one), os.lstat(other))


def _is_ours(status: os.stat_result) -> bool:
    """Return True for what belongs to this user. Windows has no such numbers."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()
