"""The processes that index: who gives up ends his own, and nobody else's."""

from __future__ import annotations

import errno
import multiprocessing
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from index_format import Merge
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing import shard_pool
from repo_mcp.indexing.shard_pool import NO_PROCESSES, ShardPool
from repo_mcp.indexing.shards import workers
from repo_mcp.indexing.shards.memory_budget import MemoryBudget
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.indexing.shards.workers import NoProcesses, ProcessBuilders, _do_nothing, _start_pool
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.storage.held_directory import HeldDirectory
from tests.no_threads import no_threads
from tests.repo_mcp.indexing.small_shards import replace_shard_bytes
from tests.waiting import is_running, wait_until

PATIENCE_SECONDS = 30.0
PROJECT = Path(__file__).resolve().parents[4]


class _GaveUp(Exception):
    """The refresh ended early."""


def test_a_refresh_that_gives_up_ends_its_own_processes_and_no_other() -> None:
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(PATIENCE_SECONDS,))
    with pytest.raises(_GaveUp), _start_pool(2, _do_nothing):  # noqa: PT012  (the block is what is tried)
        own = set(multiprocessing.active_children())
        assert own
        other.start()  # as another root's refresh, or a parser, does meanwhile
        raise _GaveUp
    try:
        other.join(0.3)
        assert other.is_alive()
        assert not any(child.is_alive() for child in own)
    finally:
        other.kill()
        other.join()
        other.close()


POOL = """
import multiprocessing, sys, time
from repo_mcp.indexing.shards.workers import _begin, _do_nothing, _start_pool
if __name__ == "__main__":
    with _start_pool(2, _begin) as pool:
        pool.submit(_do_nothing).result()
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        time.sleep(1_000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, cwd=PROJECT) as process:
        assert process.stdout is not None
        children = [int(word) for word in process.stdout.readline().split()]
        assert len(children) == 2
        process.kill()
    wait_until(lambda: not any(map(is_running, children)))


def test_a_process_that_died_before_it_was_given_work_is_reported() -> None:
    """As one may that was started while the tree is walked."""
    with pytest.raises(RepoError) as caught, _start_pool(1, _do_nothing) as pool:  # noqa: PT012
        pool.submit(_do_nothing).result()
        (own,) = multiprocessing.active_children()
        own.kill()
        own.join()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:  # the pool finds out in a thread
            pool.submit(_do_nothing)
            time.sleep(0.01)
    assert caught.value.code is ErrorCode.INTERNAL


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree that has a shard for each file."""
    root = tmp_path / "root"
    root.mkdir()
    for number in range(6):
        (root / f"{number}.py").write_text(f"def gizmo_{number}():\n    pass\n")
    monkeypatch.setattr(BuildSettings.__init__, "__defaults__", replace_shard_bytes(1))
    return root


def check_that_one_process_indexes_all(root: Path) -> None:
    before = multiprocessing.active_children()
    repository = Repository(load_config(str(root), data_dir=str(root.parent / "data"), workers=2))
    report = repository.refresh()
    assert (report.added, report.warnings) == (6, (NO_PROCESSES,))
    assert multiprocessing.active_children() == before
    repository.close()


def test_processes_that_have_built_the_shards_encode_the_merge(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, start, started = multiprocessing.active_children(), BaseProcess.start, []

    def note(process: BaseProcess) -> None:
        started.append(process)
        start(process)

    monkeypatch.setattr(BaseProcess, "start", note)
    encoded: list[int] = []
    monkeypatch.setattr(Merge, "encode_window", lambda _merge, number: encoded.append(number))  # here: never
    monkeypatch.setattr(MemoryBudget, "window_bytes", 1)  # for which none would be started
    with closing(Repository(load_config(str(root), data_dir=str(root.parent / "data"), workers=2))) as opened:
        assert opened.refresh().added == 6
        assert opened.search(SearchRequest("gizmo_4", 10)).hits[0].path == "4.py"
    assert (len(started), encoded) == (2, [])
    assert multiprocessing.active_children() == before


def list_children(before: Sequence[BaseProcess]) -> list[BaseProcess]:
    return [child for child in multiprocessing.active_children() if child not in before]


def test_a_builder_that_dies_before_the_merge_is_done_without(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that it was given is committed: once the refresh failed."""
    before, hand_over, killed = multiprocessing.active_children(), ShardPool.hand_over, []

    def kill_one(pool: ShardPool, workers: int) -> AbstractContextManager[ProcessPoolExecutor] | None:
        idle = pool._idle
        if isinstance(idle, ProcessBuilders):
            killed.append(list_children(before)[0])
            killed[0].kill()
            wait_until(lambda: not idle.can_go_on())  # the pool finds out in a thread
        return hand_over(pool, workers)

    monkeypatch.setattr(ShardPool, "hand_over", kill_one)
    monkeypatch.setattr(MemoryBudget, "window_bytes", 1)
    with closing(Repository(load_config(str(root), data_dir=str(root.parent / "data"), workers=2))) as opened:
        assert opened.refresh().added == 6
        assert opened.search(SearchRequest("gizmo_4", 10)).hits[0].path == "4.py"
    assert killed
    assert multiprocessing.active_children() == before


def test_a_builder_that_dies_in_the_merge_ends_the_refresh(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, hold = multiprocessing.active_children(), shard_pool._hold

    @contextmanager
    def kill_all(opened: ExitStack, pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
        with hold(opened, pool) as held:
            for child in list_children(before):
                child.kill()
            yield held

    monkeypatch.setattr(MemoryBudget, "window_bytes", 1)
    with closing(Repository(load_config(str(root), data_dir=str(root.parent / "data"), workers=2))) as opened:
        with monkeypatch.context() as patched:
            patched.setattr(shard_pool, "_hold", kill_all)
            with pytest.raises(RepoError) as caught:
                opened.refresh()
        assert caught.value.code is ErrorCode.INTERNAL
        assert multiprocessing.active_children() == before
        opened.refresh()
        assert len(opened.search(SearchRequest("gizmo", 10)).hits) == 6
    assert multiprocessing.active_children() == before


def test_a_process_that_encodes_tells_merges_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the windows of a second merge would be those of the first, without any error.

    All windows of one are given the same segments: once each of 51 opened the 141 segments of a build anew,
    as the directory they came with was another object each time.
    """
    monkeypatch.setattr(workers, "_merge", None)
    held = HeldDirectory(str(tmp_path))
    opened: list[tuple[str, ...]] = []
    given_back: list[int] = []
    monkeypatch.setattr(workers, "give_back_blocks", lambda: given_back.append(len(opened)))

    class Noted:
        def __init__(self, segments: tuple[str, ...], _window_bytes: int) -> None:
            opened.append(segments)
            self.segments = segments

        def encode_window(self, window: int) -> tuple[tuple[str, ...], int]:
            return self.segments, window

    monkeypatch.setattr(workers, "Merge", Noted)
    monkeypatch.setattr(workers, "open_segments", lambda _directory, entries, _fields: entries)
    found = [
        workers._encode(pickle.loads(pickle.dumps((held, entries, 1))), window)
        for entries, window in ((("a", "b"), 0), (("a", "b"), 1), (("c",), 0))
    ]
    assert found == [(("a", "b"), 0), (("a", "b"), 1), (("c",), 0)]
    assert opened == [("a", "b"), ("c",)]
    assert given_back == [0, 1]  # what shards took, before each merge


def refuse_processes(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Refuse all processes after the first few, as a system at its limit does."""
    start, started = BaseProcess.start, []

    def refuse(process: BaseProcess) -> None:
        if len(started) == after:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        started.append(process)
        start(process)

    monkeypatch.setattr(BaseProcess, "start", refuse)


def test_where_the_system_refuses_the_second_process_the_first_does_not_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once it stayed for ever: one more with each refresh."""
    refuse_processes(monkeypatch, 1)
    before = multiprocessing.active_children()
    with pytest.raises(NoProcesses), _start_pool(2, _do_nothing):
        pass
    assert multiprocessing.active_children() == before


def test_where_the_system_refuses_processes_one_indexes_all(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the refresh failed."""
    refuse_processes(monkeypatch, 0)
    check_that_one_process_indexes_all(root)


def test_where_the_system_refuses_the_thread_of_the_processes_one_indexes_all(root: Path) -> None:
    with no_threads("Thread-") as refused:
        check_that_one_process_indexes_all(root)
    assert refused
