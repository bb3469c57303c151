"""A layer between the program and the file system, in which the N-th operation on one directory goes wrong.

    layer = FaultLayer("/path/to/data", Fault.ENOSPC, operation=17, sticky=True)
    layer.install()          # for good: in a process that is made for it

Counted are the operations that change the directory's files: open to create, write, sync, rename, delete,
make and remove a directory; by path, by descriptor, or by a name beneath a descriptor. `operation` 0 lets
all pass, and `count` says how many there were. It works on the unmodified program, which calls `os` by name.

    KILL      the process is gone, without a word
    SHORT     a write takes half of what it was given; no error
    others    the system refuses, with that error; a write has taken half before it does

Left out on purpose: what is lost when the power goes. `tests/index_format/failing_directory.py` has that,
for the format alone.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from enum import Enum
from typing import Any


class Fault(Enum):
    """What happens."""

    KILL = "kill"
    SHORT = "short"
    EIO = errno.EIO
    ENOSPC = errno.ENOSPC
    EDQUOT = errno.EDQUOT
    EROFS = errno.EROFS
    EMFILE = errno.EMFILE


class FaultLayer:
    """Counts and fails the operations on the files of one directory, in this process."""

    def __init__(self, place: str, fault: Fault, operation: int, *, sticky: bool = False) -> None:
        self.count = 0
        self.names: list[str] = []  # of the operations, in order
        self._place = os.path.realpath(place)
        self._fault = fault
        self._operation = operation
        self._sticky = sticky

    def install(self) -> None:
        """Put the layer in place of the functions of `os`."""
        os.open = self._wrap("open", os.open, self._is_creation)  # type: ignore[assignment]
        os.write = self._wrap_write(os.write)
        os.fsync = self._wrap("fsync", os.fsync, self._holds_descriptor)
        for name in ("replace", "rename"):
            setattr(os, name, self._wrap(name, getattr(os, name), self._is_rename))
        for name in ("unlink", "mkdir", "rmdir"):
            setattr(os, name, self._wrap(name, getattr(os, name), self._is_change))

    def _wrap(self, name: str, real: Callable[..., Any], concerns: Callable[..., bool]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if concerns(*arguments, **named) and self._is_due(name):
                self._fail()
            return real(*arguments, **named)

        return call

    def _wrap_write(self, real: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
        def write(descriptor: int, data: Any) -> int:
            if not (self._holds_descriptor(descriptor) and self._is_due("write")):
                return real(descriptor, data)
            view = memoryview(data)
            written = real(descriptor, view[: len(view) // 2])
            if self._fault is not Fault.SHORT:
                self._fail()
            return written or real(descriptor, view)  # of one byte there is no half

        return write

    def _is_due(self, name: str) -> bool:
        self.count += 1
        self.names.append(name)
        if not self._operation:
            return False
        return self.count == self._operation or (self._sticky and self.count > self._operation)

    def _fail(self) -> None:
        if self._fault is Fault.KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._fault is not Fault.SHORT:
            number = int(self._fault.value)
            raise OSError(number, os.strerror(number))

    def _is_creation(self, path: Any, flags: int, *_: Any, dir_fd: int | None = None, **__: Any) -> bool:
        return bool(flags & os.O_CREAT) and self._holds(path, dir_fd)

    def _is_rename(self, source: Any, _target: Any, *, src_dir_fd: int | None = None, **_: Any) -> bool:
        return self._holds(source, src_dir_fd)

    def _is_change(self, path: Any, *_: Any, dir_fd: int | None = None, **__: Any) -> bool:
        return self._holds(path, dir_fd)

    def _holds(self, path: Any, dir_fd: int | None) -> bool:
        if isinstance(path, int):
            return self._holds_descriptor(path)
        name = os.fsdecode(path)
        base = os.getcwd() if dir_fd is None else _name_descriptor(dir_fd)
        return self._is_inside(os.path.normpath(os.path.join(base, name)))

    def _holds_descriptor(self, descriptor: int) -> bool:
        return self._is_inside(_name_descriptor(descriptor))

    def _is_inside(self, path: str) -> bool:
        return path == self._place or path.startswith(self._place + os.sep)


def _name_descriptor(descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""
