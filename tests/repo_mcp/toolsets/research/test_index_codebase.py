"""`index_codebase`: what it counts, what it reads again, how it tells how far it is, and how it stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory, verify_index
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing import indexer
from repo_mcp.live.index_report import NOT_LISTED
from repo_mcp.model import IndexProgress
from repo_mcp.protocol.tool_model import Progress
from repo_mcp.repository import whole_index
from repo_mcp.toolsets.research.index_calls import WHOLE, _drop_told
from repo_mcp.workspace.walk import UNLISTED
from tests.deep.sizes import IS_DEEP
from tests.repo_mcp.toolsets.research.research_roots import TREE, Served
from tests.written_trees import write_tree

CODE = 5  # files of TREE with a parser
NOTHING_YET = ["manifest: missing"]
FILES = 9  # that are indexed: all but .env


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(write_tree(tmp_path / "service", TREE), tmp_path / "data", index=False) as served:
        yield served


def test_a_new_project_is_indexed_and_counted(served: Served) -> None:
    found = served.call("index_codebase", path=".")
    assert (found["files"], found["added"], found["errors"]) == (FILES, FILES, 0)
    assert (found["updated"], found["removed"], found["unchanged"]) == (0, 0, 0)
    assert found["chunks"] >= FILES - 1  # an empty file has none
    assert found["symbols"] > 10
    assert found["parsed"] == {"files": CODE + 1, "partly": 0, "failed": 0, "now": CODE + 1}
    assert found["skipped"] == {"denied": 1}
    assert found["languages"]["python"] == 4
    assert "warnings" not in found
    assert served.rows("search_code", query="authenticate")[0]["symbols"][0] == "authenticate"


def test_only_what_changed_is_indexed_again(served: Served) -> None:
    served.call("index_codebase", path=".")
    (served.root / "service/billing.py").write_text("def invoice() -> None: ...\n")
    (served.root / "service/late.py").write_text("LATE = 1\n")
    (served.root / "tools/rotate.sh").unlink()
    found = served.call("index_codebase", path=".")
    assert (found["added"], found["updated"], found["removed"]) == (1, 1, 1)
    assert found["unchanged"] == FILES - 2
    assert found["parsed"]["now"] == 2
    again = served.call("index_codebase", path=".")
    assert (again["added"], again["updated"], again["removed"], again["unchanged"]) == (0, 0, 0, FILES)
    assert again["parsed"]["now"] == 0
    assert [again[name] for name in ("files", "chunks", "symbols")] == [
        found[name] for name in ("files", "chunks", "symbols")
    ]


def test_force_reads_and_parses_everything_again(served: Served) -> None:
    first = served.call("index_codebase", path=".")
    found = served.call("index_codebase", path=".", force=True)
    assert (found["added"] + found["updated"], found["unchanged"]) == (FILES, 0)
    assert found["parsed"]["now"] == first["parsed"]["files"]
    assert [found[name] for name in ("files", "chunks", "symbols")] == [
        first[name] for name in ("files", "chunks", "symbols")
    ]


def test_the_whole_root_is_indexed_whatever_folder_is_named(served: Served) -> None:
    found = served.call("index_codebase", path="service")
    assert found["files"] == FILES
    assert found["warnings"] == [WHOLE]
    for path in (str(served.root), "./", "", "service/.."):
        assert "warnings" not in served.call("index_codebase", path=path)


def test_files_with_errors_are_counted(served: Served) -> None:
    (served.root / "service/broken.py").write_text("def half(:\n")
    (served.root / "service/blob.bin").write_bytes(b"\0" * 100)
    found = served.call("index_codebase", path=".")
    assert found["skipped"]["binary"] == 1
    assert found["parsed"]["partly"] + found["parsed"]["failed"] == 1
    assert found["errors"] == found["parsed"]["failed"]


def test_the_forms_say_the_same(served: Served) -> None:
    text = served.call("index_codebase", path=".", format="human")["text"]
    assert f"files: {FILES}" in text
    assert "parsed: files 6, partly 0, failed 0, now 6" in text
    assert "files: 9" in served.call("index_codebase", path=".", format="toon")["text"]


# Progress


def index_with_progress(served: Served, **arguments: object) -> list[Progress]:
    reported: list[Progress] = []
    answer = served.ask("index_codebase", {"path": ".", **arguments}, report=reported.append)
    assert not answer.is_error
    return reported


def test_progress_never_falls_and_tells_files_of_how_many(served: Served) -> None:
    reported = index_with_progress(served)
    done = [one.done for one in reported]
    assert done == sorted(done)
    assert all(0 <= one.done <= one.total == 100 for one in reported)
    messages = [one.message for one in reported]
    assert f"Indexing: {FILES} of {FILES} files" in messages
    assert "Parsing: 6 of 6 files" in messages
    assert messages.index(f"Indexing: {FILES} of {FILES} files") < messages.index("Parsing: 6 of 6 files")
    forced = [one.done for one in index_with_progress(served, force=True)]
    assert forced == sorted(forced)


# Stopping


@pytest.mark.sized
@pytest.mark.parametrize("force", [False, True])
def test_a_call_that_is_cancelled_stops_and_leaves_the_index_whole(tmp_path: Path, force: bool) -> None:
    """Cancelled at the n-th look, for every n until it is through; in a check for some n."""
    files = TREE | {f"many/m{number}.py": f"def run_{number}(): ...\n" for number in range(12)}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data", index=False) as served:
        if force:
            served.index()
        stopped = 0
        for looks in range(0, 400, 3 if IS_DEEP else 11):
            left = iter(range(looks))
            answer = served.ask(
                "index_codebase",
                {"path": ".", "force": force},
                cancelled=lambda left=left: next(left, None) is None,  # type: ignore[misc]
            )
            for directory in [*(tmp_path / "data").glob("index-*"), *(tmp_path / "data").glob("structure-*")]:
                assert verify_index(DiskDirectory(str(directory))) in ([], NOTHING_YET)
            if not answer.is_error:
                break
            assert "cancelled" in answer.text
            stopped += 1
            if served.repository.index_exists:
                assert not served.ask("search_code", {"query": "authenticate"}).is_error
        assert stopped > 2
        assert not answer.is_error
        assert served.call("index_codebase", path=".")["files"] == len(files) - 1


# Work that somebody else does


class Busy:
    """Work that is BUSY some times, then gives its name."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> str:
        self.left -= 1
        if self.left >= 0:
            raise RepoError(ErrorCode.BUSY, "Another one is at it.")
        return "done"


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_index, "LOOK_SECONDS", 0.001)


@dataclass
class State:
    """The visible state of whoever is at it."""

    progress: IndexProgress | None = None
    snapshot: str | None = None


@pytest.mark.usefixtures("fast")
def test_work_that_runs_already_is_waited_for_and_reported() -> None:
    reported: list[IndexProgress] = []
    now = IndexProgress("index", 3, 9, 0, 0)
    assert whole_index.retry_while_busy(Busy(4), lambda: State(now), reported.append, lambda: False) == "done"
    assert reported == [now] * 4


@pytest.mark.usefixtures("fast")
def test_waiting_ends_when_it_is_cancelled() -> None:
    with pytest.raises(RepoError) as caught:
        whole_index.retry_while_busy(Busy(99), State, None, lambda: True)
    assert caught.value.code is ErrorCode.CANCELLED


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize(
    ("limit", "state"),
    [
        ("OTHER_SECONDS", State(None, "7")),
        ("OWN_SECONDS", State(IndexProgress("walk", 0, 0, 0, 0), "7")),
    ],
    ids=["another process", "this one"],
)
def test_waiting_ends_when_nothing_moves(monkeypatch: pytest.MonkeyPatch, limit: str, state: State) -> None:
    """This process may be in one long step, or before a file system that hangs."""
    monkeypatch.setattr(whole_index, limit, 0.01)
    with pytest.raises(RepoError) as caught:
        whole_index.retry_while_busy(Busy(999_999), lambda: state, None, lambda: False)
    assert caught.value.code is ErrorCode.BUSY


def test_who_commits_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_index, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(whole_index, "OTHER_SECONDS", 0.5)
    generations = count()
    assert (
        whole_index.retry_while_busy(
            Busy(50), lambda: State(None, str(next(generations))), None, lambda: False
        )
        == "done"
    )


@pytest.mark.parametrize("kind", ["index", "structure"])
def test_who_holds_a_lock_and_is_stopped_is_not_waited_for(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(whole_index, "OTHER_SECONDS", 0.3)
    monkeypatch.setattr(indexer, "LOCK_WAIT_SECONDS", 0.2)
    served.call("index_codebase", path=".")
    (served.root / "service/late.py").write_text("LATE = 1\n")
    (place,) = (tmp_path / "data").glob(f"{kind}-*")
    lock = DiskDirectory(str(place)).lock("lock")
    try:
        answer = served.ask("index_codebase", {"path": "."})
        assert answer.is_error
        assert "Another process is" in answer.text
        assert not served.ask("search_code", {"query": "authenticate"}).is_error
    finally:
        lock.release()
    assert served.call("index_codebase", path=".")["files"] == FILES + 1


def test_a_refresh_in_the_background_is_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server refreshes by itself when it starts: a call then is not refused."""
    monkeypatch.setattr("repo_mcp.live.refresher.REFRESH_WAIT_SECONDS", 0.01)
    live = served.repository._index
    assert live.refresher.running.acquire()
    release = threading.Timer(0.5, live.refresher.running.release)
    release.start()
    started = time.monotonic()
    found: dict[str, Any] = served.call("index_codebase", path=".")
    assert found["files"] == FILES
    assert time.monotonic() - started > 0.4


def test_directories_that_could_not_be_listed_are_told_once() -> None:
    told = f"2 directories {UNLISTED}"
    assert _drop_told([NOT_LISTED, "Other."], [told]) == ["Other."]
    assert _drop_told([NOT_LISTED, "Other."], ["Other."]) == [NOT_LISTED]
