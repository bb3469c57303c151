"""Faults of the system below a data directory: every call that changes it is counted, the N-th goes wrong.

    with Faults(data_dir, Mode.FAIL, operation=7, number=errno.ENOSPC):
        repository.refresh()

Patches the functions of `os` that the program uses, so that the program itself is as it is shipped. What is
counted: writes, syncs, new files, renames, deletions and new directories of paths below the directory, by
whatever descriptor they are reached. Reads go through untouched.
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


class Mode(Enum):
    """What happens at the N-th operation."""

    COUNT = "nothing: operations are counted"
    FAIL = "it fails with an error number"
    STICKY = "it and all later ones fail"
    KILL = "the process is gone"
    SHORT = "every write takes half of what it is given"
    RECORD = "nothing: operations are written down"


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of the directory, as it was asked for."""

    kind: str  # create, write, sync, rename, delete, mkdir
    path: str  # relative to the directory; of a sync of a directory, that
    data: bytes = b""
    target: str = ""


@dataclass(slots=True)
class Faults:
    """Patches `os` while it is entered."""

    place: Path
    mode: Mode = Mode.COUNT
    operation: int = 0  # from 1
    number: int = 0  # an errno
    count: int = 0
    record: list[Operation] = field(default_factory=list)
    _before: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def __enter__(self) -> Faults:
        for name in ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir"):
            self._before[name] = getattr(os, name)
        os.open = self._open  # type: ignore[assignment]
        os.write = self._write
        os.fsync = self._fsync
        os.replace = os.rename = self._rename  # type: ignore[assignment]
        os.unlink = self._unlink  # type: ignore[assignment]
        os.mkdir = self._mkdir  # type: ignore[assignment]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, function in self._before.items():
            setattr(os, name, function)

    def _find(self, path: Any, dir_fd: int | None = None) -> str | None:
        """The path below the directory, relative to it; None outside."""
        if isinstance(path, int):
            name = os.readlink(f"/proc/self/fd/{path}").removesuffix(" (deleted)")
        else:
            name = os.fsdecode(path)
            if dir_fd is not None:
                name = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), name)
        absolute = os.path.abspath(name)
        inside = os.path.relpath(absolute, self.place)
        return None if inside.startswith("..") else inside

    def _step(self, operation: Operation) -> None:
        self.count += 1
        if self.mode is Mode.RECORD:
            self.record.append(operation)
        hit = self.count == self.operation
        if self.mode is Mode.KILL and hit:
            os._exit(KILLED)
        if (self.mode is Mode.FAIL and hit) or (self.mode is Mode.STICKY and self.count >= self.operation):
            raise OSError(self.number, os.strerror(self.number))

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        inside = self._find(path, dir_fd) if flags & os.O_CREAT else None
        if inside is not None:
            self._step(Operation("create", inside))
        descriptor: int = self._before["open"](path, flags, mode, dir_fd=dir_fd)
        return descriptor

    def _write(self, descriptor: int, data: Any) -> int:
        inside = self._find(descriptor)
        if inside is not None:
            self._step(Operation("write", inside, bytes(data)))
            if self.mode is Mode.SHORT and len(data) > 1:
                data = memoryview(data)[: len(data) // 2]
        written: int = self._before["write"](descriptor, data)
        return written

    def _fsync(self, descriptor: int) -> None:
        inside = self._find(descriptor)
        if inside is not None:
            self._step(Operation("sync", inside))
        self._before["fsync"](descriptor)

    def _rename(
        self, source: Any, target: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        inside, to = self._find(source, src_dir_fd), self._find(target, dst_dir_fd)
        if inside is not None and to is not None:
            self._step(Operation("rename", inside, target=to))
        self._before["replace"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        inside = self._find(path, dir_fd)
        if inside is not None:
            self._step(Operation("delete", inside))
        self._before["unlink"](path, dir_fd=dir_fd)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        inside = self._find(path, dir_fd)
        if inside is not None:
            self._step(Operation("mkdir", inside))
        self._before["mkdir"](path, mode, dir_fd=dir_fd)
