"""The watcher over a real tree, and an index that keeps up with what it tells."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import Config
from repo_mcp.errors import RepoError
from repo_mcp.indexing import watcher
from repo_mcp.indexing.watcher import TreeWatcher, is_installed
from repo_mcp.live import change_watch
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.growth import HANG_SECONDS
from tests.repo_mcp.workspace.git.test_index import ENVIRONMENT, with_git
from tests.waiting import wait_until

watchfiles = pytest.importorskip("watchfiles")
PATIENCE_SECONDS = HANG_SECONDS


class Listener:
    """A watcher and what it reported."""

    def __init__(self, root: Path, *directories: str) -> None:
        self.directories: list[str] | None = list(directories)
        self.reported: list[frozenset[str] | None] = []
        self.failures: list[str] = []
        self.watcher = TreeWatcher(
            str(root), lambda: self.directories, self.reported.append, self.failures.append
        )
        self.watcher.start()

    def has_reported(self, path: str) -> bool:
        return any(batch is not None and path in batch for batch in self.reported)


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Callable[..., Listener]]:
    made: list[Listener] = []

    def start(*directories: str) -> Listener:
        made.append(Listener(tmp_path / "root", *directories))
        return made[-1]

    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "other").mkdir()
    yield start
    for one in made:
        one.watcher.close()


def test_the_first_word_is_that_everything_may_have_changed(listen: Any, tmp_path: Path) -> None:
    listener = listen("", "src")
    wait_until(lambda: listener.reported == [None])
    (tmp_path / "root" / "src" / "a.c").write_text("a")
    wait_until(lambda: listener.has_reported("src/a.c"))
    (tmp_path / "root" / "top.c").write_text("a")
    wait_until(lambda: listener.has_reported("top.c"))


@pytest.mark.skipif(not os.path.exists("/proc"), reason="only the kernel of Linux can be asked")
def test_while_a_watch_is_put_in_place_no_change_is_known_unless_one_came(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    reporting, may_go_on = threading.Event(), threading.Event()

    def report(_batch: frozenset[str] | None) -> None:
        reporting.set()
        may_go_on.wait(HANG_SECONDS)

    one = TreeWatcher(str(tmp_path / "root"), lambda: [""], report, lambda _why: None)
    one.start()
    try:
        assert reporting.wait(HANG_SECONDS)
        assert one.is_placing
        assert not one.wait(0.0)
        (tmp_path / "root" / "a.c").write_text("a")
        wait_until(lambda: not one.is_placing)
        may_go_on.set()
        assert one.wait(HANG_SECONDS)
        assert not one.is_placing
    finally:
        may_go_on.set()
        one.close()


@pytest.mark.skipif(not os.path.exists("/proc"), reason="elsewhere the root is watched as a whole")
def test_only_the_directories_that_are_listed_are_watched(listen: Any, tmp_path: Path) -> None:
    listener = listen("", "src")
    wait_until(lambda: listener.reported == [None])
    (tmp_path / "root" / "other" / "b.c").write_text("b")
    (tmp_path / "root" / "src" / "a.c").write_text("a")
    wait_until(lambda: listener.has_reported("src/a.c"))
    assert not listener.has_reported("other/b.c")
    listener.directories.append("other")
    listener.watcher.note_walk()
    wait_until(lambda: listener.reported[-1] is None and len(listener.reported) > 2)
    (tmp_path / "root" / "other" / "b.c").write_text("c")
    wait_until(lambda: listener.has_reported("other/b.c"))


def test_nothing_is_watched_before_there_was_a_walk(listen: Any) -> None:
    listener = listen()
    listener.directories = None
    time.sleep(0.3)
    listener.watcher.close()
    assert listener.failures == []


def test_the_watch_is_made_when_nobody_waits_for_what_it_would_delay(tmp_path: Path) -> None:
    goes_on = threading.Event()
    reported: list[frozenset[str] | None] = []
    watcher = TreeWatcher(
        str(tmp_path), lambda: [""], reported.append, lambda _why: None, lambda: bool(goes_on.wait()) or None
    )
    watcher.start()
    time.sleep(0.1)
    assert reported == []
    goes_on.set()
    wait_until(lambda: reported == [None])
    watcher.close()


def test_a_deleted_root_means_that_all_must_be_looked_at(listen: Any, tmp_path: Path) -> None:
    listener = listen("", "src")
    wait_until(lambda: listener.reported == [None])
    shutil.rmtree(tmp_path / "root")
    wait_until(lambda: listener.reported.count(None) > 1)
    assert listener.failures == []


def test_directories_that_are_never_there_end_it(listen: Any) -> None:
    listener = listen("", "none")
    wait_until(lambda: listener.failures != [])
    assert listener.reported == [None, None]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "reached: raise fs.inotify.max_user_watches"),
        (OSError(errno.EMFILE, "Too many open files"), "reached: raise fs.inotify.max_user_instances"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (RuntimeError("OS file watch limit reached."), "limit on file watches"),
        (ValueError("/secret/path"), "ValueError"),
    ],
)
def test_a_failure_is_reported_once_without_a_path(
    listen: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def refuse(*_places: str, **_options: object) -> Iterator[object]:
        raise error

    monkeypatch.setattr(watcher, "has_inotify", lambda: False)
    monkeypatch.setattr(watchfiles, "watch", refuse)
    listener = listen("")
    wait_until(lambda: listener.failures != [])
    assert words in listener.failures[0]
    assert "secret" not in listener.failures[0]


def test_closing_ends(listen: Any) -> None:
    listener = listen("", "src")
    wait_until(lambda: listener.reported == [None])
    started = time.monotonic()
    listener.watcher.close()
    assert time.monotonic() - started < HANG_SECONDS


class Served:
    """A repository that is watched."""

    def __init__(self, root: Path, data_dir: Path, watch: bool = True) -> None:
        self.root = root
        self.repository = Repository(Config(str(root), data_dir=str(data_dir), watch=watch))
        self.repository.refresh()
        self.repository.start_background_refresh()

    def find(self, word: str) -> list[str]:
        return [hit.path for hit in self.repository.search(SearchRequest(word, 20)).hits]

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(change_watch, "LOOK_SECONDS", 3_600.0)  # what is found, the watcher reported
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "src" / "a.c").write_text("int alpha;\n")
    (root / "build").mkdir()
    made = Served(root, tmp_path / "data")
    view = made.repository._index._watch.finder
    assert view is not None
    wait_until(lambda: made.repository._index._watch._next_watched_look > time.monotonic() + 50)
    time.sleep(0.5)  # the watch is in place, and what it asked for first is done
    yield made
    made.repository.close()


def test_a_saved_file_is_found_and_a_deleted_one_is_not(served: Served) -> None:
    served.write("src/new.c", "int quaternion;\n")
    wait_until(lambda: served.find("quaternion") == ["src/new.c"])
    served.write("src/new.c", "int octonion;\n")
    wait_until(lambda: served.find("octonion") == ["src/new.c"])
    (served.root / "src" / "new.c").unlink()
    wait_until(lambda: served.find("octonion") == [])
    assert served.find("alpha") == ["src/a.c"]
    wait_until(lambda: served.repository.search(SearchRequest("alpha", 5)).warnings == ())


def test_directories_that_come_go_and_are_renamed(served: Served) -> None:
    served.write("lib/deep/x.c", "int quaternion;\n")
    wait_until(lambda: served.find("quaternion") == ["lib/deep/x.c"])
    served.write("lib/deep/y.c", "int octonion;\n")  # in a directory that was not there before
    wait_until(lambda: served.find("octonion") == ["lib/deep/y.c"])
    (served.root / "lib").rename(served.root / "lab")
    wait_until(lambda: served.find("octonion") == ["lab/deep/y.c"])
    shutil.rmtree(served.root / "lab")
    wait_until(lambda: served.find("octonion") == [])


def test_ignored_denied_and_linked_files_are_never_indexed(served: Served, tmp_path: Path) -> None:
    (tmp_path / "outside.c").write_text("int quaternion;\n")
    (served.root / "src" / "link.c").symlink_to(tmp_path / "outside.c")
    for path in ("build/x.c", "src/x.log", "src/.hidden.c", "src/.env", "src/id_rsa", "src/key.pem"):
        served.write(path, "int quaternion;\n")
    served.write("src/seen.c", "int octonion;\n")
    wait_until(lambda: served.find("octonion") == ["src/seen.c"])
    assert served.find("quaternion") == []


def test_changed_rules_are_in_force(served: Served) -> None:
    served.write("src/.gitignore", "a.c\n")
    wait_until(lambda: served.find("alpha") == [])
    (served.root / "src" / ".gitignore").unlink()
    wait_until(lambda: served.find("alpha") == ["src/a.c"])


@with_git
def test_what_a_checkout_brings_is_found_though_it_would_be_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watch, "LOOK_SECONDS", 3_600.0)

    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *author, *arguments], cwd=tmp_path / "root", env=ENVIRONMENT, check=True)

    for path, text in ((".gitignore", "build/\n"), ("a.c", "int alpha;\n"), ("build/b.c", "int beta;\n")):
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text(text)
    git("init", "--quiet")
    git("add", "-f", ".")
    git("commit", "--quiet", "-m", "both")
    git("rm", "--quiet", "build/b.c")
    git("commit", "--quiet", "-m", "one")
    served = Served(tmp_path / "root", tmp_path / "data")
    with closing(served.repository):
        wait_until(lambda: served.repository._index._watch.is_settled is not False)
        for _ in range(3):
            git("checkout", "--quiet", "HEAD~1")
            wait_until(lambda: served.find("beta") == ["build/b.c"])
            git("checkout", "--quiet", "-")
            wait_until(lambda: served.find("beta") == [])
        (tmp_path / "root" / "build").mkdir(exist_ok=True)
        (tmp_path / "root" / "build" / "c.c").write_text("int gamma;\n")
        assert served.find("gamma") == []
        git("add", "-f", "build/c.c")
        wait_until(lambda: served.find("gamma") == ["build/c.c"])


def test_a_flood_of_changes_is_walked(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_watch, "MAX_NAMED", 3)
    for number in range(30):
        served.write(f"src/n{number}.c", "int quaternion;\n")
    wait_until(lambda: len(served.find("quaternion")) == 20)
    assert served.repository.search(SearchRequest("quaternion", 20)).total == 30


def test_an_answer_says_that_files_have_changed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    index = served.repository._index
    held = threading.Event()
    refresh_named = index.refresher._open_indexer

    def wait_first() -> Any:
        held.wait(PATIENCE_SECONDS)
        return refresh_named()

    monkeypatch.setattr(index.refresher, "_open_indexer", wait_first)
    served.write("src/new.c", "int quaternion;\n")
    wait_until(lambda: served.repository.search(SearchRequest("alpha", 5)).warnings != ())
    (warning,) = served.repository.search(SearchRequest("alpha", 5)).warnings
    assert warning.startswith("1 file changed and is not indexed yet")
    assert served.repository.status().stale == 1
    held.set()
    wait_until(lambda: served.find("quaternion") == ["src/new.c"])
    wait_until(lambda: served.repository.search(SearchRequest("alpha", 5)).warnings == ())


def test_a_root_that_is_deleted_is_said_and_nothing_is_lost(served: Served) -> None:
    served.root.rename(served.root.with_name("moved"))
    os.unlink(served.root.with_name("moved") / "src" / "a.c")
    wait_until(
        lambda: any("moved, replaced or deleted" in one for one in served.repository.status().warnings)
    )
    assert served.repository.status().indexed_files == 1


def _serve_until(ended: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """Serve a tree that is watched until then, and often looked over afterwards."""

    def watch(*_places: str, **_options: object) -> Iterator[object]:
        ended.wait(PATIENCE_SECONDS)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(watcher, "has_inotify", lambda: False)
    monkeypatch.setattr(watchfiles, "watch", watch)
    monkeypatch.setattr(change_watch, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(change_watch, "LOOK_COST_FACTOR", 0)
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.c").write_text("int alpha;\n")
    return Served(tmp_path / "root", tmp_path / "data")


@pytest.mark.parametrize("ends_late", [False, True])
def test_without_a_watch_changes_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends_late: bool
) -> None:
    ended = threading.Event()
    if not ends_late:
        ended.set()
    served = _serve_until(ended, tmp_path, monkeypatch)
    served.repository.refresh()  # after which a tree that is watched is not looked over for a minute
    ended.set()
    wait_until(lambda: any("cannot be watched" in one for one in served.repository.status().warnings))
    served.write("b.c", "int quaternion;\n")
    wait_until(lambda: served.find("quaternion") == ["b.c"])


def test_nothing_is_watched_unless_it_is_wanted(tmp_path: Path) -> None:
    assert is_installed()
    (tmp_path / "root").mkdir()
    served = Served(tmp_path / "root", tmp_path / "data", watch=False)
    assert served.repository._index._watch._watcher is None
    with pytest.raises(RepoError):
        served.find(" ")
    served.repository.close()


def test_a_walk_in_the_background_makes_room_for_files_known_by_name(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    file = tmp_path / "root" / "a.py"
    file.write_text("first_word = 1\n")
    repository = Repository(Config(str(tmp_path / "root"), data_dir=str(tmp_path / "data")))
    repository.refresh()
    index: Any = repository._index
    walk, begun = index.look.walk, threading.Event()
    walks: list[object] = []

    def walk_slowly(cancelled: Callable[[], bool], met: Any = None) -> Any:
        walks.append(cancelled)
        begun.set()
        while len(walks) == 1 and not cancelled():  # the first one would never end
            time.sleep(0.001)
        return walk(cancelled, met)

    index.look.walk = walk_slowly
    index.start_background_refresh()
    assert begun.wait(PATIENCE_SECONDS)
    file.write_text("second_word = 1\n")
    index.refresh_paths(["a.py"])
    assert [hit.path for hit in repository.search(SearchRequest("second_word", 5)).hits] == ["a.py"]
    wait_until(lambda: len(walks) >= 2 and not index.refresher.running.locked())
    repository.close()
