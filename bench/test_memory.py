"""Memory: of all processes of a build by the command line, and of a server after its queries.

It is reported beside the times, never asserted. Only Linux tells the memory of other processes.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed
from bench.processes import can_read_memory, read_memory, run_and_watch, spawn_server
from bench.rounds import run_rounds

SERVER_QUERIES = 1_000
WORKERS = 2
pytestmark = pytest.mark.skipif(not can_read_memory(), reason="this system does not tell")


def test_memory_of_build_command(benchmark: BenchmarkFixture, tree: Path, scratch: Path) -> None:
    command = [sys.executable, "-m", "repo_mcp", "index", "--json", "--repo-root", str(tree)]
    command += ["--data-dir", str(scratch), "--workers", str(WORKERS)]
    peak = run_rounds(benchmark, lambda: run_and_watch(command), rounds=1).peak_mb
    benchmark.extra_info |= {"workers": WORKERS, "peak_rss_mb": round(peak)}


def test_memory_of_server_after_1000_queries(
    benchmark: BenchmarkFixture, indexed: Indexed, queries: dict[str, list[str]]
) -> None:
    in_turn = itertools.cycle(itertools.chain(*queries.values()))
    server = spawn_server(indexed.root, indexed.data_dir)
    server.handshake()

    def ask_all() -> None:
        for query in itertools.islice(in_turn, SERVER_QUERIES):
            server.search(query)

    run_rounds(benchmark, ask_all, rounds=1)
    memory = read_memory(server.process_id)
    server.close()
    benchmark.extra_info |= {
        "queries": SERVER_QUERIES,
        "rss_mb": round(memory["VmRSS"] / 1e6),
        "peak_rss_mb": round(memory["VmHWM"] / 1e6),
    }
