"""The changes in some directories as Linux reports them (inotify).

Each directory is watched by itself, so ignored and denied ones cost nothing and no symbolic link is followed.
A change is in the queue when the call that made it returns: an empty queue means that nothing has changed.
Its entries are

    i32 watch | u32 mask | u32 cookie | u32 bytes of the name | name, padded with NUL

Left out on purpose: which directories to watch, and what happened to a name.
"""

from __future__ import annotations

import os
import select
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

from repo_mcp.workspace.git.index import INDEX, INDEX_PATH

EVENT = struct.Struct("@iIII")
assert EVENT.size == 16
READ_BYTES = 64 * 1024  # read at once: a thousand events

_MODIFY, _ATTRIBUTES, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF, _OVERFLOW = 0x100, 0x200, 0x400, 0x800, 0x4000
_ONLY_DIRECTORIES, _DO_NOT_FOLLOW, _NOT_UNLINKED = 0x0100_0000, 0x0200_0000, 0x0400_0000
_OF_NAMES = _MODIFY | _ATTRIBUTES | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_OF_DIRECTORY = _DELETE_SELF | _MOVE_SELF
_WATCHED = _OF_NAMES | _OF_DIRECTORY | _ONLY_DIRECTORIES | _DO_NOT_FOLLOW | _NOT_UNLINKED


@cache
def has_inotify() -> bool:
    """Return True where Linux reports changes itself. In WSL it reports none of Windows' files."""
    if sys.platform != "linux" or "microsoft" in os.uname().release.lower():
        return False
    return hasattr(_load_library(), "inotify_init1")


class ChangeQueue:
    """The changes in some directories since it was made. For one thread, except `is_empty` and `wake`."""

    def __init__(self, root: str, directories: Iterable[str], git_directory: str = "") -> None:
        """Watch these directories, relative to the root, "" for itself. Raises OSError.

        `git_directory` is watched if it can be, for changes of Git's index alone.
        """
        library = _load_library()
        self._descriptor = _check(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._woken = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._directories: dict[int, str] = {}
        self._git_watch: int | None = None
        self._poll = select.poll()
        try:
            for one in directories:
                place = os.fsencode(os.path.join(root, one))
                watch = _check(library.inotify_add_watch(self._descriptor, place, _WATCHED))
                self._directories[watch] = one
            if git_directory:
                place = os.fsencode(os.path.join(root, git_directory))
                with suppress(OSError):
                    self._git_watch = _check(library.inotify_add_watch(self._descriptor, place, _WATCHED))
            for descriptor in (self._descriptor, self._woken):
                self._poll.register(descriptor, select.POLLIN)
        except BaseException:
            self.close()
            raise

    @property
    def is_empty(self) -> bool:
        """Return True when nothing has changed that was not read."""
        from fcntl import ioctl
        from termios import FIONREAD

        # Not by `poll`: its object serves one thread at a time.
        return not any(ioctl(self._descriptor, FIONREAD, bytes(4)))

    def wait(self, seconds: float) -> None:
        """Wait for changes, or for `wake`."""
        self._poll.poll(seconds * 1000)
        with suppress(BlockingIOError):
            os.eventfd_read(self._woken)

    def wake(self) -> None:
        """End a wait, now or the next one."""
        os.eventfd_write(self._woken, 1)

    def read(self) -> frozenset[str] | None:
        """Return the changed paths, relative to the root, without waiting; None when any may have changed."""
        found: set[str] = set()
        is_known = True
        while True:
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                return frozenset(found) if is_known else None
            offset = 0
            while offset < len(data):
                watch, mask, _cookie, size = EVENT.unpack_from(data, offset)
                offset += EVENT.size
                name = data[offset : offset + size].rstrip(b"\0").decode("utf-8", "replace")
                offset += size
                directory = self._directories.get(watch, "")
                if watch == self._git_watch:
                    found |= {INDEX_PATH} if name == INDEX else set()
                elif mask & _OF_NAMES:
                    found.add(f"{directory}/{name}" if directory else name)
                elif mask & _OF_DIRECTORY and directory:
                    found.add(directory)
                else:  # the queue overflowed, or the root is gone; the end of a watch was reported before
                    is_known &= not mask & (_OVERFLOW | _OF_DIRECTORY)

    def close(self) -> None:
        """Watch nothing any more."""
        os.close(self._descriptor)
        os.close(self._woken)


def _check(result: int) -> int:
    """Return the result of a call. Raises OSError when it failed."""
    if result < 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@cache
def _load_library() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
