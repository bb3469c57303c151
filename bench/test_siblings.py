"""A first index that starts from that of another checkout: all files are compared, and none is indexed."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from bench.edits import time_plain_reading, time_plain_walk
from bench.engine import Indexed
from bench.rounds import find_median, run_rounds
from repo_mcp.config.server_config import Config
from repo_mcp.model import RefreshReport
from repo_mcp.repository import Repository

ROUNDS = 5


def test_begin_with_another_checkout(benchmark: BenchmarkFixture, indexed: Indexed, scratch: Path) -> None:
    copy = shutil.copytree(indexed.root, scratch / "copy", symlinks=True)
    kept = set(indexed.data_dir.iterdir())  # both checkouts keep their indexes there

    def forget() -> None:
        for place in set(indexed.data_dir.iterdir()) - kept:
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    def begin() -> RefreshReport:
        config = Config(str(copy), data_dir=str(indexed.data_dir), index_from=str(indexed.root))
        with closing(Repository(config)) as repository:
            return repository.refresh()

    report = run_rounds(benchmark, begin, rounds=ROUNDS, setup=forget)
    forget()
    assert (report.added, report.unchanged) == (0, indexed.files)
    seconds = find_median(benchmark)
    if seconds:
        ratio = seconds / (time_plain_walk(copy) + time_plain_reading(copy))
        benchmark.extra_info |= {"files": indexed.files, "times_walk_and_reading": round(ratio, 2)}
