"""Forked programs behave as started ones: output, exit codes, signals, streams, time limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.forked import _Forked, popen, run_program

PROJECT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="started for real elsewhere")
ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "ODD": "ü"}
Start = Callable[..., Any]
CODES = {
    "an exit code": "raise SystemExit(7)",
    "an error": "import sys; print('out'); print('err', file=sys.stderr); 1 // 0",
    "words": "import sys; print(sys.argv); raise SystemExit('no')",
    "surroundings": "import os; print(os.getcwd(), os.environ['ODD'], sorted(os.environ)[:2])",
    "input": "print(input().upper())",
    "an end of the interpreter": "import atexit; atexit.register(print, 'late'); print(__name__)",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "an interruption": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "a closed output": "import sys; sys.stdout.close()",
    "an output that nobody takes": "import os; print(1); os.dup2(os.open('/dev/full', os.O_WRONLY), 1)",
    "bytes": "import sys; sys.stdout.buffer.write(b'\\xff')",
    "a thread": "import threading; threading.Timer(0.05, print, ['from a thread']).start()",
    "a child of its own": "import subprocess; print(subprocess.run(['true']).returncode)",
}


def run(start: Start, code: str, place: Path) -> tuple[int, bytes, bytes]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, "one", "--two"]
    with start(command, env=ENVIRONMENT, cwd=place, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        said, complained = process.communicate(b"given\n", timeout=120)
    return process.returncode, said, complained


@pytest.mark.parametrize("name", CODES)
def test_it_ends_and_says_as_one_that_was_started(tmp_path: Path, name: str) -> None:
    forked = run(popen, CODES[name], tmp_path)
    started = run(subprocess.Popen, CODES[name], tmp_path)
    assert forked[:2] == started[:2]
    assert forked[2].splitlines()[-1:] == started[2].splitlines()[-1:]


def test_a_command_of_ours(tmp_path: Path) -> None:
    done = run_program(("--version",), cwd=tmp_path, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("repo-mcp ")


def test_what_hangs_is_given_up_and_can_be_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(600)"]
    with popen(command, env=ENVIRONMENT, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert isinstance(process, _Forked)
        assert process.stdout.readline() == b"1\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(120) == -signal.SIGKILL
        assert process.poll() == -signal.SIGKILL


@pytest.mark.parametrize("variables", [{"PYTHONHASHSEED": "7"}, {"PYTHONPATH": "/nowhere"}])
def test_what_python_reads_when_it_starts_needs_a_start(tmp_path: Path, variables: dict[str, str]) -> None:
    command = [sys.executable, "-c", "pass"]
    with popen(command, env=ENVIRONMENT | variables, cwd=tmp_path) as process:
        assert not isinstance(process, _Forked)
    assert process.returncode == 0
