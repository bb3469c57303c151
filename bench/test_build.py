"""Building an index from nothing, and its two costly parts by themselves."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import MEGABYTE, PhaseClock, TimedWalk, build_settings, measure_index, open_indexer
from bench.rounds import add_rate, run_rounds
from index_format import DiskDirectory, IndexWriter, Snapshot, merge_segments
from repo_mcp.indexing.shards.shards import SHARD_BYTES, ShardBuilder, ShardPlanner, ShardTask
from repo_mcp.model import WalkedFile
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.walked_files import build_walked_files

ROUNDS = 3
LARGE_FILES = 20_000
BUILT_SHARDS = 4  # at least: by default a small tree is one shard, which would leave workers idle
MERGED_SHARDS = 10  # the number that is merged, so a tree has at least as many
MIN_SHARD_BYTES = 64 * 1024


def plan(tree: Path, shard_bytes: int) -> list[ShardTask]:
    """Return the shards of a tree."""
    names = (f"bench-{number}.tmp" for number in itertools.count())
    planner = ShardPlanner(lambda _path: None, lambda: next(names), shard_bytes)
    return [*planner.take(build_walked_files(TimedWalk(tree)().files)), *planner.finish()]


def choose_shard_bytes(files: Sequence[WalkedFile], least_shards: int) -> int:
    """Return the program's own size of a shard, or a smaller one if that would give too few shards."""
    total = sum(file.stat.size for file in files)
    return max(MIN_SHARD_BYTES, min(SHARD_BYTES, total // least_shards))


@pytest.mark.parametrize("workers", [0, 2])
def test_build(benchmark: BenchmarkFixture, tree: Path, scratch: Path, workers: int) -> None:
    walk = TimedWalk(tree)
    files = walk().files
    settings = build_settings(tree, scratch / "index", choose_shard_bytes(files, BUILT_SHARDS))
    clocks: list[PhaseClock] = []

    def build(clock: PhaseClock) -> None:
        open_indexer(settings, workers=workers, walk=walk).refresh(progress=clock)

    def begin() -> tuple[tuple[PhaseClock], dict[str, object]]:
        shutil.rmtree(scratch / "index", ignore_errors=True)
        clocks.append(PhaseClock())
        return (clocks[-1],), {}

    rounds = 1 if len(files) > LARGE_FILES else ROUNDS
    run_rounds(benchmark, build, setup=begin, teardown=PhaseClock.stop, rounds=rounds)
    built = measure_index(tree, scratch, scratch / "index")
    benchmark.extra_info |= built.describe() | clocks[-1].get_seconds()
    add_rate(benchmark, built.text_bytes)


def test_read_and_analyse_one_shard(benchmark: BenchmarkFixture, tree: Path, scratch: Path) -> None:
    tasks = plan(tree, SHARD_BYTES)
    task = tasks[len(tasks) // 2]
    DiskDirectory(str(scratch), create=True)
    builder = ShardBuilder(build_settings(tree, scratch))
    result = run_rounds(benchmark, lambda: builder.build(task), rounds=ROUNDS, warmup_rounds=1)
    builder.close()
    benchmark.extra_info |= {"files": len(result.indexed), "text_mb": round(task.bytes / MEGABYTE, 1)}
    add_rate(benchmark, task.bytes)


def write_shards(tree: Path, index_path: Path) -> tuple[Snapshot, int]:
    """Commit the first MERGED_SHARDS shards of a tree without merging; return them and their source bytes."""
    tasks = plan(tree, choose_shard_bytes(TimedWalk(tree)().files, MERGED_SHARDS))[:MERGED_SHARDS]
    directory = DiskDirectory(str(index_path), create=True)
    builder = ShardBuilder(build_settings(tree, index_path))
    with IndexWriter(directory, "bench", FIELDS) as writer:
        for task in tasks:
            for entry in builder.build(task).entries:
                writer.add(entry)
        writer.commit()
    builder.close()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return snapshot, sum(task.bytes for task in tasks)


def test_merge_shards_into_one_segment(benchmark: BenchmarkFixture, tree: Path, scratch: Path) -> None:
    snapshot, text_bytes = write_shards(tree, scratch)
    directory = DiskDirectory(str(scratch))
    entry = run_rounds(
        benchmark, lambda: merge_segments(directory, "merged.tmp", snapshot.segments), rounds=ROUNDS
    )
    assert entry is not None
    shards = len(snapshot.segments)
    snapshot.close()
    benchmark.extra_info |= {
        "shards": shards,
        "files": entry.files,
        "text_mb": round(text_bytes / MEGABYTE, 1),
        "index_mb": round(entry.file_bytes / MEGABYTE, 1),
    }
    add_rate(benchmark, text_bytes)
