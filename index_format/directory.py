"""The only file access of the package: a flat directory of files, on disk or in memory.

Names are plain (no separator). A file is created once, appended to, synced and closed; afterwards
it is only read, at positions (never mapped: a truncated map kills the process by SIGBUS, a short
read is an error we can raise), replaced as a whole, or deleted. Files are private to the user.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Protocol

from index_format.errors import CorruptIndex, IndexLocked

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
MakeTag = Callable[[bytes], bytes]  # what the owner alone can make of bytes, in TAG_BYTES of `seals`
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class ReadableFile(Protocol):
    """A file opened for positional reads."""

    name: str
    size: int  # bytes, when it was opened
    identity: tuple[int, ...]  # changes whenever the file does; empty where that cannot be told

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        ...

    def close(self) -> None:
        """Give the file back; further reads fail."""
        ...


class WritableFile(Protocol):
    """A new file that grows at its end."""

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`. Raises OSError."""
        ...

    def sync(self) -> None:
        """Return when the bytes are on the medium. After an OSError the file must be abandoned."""
        ...

    def close(self) -> None:
        """Give the file back."""
        ...


class Directory(Protocol):
    """A flat directory of files."""

    make_tag: MakeTag | None  # by which its owner knows what he wrote; None: nothing is sealed

    def list_names(self) -> list[str]:
        """The names of the regular files, sorted."""
        ...

    def open(self, name: str) -> ReadableFile:
        """Raises FileNotFoundError, CorruptIndex, or an OSError that is not about the content."""
        ...

    def create(self, name: str) -> WritableFile:
        """A new, empty file; what has the name already is deleted first."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Atomically give the file another name, replacing what has it."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file if it is there."""
        ...

    def sync(self) -> None:
        """Return when created, renamed and deleted names are on the medium."""
        ...

    def lock(self, name: str) -> Lock:
        """Take the writer's lock without waiting. Raises IndexLocked when another holds it."""
        ...


class Lock(Protocol):
    """A lock that is held until it is released or the process dies."""

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        ...


class DiskFile:
    """A file on disk, read at positions."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.identity: tuple[int, ...] = (
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )
        self._seek_lock = threading.Lock()

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        data = self._read_at(offset, size)
        if len(data) != size:
            raise CorruptIndex(f"{self.name}: {len(data)} bytes at {offset}, {size} expected")
        return data

    def _read_at(self, offset: int, size: int) -> bytes:
        if sys.platform == "win32":
            with self._seek_lock:  # no pread there
                os.lseek(self._descriptor, offset, os.SEEK_SET)
                return os.read(self._descriptor, size)
        data = os.pread(self._descriptor, size, offset)
        while 0 < len(data) < size and (
            more := os.pread(self._descriptor, size - len(data), offset + len(data))
        ):
            data += more  # one read returns 2 GiB at most
        return data

    def close(self) -> None:
        """Give the file back; further reads fail."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            self.close()


class NewDiskFile:
    """A file on disk that grows at its end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`. Raises OSError."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def sync(self) -> None:
        """Return when the bytes are on the medium. After an OSError the file must be abandoned."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Give the file back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class DiskLock:
    """An exclusive lock of the operating system on a file that is never deleted.

    `flock`, not `fcntl.lockf`: the latter is lost when any descriptor of the file is closed.
    """

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.release()
            raise IndexLocked(f"{name}: another process is writing this index") from error

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def check_name(name: str) -> None:
    """Raises CorruptIndex for a name that could lead out of a directory."""
    if name in ("", ".", "..") or any(character in "/\\:\0" for character in name):
        raise CorruptIndex(f"{name!r} is not a plain file name")


class DiskDirectory:
    """A directory on disk, entered anew for each access.

    Neither the directory nor a file in it is ever reached through a symbolic link, and what is no
    regular file is refused.
    """

    def __init__(self, path: str, *, create: bool = False, make_tag: MakeTag | None = None) -> None:
        """Raises OSError when it is not a directory, is a symbolic link, or cannot be made."""
        if create and not os.path.lexists(path):
            os.makedirs(path, mode=DIRECTORY_MODE, exist_ok=True)
            os.chmod(path, DIRECTORY_MODE)  # whatever the umask took away
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(f"{os.path.basename(path)} is not a directory")
        self._path = path
        self.make_tag = make_tag

    @contextmanager
    def _enter(self) -> Iterator[int | None]:
        """A descriptor of the directory to find names from; None where there is no such thing."""
        if sys.platform == "win32":
            yield None
            return
        descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | NO_FOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _place(self, name: str) -> str:
        """What a call that is given the descriptor must be given as the name."""
        check_name(name)
        return os.path.join(self._path, name) if sys.platform == "win32" else name

    def _open(self, name: str, flags: int) -> int:
        """A descriptor of a regular file, private to the user when it is made."""
        flags |= getattr(os, "O_NONBLOCK", 0) | NO_FOLLOW  # a FIFO must not keep us waiting
        with self._enter() as here:
            descriptor = os.open(self._place(name), flags, FILE_MODE, dir_fd=here)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a regular file", name)
        if flags & os.O_CREAT and stat.S_IMODE(status.st_mode) != FILE_MODE and sys.platform != "win32":
            self._make_private(descriptor, status)
        return descriptor

    def _clear(self, name: str) -> None:
        """Give what has the name and is no regular file another: it is not ours, and nothing is lost."""
        with self._enter() as here, suppress(FileNotFoundError):
            if stat.S_ISREG(os.lstat(self._place(name), dir_fd=here).st_mode):
                return
            taken = set(os.listdir(self._path if here is None else here))
            aside = next(one for one in map(f"{name}.aside-{{}}".format, count(1)) if one not in taken)
            os.rename(self._place(name), self._place(aside), src_dir_fd=here, dst_dir_fd=here)

    def _make_private(self, descriptor: int, status: os.stat_result) -> None:
        """Give a file the mode that the umask, or whoever put it there, did not. It may have another name."""
        if status.st_uid == os.geteuid() and status.st_nlink == 1:
            os.fchmod(descriptor, FILE_MODE)

    def list_names(self) -> list[str]:
        """The names of the regular files, sorted."""
        with self._enter() as here, os.scandir(self._path if here is None else here) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))

    def open(self, name: str) -> DiskFile:
        """Raises FileNotFoundError, CorruptIndex for a link or another thing that is no regular file,
        or another OSError that is not about the content."""
        try:
            return DiskFile(name, self._open(name, os.O_RDONLY))
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ELOOP, errno.ENXIO):  # the last: a socket
                raise CorruptIndex(f"{name}: not a regular file") from error
            raise

    def create(self, name: str) -> WritableFile:
        """A new, empty file; what has the name already is deleted first, or gets another if it is no file."""
        self._clear(name)
        self.delete(name)
        return NewDiskFile(self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))

    def rename(self, source: str, target: str) -> None:
        """Atomically give the file another name, replacing what has it."""
        self._clear(target)
        with self._enter() as here:
            os.replace(self._place(source), self._place(target), src_dir_fd=here, dst_dir_fd=here)

    def delete(self, name: str) -> None:
        """Delete a file if it is there."""
        with self._enter() as here, suppress(FileNotFoundError):
            os.unlink(self._place(name), dir_fd=here)

    def sync(self) -> None:
        """Return when created, renamed and deleted names are on the medium."""
        with self._enter() as here:
            if here is not None:  # Windows cannot open a directory for this; NTFS journals names
                os.fsync(here)

    def lock(self, name: str) -> DiskLock:
        """Take the writer's lock without waiting. Raises IndexLocked when another holds it."""
        self._clear(name)
        return DiskLock(self._open(name, os.O_RDWR | os.O_CREAT), name)


class MemoryFile:
    """A file in memory: readable, and growing while it is new."""

    def __init__(self, name: str, data: bytearray) -> None:
        self.name = name
        self._data = data
        self.size = len(data)
        self.identity: tuple[int, ...] = ()

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        data = bytes(self._data[offset : offset + size])
        if len(data) != size:
            raise CorruptIndex(f"{self.name}: {len(data)} bytes at {offset}, {size} expected")
        return data

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`."""
        self._data += data

    def sync(self) -> None:
        """Nothing to wait for."""

    def close(self) -> None:
        """Nothing to give back."""


class MemoryLock:
    """A lock among the users of one MemoryDirectory."""

    def __init__(self, held: set[str], name: str) -> None:
        if name in held:
            raise IndexLocked(f"{name}: another writer holds this index")
        held.add(name)
        self._held = held
        self._name = name

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        self._held.discard(self._name)


class MemoryDirectory:
    """A directory in memory, with the same promises."""

    def __init__(self, *, make_tag: MakeTag | None = None) -> None:
        self.make_tag = make_tag
        self.files: dict[str, bytearray] = {}
        self._locks: set[str] = set()

    def list_names(self) -> list[str]:
        """The names of the files, sorted."""
        return sorted(self.files)

    def open(self, name: str) -> MemoryFile:
        """Raises FileNotFoundError."""
        return MemoryFile(name, self._get(name))

    def _get(self, name: str) -> bytearray:
        check_name(name)
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "no such file", name)
        return self.files[name]

    def create(self, name: str) -> MemoryFile:
        """A new, empty file; what has the name already is deleted first."""
        check_name(name)
        self.files[name] = bytearray()
        return MemoryFile(name, self.files[name])

    def rename(self, source: str, target: str) -> None:
        """Give the file another name, replacing what has it."""
        check_name(target)
        data = self._get(source)
        del self.files[source]
        self.files[target] = data

    def delete(self, name: str) -> None:
        """Delete a file if it is there."""
        check_name(name)
        self.files.pop(name, None)

    def sync(self) -> None:
        """Nothing to wait for."""

    def lock(self, name: str) -> MemoryLock:
        """Take the writer's lock without waiting. Raises IndexLocked when another holds it."""
        check_name(name)
        lock = MemoryLock(self._locks, name)
        self.files.setdefault(name, bytearray())
        return lock


@contextmanager
def new_file(directory: Directory, name: str, temporary: str) -> Iterator[WritableFile]:
    """A file that appears under `name`, whole and synced, when the block ends well, and else not at all."""
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
