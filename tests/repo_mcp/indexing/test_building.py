"""Shards, likeliest files first; of a tree whose walk takes long they are given out before it ends."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import DiskDirectory, read_manifest
from repo_mcp.config.server_config import Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing import building
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.indexing.refresh import Refresh
from repo_mcp.indexing.refresh_inputs import RefreshResources
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.scan_state import SIDE_FILE, read_seen
from repo_mcp.indexing.shard_pool import FEWEST, ShardPool
from repo_mcp.indexing.shards import workers as workers_module
from repo_mcp.indexing.shards.shards import ShardPlanner, ShardResult, ShardTask
from repo_mcp.model import IndexProgress, RefreshReport, WalkReport
from repo_mcp.repository import Repository
from repo_mcp.workspace.walked_files import FileColumns, WalkedFiles
from tests.deep.sizes import first
from tests.repo_mcp.trees import make_tree

FILES = 150
SHARD_BYTES = 20_000
PATIENCE_SECONDS = 60.0


def plan(sizes: list[int], ends: list[int]) -> list[tuple[str, list[str], int]]:
    """Return the shards of files of these sizes that come in pieces with these ends."""
    columns = FileColumns()
    columns.extend([(f"{place:03}", (size, 0, 0, 0)) for place, size in enumerate(sizes)])
    files = columns.finish()
    names = (f"new-{number}" for number in range(len(sizes)))
    planner = ShardPlanner(lambda _path: None, lambda: next(names), 100)
    tasks: list[ShardTask] = []
    start = 0
    for end in [*ends, len(sizes)]:
        tasks += planner.take(WalkedFiles(files.paths[start:end], files.stats[start:end]))
        start = max(start, end)
    tasks += planner.finish()
    return [(task.temporary, [path for path, _ in task.files], task.bytes) for task in tasks]


@given(st.lists(st.integers(0, 150), max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_shards_do_not_depend_on_the_pieces_that_files_come_in(sizes: list[int], ends: list[int]) -> None:
    whole = plan(sizes, [])
    assert plan(sizes, sorted(min(end, len(sizes)) for end in ends)) == whole
    assert [path for _, paths, _ in whole for path in paths] == [f"{place:03}" for place in range(len(sizes))]
    assert all(size >= 100 for _, _, size in whole[:-1])
    assert sum(size for _, _, size in whole) == sum(sizes)


class SlowWalk:
    """A walk that does not end before `is_over` says so; it goes on telling what it met."""

    def __init__(self, repository: Repository, is_over: Callable[[], bool]) -> None:
        self._walk = repository.tree.walk
        self._is_over = is_over
        self.met = 0  # files, when it ended

    def __call__(
        self, cancelled: Callable[[], bool], met: Callable[[FileColumns], None] | None = None, /
    ) -> WalkReport:
        assert met is not None
        reported: list[FileColumns] = []

        def tell(files: FileColumns) -> None:
            reported.append(files)
            met(files)

        report = self._walk(cancelled, tell)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._is_over() and time.monotonic() < deadline:
            if cancelled():
                raise RepoError(ErrorCode.CANCELLED, "The walk was cancelled.")
            met(reported[-1])
            time.sleep(0.01)
        self.met = len(reported[-1].paths)
        return report


class Tree:
    """A root of several shards and its index."""

    def __init__(self, place: Path, workers: int) -> None:
        root = str(make_tree(place / "root", 7, files=FILES))
        self.index = place / f"index-{workers}"
        self.directory = DiskDirectory(str(self.index), create=True)
        config = Config(root, data_dir=str(place / "data"))
        self.repository = Repository(config)
        settings = self.repository._index.refresher.setup.settings
        settings = replace(settings, index_path=str(self.index), data_dir_parts=None)
        self.settings = replace(settings, shard_bytes=SHARD_BYTES)
        self.workers = workers
        self.reported: list[IndexProgress] = []

    def count_segments(self) -> int:
        """Return the number of segments of the committed generation."""
        manifest = read_manifest(self.directory)
        return len(manifest.segments) if manifest is not None else 0

    def refresh(
        self,
        walk: SlowWalk | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        force: bool = False,
        committed: Callable[[], None] = lambda: None,
    ) -> RefreshReport:
        resources = RefreshResources(self.directory, self.settings, self.workers)
        indexer = Indexer(resources, "test", walk or self.repository.tree.walk)
        return indexer.refresh(
            force=force, progress=self.reported.append, cancelled=cancelled, committed=committed
        )

    def read(self) -> dict[str, bytes]:
        """Return the segments."""
        return {path.name: path.read_bytes() for path in self.index.glob("*.seg")}

    def close(self) -> None:
        self.repository.close()


@pytest.fixture(name="tree")
def open_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    monkeypatch.setattr(building, "PATIENCE_SECONDS", 0.0)  # every walk takes long
    with closing(Tree(tmp_path, 1)) as tree:
        yield tree


def test_shards_are_searchable_before_the_walk_ends(tree: Tree, tmp_path: Path) -> None:
    walk = SlowWalk(tree.repository, lambda: tree.count_segments() >= 3)
    report = tree.refresh(walk)
    assert report.added == walk.met > 0
    assert (report.updated, report.removed) == (0, 0)
    with closing(Tree(tmp_path / "again", 0)) as alone:
        alone.refresh()
        assert tree.read() == alone.read()
        assert len(alone.read()) == 1


@pytest.mark.parametrize("seed", first(1, range(3)))
def test_the_finished_index_does_not_depend_on_the_order(
    tree: Tree, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.refresh()

    def order(files: WalkedFiles) -> list[int]:
        return random.Random(seed).sample(range(len(files)), len(files))

    monkeypatch.setattr(building, "order_likely", order)
    monkeypatch.setattr(building, "PATIENCE_SECONDS", 3600.0)
    with closing(Tree(tmp_path / "again", 0)) as other:
        counts: list[int] = []
        other.refresh(committed=lambda: counts.append(other.count_segments()))
        assert max(counts) > 3
        assert other.read() == tree.read()


def test_who_is_killed_in_the_merge_does_not_read_all_again(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(_refresh: Refresh) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Refresh, "_merge", kill)
        with pytest.raises(KeyboardInterrupt):
            tree.refresh()
    assert tree.count_segments() > 3
    manifest = read_manifest(tree.directory)
    assert manifest is not None
    seen = read_seen(tree.directory, manifest.generation, manifest.segments)
    assert seen is not None  # by which a work tree beside it need not read all either
    report = tree.refresh()
    assert (report.added, report.updated, report.unchanged) == (0, 0, len(seen.read_files()))
    with closing(Tree(tmp_path / "again", 0)) as other:
        other.refresh()
        assert other.read() == tree.read()


def test_progress_knows_no_total_before_the_walk_ends(tree: Tree) -> None:
    tree.refresh(SlowWalk(tree.repository, lambda: tree.count_segments() >= 3))
    assert [one.phase for one in tree.reported[:1] + tree.reported[-1:]] == ["walk", "merge"]
    steps = [one for one in tree.reported if one.phase == "index"]
    early = [one for one in steps if not one.files_total]
    late = steps[len(early) :]
    assert len(early) >= 3
    assert {one.bytes_total for one in early} == {0}
    assert len({(one.files_total, one.bytes_total) for one in late}) == 1
    done = [(one.files_done, one.bytes_done) for one in steps]
    assert done == sorted(done)
    assert done[-1] == (late[-1].files_total, late[-1].bytes_total)
    assert late[0].files_done == early[-1].files_done


def test_what_was_built_before_a_walk_was_cancelled_is_kept(tree: Tree) -> None:
    with pytest.raises(RepoError) as caught:
        tree.refresh(SlowWalk(tree.repository, lambda: False), lambda: tree.count_segments() >= 3)
    assert caught.value.code is ErrorCode.CANCELLED
    assert tree.count_segments() >= 3
    report = tree.refresh()
    assert report.unchanged >= 3
    assert report.unchanged + report.added == len(tree.repository.tree.walk(lambda: False).files)
    assert (report.updated, report.removed) == (0, 0)


def test_what_is_gone_leaves_though_others_are_read_while_the_walk_goes_on(tree: Tree) -> None:
    tree.refresh()
    root = Path(tree.repository.config.root)
    sorted(root.rglob("f*.py"))[0].unlink()
    (root / "a_new_file.py").write_text("def added():\n    pass\n")
    (tree.index / SIDE_FILE).unlink()  # else only what changed would be read
    report = tree.refresh(SlowWalk(tree.repository, lambda: True))
    assert (report.added, report.updated, report.removed) == (1, 0, 1)


def test_all_that_is_built_anew_is_committed_at_once(tree: Tree) -> None:
    """With `force` the index from before answers until the new one is whole."""
    tree.refresh()
    before, segments = read_manifest(tree.directory), tree.read()
    tree.reported.clear()

    def is_over() -> bool:
        assert read_manifest(tree.directory) == before
        return tree.reported[-1].files_done > 0

    report = tree.refresh(SlowWalk(tree.repository, is_over), force=True)
    assert (report.added, report.unchanged, report.removed) == (0, 0, 0)
    assert report.updated > 0
    assert tree.read() == segments


def refresh_by_threes(tree: Tree, monkeypatch: pytest.MonkeyPatch, *, force: bool) -> list[int]:
    """Refresh, merging three segments at a time; the segments of each committed generation."""
    monkeypatch.setattr("index_format.writer._find_fan_in", lambda: 3)
    counts: list[int] = []
    tree.refresh(force=force, committed=lambda: counts.append(tree.count_segments()))
    return counts


def test_of_many_segments_some_are_merged_and_committed_before_the_rest(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.refresh()
    at_once = tree.read()
    with closing(Tree(Path(tree.repository.config.root).parent / "again", 1)) as other:
        counts = refresh_by_threes(other, monkeypatch, force=False)
        assert other.read() == at_once
    assert len(counts) > 9  # shards
    assert 3 < max(counts) <= 9  # some are merged while others are built
    assert counts[-2:] == [3, 1]


def test_what_is_built_anew_is_not_committed_between_merges(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.refresh()
    assert refresh_by_threes(tree, monkeypatch, force=True) == [1]


def build_tasks(tree: Tree) -> list[ShardTask]:
    names = (f"new-{number}" for number in range(FILES))
    planner = ShardPlanner(lambda _path: None, lambda: next(names), SHARD_BYTES)
    files = tree.repository.tree.walk(lambda: False).files
    assert isinstance(files, WalkedFiles)
    return [*planner.take(files), *planner.finish()]


def open_pool(tree: Tree, workers: int) -> ShardPool:
    return ShardPool(tree.settings, workers, RemainingFiles(), lambda: "wanted")


@pytest.mark.parametrize(("workers", "most", "processes"), [(0, 9, False), (2, 1, False), (3, 2, True)])
def test_processes_are_started_for_several_shards(
    tree: Tree, workers: int, most: int, processes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    start_pool = workers_module._start_pool

    def note(count: int, *arguments: Any, **named: Any) -> object:
        started.append(count)
        return start_pool(count, *arguments, **named)

    monkeypatch.setattr(workers_module, "_start_pool", note)
    tasks = build_tasks(tree)[:most]
    with open_pool(tree, workers) as pool:
        for task in tasks:
            pool.add(task)
        assert not started  # there may be no more
        results = [*pool.iter_done(), *pool.finish(lambda: False)]
    assert sorted(path for result in results for path in result.indexed) == [
        path for task in tasks for path, _ in task.files
    ]
    assert started == ([most] if processes else [])


def test_processes_build_while_shards_are_added(tree: Tree) -> None:
    tasks = build_tasks(tree)
    assert len(tasks) > FEWEST + 1
    with open_pool(tree, 1) as pool:
        for task in tasks[:FEWEST]:
            pool.add(task)
        early: list[ShardResult] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(early) < FEWEST and time.monotonic() < deadline:
            early += pool.iter_done()
            time.sleep(0.01)
        assert [result.indexed for result in early] == [
            tuple(path for path, _ in task.files) for task in tasks[:FEWEST]
        ]
        for task in tasks[FEWEST:]:
            pool.add(task)
        assert len(list(pool.finish(lambda: False))) == len(tasks) - FEWEST


def test_a_worker_that_dies_while_shards_are_added_ends_it(tree: Tree) -> None:
    tasks = build_tasks(tree)
    with pytest.raises(RepoError) as caught, open_pool(tree, 1) as pool:  # noqa: PT012
        for task in tasks[:FEWEST]:
            pool.add(task)
        for child in multiprocessing.active_children():
            child.kill()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            list(pool.iter_done())
            time.sleep(0.01)
    assert caught.value.code is ErrorCode.INTERNAL
