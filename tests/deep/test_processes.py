"""Recipes R1, R13 to R15, R22 and R23 of the threat model: servers that are killed, race, stop and go on."""

from __future__ import annotations

import os
import random
import signal
import statistics
import sys
import time
from pathlib import Path

import pytest

from index_format import DiskDirectory
from tests.deep.answers import ask_anew, list_calls, refresh_and_ask
from tests.deep.ledger import LEDGER, Row
from tests.deep.served import Served
from tests.repo_mcp.trees import edit_tree, make_tree

SEED = 31
FILES = 40
KILL_ROUNDS, CHECK_EVERY = 300, 10
SOAK_CALLS = 20_000
RACE_SECONDS = 60.0
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and kills groups of processes")


def _kill_rounds(place: Path, rounds: int, check_every: int, row: Row) -> None:
    root, data = make_tree(place / "root", SEED, FILES), place / "data"
    draw = random.Random(SEED)
    with Served(root, data) as server:
        started = time.monotonic()
        server.call("repo.refresh_index")
        usual = max(0.05, time.monotonic() - started)
    clean = _measure(data)
    for number in range(rounds):
        edit_tree(root, draw)
        with Served(root, data) as server:
            server.send(
                "tools/call", {"name": "repo.refresh_index", "arguments": {"force": draw.random() < 0.5}}
            )
            time.sleep(draw.uniform(0, 2 * usual))
            server.kill()
        row.rounds += 1
        row.faults += 1
        with Served(root, data) as server:
            assert server.call("repo.list_files")["ok"]
            found = server.call("repo.search", query="schedule work")
            assert found["ok"] or found["error"]["code"] == "index_unavailable"
        if number % check_every == check_every - 1:
            assert refresh_and_ask(root, data) == ask_anew(root)
            assert list(data.rglob("*.tmp")) == []
            assert _measure(data) < 3 * clean + 500_000


def _measure(data: Path) -> int:
    return sum(path.stat().st_size for path in data.rglob("*") if path.is_file())


def test_some_kills(tmp_path: Path) -> None:
    with LEDGER.suite("R1 kill rounds") as row:
        _kill_rounds(tmp_path, 2, 2, row)


@pytest.mark.deep
def test_many_kills(tmp_path: Path) -> None:
    with LEDGER.suite("R1 kill rounds") as row:
        _kill_rounds(tmp_path, KILL_ROUNDS, CHECK_EVERY, row)


def _race(place: Path, seconds: float, row: Row) -> None:
    """Three servers refresh one index while the tree changes; one is killed now and then."""
    root, data = make_tree(place / "root", SEED, FILES), place / "data"
    draw = random.Random(SEED)
    servers = [Served(root, data) for _ in range(3)]
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            edit_tree(root, draw)
            for server in servers:
                server.send("tools/call", {"name": "repo.refresh_index", "arguments": {}})
            if draw.random() < 0.2:
                place_of = draw.randrange(3)
                servers[place_of].kill()
                servers[place_of].__exit__(None, None, None)
                servers[place_of] = Served(root, data)
                row.faults += 1
            for server in servers:
                server.ask("ping", {})
                found = server.call("repo.search", query="schedule work")
                assert found["ok"] or found["error"]["code"] == "index_unavailable"
            row.rounds += 1
        expected = ask_anew(root)
        for server in servers:
            while server.call("repo.refresh_index").get("error", {}).get("code") == "index_unavailable":
                time.sleep(0.1)
            found = [server.call("repo.search", query="kmalloc control")["result"]["hits"]]
        assert refresh_and_ask(root, data) == expected
        assert all(
            server.call("repo.search", query="kmalloc control")["result"]["hits"] == found[0]
            for server in servers
        )
    finally:
        for server in servers:
            server.__exit__(None, None, None)


def test_a_short_race(tmp_path: Path) -> None:
    with LEDGER.suite("R13 racing servers") as row:
        _race(tmp_path, 1.0, row)


@pytest.mark.deep
def test_a_long_race(tmp_path: Path) -> None:
    with LEDGER.suite("R13 racing servers") as row:
        _race(tmp_path, RACE_SECONDS, row)


def test_servers_with_other_limits_keep_their_own_index(tmp_path: Path) -> None:
    root, data = make_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    options = (), ("--exclude-glob", "*.md"), ("--max-file-bytes", "3000")
    with LEDGER.suite("R14 other configurations") as row:
        for _ in range(3):
            for option in options:
                with Served(root, data, *option) as server:
                    report = server.call("repo.refresh_index")["result"]
                row.rounds += 1
        assert report["added"] == report["updated"] == 0
        assert len(list(data.glob("index-*"))) == len(options)


def test_locks_that_were_left_or_are_held(tmp_path: Path) -> None:
    root, data = make_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    with LEDGER.suite("R15 stale and held locks") as row:
        with Served(root, data) as server:
            server.call("repo.refresh_index")
        lock = next(data.glob("index-*/lock"))
        for garbage in (b"", b"\xff" * 5000):
            lock.write_bytes(garbage)
            with Served(root, data) as server:
                assert server.call("repo.refresh_index")["ok"]
            row.rounds += 1
            row.faults += 1
        with Served(root, data) as stopped, Served(root, data) as server:
            held = DiskDirectory(str(lock.parent)).lock("lock")  # by us: as by a process that is stopped
            os.kill(stopped.popen.pid, signal.SIGSTOP)
            edit_tree(root, random.Random(SEED))
            started = time.monotonic()
            busy = server.call("repo.refresh_index")
            assert busy["error"]["code"] == "index_unavailable"
            assert time.monotonic() - started < 15
            assert server.call("repo.search", query="schedule")["ok"]
            held.release()
            assert server.call("repo.refresh_index")["ok"]
            os.kill(stopped.popen.pid, signal.SIGCONT)
            assert stopped.call("repo.search", query="schedule")["ok"]
            row.rounds += 1
            row.faults += 1


def _soak(place: Path, calls: int, row: Row) -> None:
    root, data = make_tree(place / "root", SEED, FILES), place / "data"
    draw = random.Random(SEED)
    plain = list_calls(root)
    odd = [
        ("repo.open_file", {"path": "../outside"}),
        ("repo.open_file", {"path": ".env"}),
        ("repo.search", {"query": "("}),
        ("repo.search", {"query": "[", "mode": "regex"}),
        ("repo.nothing", {}),
        ("repo.list_files", {"max_results": -1}),
        ("repo.audit_log", {"limit": 5}),
    ]
    memory: list[int] = []
    descriptors: list[int] = []
    with Served(root, data) as server:
        server.call("repo.refresh_index")
        for number in range(calls):
            tool, arguments = draw.choice(plain if draw.random() < 0.9 else odd)
            server.ask("tools/call", {"name": tool, "arguments": arguments})
            if number % 500 == 250:
                edit_tree(root, draw)
                server.call("repo.refresh_index")
            if number % (calls // 20) == calls // 20 - 1:
                memory.append(server.measure_memory())
                descriptors.append(server.count_descriptors())
            row.rounds += 1
    late, early = statistics.mean(memory[-5:]), statistics.mean(memory[5:10])
    assert late < 1.05 * early + 2_000_000, memory
    assert max(descriptors[5:]) <= min(descriptors[5:]) + 3, descriptors


@pytest.mark.deep
def test_a_soak(tmp_path: Path) -> None:
    with LEDGER.suite("R22 soak, calls") as row:
        _soak(tmp_path, SOAK_CALLS, row)


def test_a_short_soak(tmp_path: Path) -> None:
    with LEDGER.suite("R22 soak, calls") as row:
        _soak(tmp_path, 600, row)


@pytest.mark.parametrize("rounds", [2, pytest.param(40, marks=pytest.mark.deep)])
def test_signals_at_any_moment(tmp_path: Path, rounds: int) -> None:
    root, data = make_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    draw = random.Random(SEED)
    with LEDGER.suite("R23 signals") as row:
        for _ in range(rounds):
            edit_tree(root, draw)
            number = draw.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
            with Served(root, data) as server:
                server.send("tools/call", {"name": "repo.refresh_index", "arguments": {"force": True}})
                time.sleep(draw.uniform(0, 0.3))
                os.kill(server.popen.pid, signal.SIGSTOP)
                os.kill(server.popen.pid, signal.SIGCONT)
                os.kill(server.popen.pid, number)
                assert server.popen.wait(10) == (130 if number == signal.SIGINT else 0)
            row.rounds += 1
            row.faults += 1
        assert refresh_and_ask(root, data) == ask_anew(root)
