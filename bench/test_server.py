"""The server as a client meets it, over stdio: how soon it answers, and what a call costs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed
from bench.processes import BARE_PYTHON, Peer, spawn_server
from bench.queries import CLASSES
from bench.rounds import measure_queries, run_rounds

SPAWN_ROUNDS = 10
PING_ROUNDS = 200


@pytest.fixture
def peers() -> Iterator[list[Peer]]:
    """The processes that a benchmark started, ended when it is done."""
    started: list[Peer] = []
    yield started
    for peer in started:
        peer.close()


def close_last(peers: list[Peer]) -> None:
    """Between rounds: the next process must not share the machine with this one."""
    peers.pop().close()


def test_spawn_of_bare_python(benchmark: BenchmarkFixture, peers: list[Peer]) -> None:
    def start() -> None:
        peers.append(Peer("-c", BARE_PYTHON))
        peers[-1].ask("initialize", {})

    run_rounds(benchmark, start, rounds=SPAWN_ROUNDS, warmup_rounds=1, teardown=lambda: close_last(peers))


def test_spawn_to_initialize(benchmark: BenchmarkFixture, indexed: Indexed, peers: list[Peer]) -> None:
    def start() -> None:
        peers.append(spawn_server(indexed.root, indexed.data_dir))
        peers[-1].handshake()

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


@pytest.fixture
def server(indexed: Indexed) -> Iterator[Peer]:
    peer = spawn_server(indexed.root, indexed.data_dir)
    peer.handshake()
    yield peer
    peer.close()


def test_ping_over_stdio(benchmark: BenchmarkFixture, server: Peer) -> None:
    run_rounds(benchmark, lambda: server.ask("ping", {}), rounds=PING_ROUNDS, warmup_rounds=20)


@pytest.mark.parametrize("kind", CLASSES)
def test_search_over_stdio(
    benchmark: BenchmarkFixture, server: Peer, queries: dict[str, list[str]], kind: str
) -> None:
    measure_queries(benchmark, queries[kind], server.search)
