"""What a memory budget allows, and that builds keep to it whatever their text is."""

from __future__ import annotations

import random
import string
from contextlib import closing
from pathlib import Path

import pytest

from index_format import DiskDirectory, Snapshot
from repo_mcp.config.server_config import DEFAULT_MEMORY_MB, LEAST_MEMORY_MB, load_config
from repo_mcp.indexing.shards.memory_budget import MemoryBudget
from repo_mcp.indexing.shards.shards import BuildSettings, ShardBuilder, ShardTask
from repo_mcp.repository import Repository
from tests.deep.sizes import IS_DEEP

FILE_BYTES = 400_000


def write_new_words(root: Path, files: int) -> list[str]:
    """Write files in which no word comes twice."""
    source = random.Random(7)
    names = [f"f{number:02}.txt" for number in range(files)]
    for name in names:
        words = ("".join(source.choices(string.ascii_letters, k=9)) for _ in range(FILE_BYTES // 10))
        (root / name).write_text(" ".join(words) + "\n", encoding="ascii")
    return names


def test_the_default_has_room_for_four_processes_of_any_text() -> None:
    budget = MemoryBudget()
    assert budget.megabytes == DEFAULT_MEMORY_MB
    assert budget.count_builders(4) == 4
    assert budget.count_builders(64) == 4
    assert budget.count_mergers(64, 80_000, 80_000) == 3
    assert budget.count_mergers(64, 300_000, 300_000) == 1
    assert budget.count_mergers(64, 640_000, 60_000) == 2  # a step of the merge of a large tree
    assert budget.count_mergers(64, 640_000, 640_000) == 0


@pytest.mark.parametrize("files", [0, 80_000, 640_000])
def test_more_memory_never_allows_less(files: int) -> None:
    budgets = [MemoryBudget(megabytes) for megabytes in range(LEAST_MEMORY_MB, 4_000, 50)]
    for counts in (
        [budget.count_builders(8) for budget in budgets],
        [
            budget.count_mergers(8, files, files)
            for budget in budgets
            if budget.megabytes >= DEFAULT_MEMORY_MB
        ],
        [budget.count_parsers(8) for budget in budgets],
        [budget.segment_bytes for budget in budgets],
    ):
        assert counts == sorted(counts)


def test_the_least_budget_starts_no_process_that_it_has_no_room_for() -> None:
    budget = MemoryBudget(LEAST_MEMORY_MB)
    assert budget.count_builders(4) == 1
    assert budget.count_mergers(4, 80_000, 80_000) == 0
    assert budget.count_parsers(4) == 1


@pytest.mark.sized
def test_a_shard_of_new_words_becomes_several_segments(tmp_path: Path) -> None:
    root, index = tmp_path / "root", tmp_path / "index"
    root.mkdir(), index.mkdir()
    names = write_new_words(root, 4)

    def build(memory: MemoryBudget, temporary: str) -> list[int]:
        settings = BuildSettings(str(root), str(index), None, 200, 30, 2_000_000, frozenset(), memory=memory)
        with closing(ShardBuilder(settings)) as builder:
            result = builder.build(ShardTask(temporary, tuple((name, None) for name in names), 1))
        assert list(result.indexed) == names
        return [entry.files for entry in result.entries]

    assert build(MemoryBudget(10_000), "large") == [4]
    small = build(MemoryBudget(LEAST_MEMORY_MB), "small")
    assert len(small) > 1
    assert sum(small) == 4
    assert not IS_DEEP or build(MemoryBudget(LEAST_MEMORY_MB), "again") == small


@pytest.mark.sized
def test_the_budget_does_not_show_in_the_index(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write_new_words(root, 4)
    names = set()
    for memory_mb in (LEAST_MEMORY_MB, 4_000, *([DEFAULT_MEMORY_MB] if IS_DEEP else [])):
        data_dir = tmp_path / f"data-{memory_mb}"
        config = load_config(str(root), data_dir=str(data_dir), memory_mb=memory_mb, workers=2)
        with closing(Repository(config)) as repository:
            assert repository.refresh().added == 4
        [place] = data_dir.glob("index-*")
        snapshot = Snapshot.open(DiskDirectory(str(place)))
        assert snapshot is not None
        names |= {entry.name for entry in snapshot.manifest.segments}
        snapshot.close()
    assert len(names) == 1  # a segment is named by its content
