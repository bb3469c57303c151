"""Recipes R1, R13 to R15, R22 and R23 of the threat model: servers that are killed, race, stop and go on."""

from __future__ import annotations

import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory, IndexLocked
from index_format.disk_directory import DiskLock
from tests.deep.answers import ask_anew, list_calls, list_structure_calls, list_symbol_calls, refresh_and_ask
from tests.deep.ledger import LEDGER, Row
from tests.deep.served import Served, ask_server
from tests.deep.sizes import IS_DEEP, choose, scale
from tests.deep.worlds import make_linked_tree
from tests.forked import IMPATIENT, START
from tests.repo_mcp.trees import edit_tree
from tests.waiting import wait_until

SEED = 31
FILES = choose(10, 24)
KILL_ROUNDS = scale(300)
SOAK_CALLS = scale(20_000)
RACE_SECONDS = scale(60)
SIGNAL_ROUNDS = scale(100)
# What runs here, and what another process holds, are waited for 5 s each; without a limit it hung.
MOST_SECONDS = 40.0
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and kills groups of processes")


def _is_answered(found: dict[str, Any]) -> bool:
    return bool(found["ok"]) or found["error"]["code"] == "index_unavailable"


def _kill_rounds(place: Path, rounds: int, row: Row) -> None:
    """Kill servers: after each kill the next one answers at once, and one refresh makes all answers right."""
    root, data = make_linked_tree(place / "root", SEED, FILES), place / "data"
    draw = random.Random(SEED)
    with Served(root, data) as server:
        started = time.monotonic()
        server.settle()
        usual = min(2.0, max(0.05, time.monotonic() - started))
    clean = _measure(data)
    assert clean > 0
    for _ in range(rounds):
        edit_tree(root, draw)
        with Served(root, data) as server:
            asked = {"path": ".", "force": draw.random() < 0.5}
            server.send("tools/call", {"name": "index_codebase", "arguments": asked})
            time.sleep(draw.uniform(0, 2 * usual))
            server.kill()
        row.rounds += 1
        row.faults += 1
        with Served(root, data) as server:
            listed = server.call("repo.list_files")
            assert listed["ok"], listed
            for words in ({"query": "schedule work"}, {"query": "schedule", "mode": "literal"}):
                found = server.call("repo.search", **words)
                assert _is_answered(found), found
        answers, expected = refresh_and_ask(root, data), ask_anew(root)
        assert len(answers) == len(expected), row.rounds
        for answer, right in zip(answers, expected, strict=True):
            assert answer == right, row.rounds
        assert list(data.rglob("*.tmp")) == [], row.rounds
        assert _measure(data) < 3 * clean + 500_000, row.rounds


def _measure(data: Path) -> int:
    """Return the bytes of all files but the log of calls, which grows with them."""
    files = [path for path in data.rglob("*") if path.is_file() and not path.name.startswith("audit")]
    return sum(path.stat().st_size for path in files)


def test_some_kills(tmp_path: Path) -> None:
    with LEDGER.suite("R1 kill rounds") as row:
        _kill_rounds(tmp_path, 1, row)


@pytest.mark.deep
def test_many_kills(tmp_path: Path) -> None:
    with LEDGER.suite("R1 kill rounds") as row:
        _kill_rounds(tmp_path, KILL_ROUNDS, row)


# A server that writes down when it takes the lock of an index and when it gives it back.
LOGGED = f"""
import os, time
from index_format import disk_directory
log = os.open(os.environ["LOCK_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def note(what, name):
    os.write(log, f"{{time.monotonic_ns()}} {{os.getpid()}} {{what}} {{name}}\\n".encode())
take, give = disk_directory.DiskLock.__init__, disk_directory.DiskLock.release
def logged_take(self, descriptor, name):
    self.place = os.path.basename(os.path.dirname(os.readlink(f"/proc/self/fd/{{descriptor}}")))
    self.is_held = False
    take(self, descriptor, name)
    self.is_held = True
    note("take", self.place)
def logged_give(self):
    if self.is_held:
        self.is_held = False
        note("give", self.place)
    give(self)
disk_directory.DiskLock.__init__, disk_directory.DiskLock.release = logged_take, logged_give
{START}
"""


def check_lock_log(text: str, killed: dict[int, int]) -> int:
    """Count how often a lock was taken; assert that nobody held it. `killed` says when processes were."""
    holders: dict[str, int] = {}
    taken = 0
    for line in sorted(text.splitlines(), key=lambda one: int(one.split()[0])):
        when, pid, what, place = line.split()
        holder = holders.pop(place, None)
        if what == "take":
            assert holder is None or killed.get(holder, sys.maxsize) <= int(when), line
            holders[place] = int(pid)
            taken += 1
        else:
            assert holder == int(pid), line
    return taken


def test_the_log_of_locks_tells_two_writers() -> None:
    assert check_lock_log("1 7 take a\n2 7 give a\n3 8 take a\n4 9 take b\n", {}) == 3
    assert check_lock_log("1 7 take a\n3 8 take a\n", {7: 2}) == 2
    for text, killed in (("1 7 take a\n2 8 take a\n", {}), ("1 7 take a\n2 8 take a\n", {7: 3})):
        with pytest.raises(AssertionError):
            check_lock_log(text, killed)


def _race(place: Path, seconds: float, row: Row) -> None:
    """Have three servers refresh both indexes while the tree changes; one is killed now and then."""
    root, data, log = make_linked_tree(place / "root", SEED, FILES), place / "data", place / "locks"
    draw = random.Random(SEED)
    killed: dict[int, int] = {}

    def start() -> Served:
        return Served(root, data, start=LOGGED, LOCK_LOG=str(log))

    servers = [start() for _ in range(3)]
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            edit_tree(root, draw)
            for server in servers:
                server.send("tools/call", {"name": "index_codebase", "arguments": {"path": "."}})
            if draw.random() < 0.2:
                place_of = draw.randrange(3)
                killed[servers[place_of].popen.pid] = time.monotonic_ns()
                servers[place_of].kill()
                servers[place_of].__exit__(None, None, None)
                servers[place_of] = start()
                row.faults += 1
            for server in servers:
                server.ask("ping", {})
                assert _is_answered(server.call("repo.search", query="schedule work"))
            row.rounds += 1
        expected = ask_server(root, place / "anew")
        for server in servers:
            server.settle()
        for server in servers:
            assert server.ask_all(root) == expected
    finally:
        for server in servers:
            server.__exit__(None, None, None)
    assert check_lock_log(log.read_text(), killed) >= len(servers)
    assert ask_server(root, data) == expected


def test_a_short_race(tmp_path: Path) -> None:
    with LEDGER.suite("R13 racing servers") as row:
        _race(tmp_path, 0.3, row)


@pytest.mark.deep
def test_a_long_race(tmp_path: Path) -> None:
    with LEDGER.suite("R13 racing servers") as row:
        _race(tmp_path, RACE_SECONDS, row)


@pytest.mark.recipe
def test_servers_with_other_limits_keep_their_own_index(tmp_path: Path) -> None:
    root, data = make_linked_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    options = (), ("--exclude-glob", "*.md"), ("--max-file-bytes", "3000")
    with LEDGER.suite("R14 other configurations") as row:
        for _ in range(2):
            for option in options:
                with Served(root, data, *option) as server:
                    report = server.call("repo.refresh_index")["result"]
                row.rounds += 1
        assert report["added"] == report["updated"] == 0
        assert len(list(data.glob("index-*"))) == len(options)


def _take_lock(place: Path) -> DiskLock:
    """Take the lock of an index, which a server that looks for changes holds for a moment."""
    taken: list[DiskLock] = []

    def is_taken() -> bool:
        with suppress(IndexLocked):
            taken.append(DiskDirectory(str(place)).lock("lock"))
        return bool(taken)

    wait_until(is_taken)
    return taken[0]


@pytest.mark.recipe
def test_locks_that_were_left_or_are_held(tmp_path: Path) -> None:
    root, data = make_linked_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    with LEDGER.suite("R15 stale and held locks") as row:
        with Served(root, data) as server:
            server.settle()
        lock, outside = next(data.glob("index-*/lock")), tmp_path / "outside"
        outside.write_text("mine")
        shapes: list[Callable[[Path], object]] = [
            lambda path: path.write_bytes(b""),
            lambda path: path.write_bytes(b"\xff" * 5000),
            lambda path: path.mkdir(),
            lambda path: path.symlink_to(outside),
        ]
        for shape in shapes:
            lock.unlink()
            shape(lock)
            with Served(root, data) as server:
                assert server.call("repo.refresh_index")["ok"]
            row.rounds += 1
            row.faults += 1
        assert outside.read_text() == "mine"
        with (
            Served(root, data) as stopped,
            Served(root, data, start=START if IS_DEEP else IMPATIENT) as server,
        ):
            server.settle()
            stopped.settle()
            held = _take_lock(lock.parent)  # by us: as by a process that is stopped
            os.kill(stopped.popen.pid, signal.SIGSTOP)
            edit_tree(root, random.Random(SEED))
            busy = server.call("repo.refresh_index")
            assert busy["error"]["code"] == "index_unavailable"
            assert server.slowest_seconds < MOST_SECONDS
            assert server.call("repo.search", query="schedule")["ok"]
            for waits in (lock.parent, next(data.glob("structure-*"))):
                held.release()
                held = _take_lock(waits)
                # A round that the server began itself waits for the lock, too, and is reported first.
                wait_until(lambda: "Another process" in str(server.call("index_codebase", path=".")))
                row.rounds += 1
                row.faults += 1
            assert server.slowest_seconds < MOST_SECONDS
            held.release()
            assert server.call("repo.refresh_index")["ok"]
            os.kill(stopped.popen.pid, signal.SIGCONT)
            assert stopped.call("repo.search", query="schedule")["ok"]
            row.rounds += 1
            row.faults += 1


ODD: list[tuple[str, dict[str, object]]] = [
    ("repo.open_file", {"path": "../outside"}),
    ("repo.open_file", {"path": ".env"}),
    ("repo.search", {"query": "("}),
    ("repo.search", {"query": "[", "mode": "regex"}),
    ("repo.nothing", {}),
    ("repo.list_files", {"max_results": -1}),
    ("repo.audit_log", {"limit": 5}),
    ("read_file", {"path": "/etc/passwd"}),
    ("get_symbol", {"node_id": "0" * 24}),
    ("search_code", {"query": "x", "limit": 10**6}),
    ("code_research", {"query": ""}),
    ("index_files", {"paths": ["nothing/there.py"]}),
]


def _soak(place: Path, calls: int, row: Row) -> None:
    root, data = make_linked_tree(place / "root", SEED, FILES), place / "data"
    draw = random.Random(SEED)
    memory: list[int] = []
    descriptors: list[int] = []
    with Served(root, data) as server:
        server.settle()
        node_id = server.call("search_symbols", query="linked_callee")["result"][0]["node_id"]
        plain = [*list_calls(root), *list_structure_calls(root), *list_symbol_calls(node_id)]
        for number in range(calls):
            tool, arguments = draw.choice(plain if draw.random() < 0.9 else ODD)
            server.ask("tools/call", {"name": tool, "arguments": arguments})
            if number % 500 == 250:
                edit_tree(root, draw)
                server.settle()
            if number % (calls // 20) == calls // 20 - 1:
                memory.append(server.measure_memory())
                descriptors.append(server.count_descriptors())
            row.rounds += 1
    late, early = statistics.mean(memory[-5:]), statistics.mean(memory[5:10])
    assert late < 1.05 * early + 2_000_000, memory
    # One for each segment that is open, and edits make those more or fewer: it is the mean that may not grow.
    assert statistics.mean(descriptors[-5:]) <= statistics.mean(descriptors[5:10]) + 4, descriptors
    assert max(descriptors) < 40, descriptors
    quarter, end = (round(memory[place] / 10**6) for place in (5, -1))
    row.note = f"{quarter} MB after a quarter, {end} at the end; {descriptors[-1]} descriptors"


@pytest.mark.deep
def test_a_soak(tmp_path: Path) -> None:
    with LEDGER.suite("R22 soak, calls") as row:
        _soak(tmp_path, SOAK_CALLS, row)


def test_a_short_soak(tmp_path: Path) -> None:
    with LEDGER.suite("R22 soak, calls") as row:
        _soak(tmp_path, 200, row)


@pytest.mark.parametrize("rounds", [1, pytest.param(SIGNAL_ROUNDS, marks=pytest.mark.deep)])
def test_signals_at_any_moment(tmp_path: Path, rounds: int) -> None:
    """Some that change nothing, then one that ends it, and more while it ends."""
    root, data = make_linked_tree(tmp_path / "root", SEED, FILES), tmp_path / "data"
    draw = random.Random(SEED)
    harmless = (signal.SIGSTOP, signal.SIGCONT, signal.SIGPIPE, signal.SIGCONT)
    ending = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    with LEDGER.suite("R23 signals") as row:
        for _ in range(rounds):
            edit_tree(root, draw)
            first = draw.choice(ending)
            with Served(root, data) as server:
                asked = {"path": ".", "force": True}
                server.send("tools/call", {"name": "index_codebase", "arguments": asked})
                time.sleep(draw.uniform(0, 0.6))
                storm = [*draw.choices(harmless, k=draw.randrange(6)), signal.SIGCONT, first]
                storm += draw.choices([*harmless, *ending], k=draw.randrange(6))
                for number in [*storm, signal.SIGCONT]:
                    os.kill(server.popen.pid, number)
                assert server.wait_ended(10) in (
                    {130} if set(storm) & set(ending) == {signal.SIGINT} else {0, 130}
                )
            row.rounds += 1
            row.faults += len(storm)
            assert refresh_and_ask(root, data) == ask_anew(root)
