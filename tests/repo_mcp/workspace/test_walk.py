"""The walk: every file that may be indexed, nothing else, and every gap said."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import WalkReport
from repo_mcp.workspace import walk as walking
from repo_mcp.workspace.hidden_names import is_hidden, list_shown
from repo_mcp.workspace.walk import walk
from tests.posix import posix
from tests.repo_mcp.open_files import list_open
from tests.repo_mcp.workspace.walked_tree import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    (tmp_path / "root").mkdir()
    tree = Tree(tmp_path / "root")
    yield tree
    tree.reader.close()


def test_an_empty_root(tree: Tree) -> None:
    assert tree.walk() == WalkReport((), {}, (), ())


@posix
def test_files_come_in_order_of_their_bytes(tree: Tree) -> None:
    paths = ["a/b", "a.c", "a-b", "a/b.c", "B", "é", "z", "\U0001f600", "\uffee", "a/c/d", "ab", "a b"]
    tree.write(*paths)
    found = tree.paths()
    assert found == sorted(paths, key=str.encode)
    assert len(found) == len(paths)


def test_files_are_met_in_order_and_reported_while_more_come(tree: Tree) -> None:
    paths = ["a/b", "a.c", "a-b/z/y", "a/b.c", "B", "a/c/d", "a/b-/x", "ab", "a b/q", "a/b0", "z/z/z"]
    tree.write(*paths)
    reported: list[list[str]] = []
    report = walk(tree.reader, tree.deny.find_denial, None, met=lambda files: reported.append([*files.paths]))
    found = [file.path for file in report.files]
    assert found == sorted(paths, key=str.encode)
    assert all(one == found[: len(one)] for one in reported)
    assert [len(one) for one in reported] == sorted(map(len, reported))
    assert len(set(map(len, reported))) > 5
    assert reported[-1] == found


def test_a_name_that_is_listed_twice_is_met_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it may be while the directory is written to."""
    tree.write("a/x", "b")
    scan = tree.reader.scan
    monkeypatch.setattr(tree.reader, "scan", lambda directory: scan(directory) * 2)
    assert tree.paths() == ["a/x", "b"]


def test_a_directory_of_which_a_part_could_be_looked_at_is_in_order(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("b", "c/x", "d")
    scan = tree.reader.scan

    class Broken:
        name = "zz"

        def is_file(self, *, follow_symlinks: bool) -> bool:
            raise OSError(5, "input/output error")

    def list_more(directory: int) -> list[object]:
        entries = sorted(scan(directory), key=lambda entry: entry.name, reverse=True)
        return [*entries, Broken()] if len(entries) > 1 else [*entries]

    monkeypatch.setattr(tree.reader, "scan", list_more)
    report = tree.walk(ignored=True)
    assert [file.path for file in report.files] == ["b", "d"]
    assert report.unreadable == ("",)


def test_the_status_is_the_files(tree: Tree) -> None:
    tree.write("src/a.py", text="hello")
    (file,) = tree.walk().files
    status = (tree.root / "src/a.py").stat()
    assert file.stat == tree.reader.stat("src/a.py")
    inode = 0 if sys.platform == "win32" else status.st_ino
    assert (file.stat.size, file.stat.mtime_ns, file.stat.inode) == (5, status.st_mtime_ns, inode)


def test_hidden_files_only_when_asked_for(tree: Tree) -> None:
    tree.write("a", ".hidden", ".cache/ci.yml", "sub/.x/y")
    assert tree.paths() == ["a"]
    assert tree.walk().skipped == {"hidden": 3}
    assert tree.paths(hidden=True) == [".cache/ci.yml", ".hidden", "a", "sub/.x/y"]


def test_a_project_s_own_dot_names_are_served(tree: Tree) -> None:
    served = [
        *(".devcontainer/devcontainer.json", ".editorconfig", ".env.example", ".eslintrc", ".eslintrc.cjs"),
        *(".github/.prettierrc.json", ".github/workflows/ci.yml", ".gitlab-ci.yml", "sub/.clang-format"),
    ]
    tree.write(
        *served, ".github/.cache/x", ".eslintrc~", ".npmrc", ".vscode/.env", ".github/id_rsa", ".idea/x"
    )
    assert tree.paths() == served
    assert tree.walk().skipped == {"denied": 3, "hidden": 3}


def test_no_own_dot_name_is_one_that_may_hold_secrets(tree: Tree) -> None:
    names = [name for rule in list_shown() if isinstance(rule, list) for name in rule]
    assert [name for name in names if tree.deny.find_denial(name) or tree.deny.find_denial(f"{name}/x")] == []
    assert not any(map(is_hidden, names))


def test_denied_files_never_and_counted(tree: Tree) -> None:
    tree.write("a", ".env", ".git/HEAD", "tls/x.PEM", "secrets.d/y", "sub/.git", "id_rsa")
    report = tree.walk(ignored=True, hidden=True)
    assert [file.path for file in report.files] == ["a"]
    assert report.skipped == {"denied": 6}


def test_our_own_directory_leaves_no_trace(tree: Tree) -> None:
    tree.write("a")
    before = tree.walk(hidden=True)
    tree.write(".repo_mcp/segment", ".repo_mcp/.gitignore")
    assert tree.walk(hidden=True) == before


@posix
def test_links_and_special_files_are_counted_and_not_followed(tree: Tree, tmp_path: Path) -> None:
    tree.write("src/a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x")
    (tree.root / "file-link").symlink_to("src/a")
    (tree.root / "dir-link").symlink_to("src")
    (tree.root / "out").symlink_to(tmp_path / "outside")
    (tree.root / "loop").symlink_to(".")
    (tree.root / "broken").symlink_to("nothing")
    os.mkfifo(tree.root / "fifo")
    report = tree.walk()
    assert [file.path for file in report.files] == ["src/a"]
    assert report.skipped == {"special": 1, "symlink": 5}


@posix
def test_names_that_are_not_utf8_are_counted(tree: Tree) -> None:
    tree.write("a")
    for name in (b"\xff", b"\xffdir"):
        os.mkdir(os.fsencode(tree.root) + b"/" + name)
    report = tree.walk()
    assert [file.path for file in report.files] == ["a"]
    assert report.skipped == {"name_not_utf8": 2}


def test_ignored_files_are_left_out_through_nested_files_and_negation(tree: Tree) -> None:
    tree.write("a.o", "a.c", "build/x.c", "build/.gitignore", "sub/keep.o", "sub/b.o", "sub/deep/c.c")
    tree.write(".gitignore", text="*.o\nbuild/\n")
    tree.write("sub/.gitignore", text="!keep.o\n/deep/*.c\n")
    assert tree.paths() == ["a.c", "sub/keep.o"]
    assert tree.walk().skipped == {"hidden": 2, "ignored": 4}
    assert tree.paths(ignored=True) == ["a.c", "a.o", "build/x.c", "sub/b.o", "sub/deep/c.c", "sub/keep.o"]


def test_an_ignored_file_may_still_be_opened(tree: Tree) -> None:
    tree.write("a.o", text="x")
    tree.write(".gitignore", text="*.o\n")
    assert tree.paths() == []
    assert tree.reader.read("a.o", 10).data == b"x"


@posix
def test_ignore_files_that_are_no_files_are_not_read(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n")
    tree.write("one/a", "two/a", "three/a")
    (tree.root / "one" / ".gitignore").symlink_to(tmp_path / "rules")
    os.mkfifo(tree.root / "two" / ".gitignore")
    (tree.root / "three" / ".gitignore").mkdir()
    assert tree.paths() == ["one/a", "three/a", "two/a"]


def test_a_huge_ignore_file_is_refused_with_a_warning(tree: Tree) -> None:
    tree.write("sub/a")
    tree.write("sub/.gitignore", text="*\n" * 200_000)
    report = tree.walk()
    assert [file.path for file in report.files] == ["sub/a"]
    assert len(report.warnings) == 1
    assert report.warnings[0].startswith("sub/.gitignore is not applied: ")


def test_hostile_patterns_are_warned_about(tree: Tree) -> None:
    tree.write("a")
    tree.write(".gitignore", text="*[ab]" * 9 + "\n")
    assert tree.paths() == ["a"]
    assert len(tree.walk().warnings) == 1


def test_a_root_that_ignores_everything_is_walked_all_the_same(tree: Tree) -> None:
    tree.write("src/a.c", "src/a.o", "debug.log")
    tree.write(".gitignore", text="*.o\n/*\n!/debian/\n")
    report = tree.walk()
    assert [file.path for file in report.files] == ["debug.log", "src/a.c"]
    assert len(report.warnings) == 1


def test_a_root_that_ignores_all_but_something_is_obeyed(tree: Tree) -> None:
    tree.write("src/a.c", "other/b.c")
    tree.write(".gitignore", text="/*\n!/src/\n")
    assert tree.paths() == ["src/a.c"]
    assert tree.walk().warnings == ()


def test_a_subdirectory_that_ignores_everything_is_obeyed(tree: Tree) -> None:
    tree.write("a", "venv/x")
    tree.write("venv/.gitignore", text="*\n")
    assert tree.paths() == ["a"]


def test_a_directory_that_cannot_be_listed_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("a/x", "b/c/x", "d/x")
    open_child = tree.reader.open_child

    def refuse(directory: int, name: str) -> int:
        if name == "b":
            raise PermissionError(13, "refused")
        return open_child(directory, name)

    monkeypatch.setattr(tree.reader, "open_child", refuse)
    report = tree.walk()
    assert [file.path for file in report.files] == ["a/x", "d/x"]
    assert report.unreadable == ("b",)


def test_a_listing_that_breaks_off_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("a/x", "b")
    scan = tree.reader.scan

    def refuse(directory: int) -> list[os.DirEntry[str]]:
        entries = scan(directory)
        if [entry.name for entry in entries] == ["x"]:
            raise OSError(5, "input/output error")
        return entries

    monkeypatch.setattr(tree.reader, "scan", refuse)
    report = tree.walk()
    assert [file.path for file in report.files] == ["b"]
    assert report.unreadable == ("a",)


def test_a_directory_that_vanishes_is_gone(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("a/x", "b")

    def vanish(directory: int, name: str) -> int:
        raise FileNotFoundError(2, "gone")

    monkeypatch.setattr(tree.reader, "open_child", vanish)
    report = tree.walk()
    assert [file.path for file in report.files] == ["b"]
    assert report.unreadable == ()


def test_a_directory_swapped_for_a_link_is_not_entered(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x")
    tree.write("a/x")
    open_child = tree.reader.open_child

    def swap(directory: int, name: str) -> int:
        (tree.root / "a").rename(tmp_path / "moved")
        (tree.root / "a").symlink_to(tmp_path / "outside")
        return open_child(directory, name)

    monkeypatch.setattr(tree.reader, "open_child", swap)
    assert tree.walk().files == ()


def make_deep(root: Path, levels: int) -> None:
    """Make directories deeper than any path string the system takes."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("directory", dir_fd=here)
        below = os.open("directory", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=here))
    os.close(here)


@posix
def test_a_tree_deeper_than_any_path_ends_with_a_warning(tree: Tree) -> None:
    tree.write("a")
    make_deep(tree.root, 600)
    report = tree.walk()
    assert [file.path for file in report.files] == ["a"]
    assert report.skipped == {"too_deep": 1}
    assert len(report.warnings) == 1
    assert report.unreadable == ("/".join(["directory"] * (walking.MAX_DEPTH + 1)),)


def test_levels_below_those_held_open_are_walked(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "_HELD_LEVELS", 2)
    paths = ["a/b/c/d/e/f", "a/b/c/d/x", "a/b/c/y", "a/b/z/z/z", "a/q", "r"]
    tree.write(*paths)
    assert tree.paths() == sorted(paths)


def test_too_many_entries_are_cut_and_said(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MAX_ENTRIES", 3)
    tree.write("a/x", "b/x", "c/x", "d")
    report = tree.walk()
    assert [file.path for file in report.files] == ["d"]
    assert report.unreadable == ("a", "b", "c")
    assert len(report.warnings) == 1


@posix
def test_a_walk_can_be_cancelled_and_leaves_nothing_open(tree: Tree) -> None:
    tree.write("a/b/c", "d/e")
    answers = iter([False, True])
    before = list_open(tree.root)
    with pytest.raises(RepoError) as caught:
        walk(tree.reader, tree.deny.find_denial, None, cancelled=lambda: next(answers))
    assert caught.value.code is ErrorCode.CANCELLED
    assert list_open(tree.root) == before


@posix
def test_a_long_walk_leaves_nothing_open(tree: Tree) -> None:
    make_deep(tree.root, 100)
    tree.write("x/y/z", ".gitignore")
    tree.walk()
    before = list_open(tree.root)
    tree.walk()
    assert list_open(tree.root) == before
