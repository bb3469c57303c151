"""The server as a client meets it, over stdio: how soon it answers, and what a call costs."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed
from bench.processes import BARE_PYTHON, SDK_SERVER, Peer, spawn_server
from bench.queries import CLASSES
from bench.rounds import find_median, measure_queries, run_rounds
from repo_mcp.indexing.watcher import is_installed
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository

SPAWN_ROUNDS = 10
PING_ROUNDS = 200
HITS = 10
WATCH_SECONDS = 5.0  # by then the first refresh has ended and the watch has begun


@pytest.fixture
def peers() -> Iterator[list[Peer]]:
    """Yield a list for the processes that a benchmark starts, and end them when it is done."""
    started: list[Peer] = []
    yield started
    for peer in started:
        peer.close()


def close_last(peers: list[Peer]) -> None:
    """End the last process between rounds: the next one must not share the machine with it."""
    peers.pop().close()


def answer_barely(peers: list[Peer]) -> None:
    """Start a bare Python process, up to its one answer."""
    peers.append(Peer("-c", BARE_PYTHON))
    peers[-1].ask("initialize", {})


def call_sdk(peers: list[Peer]) -> None:
    """Start the SDK's own server, up to the answer to its first call."""
    peers.append(Peer("-c", SDK_SERVER))
    peers[-1].handshake()
    peers[-1].call_anything("hello")


def time_start(start: Callable[[list[Peer]], None], peers: list[Peer]) -> float:
    """Return the median seconds of five starts, timed in the same minute as what they are compared with."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        start(peers)
        times.append(time.perf_counter() - started)
        close_last(peers)
    return statistics.median(times)


def add_ratio(benchmark: BenchmarkFixture, name: str, seconds: float) -> None:
    """Record how many times as long the median round took."""
    median = find_median(benchmark)
    if median:
        benchmark.extra_info[name] = round(median / seconds, 2)


def test_spawn_of_bare_python(benchmark: BenchmarkFixture, peers: list[Peer]) -> None:
    run_rounds(
        benchmark,
        lambda: answer_barely(peers),
        rounds=SPAWN_ROUNDS,
        warmup_rounds=1,
        teardown=lambda: close_last(peers),
    )


def test_spawn_of_sdk_server_to_first_call(benchmark: BenchmarkFixture, peers: list[Peer]) -> None:
    run_rounds(
        benchmark,
        lambda: call_sdk(peers),
        rounds=SPAWN_ROUNDS,
        warmup_rounds=1,
        teardown=lambda: close_last(peers),
    )


def test_spawn_to_initialize(benchmark: BenchmarkFixture, indexed: Indexed, peers: list[Peer]) -> None:
    def start() -> None:
        peers.append(spawn_server(indexed.root, indexed.data_dir))
        peers[-1].handshake()

    run_rounds(benchmark, start, rounds=SPAWN_ROUNDS, warmup_rounds=1, teardown=lambda: close_last(peers))
    add_ratio(benchmark, "times_bare_python", time_start(answer_barely, peers))


def test_spawn_to_tools_list(benchmark: BenchmarkFixture, indexed: Indexed, peers: list[Peer]) -> None:
    def start() -> None:
        peers.append(spawn_server(indexed.root, indexed.data_dir))
        peers[-1].handshake()
        assert peers[-1].ask("tools/list", {})["result"]["tools"]

    run_rounds(benchmark, start, rounds=SPAWN_ROUNDS, warmup_rounds=1, teardown=lambda: close_last(peers))


def test_spawn_to_first_search(
    benchmark: BenchmarkFixture, indexed: Indexed, queries: dict[str, list[str]], peers: list[Peer]
) -> None:
    in_turn = itertools.cycle(queries["questions"])

    def start() -> None:
        peers.append(spawn_server(indexed.root, indexed.data_dir))
        peers[-1].handshake()
        peers[-1].search(next(in_turn))

    run_rounds(benchmark, start, rounds=SPAWN_ROUNDS, warmup_rounds=1, teardown=lambda: close_last(peers))
    benchmark.extra_info |= indexed.describe()
    add_ratio(benchmark, "times_sdk_first_call", time_start(call_sdk, peers))


@pytest.fixture
def server(indexed: Indexed) -> Iterator[Peer]:
    peer = spawn_server(indexed.root, indexed.data_dir, "--no-watch")  # a refresh would share the machine
    peer.handshake()
    yield peer
    peer.close()


def test_ping_over_stdio(benchmark: BenchmarkFixture, server: Peer) -> None:
    run_rounds(benchmark, lambda: server.ask("ping", {}), rounds=PING_ROUNDS, warmup_rounds=20)


@pytest.mark.parametrize("kind", CLASSES)
def test_search_over_stdio(
    benchmark: BenchmarkFixture,
    server: Peer,
    repository: Repository,
    queries: dict[str, list[str]],
    kind: str,
) -> None:
    measure_queries(benchmark, queries[kind], server.search)
    seconds = find_median(benchmark)
    if seconds:
        inside = statistics.median(time_search(repository, query) for query in queries[kind])
        benchmark.extra_info["over_in_process_ms"] = round((seconds - inside) * 1e3, 2)


def time_search(repository: Repository, query: str) -> float:
    """Return the median seconds of five searches in this process."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        repository.search(SearchRequest(query, HITS))
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def test_saved_to_searchable_while_watching(
    benchmark: BenchmarkFixture, indexed: Indexed, peers: list[Peer], tree: Path
) -> None:
    """Time a new file, from before it is written until a search over stdio finds it."""
    if not is_installed():
        pytest.skip("there is nothing to watch with")
    peers.append(spawn_server(indexed.root, indexed.data_dir))
    server, file = peers[-1], tree / "bench_saved.c"
    server.handshake()
    server.search("bench")
    time.sleep(WATCH_SECONDS)
    numbers = itertools.count()

    def save_and_find() -> None:
        word = "".join(
            chr(ord("a") + int(digit, 16)) for digit in f"{(next(numbers) + 1) * 0x9E3779B97F4A:x}"
        )
        file.write_text(f"int {word};\n")  # a word that shares no part with the one before
        deadline = time.monotonic() + WATCH_SECONDS
        while not server.search(word)["structuredContent"]["result"]["hits"]:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    run_rounds(benchmark, save_and_find, rounds=SPAWN_ROUNDS, warmup_rounds=1, setup=lambda: time.sleep(0.3))
    file.unlink()
    benchmark.extra_info["files"] = indexed.files
    time.sleep(1.0)  # until the server has taken it out
