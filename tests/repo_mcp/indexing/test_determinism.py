"""Same tree, same bytes; same tree, same answer: whatever the workers, places, seeds and history."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.model import Hit, SearchRequest
from repo_mcp.repository import Repository
from tests.deep.sizes import choose
from tests.posix import posix
from tests.repo_mcp.indexing.small_shards import replace_shard_bytes
from tests.repo_mcp.trees import edit_tree, make_tree

QUESTIONS = ("schedule work queue", "getUserName", "HTTPResponse index", "naïve", "path:d1 token", "x")
REFRESHES = choose(12, 50)


@pytest.fixture
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuildSettings.__init__, "__defaults__", replace_shard_bytes(20_000))


def open_repository(root: Path, data_dir: Path, workers: int = 0) -> Repository:
    return Repository(load_config(str(root), data_dir=str(data_dir), workers=workers))


def read_segments(data_dir: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data_dir.rglob("*.seg")}


def ask(repository: Repository) -> list[tuple[tuple[Hit, ...], int]]:
    answers = [repository.search(SearchRequest(question, 10)) for question in QUESTIONS]
    return [(answer.hits, answer.total) for answer in answers]


def build(root: Path, data_dir: Path, workers: int = 0) -> dict[str, bytes]:
    repository = open_repository(root, data_dir, workers)
    repository.refresh()
    repository.close()
    return read_segments(data_dir)


@pytest.mark.usefixtures("_small_shards")
def test_workers_and_places_leave_no_trace(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "one" / "tree", 1)
    shutil.copytree(tree, tmp_path / "elsewhere" / "again")
    alone = build(tree, tmp_path / "data1")
    assert len(alone) == 1
    assert build(tree, tmp_path / "data2", workers=2) == alone
    assert build(tmp_path / "elsewhere" / "again", tmp_path / "data3", workers=1) == alone


@pytest.mark.sized
def test_hash_seeds_leave_no_trace(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree", 2)
    found = [build(tree, tmp_path / "data")]  # with the seed of this process
    for seed in ("0", "1")[: choose(1, 2)]:
        data_dir = tmp_path / f"data-{seed}"
        index = "from repo_mcp.cli import main; import sys; sys.exit(main())"
        subprocess.run(
            [sys.executable, "-c", index, "index", "--repo-root", str(tree), "--data-dir", str(data_dir)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        found.append(read_segments(data_dir))
    assert len(found[0]) == 1
    assert all(one == found[0] for one in found)


@posix
@pytest.mark.sized
def test_history_leaves_no_trace(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree", 3)
    draw = random.Random(4)
    repository = open_repository(tree, tmp_path / "data")
    repository.refresh()
    most_segments = 1
    for _ in range(REFRESHES):
        edit_tree(tree, draw)
        repository.refresh()
        most_segments = max(most_segments, repository.status().segments)
    fresh = open_repository(tree, tmp_path / "fresh")
    fresh.refresh()
    assert most_segments > 1
    assert ask(repository) == ask(fresh)
    repository.compact(full=True)
    assert ask(repository) == ask(fresh)
    assert read_segments(tmp_path / "data") == read_segments(tmp_path / "fresh")
    assert len(read_segments(tmp_path / "data")) == 1


def test_forced_refresh_gives_the_same_bytes(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree", 5)
    repository = open_repository(tree, tmp_path / "data")
    repository.refresh()
    before = read_segments(tmp_path / "data")
    report = repository.refresh(force=True)
    assert read_segments(tmp_path / "data") == before
    assert (report.added, report.removed, report.unchanged) == (0, 0, 0)
    assert report.updated == repository.status().indexed_files
