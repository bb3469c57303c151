"""Directories entered by descriptor: those that the operator named, and our own below them.

A path can come to mean something else while a server runs: a checkout makes `.repo_mcp` a link to another
directory, or a root is moved away and another takes its name. So a named directory (`HeldDirectory`) is
opened once, and is no longer entered when its path leads to another. A directory of ours (`OwnDirectory`) is
looked up by its name, in the directory above it, each time it is entered: a link is refused, and if it is
gone, it is made again, private, in that directory only.

Both can be sent to worker processes, which open the same directories or none. Windows cannot open anything
relative to a directory, so paths are used there after the same comparisons; an exchange between the
comparison and the use is not noticed.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Admit = Callable[["OpenedDirectory"], None]  # raises OSError for one that must not be used

MODE = 0o700
HAS_DESCRIPTORS = os.open in os.supports_dir_fd  # False on Windows
MOVED = "a directory was moved, replaced or deleted"
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_OPEN_OWN = _OPEN | getattr(os, "O_NOFOLLOW", 0)
_OPEN_NAMED = _OPEN | getattr(os, "O_PATH", 0)  # needs no right to read, as nothing is listed through it
_LAST_STREAM = 2  # standard error
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT, a link of Windows that looks like a directory


class OpenedDirectory:
    """A directory as it was entered. Its descriptor stays open for as long as somebody refers to this."""

    __slots__ = ("descriptor", "identity", "path")

    def __init__(self, path: str, descriptor: int | None, status: os.stat_result) -> None:
        """Take a descriptor, or None where the system enters directories by path alone."""
        self.path = path
        self.descriptor = descriptor
        self.identity = identify(status)

    def locate(self, name: str) -> str:
        """Return the path of an entry, for a call that also gets `descriptor` as its `dir_fd`."""
        return name if self.descriptor is not None else os.path.join(self.path, name)

    def lstat(self, name: str) -> os.stat_result:
        """Return the status of the entry itself. Raises OSError."""
        return os.stat(self.locate(name), dir_fd=self.descriptor, follow_symlinks=False)

    def __del__(self) -> None:
        if getattr(self, "descriptor", None) is not None:
            os.close(self.descriptor)  # type: ignore[arg-type]


class HeldDirectory:
    """A directory that the operator named. Links in its path are followed."""

    def __init__(self, path: str, *, may_change: bool = False) -> None:
        """Open the directory, an absolute path. Raises OSError, and ValueError for anything but a path.

        With `may_change` the path may later name another directory, and is created again if it vanishes: only
        for paths that no repository can replace.
        """
        self.path = path
        self._may_change = may_change
        self._opened: OpenedDirectory | None = _open(path, path, None)
        self.identity = self._opened.identity

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_opened": None}

    def get(self) -> OpenedDirectory:
        """Return the directory that was opened, wherever it is now.

        In a worker process, and after `close`, it is opened again by its path. Raises OSError then, with
        ESTALE if the path leads to another directory.
        """
        opened = self._opened
        if opened is None:
            opened = _open(self.path, self.path, None)
            if opened.identity != self.identity:
                raise OSError(errno.ESTALE, MOVED)
            self._opened = opened
        return opened

    def enter(self, *, create: bool = False) -> OpenedDirectory:
        """Return the directory if its path still leads to it. Raises OSError, with ESTALE if it does not."""
        try:
            found = os.stat(self.path)
            is_same = (found.st_dev, found.st_ino) == self.identity
            if is_same and self._opened is not None:
                return self._opened
        except OSError:
            is_same = False
            if create and self._may_change:
                os.makedirs(self.path, mode=MODE, exist_ok=True)
        if not is_same:
            if not self._may_change:
                raise OSError(errno.ESTALE, MOVED)
            self._opened = _open(self.path, self.path, None)
            self.identity = self._opened.identity
        return self.get()

    def close(self) -> None:
        """Close the descriptor. Entering the directory later opens it again."""
        self._opened = None


class OwnDirectory:
    """A directory of ours, directly in another."""

    def __init__(self, above: HeldDirectory | OwnDirectory, name: str, admit: Admit | None = None) -> None:
        """Open and make nothing. `admit` is asked about each directory that is met under this name."""
        self.path: str = os.path.join(above.path, name)
        self._above = above
        self._name = name
        self._admit = admit
        self._opened: OpenedDirectory | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_opened": None}

    def enter(self, *, create: bool = False) -> OpenedDirectory:
        """Return the directory that has the name now; `create` creates it, with its parents, if missing.

        Raises FileNotFoundError, NotADirectoryError for a link or anything else, and OSError.
        """
        above = self._above.enter(create=create)
        opened, descriptor = self._opened, above.descriptor
        if opened is not None and descriptor is not None:  # ours still has its name, nearly always
            try:
                found = os.stat(self._name, dir_fd=descriptor, follow_symlinks=False)
                if opened.identity == (found.st_dev, found.st_ino):
                    return opened
            except FileNotFoundError:
                pass
        try:
            status = above.lstat(self._name)
        except FileNotFoundError:
            if not create:
                raise
            self._make(above)
            status = above.lstat(self._name)
        _check_kind(status)
        if opened is None or opened.identity != identify(status):
            opened = _open(self.path, above.locate(self._name), above.descriptor)
            if self._admit is not None:
                self._admit(opened)
            self._opened = opened
        return opened

    def _make(self, above: OpenedDirectory) -> None:
        """Make the directory with MODE, whatever the umask. Another process may do the same."""
        try:
            os.mkdir(above.locate(self._name), MODE, dir_fd=above.descriptor)
        except FileExistsError:
            return
        if above.lstat(self._name).st_mode & 0o777 != MODE and sys.platform != "win32":
            # A umask that takes rights from their own user: without them there is nothing to open.
            os.chmod(above.locate(self._name), MODE, dir_fd=above.descriptor)

    def close(self) -> None:
        """Close the descriptor. Entering the directory later opens it again."""
        self._opened = None


def identify(status: os.stat_result) -> tuple[int, int]:
    """Return what tells a directory from all others that exist at the same time."""
    return (status.st_dev, status.st_ino)


def _check_kind(status: os.stat_result) -> None:
    """Raise NotADirectoryError for anything but a real directory."""
    if modes.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        raise NotADirectoryError(errno.ENOTDIR, "a symbolic link is where the data directory was")
    if not modes.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "something else is where the data directory was")


def _open(path: str, place: str, above: int | None) -> OpenedDirectory:
    """Open the directory `place`, which is relative to `above` if there is one, and then no link."""
    if not HAS_DESCRIPTORS:
        status = os.stat(place)
        if not modes.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory")
        return OpenedDirectory(path, None, status)
    descriptor = os.open(place, _OPEN_NAMED if above is None else _OPEN_OWN, dir_fd=above)
    if descriptor <= _LAST_STREAM:  # one of them is closed, which its user must find out
        import fcntl

        taken, descriptor = descriptor, fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LAST_STREAM + 1)
        os.close(taken)
    return OpenedDirectory(path, descriptor, os.fstat(descriptor))
