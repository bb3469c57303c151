"""The only file access of the package: a directory on disk, its files and its lock.

A file is never mapped: a truncated map kills the process by SIGBUS, while a short read is an error we can
raise. Files are private to the user.
"""

from __future__ import annotations

import errno
import filecmp
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from index_format.directory import (
    Copied,
    Directory,
    DirectoryHolder,
    MakeTag,
    TransferMethod,
    WritableFile,
    copy_file,
)
from index_format.errors import CorruptIndex, IndexLocked

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
# A file may be replaced twice within one tick of its times, and get its first inode again. FAT's clock ticks
# every two seconds, the coarsest in use.
SETTLED_NS = 2_000_000_000
_LEADING_OUT = frozenset("/\\:\0")
_PAUSES = (0.001, 0.004, 0.016, 0.064, 0.256, 0.5, 0.5)  # seconds; a manifest is read in less than one
_CLONE = 0x40049409  # FICLONE of Linux: btrfs, XFS, bcachefs
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class DiskFile:
    """A file on disk, read at positions."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.identity, self.device = _describe_identity(status), status.st_dev
        self._seek_lock = threading.Lock()

    def read(self, offset: int, size: int) -> bytes:
        """Return exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        data = self._read_at(offset, size)
        if len(data) != size:
            raise CorruptIndex(f"{self.name}: {len(data)} bytes at {offset}, {size} expected")
        return data

    def _read_at(self, offset: int, size: int) -> bytes:
        if sys.platform == "win32":
            with self._seek_lock:  # Windows has no pread
                os.lseek(self._descriptor, offset, os.SEEK_SET)
                return os.read(self._descriptor, size)
        data = os.pread(self._descriptor, size, offset)
        while 0 < len(data) < size and (
            more := os.pread(self._descriptor, size - len(data), offset + len(data))
        ):
            data += more  # one read returns 2 GiB at most
        return data

    def clone_to(self, target: WritableFile) -> bool:
        """Let a new file share the blocks of this one, and close it; False where the system cannot."""
        try:
            if sys.platform != "linux" or not isinstance(target, NewDiskFile):
                return False
            import fcntl

            fcntl.ioctl(target.descriptor, _CLONE, self._descriptor)
            target.sync()
            return True
        except OSError:  # nearly all file systems
            return False
        finally:
            target.close()

    def close(self) -> None:
        """Close the file; further reads fail."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            self.close()


class NewDiskFile:
    """A file on disk that grows at its end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`. Raises OSError."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.descriptor, view) :]

    def sync(self) -> None:
        """Wait until the bytes are on the medium. After an OSError the file must be abandoned."""
        os.fsync(self.descriptor)

    def close(self) -> None:
        """Close the file."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class DiskLock:
    """An exclusive lock of the operating system on a file that is never deleted.

    `flock`, not `fcntl.lockf`: the latter is lost when any descriptor of the file is closed. Creating a lock
    raises IndexLocked when it is held already.
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
        """Release the lock. Calling it again does nothing."""
        if self._descriptor >= 0:
            if sys.platform != "win32":
                import fcntl

                with suppress(OSError):  # closing alone waits for copies: a starting process has one
                    fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = -1


def _describe_identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def check_name(name: str) -> None:
    """Raise CorruptIndex for a name that could lead out of a directory."""
    if name in ("", ".", "..") or not _LEADING_OUT.isdisjoint(name):
        raise CorruptIndex(f"{name!r} is not a plain file name")


class DiskDirectory:
    """A directory on disk, opened anew by its path for each access, or entered through its holder.

    Neither the directory nor a file in it is ever reached through a symbolic link. Only regular files are
    opened.
    """

    def __init__(
        self, path: str | DirectoryHolder, *, create: bool = False, make_tag: MakeTag | None = None
    ) -> None:
        """Raise OSError when the path is not a directory, is a symbolic link, or cannot be created."""
        self._holder = None if isinstance(path, str) else path
        self.path = path if isinstance(path, str) else path.path
        self.make_tag = make_tag
        if self._holder is not None:
            self._holder.enter(create=create)
            return
        if create and not os.path.lexists(self.path):
            with suppress(FileExistsError):
                os.mkdir(self.path, DIRECTORY_MODE)
            os.chmod(self.path, DIRECTORY_MODE)  # undo the umask
        if not stat.S_ISDIR(os.lstat(self.path).st_mode):
            raise NotADirectoryError(f"{os.path.basename(self.path)} is not a directory")

    @contextmanager
    def _enter(self) -> Iterator[int | None]:
        """Yield a descriptor of the directory for relative access; None on Windows, which has none."""
        if self._holder is not None:
            entered = self._holder.enter()
            yield entered.descriptor
            return
        if sys.platform == "win32":
            yield None
            return
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | NO_FOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _place(self, name: str, directory_fd: int | None) -> str:
        """Return the path to use with the descriptor of `_enter`."""
        check_name(name)
        return os.path.join(self.path, name) if directory_fd is None else name

    def _open(self, name: str, flags: int) -> int:
        """Return a descriptor of a regular file, private to the user when newly created."""
        flags |= getattr(os, "O_NONBLOCK", 0) | NO_FOLLOW  # opening a FIFO must not block
        with self._enter() as directory_fd:
            descriptor = os.open(self._place(name, directory_fd), flags, FILE_MODE, dir_fd=directory_fd)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a regular file", name)
        if flags & os.O_CREAT and stat.S_IMODE(status.st_mode) != FILE_MODE and sys.platform != "win32":
            self._make_private(descriptor, status)
        return descriptor

    def _clear(self, name: str) -> None:
        """Rename whatever has this name and is not a regular file: it is not ours, and nothing is lost."""
        with self._enter() as directory_fd, suppress(FileNotFoundError):
            if stat.S_ISREG(os.lstat(self._place(name, directory_fd), dir_fd=directory_fd).st_mode):
                return
            taken = set(os.listdir(self.path if directory_fd is None else directory_fd))
            aside = next(one for one in map(f"{name}.aside-{{}}".format, count(1)) if one not in taken)
            source, target = self._place(name, directory_fd), self._place(aside, directory_fd)
            os.rename(source, target, src_dir_fd=directory_fd, dst_dir_fd=directory_fd)

    def _make_private(self, descriptor: int, status: os.stat_result) -> None:
        """Set FILE_MODE on our file, unless it also has another name (a hard link)."""
        if status.st_uid == os.geteuid() and status.st_nlink == 1:
            os.fchmod(descriptor, FILE_MODE)

    def list_names(self) -> list[str]:
        """Return the names of the regular files, sorted. Raises OSError."""
        with (
            self._enter() as directory_fd,
            os.scandir(self.path if directory_fd is None else directory_fd) as entries,
        ):
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))

    def open(self, name: str) -> DiskFile:
        """Open a file to read. Raises FileNotFoundError, CorruptIndex for anything but a regular file.

        Any other OSError is passed on and says nothing about the content.
        """
        try:
            return DiskFile(name, self._open(name, os.O_RDONLY))
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ELOOP, errno.ENXIO):  # ENXIO: a socket
                raise CorruptIndex(f"{name}: not a regular file") from error
            raise

    def identify(self, name: str) -> tuple[int, ...]:
        """Return numbers that change whenever the file does, without opening it.

        Empty where that is not certain: there is no such file, it changed less than SETTLED_NS ago by this
        machine's clock, or the platform gives no inodes.
        """
        try:
            with self._enter() as directory_fd:
                status = os.stat(self._place(name, directory_fd), dir_fd=directory_fd, follow_symlinks=False)
        except OSError:
            return ()
        is_settled = max(status.st_mtime_ns, status.st_ctime_ns) < time.time_ns() - SETTLED_NS
        return _describe_identity(status) if is_settled and status.st_ino else ()

    def open_to_append(self, name: str) -> int:
        """Return a descriptor that reads, and writes at the end; the file is created if it is missing.

        The caller closes it. Raises CorruptIndex (bad name), OSError for anything but a regular file.
        """
        return self._open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT)

    def create(self, name: str) -> WritableFile:
        """Create an empty file. A file of that name is deleted, anything else is renamed.

        Raises CorruptIndex, OSError.
        """
        self._clear(name)
        self.delete(name)
        return NewDiskFile(self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))

    def rename(self, source: str, target: str) -> None:
        """Rename a file atomically, replacing any file named `target`. Raises CorruptIndex, OSError."""
        self._clear(target)
        with self._enter() as directory_fd:
            _replace(self._place(source, directory_fd), self._place(target, directory_fd), directory_fd)

    def take(self, name: str, source: Directory, copied: Copied = lambda _block: None) -> TransferMethod:
        """Clone a file of another directory, or else link it, or else copy it. See `Directory`.

        Neither a clone nor a link takes room, but a clone leaves the times of the other file alone. Raises
        FileNotFoundError, CorruptIndex, OSError.
        """
        file = source.open(name)
        try:
            if isinstance(file, DiskFile) and isinstance(source, DiskDirectory):
                if file.clone_to(DiskDirectory.create(self, name)):
                    return TransferMethod.CLONED
                if self._link(name, source):
                    return TransferMethod.LINKED
            copy_file(file, self.create(name), copied)
            return TransferMethod.COPIED
        finally:
            file.close()

    def _link(self, name: str, source: DiskDirectory) -> bool:
        """Give a file of another directory a name here; False where the system cannot."""
        self.delete(name)
        with self._enter() as directory_fd, source._enter() as there:
            found, wanted = source._place(name, there), self._place(name, directory_fd)
            follow = os.link not in os.supports_follow_symlinks  # Windows has no choice
            try:
                os.link(found, wanted, src_dir_fd=there, dst_dir_fd=directory_fd, follow_symlinks=follow)
            except FileNotFoundError:
                raise
            except (OSError, NotImplementedError):  # another file system, or one without hard links
                return False
        return True

    def delete(self, name: str) -> None:
        """Delete a file if it exists. Raises CorruptIndex for a bad name, OSError."""
        with self._enter() as directory_fd, suppress(FileNotFoundError):
            os.unlink(self._place(name, directory_fd), dir_fd=directory_fd)

    def sync(self) -> None:
        """Wait until created, renamed and deleted names are on the medium. Raises OSError."""
        with self._enter() as directory_fd:
            if directory_fd is not None:  # Windows cannot sync a directory; NTFS journals names
                os.fsync(directory_fd)

    def lock(self, name: str) -> DiskLock:
        """Take the writer's lock without waiting. Raises IndexLocked, CorruptIndex (bad name), OSError."""
        self._clear(name)
        return DiskLock(self._open(name, os.O_RDWR | os.O_CREAT), name)


def _replace(source: str, target: str, directory: int | None) -> None:
    """Rename a file atomically.

    Windows refuses while a reader has `target` open. A segment, which is read for long, is named by its
    content and may stay when it has the same bytes; a manifest is read in a moment, which is waited for.
    """
    if sys.platform == "win32":
        for pause in _PAUSES:
            try:
                os.replace(source, target)
            except PermissionError:
                if filecmp.cmp(source, target, shallow=False):
                    return os.unlink(source)
                time.sleep(pause)
            else:
                return None
    return os.replace(source, target, src_dir_fd=directory, dst_dir_fd=directory)
