"""A whole conversation over stdio, then its log compared entry by entry; three servers and one log."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.forked import START, popen

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
TIMEOUT_SECONDS = 60
QUERY = "zebra-canary-query transfer funds"
DENIED_CONTENT = "canary-7f3a9c51-never-served"  # in the corpus's .env


class Client:
    """One server process, asked one thing at a time."""

    def __init__(self, root: Path, home: Path, *options: str, name: str = "codex") -> None:
        environment = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
        homes = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        self.process = popen(
            [sys.executable, "-c", START, "--repo-root", str(root), "--no-watch", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | homes | {"PYTHONPATH": str(PROJECT)},
            cwd=home,
        )
        self.count = 0
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "9.9"},
        }
        self.ask("initialize", params)
        self.send({"method": "notifications/initialized"})

    def send(self, *frames: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(
            b"".join(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n" for frame in frames)
        )
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while (answer := self.read()).get("id") != self.count:
            pass
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        envelope = answer["result"]["structuredContent"]
        assert isinstance(envelope, dict)
        return envelope

    def wait_until_ready(self) -> list[dict[str, Any]]:
        envelopes = [self.call("repo.status")]
        while envelopes[-1]["result"]["state"] != "ready":
            time.sleep(0.02)  # each is a line of the log, and not all of them fit into one answer
            envelopes.append(self.call("repo.status"))
        return envelopes

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(TIMEOUT_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "tiny_repo" / "link.txt").symlink_to(tmp_path / "tiny_repo" / ".env")
    return tmp_path / "tiny_repo"


@pytest.fixture
def client(root: Path, tmp_path: Path) -> Iterator[Client]:
    client = Client(root, tmp_path)
    yield client
    client.close()


def read_lines(root: Path) -> list[dict[str, Any]]:
    data = (root / ".repo_mcp" / "audit.jsonl").read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


CALLS: list[tuple[str, dict[str, object]]] = [
    ("repo.status", {}),
    ("repo.list_files", {"glob": "*.py", "max_results": 3, "include_hidden": True}),
    ("repo.open_file", {"path": "src/ledger/book.py", "start_line": 2, "end_line": 4}),
    ("repo.open_file", {"path": ".env"}),
    ("repo.open_file", {"path": "link.txt"}),
    ("repo.open_file", {"path": "../outside.txt"}),
    ("repo.open_file", {"path": "/etc/passwd"}),
    ("repo.open_file", {"path": "src/none.py"}),
    ("repo.open_file", {"path": "a\0b"}),
    ("repo.open_file", {"path": "assets/logo.png"}),
    ("repo.search", {"query": QUERY, "mode": "bm25", "top_k": 2}),
    ("repo.search", {"query": "x", "top_k": 10_000}),
    ("repo.search", {"query": "x", "zebra-canary-argument": DENIED_CONTENT}),
    ("repo.search", {}),
    ("repo.outline", {"path": "src/ledger/book.py"}),
    (
        "repo.build_context_bundle",
        {"prompt": "zebra-canary-prompt: transfer funds in .env", "budget": {"max_files": 2, "max_lines": 3}},
    ),
    ("repo.build_context_bundle", {"prompt": "zebra-canary-prompt", "budget": {"max_files": 2}}),
    ("repo.refresh_index", {"force": True}),
    ("repo.audit_log", {"since": "no time at all"}),
    ("repo.open_file", {"spans": [{"path": "src/ledger/book.py", "line": 3}, {"path": "src/none.py"}]}),
    ("repo.open_file", {"spans": [{"path": "src/ledger/book.py"}, {"path": "link.txt"}, {"path": ".env"}]}),
]


def test_the_log_of_a_conversation_entry_by_entry(client: Client, root: Path) -> None:
    envelopes = client.wait_until_ready()
    tools = ["repo.status"] * len(envelopes)
    for tool, arguments in CALLS:
        envelopes.append(client.call(tool, **arguments))
        tools.append(tool)
    answer = client.call("repo.audit_log", limit=1000)
    entries = answer["result"]["entries"]
    assert answer["warnings"] == []
    assert not answer["result"].get("truncated")
    assert len(entries) == len(envelopes)
    for entry, envelope, tool in zip(entries, envelopes, tools, strict=True):
        error = envelope.get("error", {"code": None})
        assert (entry["request_id"], entry["tool"]) == (envelope["request_id"], tool)
        assert (entry["ok"], entry.get("blocked", False)) == (envelope["ok"], envelope["blocked"])
        assert entry.get("error_code") == error["code"]
        assert entry["duration_ms"] >= 0
    shapes = [entry.get("arguments", {}) for entry in entries[-len(CALLS) :]]
    assert shapes[1] == {
        "glob": {"type": "string", "chars": 4, "digest": shapes[1]["glob"]["digest"]},
        "max_results": {"type": "integer", "value": 3},
        "include_hidden": {"type": "boolean", "value": True},
    }
    assert [shape["path"] for shape in shapes[2:10]] == [
        {"type": "path", "value": "src/ledger/book.py"},
        {"type": "path", "class": "denied"},
        {"type": "path", "class": "denied"},
        {"type": "path", "class": "escape"},
        {"type": "path", "class": "escape"},
        {"type": "path", "value": "src/none.py"},
        {"type": "path", "class": "invalid"},
        {"type": "path", "value": "assets/logo.png"},
    ]
    assert shapes[12]["unknown"] == {"type": "unknown", "count": 1}
    assert shapes[15]["budget"]["properties"] == {
        "max_files": {"type": "integer", "value": 2},
        "unknown": {"type": "unknown", "count": 1},
    }
    opened = {"type": "path", "value": "src/ledger/book.py"}, {"type": "path", "value": "src/none.py"}
    assert shapes[-2]["spans"] == {
        "type": "array",
        "length": 2,
        "items": [
            {"path": opened[0], "line": {"type": "integer", "value": 3}},
            {"path": opened[1]},
        ],
    }
    assert shapes[-1]["spans"]["items"] == [{"path": {"type": "path", "class": "denied"}}] * 3
    assert entries[-1].get("blocked")
    written = read_lines(root)
    assert [line["request_id"] for line in written] == [
        envelope["request_id"] for envelope in [*envelopes, answer]
    ]
    assert [line["seq"] for line in written] == list(range(1, len(written) + 1))
    assert {(line["client"]["name"], line["client"]["version"]) for line in written} == {("codex", "9.9")}
    assert {line["pid"] for line in written} == {client.process.pid}
    sizes = [line["counts"]["bytes"] for line in written]
    assert sizes == [
        len(json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode())
        for envelope in [*envelopes, answer]
    ]


def test_no_query_no_content_and_no_absolute_path_is_in_the_log(client: Client, root: Path) -> None:
    client.wait_until_ready()
    for tool, arguments in CALLS:
        client.call(tool, **arguments)
    client.call("repo.audit_log")
    log = (root / ".repo_mcp" / "audit.jsonl").read_text(encoding="ascii")
    words = ("zebra", "canary", "transfer", "passwd", "outside", ".env", "link.txt", "no time", "*.py")
    for word in (*words, str(root), str(root.parent), "def "):
        assert word not in log, word
    assert re.search(r'"/|\\\\', log) is None


def test_the_operator_may_have_queries_kept(root: Path, tmp_path: Path) -> None:
    with closing(Client(root, tmp_path, "--audit-queries")) as client:
        client.wait_until_ready()
        client.call("repo.search", query=QUERY)
        client.call("repo.open_file", path=".env")
    search, opened = read_lines(root)[-2:]
    assert search["arguments"]["query"]["text"] == QUERY
    assert opened["arguments"] == {"path": {"type": "path", "class": "denied"}}
    assert DENIED_CONTENT not in json.dumps(read_lines(root))


def test_calls_that_the_client_cancels_are_logged_as_such(client: Client, root: Path) -> None:
    client.wait_until_ready()
    frames = []
    for number in range(1000, 1040):
        params = {"name": "repo.refresh_index", "arguments": {"force": True}}
        frames.append({"id": number, "method": "tools/call", "params": params})
    for number in range(1000, 1040):
        frames.append({"method": "notifications/cancelled", "params": {"requestId": number}})
    client.send(*frames)
    client.call("repo.status")
    client.close()
    refreshes = [line for line in read_lines(root) if line["tool"] == "repo.refresh_index"]
    assert len(refreshes) == 40
    assert "cancelled" in {line["error_code"] for line in refreshes}
    assert all(line["ok"] == (line["error_code"] is None) for line in refreshes)


def test_since_and_limit(client: Client) -> None:
    client.wait_until_ready()
    for number in range(5):
        client.call("repo.open_file", path=f"f{number}")
    entries = client.call("repo.audit_log", limit=2)["result"]
    assert entries.get("truncated")
    assert [entry["tool"] for entry in entries["entries"]] == ["repo.open_file", "repo.audit_log"][:1] * 2
    since = entries["entries"][0]["timestamp"]
    later = client.call("repo.audit_log", since=since)["result"]["entries"]
    assert later[0]["timestamp"] >= since
    assert [entry["tool"] for entry in later][-1] == "repo.audit_log"
    assert client.call("repo.audit_log", since="2999-01-01")["result"] == {"entries": []}
    assert client.call("repo.audit_log", since=32503680000)["result"]["entries"] == []
    assert client.call("repo.audit_log", since="32503680000")["result"]["entries"] == []
    assert len(client.call("repo.audit_log", since=0, limit=1000)["result"]["entries"]) > 8
    for wrong in ("", "yesterday", "nan", "x" * 65, True, [1]):
        envelope = client.call("repo.audit_log", since=wrong)
        assert envelope["error"]["code"] == "invalid_argument"
        assert "since" in envelope["error"]["message"]
    for limit in (0, -1, "five", 1.5):
        assert "limit" in client.call("repo.audit_log", limit=limit)["error"]["message"]
    envelope = client.call("repo.audit_log", limit=1001.0, since=None)
    assert envelope["warnings"] == ["limit is above its maximum: 1,000 is used."]


def test_a_log_that_cannot_be_written_is_said_in_every_answer_and_stops_nothing(
    root: Path, tmp_path: Path
) -> None:
    (root / ".repo_mcp").mkdir(mode=0o700)
    (root / ".repo_mcp" / "audit.jsonl").symlink_to(tmp_path / "outside.txt")
    with closing(Client(root, tmp_path)) as client:
        ready = client.wait_until_ready()[-1]
        opened = client.call("repo.open_file", path="src/ledger/book.py")
        refused = client.call("repo.open_file", path=".env")
        status = client.call("repo.status")
    assert opened["ok"]
    assert refused["error"]["code"] == "path_denied"
    for envelope in (ready, opened, refused, status):
        assert "audit_unavailable" in envelope["warnings"]
    assert re.search(r"audit_unavailable: \d+ calls", " ".join(status["warnings"]))
    assert (tmp_path / "outside.txt").read_text() == "outside"


def test_three_servers_write_one_log(root: Path, tmp_path: Path) -> None:
    clients = [Client(root, tmp_path, name=f"client-{number}") for number in range(3)]
    try:
        for one in clients:
            one.wait_until_ready()
        expected: dict[str, list[str]] = {}
        for number in range(30):
            for place, one in enumerate(clients):  # all three at work at the same time
                params = {"name": "repo.open_file", "arguments": {"path": f"f{place}-{number}"}}
                one.send({"id": 5000 + number, "method": "tools/call", "params": params})
        for place, one in enumerate(clients):
            answers = [one.read() for _ in range(30)]
            expected[f"client-{place}"] = sorted(
                answer["result"]["structuredContent"]["request_id"] for answer in answers
            )
        entries = clients[0].call("repo.audit_log", limit=1000)
    finally:
        for one in clients:
            one.close()
    assert entries["warnings"] == []
    lines = read_lines(root)
    for name, request_ids in expected.items():
        own = [line for line in lines if line["client"]["name"] == name]
        assert [line["seq"] for line in own] == list(range(1, len(own) + 1))
        opened = [line["request_id"] for line in own if line["tool"] == "repo.open_file"]
        assert sorted(opened) == request_ids
    shown = {entry["request_id"] for entry in entries["result"]["entries"]}
    assert shown == {line["request_id"] for line in lines[: len(shown)]}
    assert set().union(*expected.values()) <= shown
