"""`subprocess.Popen` for programs of ours, forked from a process that has imported them.

The process that is forked (the mother) is started by the first test that needs it, has no threads and runs
nothing itself. A forked program has the environment, the directory and the streams of the caller, and runs as
`python -m repo_mcp ...` or `python -c CODE ...` would, from the first line to the last exit handler. It
differs in two points: its imports are done already, which saves half a second, and modules are not torn down
one by one, which saves a tenth. A program that needs another option of Python, or a variable that Python
reads when it starts, is started as a new process. Children of forked programs are forked, too
(`tests/forked_children.py`), except in `make deep`.

Nothing is synced in a check (`tests/unsynced.py`).

Imports and what they cost are tested with the real `subprocess`: `tests/repo_mcp/safety/test_launch.py`,
`tests/repo_mcp/stdio/test_server_end.py`, `tests/repo_mcp/process`, the configurations of `tests/examples`
and, by `make deep`, all of `tests/deep`; servers of the SDK's client are forked, too (`tests/forked_sdk.py`).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import types
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.compiled_first import compile_first
from tests.deep.sizes import IS_DEEP
from tests.forked_children import fork_own_children, start_forking
from tests.growth import HANG_SECONDS

PROJECT = Path(__file__).resolve().parents[1]
STARTING = {"PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LC_CTYPE", "LANG"}
PATIENCE_SECONDS = 120.0
START = "from repo_mcp.server import main; raise SystemExit(main())"
# The same, but what waits for another process or a build gives up after half a second instead of 5 or 20.
IMPATIENT = f"""
from repo_mcp.indexing import indexer
from repo_mcp.live import derived_index
from repo_mcp.repository import whole_index
from repo_mcp.symbol_index import named_files
indexer.LOCK_WAIT_SECONDS = whole_index.OTHER_SECONDS = named_files.JOIN_SECONDS = 0.5
derived_index.RETRY_SECONDS = 0.5
{START}"""
# The same, but what waits for the first files waits as long as a test may: under load they take their time.
PATIENT = f"""
from repo_mcp.indexing import building
from repo_mcp.live import live_index
building.PATIENCE_SECONDS = live_index.FIRST_FILES_SECONDS = {HANG_SECONDS}
{START}"""
# What imports the SDK, which takes longer than all else together: imported once a program serves HTTP.
OF_HTTP = ("repo_mcp.protocol.http.server", "repo_mcp.protocol.sdk_server")
_LARGEST_REQUEST = 1 << 20
_NUMBER = struct.Struct("<i")


def run_program(
    arguments: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Return how `python -m repo_mcp ARGUMENTS` ended and what it said."""
    return run_python(["-m", "repo_mcp", *arguments], cwd=cwd, env=env, given=given)


def run_python(
    arguments: list[str], *, cwd: Path, env: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Return how `python ARGUMENTS` ended and what it said."""
    command = [sys.executable, *arguments]
    pipe = subprocess.PIPE
    with popen(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            said, complained = process.communicate(given, timeout=PATIENCE_SECONDS)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


def popen(
    command: list[str], *, env: Mapping[str, str], forks_children: bool = True, **options: Any
) -> subprocess.Popen[Any]:
    """Start a program as `subprocess.Popen` does. It can import the project.

    Without `forks_children` its children are real ones: in its process group, under its limits.
    """
    env = {"PYTHONPATH": str(PROJECT)} | dict(env)
    if _can_fork(command, env):
        return _Forked(command, forks_children=forks_children, env=env, **options)
    return subprocess.Popen(command, env=env, **options)


def _can_fork(command: list[str], env: Mapping[str, str]) -> bool:
    is_usual = command[0] == sys.executable and (command[1] == "-c" or command[1:3] == ["-m", "repo_mcp"])
    is_here = env["PYTHONPATH"] == str(PROJECT)
    starts_alike = all(env.get(name) == os.environ.get(name) for name in STARTING & env.keys())
    return sys.platform == "linux" and is_usual and is_here and starts_alike


class _Forked(subprocess.Popen[Any]):
    """A process that is no child of this one: the mother reports its number and how it ended, over a pipe."""

    def __init__(self, command: list[str], *, forks_children: bool, **options: Any) -> None:
        is_hardened = "--harden" in command  # and so are children of its own
        self._forks_children = forks_children and not is_hardened and not IS_DEEP
        super().__init__(command, **options)

    def _execute_child(self, command: list[str], *options: Any) -> None:
        cwd, env = options[4], options[5]
        pipes = options[9:15]
        given, said, complained = (
            own if own != -1 else inherited for inherited, own in enumerate((pipes[0], pipes[3], pipes[5]))
        )
        self._told, telling = os.pipe()
        mother = _start_mother(os.getpid())
        request = {
            "command": command,
            "cwd": os.fspath(cwd or os.getcwd()),
            "env": env,
            "starts_session": options[20],
            "forks_children": self._forks_children,
        }
        socket.send_fds(mother, [json.dumps(request).encode()], [given, said, complained, telling])
        os.close(telling)
        (self.pid,) = _NUMBER.unpack(os.read(self._told, _NUMBER.size))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._told], [], [], 0)[0]:
            return 0, 0
        (status,) = _NUMBER.unpack(os.read(self._told, _NUMBER.size))
        os.close(self._told)
        return self.pid, status

    def _internal_poll(self, *_: object, **__: object) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


@cache
def _start_mother(_pid: int) -> socket.socket:
    """Start the mother for this process; she ends when our end of her socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


# In the mother


def _import_all() -> None:
    from repo_mcp.config.environment import prepare_numpy

    prepare_numpy()
    import repo_mcp

    for module in pkgutil.walk_packages(repo_mcp.__path__, "repo_mcp."):
        if not module.name.endswith("__main__") and module.name not in OF_HTTP:
            _import(module.name)
    importlib.import_module("tests.unsynced")
    compile_first()


def _import(name: str) -> None:
    with suppress(ImportError):  # of another system, or of a wheel that is not there
        importlib.import_module(name)


def _serve(asking: socket.socket) -> list[str]:
    """Fork for each request. Returns only in forked processes, with the command that they are to run."""
    running: dict[int, int] = {}  # the pipe that tells how a process ends, by its number
    ended, waking = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([asking, ended], [], [])
        if ended in ready:
            os.read(ended, _LARGEST_REQUEST)
            _tell_ends(running)
        if asking not in ready:
            continue
        data, streams, _, _ = socket.recv_fds(asking, _LARGEST_REQUEST, 4)
        if not data:
            os._exit(0)
        request = json.loads(data)
        if "http" in request["command"]:
            for name in OF_HTTP:
                _import(name)
        *streams, telling = streams
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for descriptor in (asking.detach(), ended, waking, telling, *running.values()):
                os.close(descriptor)
            return _become(request, streams)
        running[pid] = telling
        os.write(telling, _NUMBER.pack(pid))
        for stream in streams:
            os.close(stream)


def _tell_ends(running: dict[int, int]) -> None:
    """Tell of each process that has ended how it did."""
    for pid in list(running):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            telling = running.pop(pid)
            with suppress(BrokenPipeError):  # nobody wants to know any more
                os.write(telling, _NUMBER.pack(status))
            os.close(telling)


def _become(request: dict[str, Any], streams: list[int]) -> list[str]:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if request["starts_session"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    if not {"LC_ALL", "LC_CTYPE", "LANG"} & os.environ.keys():
        os.environ["LC_CTYPE"] = "C.UTF-8"  # as Python does when it starts (PEP 538)
    if os.environ.get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    given, said, complained = (io.FileIO(number, mode, closefd=False) for number, mode in enumerate("rww"))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(given), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(said), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(complained), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    if request["forks_children"]:
        fork_own_children()
    command: list[str] = request["command"]
    return command


def _run(command: list[str]) -> None:
    if command[1] == "-m":
        sys.argv = ["repo_mcp", *command[3:]]
        runpy.run_module("repo_mcp", run_name="__main__", alter_sys=True)
    else:
        sys.argv = ["-c", *command[3:]]
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        exec(compile(command[2], "<string>", "exec"), main.__dict__)


def _run_to_the_end(command: list[str]) -> None:
    """Run the command, and end the process where the interpreter would begin to tear down modules."""
    code = 0
    try:
        _run(command)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the interpreter has words and a code for that
        raise SystemExit(code) from None
    os._exit(code & 0xFF)


if __name__ == "__main__":
    asked = socket.socket(fileno=int(sys.argv[1]))
    start_forking()
    _import_all()
    gc.collect()
    gc.freeze()
    _run_to_the_end(_serve(asked))
