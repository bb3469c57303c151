"""The server as a client meets it: how soon it answers and sees a change, and how much memory it takes."""

from __future__ import annotations

import itertools
import json
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.edits import Edits
from bench.engine import SETTLE_SECONDS
from bench.peers.job import Job
from bench.processes import BARE_PYTHON, Peer, can_read_memory, read_memory, spawn_server

SDK_SERVER = "bench.peers.sdk_server"
WATCH_PATIENCE_SECONDS = 20.0
LONG_PATIENCE_SECONDS = 1_800.0  # for a thousand answers on a busy machine
WATCH_POLL_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class SpawnTimes:
    """Seconds from starting a process to an answer, the best of all rounds."""

    bare_python: float
    initialize: float
    tools_list: float
    first_search: float
    sdk_first_call: float


def time_spawns(job: Job, position: Path, query: str, rounds: int) -> SpawnTimes:
    """Time the five kinds of start in turn, `rounds` times."""
    kinds: list[Callable[[], float]] = [
        lambda: _time_spawn(lambda: Peer("-c", BARE_PYTHON), lambda peer: peer.ask("initialize", {})),
        lambda: _time_spawn(lambda: spawn_server(job.root, position), Peer.handshake),
        lambda: _time_spawn(lambda: spawn_server(job.root, position), _list_tools),
        lambda: _time_spawn(lambda: spawn_server(job.root, position), lambda peer: _search(peer, query)),
        lambda: _time_spawn(lambda: Peer("-m", SDK_SERVER), lambda peer: _search(peer, query)),
    ]
    seconds = [[kind() for kind in kinds] for _ in range(rounds)]
    return SpawnTimes(*(min(column) for column in zip(*seconds, strict=True)))


def _time_spawn(spawn: Callable[[], Peer], talk: Callable[[Peer], object]) -> float:
    started = time.perf_counter()
    with closing(spawn()) as peer:
        talk(peer)
        return time.perf_counter() - started


def _list_tools(peer: Peer) -> None:
    peer.handshake()
    peer.ask("tools/list", {})


def _search(peer: Peer, query: str) -> None:
    peer.handshake()
    peer.search(query)


def measure_memory(job: Job, position: Path, count: int) -> float | None:
    """Return a server's memory in MB after so many queries; None where the system does not tell."""
    if not can_read_memory():
        return None
    mixed = [text for texts in job.read_queries().values() for text in texts]
    with closing(spawn_server(job.root, position, patience_seconds=LONG_PATIENCE_SECONDS)) as server:
        server.handshake()
        for text in itertools.islice(itertools.cycle(mixed), count):
            server.search(text)
        return read_memory(server.process_id)["VmRSS"] / 1e6


def time_watching(job: Job, position: Path, path: str, rounds: int) -> float | None:
    """Return the median seconds from saving a file to an answer that has it; None when none has."""
    edits = Edits(job.root, [path])
    seconds = []
    try:
        with closing(spawn_server(job.root, position)) as server:
            server.handshake()
            server.search("edited")
            for number in range(1, rounds + 1):
                time.sleep(SETTLE_SECONDS)
                started = time.perf_counter()
                edits.edit()
                if not _wait_for(server, f"edited_{number}", path, started + WATCH_PATIENCE_SECONDS):
                    return None
                seconds.append(time.perf_counter() - started)
    finally:
        edits.undo()
    return statistics.median(seconds)


def _wait_for(server: Peer, word: str, path: str, deadline: float) -> bool:
    wanted = json.dumps(path)
    while time.perf_counter() < deadline:
        if wanted in json.dumps(server.search(f"+{word}").get("structuredContent")):
            return True
        time.sleep(WATCH_POLL_SECONDS)
    return False
