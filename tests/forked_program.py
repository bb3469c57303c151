"""The program in a process of its own, forked from one that has imported it, which saves half a second.

The process that is forked from is started by the first test that needs it, has no threads and runs nothing
itself. The child has the environment, the directory and the streams of the caller, and goes on as
`python -m repo_mcp` from its first line to the interpreter's end; only imports were done before. A variable
that Python itself reads when it starts (`STARTING`) needs a real start, and gets it.

What must not be shared, the imports themselves, is tested by `tests/repo_mcp/test_launch.py` and by every
test of a server.
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
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
STARTING = {"PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LC_CTYPE", "LANG"}
PATIENCE_SECONDS = 120.0
_LARGEST_REQUEST = 1 << 20


def run_program(
    arguments: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Return how `python -m repo_mcp ARGUMENTS` ended and what it said."""
    command = [sys.executable, "-m", "repo_mcp", *arguments]
    if sys.platform != "linux" or any(env[name] != os.environ.get(name) for name in STARTING & env.keys()):
        return subprocess.run(
            command,
            cwd=cwd,
            env={"PYTHONPATH": str(PROJECT)} | dict(env),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            input=given,
            check=False,
        )
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        told.write(given.encode())
        told.seek(0)
        code = _ask_mother(arguments, cwd, env, [told.fileno(), out.fileno(), err.fileno()])
        said, complained = (io.TextIOWrapper(one, "utf-8") for one in (out, err))
        for stream in (said, complained):
            stream.seek(0)
        return subprocess.CompletedProcess(command, code, said.read(), complained.read())


def _ask_mother(arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str], streams: list[int]) -> int:
    env = {"PYTHONPATH": str(PROJECT)} | dict(env)
    mother = _start_mother(os.getpid())
    mother.settimeout(PATIENCE_SECONDS)
    request = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": env}).encode()
    socket.send_fds(mother, [request], streams)
    pid = json.loads(mother.recv(100))
    try:
        code = json.loads(mother.recv(100))
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        mother.recv(100)
        raise
    assert isinstance(code, int)
    return code


@cache
def _start_mother(_pid: int) -> socket.socket:
    """One for each process that runs tests; it ends when the other end of its socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONWARNINGS": "error"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked_program", str(theirs.fileno())],
        cwd=PROJECT,
        env=environment,
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


# In the other process


def _import_all() -> None:
    from repo_mcp.config.server_config import choose_instructions

    choose_instructions()
    import repo_mcp

    for module in pkgutil.walk_packages(repo_mcp.__path__, "repo_mcp."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # of another system, or of a wheel that is not there
                continue


def _serve(asking: socket.socket) -> None:
    """Fork for each request; returns in a child, which is to run the program, and exits in the end."""
    while True:
        data, streams, _, _ = socket.recv_fds(asking, _LARGEST_REQUEST, 3)
        if not data:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            asking.close()
            _become(json.loads(data), streams)
            return
        for stream in streams:
            os.close(stream)
        asking.send(json.dumps(pid).encode())
        asking.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _become(request: dict[str, Any], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    given, said, complained = (io.FileIO(number, mode, closefd=False) for number, mode in enumerate("rww"))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(given), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(said), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(complained), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.argv = ["repo_mcp", *request["arguments"]]


if __name__ == "__main__":
    asked = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    gc.collect()
    gc.freeze()
    _serve(asked)
    runpy.run_module("repo_mcp", run_name="__main__", alter_sys=True)
