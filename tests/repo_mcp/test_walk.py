"""The walk: every file that may be indexed, nothing else, and every gap said."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp import walk as walking
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ignore import IgnoreRules
from repo_mcp.model import DirectoryEntry, DirectoryListing, WalkReport
from repo_mcp.policy import DenyPolicy
from repo_mcp.sandbox import Door
from repo_mcp.walk import list_directory, walk
from tests.repo_mcp.trees import make_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and names of POSIX")


class Tree:
    """A root in a temporary directory and what its walk says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.deny = DenyPolicy()
        self.door = Door(str(root), self.deny.find_denial)

    def write(self, *paths: str, text: str = "x") -> None:
        for path in paths:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def walk(self, *, ignored: bool = False, hidden: bool = False) -> WalkReport:
        rules = None if ignored else IgnoreRules()
        return walk(self.door, self.deny.find_denial, rules, include_hidden=hidden)

    def paths(self, *, ignored: bool = False, hidden: bool = False) -> list[str]:
        return [file.path for file in self.walk(ignored=ignored, hidden=hidden).files]

    def list(self, path: str) -> DirectoryListing:
        return list_directory(self.door, self.deny.find_denial, IgnoreRules(), path)

    def code_of_list(self, path: str) -> ErrorCode:
        with pytest.raises(RepoError) as caught:
            self.list(path)
        assert str(self.root) not in caught.value.message + caught.value.hint
        return caught.value.code


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    (tmp_path / "root").mkdir()
    tree = Tree(tmp_path / "root")
    yield tree
    tree.door.close()


def test_an_empty_root(tree: Tree) -> None:
    assert tree.walk() == WalkReport((), {}, (), ())


def test_files_come_in_order_of_their_bytes(tree: Tree) -> None:
    paths = ["a/b", "a.c", "a-b", "a/b.c", "B", "é", "z", "\U0001f600", "\uffee", "a/c/d", "ab", "a b"]
    tree.write(*paths)
    found = tree.paths()
    assert found == sorted(paths, key=str.encode)
    assert len(found) == len(paths)


def test_the_status_is_the_files(tree: Tree) -> None:
    tree.write("src/a.py", text="hello")
    (file,) = tree.walk().files
    status = (tree.root / "src/a.py").stat()
    assert file.stat == tree.door.stat("src/a.py")
    assert (file.stat.size, file.stat.mtime_ns, file.stat.inode) == (5, status.st_mtime_ns, status.st_ino)


def test_hidden_files_only_when_asked_for(tree: Tree) -> None:
    tree.write("a", ".hidden", ".github/ci.yml", "sub/.x/y")
    assert tree.paths() == ["a"]
    assert tree.walk().skipped == {"hidden": 3}
    assert tree.paths(hidden=True) == [".github/ci.yml", ".hidden", "a", "sub/.x/y"]


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
    assert tree.door.read("a.o", 10).data == b"x"


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
    assert report.warnings[0].startswith("sub/.gitignore not applied: ")


def test_hostile_patterns_are_warned_about(tree: Tree) -> None:
    tree.write("a")
    tree.write(".gitignore", text="*[a]*[a]*[a]*[a]*b\n")
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
    open_child = tree.door.open_child

    def refuse(directory: int, name: str) -> int:
        if name == "b":
            raise PermissionError(13, "refused")
        return open_child(directory, name)

    monkeypatch.setattr(tree.door, "open_child", refuse)
    report = tree.walk()
    assert [file.path for file in report.files] == ["a/x", "d/x"]
    assert report.unreadable == ("b",)


def test_a_listing_that_breaks_off_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("a/x", "b")
    scan = tree.door.scan

    def refuse(directory: int) -> list[os.DirEntry[str]]:
        entries = scan(directory)
        if [entry.name for entry in entries] == ["x"]:
            raise OSError(5, "input/output error")
        return entries

    monkeypatch.setattr(tree.door, "scan", refuse)
    report = tree.walk()
    assert [file.path for file in report.files] == ["b"]
    assert report.unreadable == ("a",)


def test_a_directory_that_vanishes_is_gone(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("a/x", "b")

    def vanish(directory: int, name: str) -> int:
        raise FileNotFoundError(2, "gone")

    monkeypatch.setattr(tree.door, "open_child", vanish)
    report = tree.walk()
    assert [file.path for file in report.files] == ["b"]
    assert report.unreadable == ()


def test_a_directory_swapped_for_a_link_is_not_entered(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x")
    tree.write("a/x")
    open_child = tree.door.open_child

    def swap(directory: int, name: str) -> int:
        (tree.root / "a").rename(tmp_path / "moved")
        (tree.root / "a").symlink_to(tmp_path / "outside")
        return open_child(directory, name)

    monkeypatch.setattr(tree.door, "open_child", swap)
    assert tree.walk().files == ()


def make_deep(root: Path, levels: int) -> None:
    """Directories deeper than any path string the system takes."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("directory", dir_fd=here)
        below = os.open("directory", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=here))
    os.close(here)


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


def test_a_walk_can_be_cancelled_and_leaves_nothing_open(tree: Tree) -> None:
    tree.write("a/b/c", "d/e")
    answers = iter([False, True])
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(RepoError) as caught:
        walk(tree.door, tree.deny.find_denial, None, cancelled=lambda: next(answers))
    assert caught.value.code is ErrorCode.CANCELLED
    assert (len(os.listdir("/proc/self/fd")) if before else 0) == before


def test_a_long_walk_leaves_nothing_open(tree: Tree) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    make_deep(tree.root, 100)
    tree.write("x/y/z", ".gitignore")
    tree.walk()
    before = len(os.listdir("/proc/self/fd"))
    tree.walk()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_directory_is_listed_in_order_without_what_lies_deeper(tree: Tree) -> None:
    tree.write("b.py", "a/x.py", "a/deep/y.py", "a-b", text="four")
    top = tree.list("")
    assert top == DirectoryListing(
        "",
        (DirectoryEntry("a", True, None), DirectoryEntry("a-b", False, 4), DirectoryEntry("b.py", False, 4)),
        {},
    )
    assert tree.list(".") == tree.list("a/..") == tree.list(str(tree.root)) == top
    below = tree.list("a/")
    assert below.path == "a"
    assert [entry.path for entry in below.entries] == ["a/deep", "a/x.py"]


def test_a_listing_leaves_out_what_the_walk_leaves_out_and_counts_it(tree: Tree, tmp_path: Path) -> None:
    tree.write(".gitignore", text="*.o\n/build/\n")
    tree.write("src/.gitignore", text="!keep.o\n/local\n")
    tree.write("a.py", "a.o", ".env", "id_rsa", ".hidden", "build/x.py", "src/keep.o", "src/x.o", "src/local")
    tree.write(".repo_mcp/manifest", ".config/x", "src/z.py")
    os.symlink(tmp_path, tree.root / "link")
    os.mkfifo(tree.root / "pipe")
    top = tree.list("")
    assert [entry.path for entry in top.entries] == ["a.py", "src"]
    assert top.left_out == {"denied": 2, "hidden": 3, "ignored": 2, "special": 1, "symlink": 1}
    assert [entry.path for entry in tree.list("src").entries] == ["src/keep.o", "src/z.py"]
    assert tree.list("src").left_out == {"hidden": 1, "ignored": 2}
    assert tree.list("build") == DirectoryListing("build", (), {"ignored": 1})
    assert tree.list(".config") == DirectoryListing(".config", (), {"hidden": 1})


@pytest.mark.parametrize("seed", range(5))
def test_listing_every_directory_gives_what_the_walk_gives(tree: Tree, seed: int) -> None:
    make_tree(tree.root, seed)
    tree.write(".gitignore", text="*.json\nd1/\n!/d0/f1.json\n")
    tree.write("d0/.gitignore", text="!*.json\n")
    found, waiting = [], [""]
    while waiting:
        for entry in tree.list(waiting.pop()).entries:
            (waiting if entry.is_directory else found).append(entry.path)
    assert sorted(found) == tree.paths()


def test_a_link_to_a_directory_inside_is_listed_by_its_real_name_and_one_outside_refused(
    tree: Tree, tmp_path: Path
) -> None:
    tree.write("real/x.py", "file")
    (tmp_path / "outside").mkdir()
    os.symlink("real", tree.root / "inside")
    os.symlink(tmp_path / "outside", tree.root / "outside")
    os.symlink("nowhere", tree.root / "dangling")
    os.symlink("loop", tree.root / "loop")
    os.symlink(".git", tree.root / "denied")
    os.symlink("file", tree.root / "to_file")
    assert tree.list("inside") == tree.list("real")
    assert tree.list("inside").path == "real"
    assert tree.code_of_list("outside") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list("outside/below") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list("denied") is ErrorCode.PATH_DENIED
    assert tree.code_of_list("dangling") is ErrorCode.NOT_FOUND
    assert tree.code_of_list("loop") is ErrorCode.UNREADABLE
    assert tree.code_of_list("to_file") is ErrorCode.NOT_A_DIRECTORY


def test_what_is_no_directory_is_not_listed(tree: Tree) -> None:
    tree.write("file", "src/x.py")
    assert tree.code_of_list("file") is ErrorCode.NOT_A_DIRECTORY
    assert tree.code_of_list("file/below") is ErrorCode.NOT_FOUND
    assert tree.code_of_list("none") is ErrorCode.NOT_FOUND
    assert tree.code_of_list("../root") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list("/etc") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list(".git") is ErrorCode.PATH_DENIED
    assert tree.code_of_list("a\0") is ErrorCode.PATH_INVALID


def test_a_directory_that_cannot_be_listed_alone_is_unreadable(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(directory: int) -> list[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    tree.write("src/x.py")
    monkeypatch.setattr(tree.door, "scan", fail)
    assert tree.code_of_list("src") is ErrorCode.UNREADABLE


def test_listing_leaves_nothing_open(tree: Tree) -> None:
    tree.write("a/b/c/x.py")
    tree.list("a/b/c")
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    for _ in range(20):
        tree.list("a/b/c")
        tree.code_of_list("a/none")
        tree.code_of_list("a/b/c/x.py")
    assert before == (len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0)
