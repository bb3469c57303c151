"""The repository reader's system calls on POSIX: one name at a time, beneath an open directory.

Every function takes the descriptor of a directory and one name in it, never a path of several
components, so there is no string that could be checked and then opened as something else. What is no
such name is refused with PATH_INVALID: a path from an index file cannot be trusted to hold only names, and
`..` must not reach the kernel. No function follows a symbolic link. All raise `OSError`, which
`repository_reader.py` translates for clients. `windows.py` offers the same functions on Windows.

Names are passed to the kernel as UTF-8 bytes, so that the locale of the process cannot change which
file a path means.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from operator import attrgetter

from repo_mcp.workspace.reader.client_paths import explain_no_name

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO returns at once instead of waiting for its writer.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NAMES_ARE_UTF8 = sys.getfilesystemencoding() == "utf-8"


def _encode(name: str) -> bytes:
    """Return one name as the kernel takes it. Raises RepoError with PATH_INVALID for an invalid one."""
    try:
        if name not in ("", ".", "..") and "/" not in name and "\0" not in name:
            return name.encode()
    except UnicodeEncodeError:  # unpaired surrogates
        pass
    raise explain_no_name()


def open_root(path: str) -> int:
    """Return a descriptor of the root. Links are followed only here: the operator named the root."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_directory(parent: int, name: str) -> int:
    """Return a descriptor of the real directory `name` in `parent`."""
    return os.open(_encode(name), _DIRECTORY_FLAGS, dir_fd=parent)


def duplicate(directory: int) -> int:
    """Return a second descriptor of an open directory, which is closed separately."""
    return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)


def open_file(parent: int, name: str) -> int:
    """Return a descriptor of `name`, whatever its kind: the caller must check that before reading."""
    return os.open(_encode(name), _FILE_FLAGS, dir_fd=parent)


def lstat(parent: int, name: str) -> os.stat_result:
    """Return the status of the entry itself, without following a link."""
    return os.stat(_encode(name), dir_fd=parent, follow_symlinks=False)


def read_link(parent: int, name: str) -> str:
    """Return the target of a symbolic link; bytes that are not UTF-8 become surrogates."""
    return os.readlink(_encode(name), dir_fd=parent).decode("utf-8", "surrogateescape")


def scan(directory: int) -> list[os.DirEntry[str]]:
    """Return the entries of an open directory, in the system's order. Raises OSError for no descriptor."""
    if directory < 0:  # Python takes -1 for the current directory
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    with os.scandir(directory) as entries:
        return list(entries)


def _decode_name(entry: os.DirEntry[str]) -> str:
    """Return the entry's name; bytes that are not UTF-8 become surrogates in every locale."""
    return os.fsencode(entry.name).decode("utf-8", "surrogateescape")


entry_name: Callable[[os.DirEntry[str]], str] = attrgetter("name") if _NAMES_ARE_UTF8 else _decode_name


def directory_stat(directory: int) -> os.stat_result:
    """Return the status of an open directory."""
    return os.fstat(directory)


close_directory = os.close  # takes the descriptor
