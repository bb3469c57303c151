"""A glimpse of named files, put into the last walk, is what a new walk finds; or it asks for one."""

from __future__ import annotations

import os
import shutil
import stat as modes
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.model import WalkReport
from repo_mcp.workspace import path_changes
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walk_memory import WalkMemory
from tests.deep.sizes import examples
from tests.repo_mcp.workspace.test_walk_memory import STEPS, do


class Watched:
    """A root with its last walk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.policy, self.memory = DenyPolicy(), WalkMemory()
        self.reader = RepositoryReader(str(root), self.policy.find_denial)
        self.view = PathChangeFinder(self.reader, self.policy.find_denial, self.memory)

    def walk(self, memory: WalkMemory | None) -> WalkReport:
        rules = IgnoreRules(("c.d/y",), memory.parsed if memory is not None else None)
        return walk(self.reader, self.policy.find_denial, rules, memory=memory)

    def look(self, *paths: str) -> tuple[list[str], list[str]] | None:
        changes = self.view.look_at(paths)
        return None if changes is None else ([file.path for file in changes.files], list(changes.gone))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "src").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n*.o\n")
    for name in ("src/a.c", "src/b.c", "build/out.c", "top.c"):
        (tmp_path / name).write_text(name)
    made = Watched(tmp_path)
    yield made
    made.reader.close()


def list_entries(root: str) -> dict[str, tuple[int, ...]]:
    """Return what a watcher would tell changes of: every entry, but for the times of directories."""
    found = {}
    for directory, directories, files in os.walk(root):
        for name in (*directories, *files):
            status = os.lstat(os.path.join(directory, name))
            times = (
                ()
                if modes.S_ISDIR(status.st_mode)
                else (status.st_mtime_ns, status.st_ctime_ns, status.st_size)
            )
            path = os.path.relpath(os.path.join(directory, name), root)
            found[path] = (status.st_mode, status.st_ino, *times)
    return found


def put(report: WalkReport, changes: PathChanges) -> list[object]:
    files = {file.path: file for file in report.files}
    for path in changes.gone:
        files.pop(path, None)
    files |= {file.path: file for file in changes.files}
    return [files[path] for path in sorted(files)]


def test_a_file_that_came_after_the_walk_is_gone_when_it_goes(watched: Watched) -> None:
    watched.walk(watched.memory)
    (watched.root / "src/late.c").write_text("late")
    assert watched.look("src/late.c") == (["src/late.c"], [])
    (watched.root / "src/late.c").rename(watched.root / "src/moved.c")
    assert watched.look("src/late.c", "src/moved.c") == (["src/moved.c"], ["src/late.c"])
    (watched.root / "src/moved.c").unlink()
    assert watched.look("src/moved.c", "src/never.c") == ([], ["src/moved.c"])


def test_after_very_many_files_that_came_the_tree_is_walked(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_changes, "MAX_MET", 1)
    watched.walk(watched.memory)
    for name in ("src/one.c", "src/two.c"):
        (watched.root / name).write_text(name)
    assert watched.look("src/one.c") == (["src/one.c"], [])
    assert watched.look("src/two.c") is None
    watched.walk(watched.memory)
    (watched.root / "src/one.c").unlink()
    assert watched.look("src/one.c") == ([], ["src/one.c"])


@settings(max_examples=examples(200))
@given(st.lists(STEPS, max_size=10), st.lists(STEPS, max_size=4))
def test_a_glimpse_is_what_a_walk_finds(
    before: list[tuple[str, str, str]], after: list[tuple[str, str, str]]
) -> None:
    with TemporaryDirectory() as position:
        watched = Watched(Path(position))
        for step in before:
            do(watched.root, *step)
        last, entries = watched.walk(watched.memory), list_entries(position)
        for step in after:
            do(watched.root, *step)
        entries_now = list_entries(position)
        changed = [path for path in {**entries, **entries_now} if entries.get(path) != entries_now.get(path)]
        changes = watched.view.look_at(changed)
        if changes is not None:
            assert put(last, changes) == list(watched.walk(None).files)
        watched.reader.close()


def test_nothing_is_known_before_the_first_walk(watched: Watched) -> None:
    assert watched.look("src/a.c") is None
    assert watched.view.list_directories() is None


def test_files_are_seen_as_the_walk_sees_them(watched: Watched) -> None:
    watched.walk(watched.memory)
    assert watched.view.list_directories() == ["", "src"]
    (watched.root / "src" / "new.c").touch()
    (watched.root / "src" / "b.c").unlink()
    (watched.root / "src" / "link.c").symlink_to("/etc/passwd")
    for name in ("x.o", ".hidden", ".env", "id_rsa"):
        (watched.root / "src" / name).touch()
    assert watched.look("src/a.c", "src/new.c", "src/b.c") == (["src/a.c", "src/new.c"], ["src/b.c"])
    assert watched.look("src/x.o", "src/.hidden", "src/.env", "src/id_rsa", "src/link.c") == ([], [])
    assert watched.look("build/out.c", "build/deep/er.c", ".git/index", ".repo_mcp/x") == ([], [])
    assert watched.look("top.c", "no.c") == (["top.c"], ["no.c"])


@pytest.mark.parametrize(
    "path", ["src/.gitignore", ".gitignore", "src", "new", "new/x.c", "src/sub/deep/x.c"]
)
def test_what_only_a_walk_can_tell(watched: Watched, path: str) -> None:
    watched.walk(watched.memory)
    (watched.root / "new").mkdir()
    (watched.root / "src" / "sub" / "deep").mkdir(parents=True)
    assert watched.look("src/a.c", path) is None


def test_what_lies_in_the_root_may_decide_on_its_rules(watched: Watched) -> None:
    (watched.root / ".gitignore").write_text("*\n!keep.c\n")
    assert len(watched.walk(watched.memory).files) == 4  # all would be left out: the star is set aside
    (watched.root / "keep.c").touch()
    assert watched.look("keep.c") is None
    assert [file.path for file in watched.walk(watched.memory).files] == ["keep.c"]


def test_what_is_left_out_with_all_else_does_not_decide_on_the_rules(watched: Watched) -> None:
    (watched.root / ".gitignore").write_text("*\n!keep.c\n")
    watched.walk(watched.memory)
    (watched.root / "new.c").touch()
    assert watched.look("top.c", "new.c", "no.c") == (["new.c", "top.c"], ["no.c"])
    (watched.root / "keep.c").touch()
    watched.walk(watched.memory)  # the star is in force now
    assert watched.look("top.c") is None


def test_a_directory_that_went(watched: Watched) -> None:
    watched.walk(watched.memory)
    shutil.rmtree(watched.root / "src")
    assert watched.look("src") is None
    assert watched.look("src/a.c") == ([], ["src/a.c"])


def test_a_file_in_place_of_a_link_and_the_other_way_round(watched: Watched) -> None:
    watched.walk(watched.memory)
    (watched.root / "src" / "a.c").unlink()
    (watched.root / "src" / "a.c").symlink_to("b.c")
    assert watched.look("src/a.c") == ([], ["src/a.c"])
    (watched.root / "src" / "b.c").unlink()
    (watched.root / "src" / "b.c").mkdir()
    assert watched.look("src/b.c") is None
