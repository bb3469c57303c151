"""The user's own key: 32 random bytes outside every repository, by which we recognise our own files.

It is in the user's state directory, in a directory of ours that only the user may enter (0700), and is
created at first use (0600). Several processes that start at once agree on one key: it is created under a
lock and appears whole. Where no key can be stored, or the one there cannot be trusted, a key of this process
alone takes its place, and everything that earlier processes wrote counts as foreign.

Left out on purpose: repairing or replacing an existing key. A damaged one has to be deleted by hand.
"""

from __future__ import annotations

import os
import stat as modes
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from index_format import DiskDirectory

KEY_BYTES = 32
KEY_FILE = "user.key"  # the deny policy refuses this name, should the directory be inside a root
_OWN_DIRECTORY = "repo-mcp"
_TEMPORARY = "user.key.tmp"
_LOCK = "user.lock"
_LOCK_TRIES = 100
_LOCK_RETRY_SECONDS = 0.01  # making a key takes a millisecond


@dataclass(frozen=True, slots=True)
class UserKey:
    """A key, and why it may not last."""

    key: bytes  # KEY_BYTES bytes
    warning: str  # what follows if only this process has the key; empty for the lasting key
    fault: str = ""  # why only this process has the key; names no absolute path


class _Unusable(Exception):
    """The reason why there is no lasting key, in words that name no path."""


def find_key_dir(state_home: str) -> str:
    """Return the directory of the key."""
    return os.path.join(state_home, _OWN_DIRECTORY)


def take_key_dir(state_home: str) -> tuple[str, bool]:
    """Return the directory of the key, created if possible, and whether the key is in it already."""
    path = find_key_dir(state_home)
    with suppress(OSError):
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path, os.path.lexists(os.path.join(path, KEY_FILE))


def load_user_key(state_home: str, *roots: str) -> UserKey:
    """Return the user's lasting key, created if needed, or else a key of this process alone. Never raises.

    A directory inside a root is not used: the repository could have brought the key with it.
    """
    from index_format import IndexFormatError  # Imported late: `find_key_dir` runs before it may be loaded

    path = find_key_dir(state_home)
    try:
        if any(_is_below(path, root) for root in roots):
            raise _Unusable("the user's state directory is inside the repository")
        return UserKey(_get_key(path), "")
    except _Unusable as fault:
        why = str(fault)
    except (OSError, IndexFormatError, ValueError) as fault:
        why = (fault.strerror if isinstance(fault, OSError) else "") or "it cannot be read"
    warning = f"The user's key cannot be stored ({why}), so log lines of other processes are not shown."
    return UserKey(os.urandom(KEY_BYTES), warning, why)


def examine_user_key(state_home: str, *roots: str) -> tuple[bool, str]:
    """Return whether there is a key, and why it cannot be used. Creates nothing."""
    path = find_key_dir(state_home)
    if not os.path.lexists(os.path.join(path, KEY_FILE)) and not any(_is_below(path, root) for root in roots):
        return False, ""
    return True, load_user_key(state_home, *roots).fault


def _get_key(path: str) -> bytes:
    """Return the key in the directory `path`, created if there is none. Raises `_Unusable`."""
    from index_format import DiskDirectory

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    directory = DiskDirectory(path, create=True)
    _check(path, modes.S_ISDIR, 0o022)
    if not os.path.lexists(os.path.join(path, KEY_FILE)):
        _make_key(directory, path)
    _check(os.path.join(path, KEY_FILE), modes.S_ISREG, 0o077)
    file = directory.open(KEY_FILE)
    try:
        if file.size != KEY_BYTES:
            raise _Unusable(f"it is not {KEY_BYTES} bytes long")
        return file.read(0, KEY_BYTES)
    finally:
        file.close()


def _make_key(directory: DiskDirectory, path: str) -> None:
    from index_format import IndexLocked, new_file

    for _ in range(_LOCK_TRIES):
        try:
            lock = directory.lock(_LOCK)
            break
        except IndexLocked:
            time.sleep(_LOCK_RETRY_SECONDS)
    else:
        raise _Unusable("another process has locked it")
    try:
        if not os.path.lexists(os.path.join(path, KEY_FILE)):
            with new_file(directory, KEY_FILE, _TEMPORARY) as file:
                file.write(os.urandom(KEY_BYTES))
    finally:
        lock.release()


def _check(path: str, is_kind: Callable[[int], bool], refused_mode: int) -> None:
    """Raise `_Unusable` for anything of another kind, of another user, or open to others."""
    status = os.lstat(path)
    if not is_kind(status.st_mode):
        raise _Unusable("something else is in its place")
    if sys.platform == "win32":  # Windows uses access lists, and the user's own directories are private
        return
    if status.st_uid != os.geteuid():
        raise _Unusable("it belongs to another user")
    if status.st_mode & refused_mode:
        raise _Unusable("others may read or write it")
    if modes.S_ISREG(status.st_mode) and status.st_nlink != 1:
        raise _Unusable("it has hard links")


def _is_below(path: str, root: str) -> bool:
    try:
        return os.path.commonpath([os.path.abspath(path), os.path.abspath(root)]) == os.path.abspath(root)
    except ValueError:  # different drives
        return False
