"""What was saved right before a call is in its answer, or the answer says that it may not be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from index_format.disk_directory import SETTLED_NS
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.code_search.records import CodeRequest
from repo_mcp.documentation.records import DocsRequest
from repo_mcp.indexing import inotify
from repo_mcp.live import index_report, live_index, tree_look
from repo_mcp.live.change_watch import ChangeWatch
from repo_mcp.live.index_report import IndexReport
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from tests.deep.answers import open_repository
from tests.growth import HANG_SECONDS
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.indexing.test_watcher import Served
from tests.repo_mcp.live.test_first_files import listing_is_held
from tests.waiting import wait_until

NOT_INDEXED = "1 file changed and is not indexed yet: results may be out of date."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    (place / "cod.py").write_text("def cod():\n    return 1\n")
    return place


@pytest.fixture
def watched(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """Yield a repository whose system tells of changes; a call waits for them as long as a test may take."""
    if not inotify.has_inotify():
        pytest.skip("only the kernel of Linux can be asked whether something has changed")
    monkeypatch.setattr(live_index, "CATCH_UP_SECONDS", HANG_SECONDS)
    with closing(Served(root, tmp_path / "data").repository) as repository:
        wait_until(lambda: bool(repository._index._watch._watcher and repository._index._watch.wait(0.0)))
        wait_until(lambda: repository.search(SearchRequest("cod", 5)).warnings == ())
        yield repository


@pytest.fixture
def unwatched(root: Path, tmp_path: Path) -> Iterator[Repository]:
    with closing(open_repository(root, tmp_path / "data")) as repository:
        repository.refresh()
        yield repository


def find(
    repository: Repository, word: str, *, symbols_only: bool = False
) -> tuple[list[str], tuple[str, ...]]:
    answer = repository.search(SearchRequest(word, 5, symbols_only=symbols_only))
    return [hit.path for hit in answer.hits], answer.warnings


def test_what_was_just_saved_is_found(watched: Repository, root: Path) -> None:
    for number in range(5):
        (root / "ling.py").write_text(f"def ling{number}():\n    return 2\n")
        assert find(watched, f"ling{number}") == (["ling.py"], ())
        (root / "ling.py").write_text(f"def hake{number}():\n    return 2\n")
        assert find(watched, f"hake{number}", symbols_only=True) == (["ling.py"], ())
    (root / "deep").mkdir()
    (root / "deep" / "dab.py").write_text("def dab():\n    return 3\n")
    assert find(watched, "dab") == (["deep/dab.py"], ())
    (root / "deep" / "dab.py").rename(root / "deep" / "bib.py")
    assert find(watched, "dab") == (["deep/bib.py"], ())


def test_who_cannot_wait_so_long_is_told(
    watched: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_index, "CATCH_UP_SECONDS", 0.0)
    may_go_on = threading.Event()
    refresher = watched._index.refresher
    open_indexer = refresher._open_indexer

    def open_later() -> Any:
        may_go_on.wait(HANG_SECONDS)
        return open_indexer()

    monkeypatch.setattr(refresher, "_open_indexer", open_later)
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    hits, warnings = find(watched, "ling")
    assert hits == []
    assert any(warning in (NOT_INDEXED, index_report.CHANGING) for warning in warnings)
    may_go_on.set()
    wait_until(lambda: find(watched, "ling") == (["ling.py"], ()))


def test_what_is_found_does_not_depend_on_the_moment(
    unwatched: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only warnings tell of it: of the words of this question only one is in a file."""
    question = "why does the flumberwort dropper of cod miss its splorge"
    for number in range(9):
        (root / f"cod{number}.py").write_text(f"def cod_{number}(cod):\n    return cod\n")
    unwatched.refresh()

    def ask() -> list[object]:
        engines = unwatched.engines
        found = unwatched.search(SearchRequest(question, 9))
        code = engines.code_search.search(CodeRequest(question, 9))
        bundle = engines.bundles.build(BundleRequest(question, 5, 100))
        documents = engines.documentation.search(DocsRequest(question, 5))
        return [
            (found.hits, found.lacks_most),
            (code.hits, code.lacks_most),
            bundle.selections,
            (documents.hits, documents.lacks_most),
            engines.researcher._searches.look_up_words(question),
        ]

    known = ask()
    monkeypatch.setattr(IndexReport, "describe_progress", lambda *_: [index_report.NOT_COMPARED])
    assert ask() == known


def test_an_answer_from_before_what_was_indexed_meanwhile_says_so(unwatched: Repository, root: Path) -> None:
    before = unwatched._index.get_searcher()
    unwatched.refresh()
    assert unwatched._index.report.describe_progress(before.snapshot) == []
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    unwatched.refresh()
    assert unwatched._index.report.describe_progress(before.snapshot) == [index_report.RENEWED]


@pytest.mark.parametrize("is_in_time", [True, False])
def test_an_answer_waits_for_the_walk_with_which_watching_begins(
    unwatched: Repository, monkeypatch: pytest.MonkeyPatch, is_in_time: bool
) -> None:
    """The tree has just been walked: only if that walk takes long does the answer doubt itself."""
    monkeypatch.setattr(ChangeWatch, "is_placing", True)
    monkeypatch.setattr(ChangeWatch, "wait", lambda _watch, seconds: is_in_time and seconds > 0)
    snapshot = unwatched._index.get_searcher().snapshot
    expected = [] if is_in_time else [index_report.NOT_COMPARED]
    assert unwatched._index.report.describe_progress(snapshot) == expected


def test_where_nobody_watches_the_tree_is_looked_over(unwatched: Repository, root: Path) -> None:
    assert find(unwatched, "cod") == (["cod.py"], ())
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    assert NOT_INDEXED in find(unwatched, "cod")[1]
    (root / "ling.py").unlink()
    assert find(unwatched, "cod") == (["cod.py"], ())
    (root / "cod.py").write_text("def cod():\n    return 22\n")
    assert NOT_INDEXED in find(unwatched, "cod")[1]
    unwatched.refresh()
    assert find(unwatched, "cod") == (["cod.py"], ())


def test_where_nobody_watches_a_refresh_under_way_is_waited_for(
    unwatched: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_index, "CATCH_UP_SECONDS", HANG_SECONDS)
    found: list[Any] = []
    call = threading.Thread(target=lambda: found.append(find(unwatched, "cod")))
    with listing_is_held(unwatched, monkeypatch):
        call.start()
        call.join(0.2)
        assert call.is_alive()
    call.join(HANG_SECONDS)
    assert found == [(["cod.py"], ())]


def test_in_a_large_tree_it_is_said_how_old_the_last_look_is(
    unwatched: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 1e9)
    unwatched.start_background_refresh()
    expected = "s ago: later changes may be missing here."
    wait_until(lambda: any(one.endswith(expected) for one in find(unwatched, "cod")[1]))


def test_a_command_does_not_say_how_old_its_own_refresh_is(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 1e9)
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        assert find(repository, "cod") == (["cod.py"], ())


def count_walks(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list with an element for each walk that looks for changes from now on."""
    look, walks = repository._index.look, list[None]()
    walk = look.walk

    def walk_counted(*given: Any) -> Any:
        walks.append(None)
        return walk(*given)

    monkeypatch.setattr(look, "walk", walk_counted)
    return walks


def test_a_call_that_looks_once_walks_once(
    unwatched: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks = count_walks(unwatched, monkeypatch)
    look = unwatched._index.look
    with look.once():
        for _ in range(3):
            assert find(unwatched, "cod") == (["cod.py"], ())
            assert unwatched.search_exact(ExactRequest("ling")).total == 0
    assert len(walks) == 1
    (root / "ling.py").write_text("ling\n")
    with look.once():
        assert unwatched.search_exact(ExactRequest("ling")).total == 1
        assert NOT_INDEXED in find(unwatched, "cod")[1]
    assert len(walks) == 2
    assert unwatched.search_exact(ExactRequest("ling")).total == 1
    assert len(walks) == 3


def test_a_question_looks_once(unwatched: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = count_walks(unwatched, monkeypatch)
    question = ResearchRequest("Where is `hake` configured, and what reads it?", None, None, "", 0)
    unwatched.engines.researcher.answer(question, RunControl(lambda: False, None))
    assert len(walks) == 1


def test_a_large_tree_is_not_walked_while_the_system_reports_changes(
    watched: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 0)
    walks = count_walks(watched, monkeypatch)
    for number in range(5):
        (root / "ling.py").write_text(f"ling{number}\n")
        assert watched.search_exact(ExactRequest(f"ling{number}")).total == 1  # by a walk, or indexed already
        assert find(watched, f"ling{number}") == (["ling.py"], ())
        walks.clear()
        assert watched.search_exact(ExactRequest(f"ling{number}")).total == 1
        assert not walks
    (root / "ling.py").unlink()
    assert watched.search_exact(ExactRequest("ling4")).total == 0
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 9)
    walks.clear()
    (root / "ling.py").write_text("ling5\n")  # otherwise the generation may be trusted since it was large
    assert watched.search_exact(ExactRequest("ling5")).total == 1
    assert walks  # of a small tree nothing is taken on trust


def test_a_look_before_the_call_does_not_count_while_changes_are_reported(
    watched: Repository, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 1e9)
    index = watched._index
    watched.refresh()  # it counts as a look, and would be used again
    assert index.look._look is not None
    held = index.refresher.running
    assert held.acquire(timeout=HANG_SECONDS)  # so that nothing is indexed meanwhile
    try:
        (root / "ling.py").write_text("ling\n")
        assert watched.search_exact(ExactRequest("ling")).total == 1
        (root / "hake.py").write_text("hake\n")
        assert watched.search_exact(ExactRequest("hake")).total == 1
        with index.look.once():
            assert watched.search_exact(ExactRequest("hake")).total == 1
    finally:
        held.release()
    wait_until(lambda: find(watched, "hake") == (["hake.py"], ()))


def test_a_refresh_that_runs_is_joined(unwatched: Repository, root: Path) -> None:
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    index: Any = unwatched._index
    walk, begun, may_go_on = index.look.walk, threading.Event(), threading.Event()

    def walk_slowly(cancelled: Callable[[], bool], met: Any = None) -> Any:
        found = walk(cancelled, met)
        begun.set()
        may_go_on.wait(HANG_SECONDS)
        return found

    index.look.walk = walk_slowly
    first = threading.Thread(target=unwatched.refresh)
    first.start()
    assert begun.wait(HANG_SECONDS)
    (root / "hake.py").write_text("def hake():\n    return 2\n")  # after the first one has listed the tree
    reports: list[Any] = []
    second = threading.Thread(target=lambda: reports.append(unwatched.refresh()))
    second.start()
    may_go_on.set()
    first.join(HANG_SECONDS)
    second.join(HANG_SECONDS)
    (joined,) = reports
    assert (joined.removed, joined.updated) == (0, 0)
    assert joined.added + joined.unchanged == 3
    assert joined.added in (1, 2)  # 1 where the second one came when the first had ended
    assert joined.snapshot == unwatched.status().snapshot


def test_a_snapshot_is_named_by_the_content(root: Path, tmp_path: Path) -> None:
    with closing(open_repository(root, tmp_path / "one")) as one:
        one.refresh()
        first = one.status().snapshot
        (root / "ling.py").write_text("def ling():\n    return 2\n")
        one.refresh()
        (root / "cod.py").write_text("def cod():\n    return 3\n")
        one.refresh()
        changed = one.status().snapshot
        assert changed != first
        one.compact(full=True)
        assert one.status().snapshot == changed
        with closing(open_repository(root, tmp_path / "two")) as two:
            assert two.refresh().snapshot == changed
            assert two.search(SearchRequest("cod", 5)).snapshot == changed
        (root / "ling.py").rename(root / "hake.py")
        assert one.refresh().snapshot != changed
        (root / "hake.py").unlink()
        (root / "cod.py").write_text("def cod():\n    return 1\n")
        assert one.refresh().snapshot == first


def test_behind_the_last_refresh_nothing_looks_at_the_tree_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command answers of the tree that it met."""
    time.sleep(SETTLED_NS / 1e9)  # what changed a moment ago is read again
    with closing(open_repository(root, tmp_path / "data")) as repository:
        repository.refresh()
        assert repository.refresh(is_last=True).snapshot == ""
        with monkeypatch.context() as patch:
            patch.setattr(repository._index.look, "walk", None)
            found = repository.search(SearchRequest("cod", 5, names_snapshot=False))
            assert ([hit.path for hit in found.hits], found.snapshot) == (["cod.py"], "")
            exactly = repository.search_exact(ExactRequest("def cod", names_snapshot=False))
            assert (exactly.total, exactly.snapshot) == (1, "")
        named = repository.refresh().snapshot
        assert named
        assert repository.search(SearchRequest("cod", 5)).snapshot == named
        assert repository.search_exact(ExactRequest("def cod")).snapshot == named
