"""What answers and the status say of files that could not be indexed, and for how long."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format import DiskDirectory, IndexWriter
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.code_search.records import CodeRequest
from repo_mcp.documentation.records import DocsRequest
from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.indexing import indexer
from repo_mcp.live import derived_index, refresher
from repo_mcp.live.change_watch import ChangeWatch
from repo_mcp.live.index_report import NOT_COMPARED
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.text.schema import FIELDS
from repo_mcp.toolsets.research.answers import resolve_scope
from tests.deep.answers import open_repository, renew
from tests.deep.fault_layer import Faults, Mode
from tests.repo_mcp.live.test_first_files import listing_is_held
from tests.waiting import wait_until

FAILED = "A refresh failed, so changed files may be missing here: "
NO_SPACE = f"{FAILED}The index cannot be written (No space left on device)."
LOCKED = "Another process is refreshing this index. Changed files may be missing here until it is done."
NOT_PARSED = "Files are being parsed: {} of {} are done; symbols in the rest are missing here."
NOT_WRITTEN = "Parsing files failed: The index cannot be written (No space left on device)."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "fish.py").write_text("def halibut():\n    return 1\n")
    return root


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def repository(root: Path, data: Path) -> Iterator[Repository]:
    with closing(open_repository(root, data)) as repository:
        renew(repository)
        assert tell(repository) == []
        yield repository


def is_full(place: Path) -> Faults:
    """While it is entered nothing below the place can be changed."""
    return Faults(place, Mode.FAIL, operation=1, number=errno.ENOSPC, sticky=True)


def tell(repository: Repository) -> list[str]:
    """Return the warnings of a search, which are those of the graph, too."""
    reported = list(repository.search(SearchRequest("halibut", 5)).warnings)
    assert repository.engines.graph.warn() == reported
    return reported


def tells_nothing(repository: Repository) -> bool:
    """Return whether neither warns. Unlike `tell`, it allows for a refresh that begins between the two."""
    return not (repository.search(SearchRequest("halibut", 5)).warnings or repository.engines.graph.warn())


def refuse(repository: Repository) -> ErrorCode:
    with pytest.raises(RepoError) as refused:
        repository.refresh()
    return refused.value.code


def test_a_refresh_that_failed_is_reported_until_one_has_looked_at_the_whole_tree(
    repository: Repository, root: Path, data: Path
) -> None:
    for name in ("ling", "cod"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 2\n")
    with is_full(data):
        assert refuse(repository) is ErrorCode.INDEX_UNAVAILABLE
        counted = "2 files changed and are not indexed yet: results may be out of date."
        assert tell(repository) == [counted, NO_SPACE]
        status = repository.status()
        assert (status.state, status.stale) == ("degraded", 2)
        assert NO_SPACE in status.warnings
        no_file = "No indexed file has: ling."
        assert no_file in repository.search(SearchRequest("ling", 5)).warnings
        assert no_file in repository.engines.bundles.build(BundleRequest("ling", 5, 50)).warnings
        assert no_file in repository.engines.code_search.search(CodeRequest("ling", 5)).warnings
        assert no_file in repository.engines.documentation.search(DocsRequest("ling")).warnings
    repository.symbol_index.named_files.index(["ling.py"])
    assert tell(repository)[-1] == NO_SPACE
    renew(repository)
    assert tell(repository) == []
    assert (repository.status().state, repository.status().stale) == ("ready", 0)


def test_nobody_is_told_to_ask_again_after_a_refresh_that_failed(
    repository: Repository, root: Path, data: Path
) -> None:
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    with is_full(data):
        assert refuse(repository) is ErrorCode.INDEX_UNAVAILABLE
        with pytest.raises(RepoError) as unknown, repository.engines.graph.open():
            raise RepoError(ErrorCode.NOT_FOUND, "No symbol.", "Look.")
    assert unknown.value.message.endswith(NO_SPACE)
    assert unknown.value.hint == "Look."


def test_a_lock_that_another_holds_is_reported_and_a_refresh_that_runs_here_is_not(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "LOCK_WAIT_SECONDS", 0.1)
    monkeypatch.setattr(refresher, "REFRESH_WAIT_SECONDS", 0.1)
    index = repository._index
    with index.refresher.running:
        with pytest.raises(RepoError, match="already running"):
            index.refresh()
        with pytest.raises(RepoError, match="cancelled"):
            repository.refresh(cancelled=lambda: True)  # it would be joined, however long that takes
    with pytest.raises(RepoError):
        repository.refresh(cancelled=lambda: True)
    assert tell(repository) == []
    directory = DiskDirectory(index.refresher.setup.settings.index_path)
    with IndexWriter(directory, repository.indexes.configuration, FIELDS):
        assert refuse(repository) is ErrorCode.BUSY
        assert tell(repository) == [LOCKED]
        assert repository.status().state == "degraded"
    repository.refresh()
    assert tell(repository) == []


def test_an_index_that_cannot_be_begun_says_why(root: Path, data: Path) -> None:
    with closing(open_repository(root, data)) as repository, is_full(data):
        assert refuse(repository) is ErrorCode.INDEX_UNAVAILABLE
        with pytest.raises(RepoError, match=r"There is no index yet.*No space left on device") as refused:
            repository.search(SearchRequest("halibut", 5))
        assert refused.value.hint == CHECK_PLACE  # to wait would not help
        with pytest.raises(RepoError) as refused:
            resolve_scope(repository, {"path": "."})
        assert refused.value.hint == CHECK_PLACE  # neither would it to index
        assert repository.status().state == "degraded"


def test_until_the_first_look_of_a_server_it_is_said_that_files_may_have_changed(
    repository: Repository, root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_repository(root, data)) as again:
        assert tell(again) == []  # nobody looks
        with listing_is_held(again, monkeypatch):
            again.start_background_refresh()
            assert tell(again) == [NOT_COMPARED]
        wait_until(lambda: tells_nothing(again))


def test_a_structure_that_could_not_be_written_is_reported_and_tried_again(
    repository: Repository, root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_index, "FULL_RETRY_SECONDS", 0.1)
    (root / "ling.py").write_text("def ling():\n    return 2\n")
    (structure,) = data.glob("structure-*")
    repository.refresh()
    with is_full(structure):
        repository.symbol_index.start()
        reported = [NOT_PARSED.format(1, 2), NOT_WRITTEN]
        wait_until(lambda: repository.engines.graph.warn() == reported)
        assert repository.symbol_index.status().state == "degraded"
    wait_until(lambda: repository.engines.graph.warn() == [])
    status = repository.symbol_index.status()
    assert status.files_done == status.files_total


def test_while_nothing_is_parsed_every_engine_says_so(root: Path, data: Path) -> None:
    with closing(open_repository(root, data)) as repository:
        repository.refresh()
        with repository.symbol_index._running:  # the thread that parses waits for it
            repository.symbol_index.start()
            reported = NOT_PARSED.format(0, 1)
            code = repository.engines.code_search.search(CodeRequest("halibut", 5))
            report = repository.engines.researcher.answer(
                ResearchRequest("what calls halibut"), RunControl(lambda: False)
            )
            assert reported in code.warnings
            assert reported in report.warnings


def test_a_symbol_that_may_be_missing_is_not_said_to_be_none(repository: Repository, data: Path) -> None:
    graph = repository.engines.graph

    def look_for_another() -> str:
        with pytest.raises(RepoError) as missing, graph.open() as opened:
            opened.choose("0" * 24)
        assert missing.value.code is ErrorCode.NOT_FOUND
        return missing.value.message

    assert "may be missing" not in look_for_another()
    with is_full(data):
        refuse(repository)
    assert look_for_another().endswith(NO_SPACE)


def test_a_walk_takes_up_what_the_watcher_reported_before_it() -> None:
    def fail() -> None:
        raise RepoError(ErrorCode.INDEX_UNAVAILABLE, "The index cannot be written.")

    failures: list[Exception] = []
    watch = ChangeWatch(None, threading.Event(), fail, lambda _changes: False, failures.append)
    watch._take_changes(frozenset({"ling.py"}))
    assert (watch.count_waiting(), len(failures)) == (1, 1)
    watch.note_walk(time.monotonic(), failures[0])
    assert watch.count_waiting() == 1
    watch.note_walk(time.monotonic())
    assert watch.count_waiting() == 0


def test_what_failed_is_tried_again_soon_also_where_the_system_tells_of_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    watch = ChangeWatch(None, threading.Event(), lambda: None, lambda _changes: False, [].append)
    watch._watcher = object()  # type: ignore[assignment]
    watch.note_walk(999.9)
    now[0] += 10.0
    assert not watch.is_look_due()
    for code, took, due_after in (
        (ErrorCode.INDEX_UNAVAILABLE, 0.1, 2.5),
        (ErrorCode.BUSY, 5.0, 1.5),  # it did not look: it waited for the lock
    ):
        watch.note_walk(now[0] - took, RepoError(code, "It failed."))
        assert not watch.is_look_due()
        now[0] += due_after
        assert watch.is_look_due()
