"""The child's side of a listing ahead of the first walk: the directories of a root, the last ones first.

It begins before the walk, and lists from the end while the walk comes from the front, so neither waits for
the other. It reads names and status beneath open directories, and no contents. Links are not followed, and
hidden directories not entered. A directory is left to the walk if it contains anything but plain files and
directories, or a file that changed a moment ago. The walk also lists each directory whose names are not
exactly those that an earlier walk admitted; so no rules are needed here.

A frame describes some directories:

    u32 bytes of text | text | for each file four numbers of 64 bits: size, mtime_ns, ctime_ns, inode
    text: for each directory its path, the names of files and the names of directories, each ended by "\0";
    each name is ended by "/", and names ascend
"""

from __future__ import annotations

import os
import signal
import struct
import time
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from multiprocessing.connection import Connection
from operator import attrgetter

from repo_mcp.storage.held_directory import HeldDirectory

FRAME_NUMBERS = 8_000  # numbers of 2,000 files
MAX_DEPTH = 128
MAX_ENTRIES = 500_000  # a third of a second for 80,000; of more, most are ignored by some rule
SETTLED_NS = 2_000_000_000  # since the last change of a file: no later one can have the same time
_SIZE = struct.Struct("<I")
_OPEN = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)

_get_name = attrgetter("name")
_get_numbers = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


def serve(frames: Connection, root: HeldDirectory) -> None:
    """Send the listings of a root until all are sent, or nobody reads them any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    with suppress(OSError):
        send_listings(frames, root)
    frames.close()


def send_listings(frames: Connection, root: HeldDirectory) -> None:
    """Send the listings of a root. Raises OSError."""
    opened = root.get()
    if opened.descriptor is not None:
        lister = _Lister(frames)
        lister.list_below(os.open(".", _OPEN, dir_fd=opened.descriptor), "", 0)
        lister.send()


class _Lister:
    """One run over a root."""

    def __init__(self, frames: Connection) -> None:
        self._frames = frames
        self._settled = time.time_ns() - SETTLED_NS
        self._text: list[str] = []
        self._numbers = array("q")
        self._entries = 0

    def send(self) -> None:
        """Send what was listed since the last frame. Raises OSError."""
        text = "".join(self._text).encode()
        self._frames.send_bytes(b"".join((_SIZE.pack(len(text)), text, self._numbers.tobytes())))
        self._text, self._numbers = [], array("q")

    def list_below(self, directory: int, path: str, depth: int) -> None:
        """List a directory and all below it, and close its descriptor. Raises OSError if nobody reads."""
        try:
            with suppress(FileNotFoundError, PermissionError):
                prefix = f"{path}/" if path else ""
                for name in self._list_one(directory, path):
                    if depth < MAX_DEPTH and self._entries < MAX_ENTRIES:
                        with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
                            self.list_below(os.open(name, _OPEN, dir_fd=directory), prefix + name, depth + 1)
        finally:
            os.close(directory)

    def _list_one(self, directory: int, path: str) -> list[str]:
        """List one directory; return the directories in it that may be walked, the last one first."""
        with os.scandir(directory) as listed:
            entries = sorted(listed, key=_get_name)
        self._entries += len(entries)
        files = [one for one in entries if one.is_file(follow_symlinks=False)]
        names = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
        if len(files) + len(names) == len(entries) and all(map(_is_plain, map(_get_name, entries))):
            self._send(path, files, names)
        return sorted(filter(_is_plain, names), key=_with_slash, reverse=True)

    def _send(self, path: str, files: list[os.DirEntry[str]], directories: list[str]) -> None:
        """Add a directory to the next frame, unless a file in it has just changed."""
        stats = [one.stat(follow_symlinks=False) for one in files]
        try:
            rows = array("q", chain.from_iterable(map(_get_numbers, stats)))
        except OverflowError:  # the walk wraps such numbers around
            return
        if max(rows[1::4], default=0) >= self._settled or max(rows[2::4], default=0) >= self._settled:
            return
        self._numbers += rows
        self._text += (path, "\0", *_end_names(map(_get_name, files)), "\0", *_end_names(directories), "\0")
        if len(self._numbers) > FRAME_NUMBERS:
            self.send()


def _end_names(names: Iterable[str]) -> Iterator[str]:
    """Yield names, each followed by a slash."""
    return chain.from_iterable(zip(names, repeat("/")))


def _is_plain(name: str) -> bool:
    """Return True for a name that is not hidden and the same in every locale."""
    return name[0] != "." and name.isascii()


def _with_slash(name: str) -> str:
    """Return the sort key of a directory's name, as in the walk."""
    return name + "/"
