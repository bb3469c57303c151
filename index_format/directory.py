"""The directory in which an index lives: flat, with files that are written once.

Names are plain (no separator). A file is created once, appended to, synced and closed; afterwards
it is only read at positions, replaced as a whole, or deleted.

Left out on purpose: where the files are (`disk_directory.py`, `memory_directory.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Protocol

MakeTag = Callable[[bytes], bytes]  # a tag of TAG_BYTES (seals.py) that only the owner can compute
Copied = Callable[[bytes], object]  # called with each block of a copy
_COPIED_BYTES = 1 << 18  # Bytes copied at a time: with a digest, a third faster than 1 << 20 (fits no cache)


class TransferMethod(Enum):
    """The way in which a directory got a file of another one."""

    LINKED = 1  # two names of one file
    CLONED = 2  # a new file that shares the blocks of the other; no bytes were read
    COPIED = 3


class ReadableFile(Protocol):
    """A file opened for positional reads."""

    name: str
    size: int  # bytes, when the file was opened
    identity: tuple[int, ...]  # changes whenever the file does; empty where this is unknown

    def read(self, offset: int, size: int) -> bytes:
        """Return exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        ...

    def close(self) -> None:
        """Close the file; further reads fail."""
        ...


class WritableFile(Protocol):
    """A new file that grows at its end."""

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`. Raises OSError."""
        ...

    def sync(self) -> None:
        """Wait until the bytes are on the medium. After an OSError the file must be abandoned."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Directory(Protocol):
    """A flat directory of files."""

    make_tag: MakeTag | None  # authenticates what the owner wrote; None: nothing is sealed

    def list_names(self) -> list[str]:
        """Return the names of the regular files, sorted."""
        ...

    def open(self, name: str) -> ReadableFile:
        """Open a file to read. Raises FileNotFoundError, CorruptIndex, OSError for other faults."""
        ...

    def identify(self, name: str) -> tuple[int, ...]:
        """Return numbers that change whenever the file does, without opening it.

        Empty where that is not certain: there is no such file, it changed a moment ago, or files have no
        identity here.
        """
        ...

    def create(self, name: str) -> WritableFile:
        """Create an empty file, deleting any file of that name first. Raises CorruptIndex, OSError."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Rename a file atomically, replacing any file named `target`. Raises CorruptIndex, OSError."""
        ...

    def take(self, name: str, source: Directory, copied: Copied = lambda _block: None) -> TransferMethod:
        """Make a file of another directory available here under the same name, replacing any of that name.

        Neither file may be written to afterwards. If it is copied, `copied` is called with each block, in
        order, once it is written. Raises FileNotFoundError, CorruptIndex, OSError.
        """
        ...

    def delete(self, name: str) -> None:
        """Delete a file if it exists. Raises CorruptIndex, OSError."""
        ...

    def sync(self) -> None:
        """Wait until created, renamed and deleted names are on the medium. Raises OSError."""
        ...

    def lock(self, name: str) -> Lock:
        """Take the writer's lock without waiting. Raises IndexLocked when it is held already."""
        ...


class EnteredDirectory(Protocol):
    """A directory that is open for as long as this is referred to."""

    descriptor: int | None  # None where the system enters directories by path alone


class DirectoryHolder(Protocol):
    """An object that knows which directory a path means, and refuses any other."""

    path: str  # absolute

    def enter(self, *, create: bool = False) -> EnteredDirectory:
        """Return the directory, with `create` made if it is missing. Raises OSError."""
        ...


class Lock(Protocol):
    """A lock that is held until it is released or its process dies."""

    def release(self) -> None:
        """Release the lock. Calling it again does nothing."""
        ...


def copy_file(file: ReadableFile, target: WritableFile, copied: Copied) -> None:
    """Copy a file into a new one, which is synced and closed. Raises CorruptIndex when it is cut, OSError."""
    try:
        for start in range(0, file.size, _COPIED_BYTES):
            block = file.read(start, min(_COPIED_BYTES, file.size - start))
            target.write(block)
            copied(block)
        target.sync()
    finally:
        target.close()


@contextmanager
def new_file(directory: Directory, name: str, temporary: str) -> Iterator[WritableFile]:
    """Yield a file that appears as `name`, whole and synced, only if the block succeeds. Raises OSError."""
    file = directory.create(temporary)
    try:
        yield file
        file.sync()
        file.close()
        directory.rename(temporary, name)
    except BaseException:
        with suppress(OSError):
            file.close()
        with suppress(OSError):
            directory.delete(temporary)
        raise
