"""Recipe R22 over HTTP: thousands of calls of several clients at once, among strangers and the malformed.

Clients leave their sessions behind, and connections open. Every answer is compared with that of a server with
an empty data directory over the same tree; memory, descriptors, threads and sessions stay as they are.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.deep.answers import Call, ask_anew, list_calls, list_structure_calls, list_symbol_calls, strip
from tests.deep.ledger import LEDGER, Row
from tests.deep.sizes import choose
from tests.deep.worlds import make_linked_tree
from tests.http_served import OPENING, PATIENCE_SECONDS, HttpServed
from tests.repo_mcp.trees import edit_tree
from tests.waiting import wait_until

SEED = 47
FILES = choose(4, 24)
CALLS = choose(48, 20_000)
PHASES = choose(4, 20)  # the tree changes between them
CLIENTS = 4
CALLS_PER_SESSION = 40
MAX_SESSIONS = 64
HELD = 20  # half-open connections of each client, at most
ODD: tuple[Call, ...] = (
    ("repo.open_file", {"path": "../outside"}),
    ("repo.open_file", {"path": ".env"}),
    ("repo.search", {"query": "[", "mode": "regex"}),
    ("repo.list_files", {"max_results": -1}),
    ("read_file", {"path": "/etc/passwd"}),
    ("get_symbol", {"node_id": "0" * 24}),
    ("code_research", {"query": ""}),
)
OPTIONS = ("--no-watch", "--workers", "1", "--no-last-bundle", "--toolsets", "repo,graph,research")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Client:
    """One client: a call at a time, each on the session that it has just now."""

    def __init__(self, served: HttpServed, seed: int) -> None:
        self._served = served
        self._draw = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_SECONDS)
        self._held: list[socket.socket] = []
        self._done = 0
        self._session = ""
        self.sessions: list[str] = []  # all that there were
        self.faults = 0

    def post(self, body: Any, session: str, token: str = "") -> tuple[int, str, Any]:
        """Return the status, the session and the message of the answer."""
        headers = self._served.headers(session, token)
        try:
            self._connection.request("POST", "/mcp", json.dumps(body), headers)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):  # it was idle for too long
            self._connection.close()
            self._connection.request("POST", "/mcp", json.dumps(body), headers)
            answer = self._connection.getresponse()
        text = answer.read()
        lines = [line[5:] for line in text.splitlines() if line.startswith(b"data:")]
        return (
            answer.status,
            answer.headers.get("mcp-session-id", ""),
            json.loads(lines[-1]) if lines else None,
        )

    def open(self) -> None:
        """Go on in a session of its own; the one before is left behind."""
        status, self._session, message = self.post(OPENING, "")
        assert status == 200, status
        assert "result" in message
        self.sessions.append(self._session)

    def call(self, tool: str, arguments: dict[str, object]) -> dict[str, Any]:
        """Return what a tool answers."""
        if self._done % CALLS_PER_SESSION == 0:
            self.open()
        self._done += 1
        asked = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": self._done, "method": "tools/call", "params": asked}
        status, _, message = self.post(body, self._session)
        assert status == 200, status
        assert message["id"] == self._done
        found: dict[str, Any] = message["result"]
        return found

    def disturb(self) -> None:
        """Do one of the things that lead to nothing."""
        self.faults += 1
        match self._draw.randrange(5):
            case 0:
                assert self.post(OPENING, "", "0123456789-not-the-token")[0] == 401
            case 1:
                assert "error" in self.post(OPENING | {"params": {}}, "")[2]
            case 2:
                assert self.post(OPENING, "0" * 32)[0] == 404
            case 3:
                self._held.append(self._served.connect(b"POST /mcp HTTP/1.1\r\nHost: local"))
                if len(self._held) > HELD:
                    self._held.pop(0).close()
            case _:
                assert self.call(*self._draw.choice(ODD))["isError"]

    def work(self, calls: int, right: dict[str, str], wrong: list[str]) -> None:
        """Make calls at random and note those with other answers than the right ones."""
        try:
            for _ in range(calls):
                if self._draw.random() < 0.1:
                    self.disturb()
                asked = self._draw.choice(list(right))
                found = _render(self.call(*json.loads(asked))["structuredContent"])
                if found != right[asked]:
                    wrong.append(f"{asked}: {found} for {right[asked]}")
        except BaseException as error:
            wrong.append(repr(error))

    def close(self) -> None:
        for one in (self._connection, *self._held):
            one.close()


def _settle(client: Client, root: Path) -> dict[str, str]:
    """Return the right answer to each call, once the server has seen the tree as it is."""
    wait_until(lambda: not client.call("index_codebase", {"path": "."})["isError"])
    found = client.call("search_symbols", {"query": "linked_callee"})["structuredContent"]["result"]
    symbol = list_symbol_calls(found[0]["node_id"])
    calls = [*list_calls(root), *list_structure_calls(root), *symbol]
    right = map(_render, map(json.loads, ask_anew(root)))
    return dict(zip(map(json.dumps, calls), right, strict=True))


def _render(answer: Any) -> str:
    """Return an answer as it is compared: the oracle has its own list of toolsets."""
    bare = strip(answer)
    if isinstance(bare.get("result"), dict):
        bare["result"].pop("toolsets", None)
    return json.dumps(bare, sort_keys=True)


def _measure(pid: int) -> tuple[int, int, int]:
    """Resident bytes, descriptors and threads."""
    status = Path(f"/proc/{pid}/status").read_text()
    facts = dict(line.split(":", 1) for line in status.splitlines())
    return int(facts["VmRSS"].split()[0]) * 1024, len(os.listdir(f"/proc/{pid}/fd")), int(facts["Threads"])


@pytest.mark.sized
def test_a_soak_over_http(tmp_path: Path) -> None:
    root = make_linked_tree(tmp_path / "root", SEED, FILES)
    draw = random.Random(SEED)
    served = HttpServed(root, *OPTIONS, "--data-dir", str(tmp_path / "data"))
    clients = [Client(served, SEED + number) for number in range(CLIENTS)]
    measured: list[tuple[int, int, int]] = []
    wrong: list[str] = []
    try:
        with LEDGER.suite("R22 soak over HTTP, calls") as row:
            started = time.monotonic()
            for _ in range(PHASES):
                right = _settle(clients[0], root)
                share = CALLS // PHASES // CLIENTS
                threads = [threading.Thread(target=one.work, args=(share, right, wrong)) for one in clients]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert wrong == []
                row.rounds += share * CLIENTS
                measured.append(_measure(served.popen.pid))
                edit_tree(root, draw)
            left = [session for one in clients for session in one.sessions]
            kept = sum(
                served.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, one)[0] == 200 for one in left
            )
            assert kept == min(len(left), MAX_SESSIONS)
            for one in clients:
                row.faults += one.faults
                one.close()
            wait_until(lambda: served.count_connections() == 0)
            _check_flat(measured, row, time.monotonic() - started, len(left))
            assert served.end() == (0, "", "")
    finally:
        if served.popen.poll() is None:
            served.popen.kill()
            served.popen.communicate()


def _check_flat(measured: list[tuple[int, int, int]], row: Row, seconds: float, sessions: int) -> None:
    memory, descriptors, threads = (list(column) for column in zip(*measured, strict=True))
    quarter = len(measured) // 4
    early, late = slice(quarter, 2 * quarter), slice(-quarter, None)
    assert statistics.mean(memory[late]) < 1.05 * statistics.mean(memory[early]) + 4_000_000, memory
    most_held = CLIENTS * (HELD + 2)  # these are the clients', and come to be in the first phases
    assert max(descriptors) < 60 + most_held, descriptors
    # A call takes two of the pools, which start them once as many clients happen to ask at one time.
    assert statistics.mean(threads[late]) <= statistics.mean(threads[early]) + 2 * CLIENTS, threads
    first, last = memory[quarter] // 10**6, memory[-1] // 10**6
    row.note = (
        f"{first} MB after a quarter, {last} at the end; {descriptors[-1]} descriptors,"
        f" {threads[-1]} threads, {sessions} sessions opened, {row.rounds / seconds:.0f} calls a second"
    )
