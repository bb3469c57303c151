"""The limits of calls as a client meets them: a real server, every toolset, either era, the SDK or not.

The file system that hangs is simulated where the door opens a file: one name is never opened. The thread that
asks for it is as stuck as on a dead NFS, and like there nothing but the end of the process sets it free.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.deep.sizes import choose
from tests.forked import START, popen

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
PATIENCE_SECONDS = 60.0
HANGING = """
import threading
from repo_mcp.workspace.reader import repository_reader

opens = repository_reader.native.open_file
def open_file(parent, name):
    if name == "hangs.py":
        threading.Event().wait()
    return opens(parent, name)
repository_reader.native.open_file = open_file
"""
OPENING: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
BURST = 10  # calls at once where one a second is allowed
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
}
WAYS: dict[str, dict[str, Any]] = {"handshake": {}, "modern": MODERN}
# one tool of each toolset that is quick, and one that opens a file
QUICK: dict[str, tuple[str, dict[str, object]]] = {
    "repo": ("repo.status", {}),
    "graph": ("list_directory", {"path": ""}),
    "research": ("index_codebase", {"path": "."}),
    "retrieval": ("list_dir", {"repo": "docs", "path": ""}),
}
OPENING: dict[str, tuple[str, dict[str, object]]] = {
    "repo": ("repo.open_file", {"path": "hangs.py"}),
    "graph": ("read_file", {"path": "hangs.py"}),
    "retrieval": ("open_file", {"repo": "docs", "path": "hangs.py"}),
}
BUSY = {"repo": "busy", "graph": "busy", "research": "busy", "retrieval": "BUSY"}
TIMEOUT = {"repo": "timeout", "graph": "timeout", "retrieval": "TIMEOUT"}


class Client:
    """One server process."""

    def __init__(self, root: Path, toolsets: str, *options: str, prelude: str = "") -> None:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(root.parent))
        roots = {"DOCS_ROOT": str(root), "CODE_ROOT": str(root / "src")}
        named = ["--repo-root", str(root)] if toolsets != "retrieval" else []
        self.process = popen(
            [sys.executable, "-c", prelude + START, *named, "--toolsets", toolsets, "--no-watch", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=kept | places | roots | {"PYTHONPATH": str(PROJECT)},
            cwd=root.parent,
        )

    def send(self, *frames: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        lines = (json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n" for frame in frames)
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def open(self, way: str) -> None:
        if way == "modern":
            return
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        }
        self.send({"id": "init", "method": "initialize", "params": params})
        self.read()
        self.send({"method": "notifications/initialized"})

    def call(self, way: str, *calls: tuple[str, dict[str, object]]) -> list[dict[str, Any]]:
        """Return the results of calls made at once, in the order of the calls."""
        meta = {"_meta": WAYS[way]} if WAYS[way] else {}
        frames: list[dict[str, Any]] = [
            {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments} | meta}
            for number, (name, arguments) in enumerate(calls)
        ]
        self.send(*frames)
        found = {answer["id"]: answer["result"] for answer in (self.read() for _ in frames)}
        return [found[number] for number in range(len(frames))]

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


@contextmanager
def served(root: Path, toolsets: str, *options: str, prelude: str = "") -> Iterator[Client]:
    client = Client(root, toolsets, *options, prelude=prelude)
    try:
        yield client
    finally:
        assert client.close() == 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    return tmp_path / "tiny_repo"


def read_error(result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the error of a result, checked for its form; None for success."""
    body = result["structuredContent"]
    assert result["isError"] == ("error" in body)
    assert ("error" in body) == (not body.get("ok", "error" not in body))
    error: dict[str, Any] | None = body.get("error")
    return error


def read_hint(error: dict[str, Any]) -> str:
    """Return the hint: beside the message, in the details, or behind the message."""
    return str(error.get("hint") or error.get("details", {}).get("hint") or error["message"])


def read_log(root: Path) -> list[dict[str, Any]]:
    files = root.parent.rglob("audit.jsonl")
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("toolset", QUICK)
def test_calls_over_the_rate_are_refused_with_when_to_come_again(root: Path, toolset: str, way: str) -> None:
    with served(root, toolset, "--max-calls-per-second", "1") as client:
        client.open(way)
        results = client.call(way, *[QUICK[toolset]] * (5 * BURST))
    errors = [error for error in map(read_error, results) if error is not None]
    assert {error["code"] for error in errors} == {BUSY[toolset]}
    assert len(errors) >= 3 * BURST  # a slow machine lets some more through: one a second
    assert len(results) - len(errors) >= BURST
    for error in errors:
        assert error["message"].startswith("More than 1 calls a second.")
        assert "Try again in " in read_hint(error)
        assert " seconds." in read_hint(error)
    logged = Counter((line["error_code"], line["ok"]) for line in read_log(root))
    assert logged == {(BUSY[toolset], False): len(errors), (None, True): len(results) - len(errors)}


def test_all_toolsets_share_one_rate(root: Path) -> None:
    with served(root, ",".join(QUICK), "--max-calls-per-second", "1") as client:
        client.open("handshake")
        started = time.monotonic()
        results = [client.call("handshake", *QUICK.values()) for _ in range(BURST)]
        seconds = time.monotonic() - started
    errors = [read_error(result) for some in results for result in some]
    assert BURST <= errors.count(None) <= BURST + seconds + 1  # calls sent together are counted in any order
    assert {error["code"] for error in errors if error is not None} == {"busy", "BUSY"}


@pytest.mark.sized
def test_a_usual_client_never_meets_the_limit(root: Path) -> None:
    with served(root, "repo") as client:
        client.open("handshake")
        results = [
            result for _ in range(choose(5, 20)) for result in client.call("handshake", *[QUICK["repo"]] * 50)
        ]
    assert not any(map(read_error, results))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("toolset", OPENING)
def test_a_call_that_hangs_is_answered_and_the_next_ones_are_served(
    root: Path, toolset: str, way: str
) -> None:
    (root / "hangs.py").write_text("def unreachable(): ...\n")
    options = ("--call-timeout-seconds", "1", "--exclude-glob", "hangs.py")
    with served(root, toolset, *options, prelude=HANGING) as client:
        client.open(way)
        hung = client.call(way, OPENING[toolset], OPENING[toolset])
        after = client.call(way, QUICK[toolset])
    for result in hung:
        error = read_error(result)
        assert error is not None
        assert error["code"] == TIMEOUT[toolset]
        assert error["message"] == "The call took longer than 1 seconds and was stopped."
        assert "file system" in read_hint(error)
    assert [read_error(result) for result in after] == [None]
    codes = Counter(line["error_code"] for line in read_log(root))
    assert codes == {TIMEOUT[toolset]: 2, None: 1}
    assert all(line["duration_ms"] >= 1_000 for line in read_log(root) if line["error_code"])


def test_a_task_is_counted_and_refused_too(root: Path) -> None:
    """Tasks run in places of their own; the limit is the server's."""
    name, arguments = "index_codebase", {"path": "."}
    with served(root, "research", "--max-calls-per-second", "1") as client:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        }
        client.send({"id": "init", "method": "initialize", "params": params})
        client.read()
        for _ in range(BURST):  # what is refused for its arguments counts, and takes no time
            client.call("handshake", *[(name, {"path": 5})] * 50)
        asked = {"name": name, "arguments": arguments, "task": {"ttl": 60_000}}
        client.send({"id": 100, "method": "tools/call", "params": asked})
        task_id = client.read()["result"]["task"]["taskId"]
        client.send({"id": 101, "method": "tasks/result", "params": {"taskId": task_id}})
        while (answer := client.read()).get("id") != 101:
            pass
    error = read_error(answer["result"])
    assert error is not None
    assert error["code"] == "busy"
