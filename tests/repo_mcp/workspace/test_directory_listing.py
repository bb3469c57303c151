"""One directory as the walk would find it: what is in it, what is left out, and where no listing leads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing
from repo_mcp.workspace.directory_listing import list_directory
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from tests.posix import posix
from tests.repo_mcp.open_files import list_open
from tests.repo_mcp.trees import make_tree
from tests.repo_mcp.workspace.walked_tree import Tree


class ListedTree(Tree):
    """A root, and the listings of its directories."""

    def list(self, path: str) -> DirectoryListing:
        return list_directory(self.reader, self.deny.find_denial, IgnoreRules(), path)

    def code_of_list(self, path: str) -> ErrorCode:
        with pytest.raises(RepoError) as caught:
            self.list(path)
        assert str(self.root) not in caught.value.message + caught.value.hint
        return caught.value.code


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[ListedTree]:
    (tmp_path / "root").mkdir()
    tree = ListedTree(tmp_path / "root")
    yield tree
    tree.reader.close()


def test_a_directory_is_listed_in_order_without_what_lies_deeper(tree: ListedTree) -> None:
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


@posix
def test_a_listing_leaves_out_what_the_walk_leaves_out_and_counts_it(
    tree: ListedTree, tmp_path: Path
) -> None:
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


@posix
def test_a_listing_counts_and_says_of_refused_files_what_the_walk_does(tmp_path: Path) -> None:
    tree = ListedTree(tmp_path)
    tree.write(".gitignore", text="*.o\n")
    tree.write("src/.gitignore", "outside", "src/a.py")
    for name in ("b.o", "c.py", "src/.gitignore"):
        (tree.root / name).unlink(missing_ok=True)
        os.link(tree.root / "outside", tree.root / name)
    tree.reader.close()
    tree.reader = RepositoryReader(str(tmp_path), tree.deny.find_denial, Refusals(hard_links=True))
    assert tree.list("").left_out == {"hard_link": 2, "hidden": 1, "ignored": 1}
    assert tree.list("src").left_out == {"hidden": 1}
    walked = tree.walk()
    assert walked.skipped == {"hard_link": 2, "hidden": 2, "ignored": 1}
    assert tree.list("src").warnings == walked.warnings
    assert walked.warnings
    tree.reader.close()


@pytest.mark.parametrize("rules", ["*.json\nd1/\n!/d0/f1.json\n", "*\n", "*\n!d0\n", "*\n!d0/\n*.md\n"])
@pytest.mark.parametrize("seed", range(3))
def test_listing_every_directory_gives_what_the_walk_gives(tree: ListedTree, seed: int, rules: str) -> None:
    make_tree(tree.root, seed)
    tree.write(".gitignore", text=rules)
    tree.write("d0/.gitignore", text="!*.json\n")
    found, waiting = [], [""]
    while waiting:
        for entry in tree.list(waiting.pop()).entries:
            (waiting if entry.is_directory else found).append(entry.path)
    assert sorted(found) == tree.paths()


@posix
def test_a_link_to_a_directory_inside_is_listed_by_its_real_name_and_one_outside_refused(
    tree: ListedTree, tmp_path: Path
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


def test_what_is_no_directory_is_not_listed(tree: ListedTree) -> None:
    tree.write("file", "src/x.py")
    assert tree.code_of_list("file") is ErrorCode.NOT_A_DIRECTORY
    assert tree.code_of_list("file/below") is ErrorCode.NOT_FOUND
    assert tree.code_of_list("none") is ErrorCode.NOT_FOUND
    assert tree.code_of_list("../root") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list("/etc") is ErrorCode.PATH_ESCAPE
    assert tree.code_of_list(".git") is ErrorCode.PATH_DENIED
    assert tree.code_of_list("a\0") is ErrorCode.PATH_INVALID


def test_a_directory_that_cannot_be_listed_alone_is_unreadable(
    tree: ListedTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(directory: int) -> list[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    tree.write("src/x.py")
    monkeypatch.setattr(tree.reader, "scan", fail)
    assert tree.code_of_list("src") is ErrorCode.UNREADABLE


@posix
def test_listing_leaves_nothing_open(tree: ListedTree) -> None:
    tree.write("a/b/c/x.py")
    tree.list("a/b/c")
    before = list_open(tree.root)
    for _ in range(20):
        tree.list("a/b/c")
        tree.code_of_list("a/none")
        tree.code_of_list("a/b/c/x.py")
    assert list_open(tree.root) == before
