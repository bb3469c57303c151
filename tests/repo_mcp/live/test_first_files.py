"""What is asked while the first files are indexed waits for them a little, and learns when it must go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.live import change_watch, live_index, refresher
from repo_mcp.live.change_watch import ChangeWatch
from repo_mcp.live.generation import Generation
from repo_mcp.model import ExactRequest, IndexProgress, SearchRequest, WalkReport
from repo_mcp.repository import Repository
from repo_mcp.symbol_index import named_files

WORD = "halibut"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "fish.py").write_text(f"def {WORD}():\n    return 1\n", encoding="utf-8")
    return root


@contextmanager
def opened(tree: Path, *, watch: bool) -> Iterator[Repository]:
    config = load_config(str(tree), data_dir=str(tree.parent / "data"), watch=watch, workers=1)
    with closing(Repository(config)) as repository:
        yield repository


def test_the_first_search_of_a_small_tree_is_answered(tree: Path) -> None:
    with opened(tree, watch=True) as repository:
        assert [hit.path for hit in repository.search(SearchRequest(WORD, 5)).hits] == ["fish.py"]


def test_the_commit_of_the_first_files_wakes_who_waits(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_index, "FIRST_FILES_SECONDS", 3600.0)
    monkeypatch.setattr(refresher, "REFRESH_POLL_SECONDS", 3600.0)
    with opened(tree, watch=False) as repository:
        index = repository._index
        found: list[int] = []
        with listing_is_held(repository, monkeypatch):
            waiting = threading.Thread(target=lambda: found.append(index.get_searcher().snapshot.file_count))
            waiting.start()
            waiting.join(0.1)
            assert not found
        waiting.join(60)
        assert found == [1]


def test_a_refresh_counts_down_the_files_that_it_has_not_indexed(tree: Path) -> None:
    for number in range(3):
        (tree / f"{number}.py").write_text("pass\n", encoding="utf-8")
    reported: list[tuple[int, int | None]] = []
    with opened(tree, watch=False) as repository:
        look = repository._index.look

        def note(now: IndexProgress) -> None:
            if now.phase == "index" and now.files_total:
                reported.append((now.files_total - now.files_done, look.stale))

        repository.refresh(progress=note)
    assert reported[-1] == (0, 0)
    assert [left for left, _ in reported] == [stale for _, stale in reported]


def test_an_index_that_was_never_made_is_not_lost(tmp_path: Path) -> None:
    generation = Generation(str(tmp_path / "index"), "configuration", None)
    assert generation.find() is None
    assert generation.loss == ""


@pytest.mark.parametrize(
    ("code", "is_due"), [(ErrorCode.BUSY, True), (ErrorCode.CANCELLED, True), (ErrorCode.INTERNAL, False)]
)
def test_a_walk_that_was_not_carried_out_puts_off_nothing(
    code: ErrorCode, is_due: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watch, "LOOK_SECONDS", 0.0)
    watch = ChangeWatch(None, threading.Event(), lambda: None, lambda _: True, lambda _: None, lambda: None)
    watch.note_walk(time.monotonic() - 100.0, RepoError(code, "no"))
    assert watch.is_look_due() is is_due


def test_an_empty_tree_is_answered_too(tree: Path) -> None:
    (tree / "fish.py").unlink()
    with opened(tree, watch=True) as repository:
        assert repository.search(SearchRequest(WORD, 5)).hits == ()


def test_a_refresh_whose_thread_begins_late_is_waited_for(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a loaded machine it may take a while; the call used to give up after a tenth of a second."""

    def start_late(thread: threading.Thread) -> bool:
        thread.daemon = True
        threading.Timer(0.3, thread.start).start()
        return True

    monkeypatch.setattr(live_index, "FIRST_FILES_SECONDS", 3600.0)
    monkeypatch.setattr(live_index, "start_daemon", start_late)
    with opened(tree, watch=False) as repository:
        repository.expect_refresh()
        assert [hit.path for hit in repository.search(SearchRequest(WORD, 5)).hits] == ["fish.py"]


def test_nobody_waits_where_nothing_is_being_indexed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_index, "FIRST_FILES_SECONDS", 3600.0)
    with opened(tree, watch=False) as repository, pytest.raises(RepoError) as refused:
        repository.search(SearchRequest(WORD, 5))
    assert (refused.value.code, refused.value.message) == (
        ErrorCode.INDEX_UNAVAILABLE,
        "There is no index yet.",
    )


def test_a_call_that_comes_before_an_expected_refresh_begins_it(tree: Path) -> None:
    """A server without a watcher refreshes a moment after its start; the first call used to find nothing."""
    with opened(tree, watch=False) as repository:
        repository.expect_refresh()
        assert [hit.path for hit in repository.search(SearchRequest(WORD, 5)).hits] == ["fish.py"]


@contextmanager
def listing_is_held(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no refresh get further than the listing of the tree inside the block."""
    walking, may_go_on = threading.Event(), threading.Event()
    walk = repository._index.look.walk

    def walk_slowly(*arguments: object) -> WalkReport:
        walking.set()
        assert may_go_on.wait(60)
        return walk(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(repository._index.look, "walk", walk_slowly)
    refresh = threading.Thread(target=repository.refresh)
    refresh.start()
    try:
        assert walking.wait(60)
        yield
    finally:
        may_go_on.set()
        refresh.join()


def test_a_refresh_that_runs_is_not_followed_by_another(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tree, watch=False) as repository:
        with listing_is_held(repository, monkeypatch):
            before = set(threading.enumerate())
            repository.start_background_refresh()
            assert not [one for one in set(threading.enumerate()) - before if one.name == "refresh"]
        assert [hit.path for hit in repository.search(SearchRequest(WORD, 5)).hits] == ["fish.py"]


def test_engines_are_loaded_once_the_tree_is_walked(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tree, watch=False) as repository:
        with listing_is_held(repository, monkeypatch):
            repository.start_background_refresh()
            loading = [one for one in threading.enumerate() if one.name == "load"]
            assert (len(loading), repository.engines._made_exact) == (1, None)
        loading[0].join()
        assert repository.engines._made_exact is not None


def test_what_no_build_takes_up_is_not_waited_for(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_files, "JOIN_SECONDS", 3600.0)
    (tree / "image.dat").write_bytes(b"\0\1" * 9)
    with opened(tree, watch=False) as repository, listing_is_held(repository, monkeypatch):
        assert repository.symbol_index.named_files._join_build(["image.dat", "missing.py"], None)


def test_a_tree_that_takes_longer_is_said_to(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_index, "FIRST_FILES_SECONDS", 0.1)
    with opened(tree, watch=False) as repository:
        with listing_is_held(repository, monkeypatch), pytest.raises(RepoError) as refused:
            repository.search(SearchRequest(WORD, 5))
        assert refused.value.message == "Nothing can be searched yet: the tree is being listed."
        assert len(repository.search(SearchRequest(WORD, 5)).hits) == 1


def test_who_reads_all_files_waits_for_no_index(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = threading.Event()
    with opened(tree, watch=False) as repository, listing_is_held(repository, monkeypatch):
        monkeypatch.setattr(repository._index, "_wait_for_first", lambda _searcher: waited.set())
        answer = repository.search_exact(ExactRequest(WORD, case_sensitive=True), scan=True)
    assert [match.path for match in answer.matches] == ["fish.py"]
    assert not waited.is_set()


def test_files_that_are_read_again_are_not_said_to_be_missing(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tree, watch=False) as repository:
        repository.refresh()
        monkeypatch.setattr(repository._index.refresher, "progress", IndexProgress("index", 1, 3, 10, 30))
        done = "The index is being refreshed: 1 of 3 files are done; the rest may be"
        assert repository.search(SearchRequest(WORD, 5)).warnings == (f"{done} out of date here.",)
        monkeypatch.setattr(repository._index.generation, "is_whole", lambda snapshot: False)
        assert repository.search(SearchRequest(WORD, 5)).warnings == (f"{done} missing here.",)
        monkeypatch.setattr(repository._index.refresher, "progress", IndexProgress("index", 3, 3, 30, 30))
        done = "The index is being refreshed: all 3 files are read; the last of them may be missing here."
        assert repository.search(SearchRequest(WORD, 5)).warnings == (done,)


def test_while_the_index_is_built_elsewhere_each_answer_says_why(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree.parent / "place").mkdir()
    (tree.parent / "data").symlink_to(tree.parent / "place")
    with opened(tree, watch=False) as repository:
        repository.refresh()
        assert not repository.search(SearchRequest(WORD, 5)).warnings
        monkeypatch.setattr(repository._index.generation, "is_whole", lambda snapshot: False)
        said = repository.search(SearchRequest(WORD, 5)).warnings[-1]
    assert "it is a symbolic link: give the directory that it leads to" in said
    assert not [*(tree.parent / "place").iterdir()]
