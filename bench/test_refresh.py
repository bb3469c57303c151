"""Bringing an index up to date: nothing changed, and 20 files changed."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import SETTLE_SECONDS, Indexed, TimedWalk, build_settings, open_indexer, open_snapshot
from bench.rounds import find_median, run_rounds
from repo_mcp.index.indexer import Indexer
from repo_mcp.repository import Repository

CHANGED_FILES = 20
ROUNDS = 10


def walk_plainly(root: Path) -> int:
    """What any program must do that looks for changed files: list every directory, stat every file."""
    return sum(
        os.lstat(os.path.join(directory, name)).st_size
        for directory, _, names in os.walk(root)
        for name in names
    )


def time_plain_walk(root: Path) -> float:
    """Seconds, the median of five."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        walk_plainly(root)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def test_walk_and_stat_in_plain_python(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    run_rounds(benchmark, lambda: walk_plainly(indexed.root), rounds=ROUNDS, warmup_rounds=1)


def test_refresh_of_nothing_changed(
    benchmark: BenchmarkFixture, indexed: Indexed, repository: Repository
) -> None:
    report = run_rounds(benchmark, repository.refresh, rounds=ROUNDS, warmup_rounds=2)
    assert report.unchanged == indexed.files
    seconds = find_median(benchmark)
    if seconds:
        ratio = seconds / time_plain_walk(indexed.root)
        benchmark.extra_info |= {"files": indexed.files, "times_plain_walk": round(ratio, 2)}


class Edits:
    """Changes the same files again and again; puts them back as they were."""

    def __init__(self, root: Path, paths: list[str]) -> None:
        self._files = [root / path for path in paths]
        self._before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in self._files]
        self._edits = 0

    def edit(self) -> None:
        """One more line in each."""
        self._edits += 1
        for file, (text, _) in zip(self._files, self._before, strict=True):
            file.write_bytes(text + b"\nedited_%d = bench_marker\n" % self._edits)

    def undo(self) -> None:
        """The bytes and times of before."""
        for file, (text, mtime_ns) in zip(self._files, self._before, strict=True):
            file.write_bytes(text)
            os.utime(file, ns=(mtime_ns, mtime_ns))


@pytest.fixture
def edits(indexed: Indexed, repository: Repository) -> Iterator[Edits]:
    snapshot = open_snapshot(indexed.index_path)
    paths = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    snapshot.close()
    made = Edits(indexed.root, paths[:: max(1, len(paths) // CHANGED_FILES)][:CHANGED_FILES])
    yield made
    made.undo()
    time.sleep(SETTLE_SECONDS)
    repository.refresh()


def copy_index(indexed: Indexed, place: Path, walk: TimedWalk) -> Indexer:
    """An indexer over a copy of the index: the shared one stays in one segment."""
    shutil.copytree(indexed.index_path, place)
    snapshot = open_snapshot(place)
    configuration, settings = snapshot.manifest.configuration, build_settings(indexed.root, place)
    snapshot.close()
    return open_indexer(settings, workers=1, walk=walk, configuration=configuration)


def test_refresh_of_20_changed_files(
    benchmark: BenchmarkFixture, indexed: Indexed, edits: Edits, scratch: Path
) -> None:
    walk = TimedWalk(indexed.root)
    indexer = copy_index(indexed, scratch / "index", walk)
    changed = min(CHANGED_FILES, indexed.files)
    report = run_rounds(benchmark, indexer.refresh, setup=edits.edit, rounds=ROUNDS, warmup_rounds=1)
    assert (report.updated, report.added, report.removed) == (changed, 0, 0)
    seconds = find_median(benchmark)
    if seconds:
        walk_seconds = statistics.median(walk.seconds)
        apart = seconds - walk_seconds
        benchmark.extra_info |= {
            "files": indexed.files,
            "walk_ms": round(walk_seconds * 1e3, 1),
            "without_walk_ms": round(apart * 1e3, 1),
        }
