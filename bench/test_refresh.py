"""Bringing an index up to date: nothing changed, and 20 files changed."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.edits import CHANGED_FILES, Edits, choose_edited, time_plain_walk, walk_plainly
from bench.engine import SETTLE_SECONDS, Indexed, TimedWalk, build_settings, open_indexer, open_snapshot
from bench.rounds import find_median, run_rounds
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.repository import Repository

ROUNDS = 10


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


@pytest.fixture
def edits(indexed: Indexed, repository: Repository) -> Iterator[Edits]:
    snapshot = open_snapshot(indexed.index_path)
    paths = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    snapshot.close()
    made = Edits(indexed.root, choose_edited(paths))
    yield made
    made.undo()
    time.sleep(SETTLE_SECONDS)
    repository.refresh()


def copy_index(indexed: Indexed, place: Path, walk: TimedWalk) -> Indexer:
    """Open an indexer over a copy of the index: the shared one stays in one segment."""
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
