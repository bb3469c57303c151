"""Faults of the system below a data directory: calls that change it are counted, and the N-th goes wrong.

    with Faults(data_dir, Mode.FAIL, operation=7, number=errno.ENOSPC):
        repository.refresh()

The functions of `os` that the program uses are patched, so the program itself is as shipped. Counted are
writes, syncs, renames, deletions, changes of mode, new files, and directories made or removed, for paths
below the directory, through whatever descriptor. Reads are not touched. An `operation` of 0 lets all pass;
`count` says how many there were.

    FAIL      the system refuses with an error number; a write has written half before
    KILL      the process is gone at once; a write has written half
    SHORT     a write writes half of its bytes, and says so
    RECORD    nothing goes wrong; operations are recorded

With `sticky` every later operation goes wrong as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any

KILLED = 137
_PATCHED = ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "chmod", "fchmod")


class Mode(Enum):
    """The event at the N-th operation."""

    FAIL = "it fails with an error number"
    KILL = "the process is gone"
    SHORT = "it takes half of what it is given, if it is a write"
    RECORD = "nothing: operations are written down"


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of the directory, as the program asked for it."""

    kind: str  # create, write, sync, rename, delete, mkdir, rmdir, mode
    path: str  # relative to the directory; of a sync of a directory, that
    data: bytes = b""
    target: str = ""


@dataclass(slots=True)
class Faults:
    """Patches `os` while it is entered."""

    place: Path
    mode: Mode = Mode.FAIL
    operation: int = 0  # from 1
    number: int = 0  # an errno
    sticky: bool = False
    count: int = 0
    record: list[Operation] = field(default_factory=list)
    _before: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def __enter__(self) -> Faults:
        self._before = {name: getattr(os, name) for name in _PATCHED}
        os.open = self._open  # type: ignore[assignment]
        os.write = self._write
        os.fsync = self._fsync
        os.replace = os.rename = self._rename  # type: ignore[assignment]
        os.unlink = self._unlink  # type: ignore[assignment]
        os.mkdir = self._mkdir  # type: ignore[assignment]
        os.rmdir = self._rmdir  # type: ignore[assignment]
        os.chmod = self._chmod  # type: ignore[assignment]
        os.fchmod = self._fchmod
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, function in self._before.items():
            setattr(os, name, function)

    def _find(self, path: Any, dir_fd: int | None = None) -> str | None:
        """Return the path relative to the directory; None for one outside, and for what has no path."""
        if isinstance(path, int):
            name = os.readlink(f"/proc/self/fd/{path}").removesuffix(" (deleted)")
        else:
            name = os.fsdecode(path)
            if dir_fd is not None:
                name = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), name)
        if name.startswith(("pipe:", "socket:", "anon_inode:")):
            return None
        inside = os.path.relpath(os.path.abspath(name), self.place)
        return None if inside.startswith("..") else inside

    def _is_due(self, operation: Operation) -> bool:
        """Count an operation; return whether this one goes wrong."""
        self.count += 1
        if self.mode is Mode.RECORD:
            self.record.append(operation)
            return False
        return self.count == self.operation or (self.sticky and 0 < self.operation < self.count)

    def _fail(self) -> None:
        if self.mode is Mode.KILL:
            os._exit(KILLED)
        if self.mode is Mode.FAIL:
            raise OSError(self.number, os.strerror(self.number))

    def _step(self, kind: str, inside: str | None, target: str = "") -> None:
        if inside is not None and self._is_due(Operation(kind, inside, target=target)):
            self._fail()

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT:
            self._step("create", self._find(path, dir_fd))
        descriptor: int = self._before["open"](path, flags, mode, dir_fd=dir_fd)
        return descriptor

    def _write(self, descriptor: int, data: Any) -> int:
        inside = self._find(descriptor)
        write = self._before["write"]
        if inside is None or not self._is_due(Operation("write", inside, bytes(data))):
            whole: int = write(descriptor, data)
            return whole
        view = memoryview(data)
        half: int = write(descriptor, view[: len(view) // 2])
        self._fail()
        return half or write(descriptor, view)  # of one byte there is no half

    def _fsync(self, descriptor: int) -> None:
        self._step("sync", self._find(descriptor))
        self._before["fsync"](descriptor)

    def _rename(
        self, source: Any, target: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        self._step("rename", self._find(source, src_dir_fd), self._find(target, dst_dir_fd) or "")
        self._before["replace"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        self._step("delete", self._find(path, dir_fd))
        self._before["unlink"](path, dir_fd=dir_fd)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        self._step("mkdir", self._find(path, dir_fd))
        self._before["mkdir"](path, mode, dir_fd=dir_fd)

    def _rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        self._step("rmdir", self._find(path, dir_fd))
        self._before["rmdir"](path, dir_fd=dir_fd)

    def _chmod(self, path: Any, mode: int, **named: Any) -> None:
        self._step("mode", self._find(path, named.get("dir_fd")))
        self._before["chmod"](path, mode, **named)

    def _fchmod(self, descriptor: int, mode: int) -> None:
        self._step("mode", self._find(descriptor))
        self._before["fchmod"](descriptor, mode)
