"""Checkouts of one repository find each other by what Git keeps, and nothing that only claims to be one."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.git import index_entries as git_index_entries
from repo_mcp.workspace.git.blobs import find_rows, find_shared_blobs
from repo_mcp.workspace.git.index import GitIndex
from repo_mcp.workspace.git.index_entries import STAT_BITS, parse_files
from repo_mcp.workspace.git.places import find_git_places, list_siblings, read_git_file
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git

pytestmark = with_git


@pytest.fixture
def main(tmp_path: Path) -> GitTree:
    tree = GitTree(tmp_path / "main")
    tree.git("init", "-q")
    tree.write({"a.py": "a = 1\n", "sub/b.py": "b = 1\n"})
    tree.commit()
    return tree


def read(tree: GitTree, path: str) -> bytes:
    try:
        return (tree.root / path).read_bytes()
    except OSError as error:
        raise RepoError(ErrorCode.NOT_FOUND, "gone", "") from error


def test_work_trees_find_each_other(main: GitTree, tmp_path: Path) -> None:
    one, two = main.add_work_tree(tmp_path / "one"), main.add_work_tree(tmp_path / "two")
    roots = [str(tree.root) for tree in (main, one, two)]
    assert list_siblings(roots[0]) == (roots[1], roots[2])
    assert list_siblings(roots[1]) == (roots[0], roots[2])
    assert list_siblings(roots[2]) == (roots[0], roots[1])
    places = find_git_places(roots[1])
    assert places is not None
    assert places.common_dir == os.path.join(roots[0], ".git")
    shutil.rmtree(main.root / ".git" / "worktrees" / "two")
    assert list_siblings(roots[2]) == ()
    assert list_siblings(roots[1]) == (roots[0],)
    shutil.rmtree(main.root)
    assert list_siblings(roots[1]) == ()


def test_the_work_trees_of_a_bare_repository_find_each_other(main: GitTree, tmp_path: Path) -> None:
    main.git("clone", "-q", "--bare", str(main.root), str(tmp_path / "bare.git"))
    bare = GitTree(tmp_path / "bare.git")
    one, two = bare.add_work_tree(tmp_path / "one"), bare.add_work_tree(tmp_path / "two")
    assert list_siblings(str(one.root)) == (str(two.root),)


def test_relative_pointers_are_followed(main: GitTree, tmp_path: Path) -> None:
    """As Git writes them with `worktree.useRelativePaths`, since 2.48."""
    one = main.add_work_tree(tmp_path / "one")
    (one.root / ".git").write_text("gitdir: ../main/.git/worktrees/one\n")
    (main.root / ".git/worktrees/one/gitdir").write_text("../../../../one/.git\n")
    assert list_siblings(str(one.root)) == (str(main.root),)
    assert list_siblings(str(main.root)) == (str(one.root),)


@posix
def test_whatever_points_elsewhere_is_no_sibling(main: GitTree, tmp_path: Path) -> None:
    one = main.add_work_tree(tmp_path / "one")
    pointer = one.root / ".git"
    honest = pointer.read_text()
    foreign = GitTree(tmp_path / "foreign")
    foreign.write({"a.py": "a = 1\n"})
    (foreign.root / ".git").write_text(honest)  # a downloaded tree that names the repository of somebody else
    assert list_siblings(str(foreign.root)) == ()
    os.mkfifo(tmp_path / "fifo")
    lies: list[str | bytes] = [
        "",
        "gitdir:",
        "gitdir: ",
        "gitdir: .",
        "gitdir: ..",
        "gitdir: /",
        "gitdir: /dev/zero",
        "gitdir: /proc/self",
        f"gitdir: {tmp_path / 'fifo'}",
        f"gitdir: {pointer}",
        "gitdir: " + "x" * 100_000,
        b"gitdir: \xff\xfe\0",
        f"something: {main.root / '.git/worktrees/one'}",
    ]
    for lie in lies:
        pointer.write_bytes(lie if isinstance(lie, bytes) else lie.encode())
        assert find_git_places(str(one.root)) is None
    pointer.unlink()
    os.mkfifo(pointer)
    assert find_git_places(str(one.root)) is None
    pointer.unlink()
    pointer.symlink_to(pointer.name)
    assert find_git_places(str(one.root)) is None
    pointer.unlink()
    pointer.symlink_to(main.root / ".git")
    assert find_git_places(str(one.root)) is None
    assert list_siblings(str(main.root)) == ()
    names = main.root / ".git/worktrees"
    shutil.rmtree(names)
    os.mkfifo(names)
    assert list_siblings(str(main.root)) == ()


@posix
def test_bookkeeping_that_lies_names_no_victim(main: GitTree, tmp_path: Path) -> None:
    """A downloaded tree with a `.git` of its own that claims other people's checkouts as its work trees."""
    one = main.add_work_tree(tmp_path / "one")
    foreign = GitTree(tmp_path / "foreign")
    foreign.write({"a.py": "a = 1\n"})
    for name, victim in (("main", main), ("one", one)):
        entry = foreign.root / ".git/worktrees" / name
        entry.mkdir(parents=True)
        (entry / "gitdir").write_text(f"{victim.root / '.git'}\n")
        (entry / "commondir").write_text("../..\n")
    assert list_siblings(str(foreign.root)) == ()
    (foreign.root / ".git/worktrees/main/gitdir").unlink()
    os.mkfifo(foreign.root / ".git/worktrees/main/gitdir")
    assert list_siblings(str(foreign.root)) == ()


@posix
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
def test_the_bookkeeping_of_another_user_does_not_count(main: GitTree, tmp_path: Path) -> None:
    one = main.add_work_tree(tmp_path / "one")
    os.chown(main.root / ".git/worktrees/one/gitdir", 65_534, 65_534)
    assert find_git_places(str(one.root)) is None


@posix
def test_only_small_regular_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    found = read_git_file(str(tmp_path), "file", 5)
    assert found is not None
    assert found[0] == b"12345"
    assert read_git_file(str(tmp_path), "file", 4) is None
    assert read_git_file("/dev", "null", 4) is None
    with pytest.raises(OSError, match="symbolic links"):
        read_git_file(str(tmp_path), "link", 5)


@pytest.mark.parametrize("version", [2, 4])
def test_what_git_noted_is_the_status_of_the_files(main: GitTree, version: int) -> None:
    main.git("update-index", "--index-version", str(version))
    main.settle()
    found = parse_files((main.root / ".git/index").read_bytes())
    assert found.paths == [b"a.py", b"sub/b.py"]
    for path, row, blob in zip(found.paths, found.stats, found.blobs, strict=True):
        status = os.stat(main.root / path.decode())
        numbers = np.array([status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino])
        assert (numbers & STAT_BITS == row).all()
        assert blob.tobytes().hex() in main.git("hash-object", path.decode())


def test_files_with_the_same_blob_are_shared(main: GitTree, tmp_path: Path) -> None:
    main.write({"c.py": "c = 1\n"})
    main.commit()
    one = main.add_work_tree(tmp_path / "one")
    one.write({"a.py": "a = 2\n", "new.py": "new = 1\n"})
    one.commit()
    one.settle()
    main.settle()
    shared = find_shared_blobs(str(one.root), str(main.root), lambda path: read(one, path))
    assert shared is not None
    assert shared.paths == ["c.py", "sub/b.py"]
    for path, ours, theirs in zip(shared.paths, shared.ours, shared.theirs, strict=True):
        assert os.stat(one.root / path).st_ino & 0xFFFF_FFFF == ours[3]
        assert os.stat(main.root / path).st_ino & 0xFFFF_FFFF == theirs[3]


def test_what_a_root_knows_of_its_index_is_not_read_again(
    main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = main.add_work_tree(tmp_path / "one")
    one.settle()
    main.settle()
    for tree, other in ((one, main), (main, one)):
        here = str(tree.root)
        alone = find_shared_blobs(here, str(other.root), partial(read, tree))
        places = find_git_places(here)
        assert places is not None
        index = GitIndex(RepositoryReader(here, DenyPolicy().find_denial), places.git_dir)
        noted = index.read_files()
        assert noted is not None
        shared = find_shared_blobs(here, str(other.root), partial(read, tree), noted)
        assert alone is not None
        assert shared is not None
        assert shared.paths == alone.paths == ["a.py", "sub/b.py"]
        assert (shared.ours == alone.ours).all()
        with monkeypatch.context() as patch:
            patch.setattr(git_index_entries, "_parse", None)  # `read` has what `read_files` parsed
            assert index.read().paths == b"a.py\0sub/b.py\0"
        tree.write({"late.py": "late = 1\n"})
        tree.git("add", "late.py")
        assert index.read().has_file("late.py")


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_ascending_paths_are_those_of_a_dictionary(seed: int) -> None:
    random = Random(seed)
    every = sorted(f"{random.randrange(40)}/{number}" for number in range(random.choice([0, 3, 900])))
    paths = [one for one in every if random.random() < random.choice([0.5, 0.999])]
    wanted = [one for one in every if random.random() < random.choice([0.5, 0.999])]
    positions = {path: row for row, path in enumerate(paths)}
    assert find_rows(paths, wanted).tolist() == [positions.get(path, -1) for path in wanted]
    assert find_rows(every, every).tolist() == list(range(len(every)))


def test_an_entry_that_git_does_not_vouch_for_is_not_shared(main: GitTree, tmp_path: Path) -> None:
    main.write({"flagged.py": "x\n", "later.py": "y\n"})
    main.commit()
    one = main.add_work_tree(tmp_path / "one")
    one.write({"intended.py": "z\n"})
    one.git("add", "-N", "intended.py")
    one.git("update-index", "--assume-unchanged", "flagged.py")
    main.settle()
    one.settle()
    os.utime(one.root / "later.py", ns=(4_000_000_000_000_000_000,) * 2)
    one.git("status")  # which notes a time later than that of the index itself
    shared = find_shared_blobs(str(one.root), str(main.root), lambda path: read(one, path))
    assert shared is not None
    assert shared.paths == ["a.py", "sub/b.py"]


@pytest.mark.parametrize("where", ["tree", "info", "other"])
def test_nothing_is_shared_where_a_filter_may_rewrite_files(
    main: GitTree, where: str, tmp_path: Path
) -> None:
    one = main.add_work_tree(tmp_path / "one")
    if where == "info":
        (main.root / ".git/info").mkdir(exist_ok=True)
        (main.root / ".git/info/attributes").write_text("*.py filter=indent\n")
    else:
        tree = one if where == "tree" else main
        tree.write({"sub/.gitattributes": "*.py working-tree-encoding=UTF-16LE\n"})
        tree.commit()
    one.settle()
    main.settle()
    assert find_shared_blobs(str(one.root), str(main.root), lambda path: read(one, path)) is None


@pytest.mark.parametrize("command", [["--split-index"], ["--no-split-index"]])
def test_an_index_in_pieces_is_not_used(main: GitTree, command: list[str], tmp_path: Path) -> None:
    one = main.add_work_tree(tmp_path / "one")
    one.git("update-index", *command)
    one.settle()
    main.settle()
    shared = find_shared_blobs(str(one.root), str(main.root), lambda path: read(one, path))
    assert (shared is None) == (command == ["--split-index"])
