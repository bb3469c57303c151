"""Asks the operating system to forbid things to this process and its children, irrevocably.

`limit_dumps` is always called: a core dump would hold text of files. `harden` is called with `--harden`, on a
Linux kernel with Landlock (5.13 or later). From then on this process and its children can open, list, create
and delete files only where a rule allows it, and start only the interpreter. With Linux 6.2 they cannot
truncate others either, with 6.7 not bind or connect TCP sockets, with 6.10 not control devices, with 6.12 not
signal outside processes or reach their abstract Unix sockets. They cannot gain privileges. This program needs
none of that, so this is a second wall behind the repository reader, which holds for native parsers too.

    READ      the roots; the user's key; Python's directories and the system's libraries; /proc
    WRITE     the data directories; the null device; files in /dev/shm, where workers have their locks
    EXECUTE   the interpreter, and the loader that its file names

Landlock has no rule for the rest, which stays possible: to learn that a file exists, its size and times
(stat); to change mode, owner, times and attributes of files that the user owns; UDP, raw and Unix sockets; to
start what was written to memory (memfd); to open a file in /dev/shm by its name.

Landlock binds the calling thread and the threads and processes it starts, so it must precede every other
thread. Where one runs already, nothing is done, and the result says so. Left out on purpose: other systems'
means, and seccomp, which could forbid the rest but breaks with each new version of an interpreter.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from repo_mcp.late_patterns import compile_late

OFF = "off"
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # since Linux 5.13, on every architecture
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38  # option of prctl(2)

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_TRUNCATE = 1 << 14
_READ = _READ_FILE | _READ_DIR
_CHANGE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _TRUNCATE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE  # all that a rule for a single file may allow
# By the ABI that introduced them: all access to files, all access to TCP, scoping to the own domain.
_FILE_BITS = ((1, 13), (2, 14), (3, 15), (5, 16))
_TCP_ABI, _SCOPE_ABI = 4, 6
_TCP, _SCOPES = 0b11, 0b11

_LOCKS = _READ_FILE | _WRITE_FILE | _MAKE_FILE | _REMOVE_FILE  # what sem_open(3) and sem_unlink(3) need

_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/ld.so.cache", "/etc/localtime")
_DEVICES = (("/dev/null", _READ_FILE | _WRITE_FILE), ("/dev/urandom", _READ_FILE), ("/dev/shm", _LOCKS))
_ELF_HEADERS_BYTES = 4096
_LOADER = compile_late(rb"\0(/[^\0]{1,200})\0")  # the first path in the headers of a program (PT_INTERP)

_state = OFF


class _Unavailable(Exception):
    """The reason why this process cannot be hardened, in words for people."""


def limit_dumps() -> None:
    """Forbid core dumps of this process and its children."""
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def is_available() -> bool:
    """Return whether `harden` would have an effect in a new process."""
    return _find_abi() > 0


def describe_hardening() -> str:
    """Return what is in force: `off`, `on: …`, or `unavailable: …` if it was requested in vain."""
    return _state


def harden(roots: Sequence[str], data_dirs: Sequence[str], readable: Sequence[str] = ()) -> str:
    """Forbid what is not needed, as far as Landlock can, and return the new `describe_hardening()`.

    Call it before starting any thread. All paths are absolute; one that does not exist stays forbidden.
    """
    global _state  # noqa: PLW0603  (the state belongs to the process)
    try:
        _state = f"on: {_restrict(roots, data_dirs, readable)}"
    except _Unavailable as fault:
        _state = f"unavailable: {fault}"
    return _state


if sys.platform == "linux":

    def _restrict(roots: Sequence[str], data_dirs: Sequence[str], readable: Sequence[str]) -> str:
        """Return a description of what is in force. Raises `_Unavailable` when nothing is."""
        import ctypes

        call, abi = _load_syscall(), _find_abi()
        if abi < 1:
            raise _Unavailable("the kernel has no Landlock, or it is switched off")
        if len(os.listdir("/proc/self/task")) > 1:
            raise _Unavailable("other threads are already running")
        handled = (1 << max(bits for since, bits in _FILE_BITS if since <= abi)) - 1
        ruleset = _create_ruleset(call, abi, handled)
        try:
            for path, access in _list_rules(roots, data_dirs, readable):
                _allow(call, ruleset, path, access & handled)
            _forbid_privileges()
            if call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)):
                raise _Unavailable("the kernel refused")
        finally:
            os.close(ruleset)
        return f"Landlock, ABI {abi}"

    def _find_abi() -> int:
        """Return the kernel's Landlock ABI version; below 1 when there is none."""
        import ctypes

        return _load_syscall()(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))

    def _load_syscall() -> Callable[..., int]:
        import ctypes

        syscall = ctypes.CDLL(None, use_errno=True).syscall
        syscall.restype = ctypes.c_long
        return syscall

    def _create_ruleset(call: Callable[..., int], abi: int, handled: int) -> int:
        """Return a descriptor of an empty ruleset. What it handles is forbidden unless a rule allows it."""
        import ctypes

        attributes = struct.pack("<Q", handled)
        if abi >= _TCP_ABI:
            attributes += struct.pack("<Q", _TCP)
        if abi >= _SCOPE_ABI:
            attributes += struct.pack("<Q", _SCOPES)
        size = ctypes.c_size_t(len(attributes))
        ruleset = call(_CREATE_RULESET, ctypes.c_char_p(attributes), size, ctypes.c_uint32(0))
        if ruleset < 0:
            raise _Unavailable("the kernel refused")
        return ruleset

    def _allow(call: Callable[..., int], ruleset: int, path: str, access: int) -> None:
        """Add a rule for a path; none when the path does not exist."""
        import ctypes

        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            if not os.path.isdir(path):
                access &= _OF_FILES
            rule = struct.pack("<Qi", access, descriptor)
            arguments = (ctypes.c_int(_PATH_BENEATH), ctypes.c_char_p(rule), ctypes.c_uint32(0))
            if call(_ADD_RULE, ctypes.c_int(ruleset), *arguments):
                raise _Unavailable("the kernel refused a rule")
        finally:
            os.close(descriptor)

    def _forbid_privileges() -> None:
        import ctypes

        if ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise _Unavailable("privileges cannot be given up")

else:

    def _find_abi() -> int:
        return 0

    def _restrict(roots: Sequence[str], data_dirs: Sequence[str], readable: Sequence[str]) -> str:
        """Raise `_Unavailable`: there is no Landlock here."""
        raise _Unavailable("only Linux has Landlock")


def _list_rules(
    roots: Iterable[str], data_dirs: Iterable[str], readable: Iterable[str]
) -> Iterable[tuple[str, int]]:
    """Yield paths and the access allowed beneath them."""
    yield from ((path, _READ) for path in (*roots, *readable))
    yield from ((path, _CHANGE) for path in data_dirs)
    python = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path)
    yield from ((path, _READ) for path in sorted({*python, *_SYSTEM}) if os.path.isabs(path))
    yield from ((path, _READ_FILE | _EXECUTE) for path in _list_programs(sys.executable))
    yield from _DEVICES
    yield "/proc", _READ  # a child reads its own memory use; other users' entries stay closed to it


def _list_programs(interpreter: str) -> tuple[str, ...]:
    """Return the files that the kernel executes when it starts the interpreter, its loader included.

    They are those of the system, if the interpreter cannot be read: a worker must be able to start.
    """
    try:
        with open(interpreter, "rb") as program:
            headers = program.read(_ELF_HEADERS_BYTES)
    except OSError:
        headers = b""
    if not headers.startswith(b"\x7fELF"):
        return (interpreter, *_SYSTEM)
    loader = _LOADER.search(headers)
    return (interpreter,) if loader is None else (interpreter, os.fsdecode(loader[1]))
