"""The end of a server's process: nothing that Python does after the last line of ours may hold it.

No times are measured. An object that never comes to the end of its own taking down is put among the modules:
whoever leaves the process to the interpreter waits for it until the test kills both.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
PATIENCE_SECONDS = 60.0
# What is taken down last never ends, and the threads that could end it are not let run by then.
START = """
import sys
class Endless:
    def __del__(self):
        while True:
            pass
sys.modules["endless"] = Endless()
from repo_mcp.server import main
raise SystemExit(main())
"""
# A file system hangs while what is served is closed.
START_HANGING = """
import time
from repo_mcp.repository import Repository
Repository.close = lambda repository: time.sleep(3600)
from repo_mcp.server import main
raise SystemExit(main())
"""
# A thread never comes to the end of importing what starts processes, which other threads then wait for, too.
START_IMPORTING = """
import importlib, importlib.machinery, sys, threading, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "multiprocessing.context" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        begun.set()
        time.sleep(3600)
begun = threading.Event()
sys.meta_path.insert(0, Slow())
threading.Thread(target=importlib.import_module, args=["multiprocessing"], daemon=True).start()
begun.wait()
from repo_mcp.server import main
raise SystemExit(main())
"""
OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    return tmp_path / "tiny_repo"


def start(root: Path, *options: str, program: str = START) -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(root.parent))
    return subprocess.Popen(
        [sys.executable, "-c", program, "--repo-root", str(root), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=kept | places | {"PYTHONPATH": str(PROJECT)},
        cwd=root.parent,
    )


def encode(*frames: dict[str, Any]) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n" for frame in frames)


def describe_call(number: int, path: str) -> dict[str, Any]:
    params = {"name": "repo.open_file", "arguments": {"path": path}}
    return {"id": number, "method": "tools/call", "params": params}


def finish(process: subprocess.Popen[bytes], sent: bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
    try:
        out, errors = process.communicate(sent, timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    return process.returncode, [json.loads(line) for line in out.splitlines()], errors.decode()


def test_the_last_answers_and_lines_are_there_and_the_process_is_gone(root: Path) -> None:
    """The client writes its calls and closes its end at once."""
    process = start(root)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(encode({"id": 0, "method": "initialize", "params": OPENING}))
    process.stdin.write(encode(describe_call(1, "README.md")))
    process.stdin.flush()
    first = [json.loads(process.stdout.readline()) for _ in range(2)]  # all is loaded by now
    last = [describe_call(number, "README.md") for number in range(2, 6)]
    code, answers, errors = finish(process, encode(*last))
    assert (code, errors) == (0, "")
    assert sorted(answer["id"] for answer in (*first, *answers)) == [0, 1, 2, 3, 4, 5]
    assert all("result" in answer for answer in answers)
    log = (root / ".repo_mcp" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["ok"] for line in log] == [True] * 5
    assert [path for path in root.rglob("*") if path.name.endswith(".tmp")] == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("program", "number", "expected"),
    [
        (START, signal.SIGTERM, 0),
        (START_HANGING, signal.SIGINT, 130),
        pytest.param(START, signal.SIGINT, 130, marks=pytest.mark.deep),
        pytest.param(START_HANGING, signal.SIGTERM, 0, marks=pytest.mark.deep),
    ],
    ids=["endless-15", "closing hangs-2", "endless-2", "closing hangs-15"],
)
def test_so_it_is_after_a_signal_also_over_http(root: Path, number: int, expected: int, program: str) -> None:
    for options in ((), ("--transport", "http")):
        process = start(root, *options, program=program)
        assert process.stdin is not None
        assert process.stderr is not None
        if options:
            process.stderr.readline()
            process.stderr.readline()
        else:
            assert process.stdout is not None
            process.stdin.write(encode({"id": 0, "method": "initialize", "params": OPENING}))
            process.stdin.flush()
            process.stdout.readline()
        process.send_signal(number)
        try:
            process.wait(PATIENCE_SECONDS)  # before its input ends, which would be a reason of its own
        finally:
            assert finish(process)[0] == expected


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_so_it_is_while_what_starts_processes_is_being_imported(root: Path) -> None:
    process = start(root, program=START_IMPORTING)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(encode({"id": 0, "method": "initialize", "params": OPENING}))
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(PATIENCE_SECONDS)
    finally:
        assert finish(process)[::2] == (0, "")
