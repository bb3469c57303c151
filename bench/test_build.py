"""Building an index from nothing, and its two costly parts by themselves."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import MEGABYTE, PhaseClock, TimedWalk, build_settings, measure_index, open_indexer
from index_format import DiskDirectory, IndexWriter, Snapshot, merge_segments
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.shards import SHARD_BYTES, ShardBuilder, ShardTask, plan_shards

ROUNDS = 3
LARGE_FILES = 20_000
MERGED_SHARDS = 10
MIN_SHARD_BYTES = 64 * 1024


def plan(tree: Path, shard_bytes: int) -> list[ShardTask]:
    """The shards of a tree."""
    names = (f"bench-{number}.tmp" for number in itertools.count())
    return plan_shards(TimedWalk(tree)().files, {}, lambda: next(names), shard_bytes)


@pytest.mark.parametrize("workers", [0, 2])
def test_build(benchmark: BenchmarkFixture, tree: Path, scratch: Path, workers: int) -> None:
    walk = TimedWalk(tree)
    clocks: list[PhaseClock] = []

    def build(index_path: Path, clock: PhaseClock) -> None:
        open_indexer(tree, index_path, workers=workers, walk=walk).refresh(progress=clock)

    def begin() -> tuple[tuple[Path, PhaseClock], dict[str, object]]:
        shutil.rmtree(scratch / "index", ignore_errors=True)
        clocks.append(PhaseClock())
        return (scratch / "index", clocks[-1]), {}

    rounds = 1 if len(walk().files) > LARGE_FILES else ROUNDS
    benchmark.pedantic(build, setup=begin, teardown=lambda _, clock: clock.stop(), rounds=rounds)
    built = measure_index(tree, scratch, scratch / "index")
    seconds = benchmark.stats.stats.median if benchmark.stats else 0.0
    benchmark.extra_info |= built.describe() | clocks[-1].get_seconds()
    if seconds:
        benchmark.extra_info["mb_per_s"] = round(built.text_bytes / MEGABYTE / seconds, 1)


def test_read_and_analyse_one_shard(benchmark: BenchmarkFixture, tree: Path, scratch: Path) -> None:
    task = max(plan(tree, SHARD_BYTES)[:10], key=lambda one: one.bytes)
    DiskDirectory(str(scratch), create=True)
    builder = ShardBuilder(build_settings(tree, scratch))
    result = benchmark.pedantic(builder.build, args=(task,), rounds=ROUNDS, warmup_rounds=1)
    builder.close()
    benchmark.extra_info |= {"files": len(result.indexed), "text_mb": round(task.bytes / MEGABYTE, 1)}
    if benchmark.stats:
        seconds = benchmark.stats.stats.median
        benchmark.extra_info["mb_per_s"] = round(task.bytes / MEGABYTE / seconds, 1)


def write_shards(tree: Path, index_path: Path) -> tuple[Snapshot, int]:
    """The first shards of a tree, MERGED_SHARDS or fewer, committed but not merged; and their source bytes."""
    total = sum(file.stat.size for file in TimedWalk(tree)().files)
    shard_bytes = max(MIN_SHARD_BYTES, min(SHARD_BYTES, total // MERGED_SHARDS))
    tasks = plan(tree, shard_bytes)[:MERGED_SHARDS]
    directory = DiskDirectory(str(index_path), create=True)
    builder = ShardBuilder(build_settings(tree, index_path))
    with IndexWriter(directory, "bench", FIELDS) as writer:
        for task in tasks:
            entry = builder.build(task).entry
            if entry is not None:
                writer.add(entry)
        writer.commit()
    builder.close()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return snapshot, sum(task.bytes for task in tasks)


def test_merge_shards_into_one_segment(benchmark: BenchmarkFixture, tree: Path, scratch: Path) -> None:
    snapshot, text_bytes = write_shards(tree, scratch)
    directory = DiskDirectory(str(scratch))
    entry = benchmark.pedantic(
        merge_segments, args=(directory, "merged.tmp", snapshot.segments), rounds=ROUNDS
    )
    shards = len(snapshot.segments)
    snapshot.close()
    benchmark.extra_info |= {
        "shards": shards,
        "files": entry.files,
        "text_mb": round(text_bytes / MEGABYTE, 1),
        "index_mb": round(entry.file_bytes / MEGABYTE, 1),
    }
