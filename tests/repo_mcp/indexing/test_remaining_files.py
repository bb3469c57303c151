"""The files that a running refresh has not indexed yet: each is built once, and wanted ones first."""

from __future__ import annotations

import threading
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shards.shards import ShardTask
from tests.growth import HANG_SECONDS

PATHS = [f"{number:02}" for number in range(12)]


def make_remaining(paths: list[str], size: int = 3) -> RemainingFiles:
    remaining = RemainingFiles()
    names = count()
    remaining.begin(lambda: f"wanted-{next(names)}", lambda: None)
    for start in range(0, len(paths), size):
        files = tuple((path, None) for path in paths[start : start + size])
        remaining.add(ShardTask(f"shard-{start}", files, size))
    return remaining


def list_files(task: ShardTask | None) -> list[str]:
    assert task is not None
    return [path for path, _ in task.files]


def want(remaining: RemainingFiles, *paths: str) -> threading.Thread:
    thread = threading.Thread(target=remaining.index_first, args=(paths, HANG_SECONDS))
    woken = threading.Event()
    remaining._wake = woken.set
    thread.start()
    assert woken.wait(HANG_SECONDS)
    return thread


def test_wanted_files_leave_their_shards() -> None:
    remaining = make_remaining(PATHS)
    first = remaining.take()
    thread = want(remaining, "11", "04", "nowhere")
    wanted = remaining.take_awaited()
    assert list_files(wanted) == ["04", "11"]
    assert remaining.take_awaited() is None
    assert remaining.list_paths() == ["00", "01", "02", "04", "11", "03", "05", "06", "07", "08", "09", "10"]
    assert first is not None
    remaining.note_committed(first.temporary)
    assert thread.is_alive()
    assert wanted is not None
    remaining.note_committed(wanted.temporary)
    thread.join(HANG_SECONDS)
    assert not thread.is_alive()
    rest = [list_files(remaining.take()) for _ in range(3)]
    assert rest == [["03", "05"], ["06", "07", "08"], ["09", "10"]]
    assert remaining.take() is None


def test_a_shard_that_is_being_built_is_waited_for() -> None:
    remaining = make_remaining(PATHS)
    first = remaining.take()
    thread = want(remaining, "01")
    assert remaining.take_awaited() is None
    assert thread.is_alive()
    assert first is not None
    remaining.note_committed(first.temporary)
    thread.join(HANG_SECONDS)
    assert not thread.is_alive()


def test_nobody_waits_for_a_refresh_that_ended() -> None:
    remaining = make_remaining(PATHS)
    thread = want(remaining, "07")
    remaining.end()
    thread.join(HANG_SECONDS)
    assert not thread.is_alive()
    assert remaining.list_paths() == []
    assert not remaining.are_any
    assert not remaining.index_first(["07"], 0.0)


def test_what_stays_hidden_is_not_shown() -> None:
    """An index that is built anew becomes visible at its end."""
    remaining = make_remaining([])
    remaining.is_hidden = True
    remaining.add(ShardTask("shard", (("a", None),), 1))
    assert remaining.list_paths() == []
    assert not remaining.are_any
    assert list_files(remaining.take()) == ["a"]


@given(st.lists(st.one_of(st.just("take"), st.just("done"), st.sets(st.sampled_from(PATHS), min_size=1))))
def test_every_file_is_built_once(steps: list[str | set[str]]) -> None:
    remaining = make_remaining(PATHS)
    taken: list[ShardTask] = []
    built: list[str] = []
    for step in [*steps, *["take"] * 4]:
        if step == "done":
            for one in taken:
                remaining.note_committed(one.temporary)
            taken = []
            continue
        if isinstance(step, set):
            remaining.index_first(sorted(step), 0.0)
        task = remaining.take_awaited() if isinstance(step, set) else remaining.take()
        if task is not None:
            taken.append(task)
            built += list_files(task)
            assert list_files(task) == sorted(list_files(task))
        assert sorted(remaining.list_paths() + [p for p in built if p not in remaining.list_paths()]) == PATHS
    assert sorted(built) == PATHS
