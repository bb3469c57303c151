"""What is listed ahead of a first walk is what the walk finds, and the walk finds the rest itself."""

from __future__ import annotations

import multiprocessing
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.process import lister_process
from repo_mcp.process.lister import Lister
from repo_mcp.serving.toolset_loader import load_toolsets
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.git import places as git_places
from repo_mcp.workspace.listed_ahead import Listing
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.walk import _Walk
from repo_mcp.workspace.walk_level import WalkLevel
from tests.growth import HANG_SECONDS
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.process.listings import list_here
from tests.repo_mcp.sibling_trees import FILES, change, make_main

pytestmark = [posix]

OLD_TREE = Path(__file__).parents[2] / "corpus"  # which was not changed a moment ago


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files that were just written for old ones."""
    monkeypatch.setattr(lister_process, "SETTLED_NS", -(10**18))


def wait_for_end(lister: Lister) -> None:
    lister._thread.join(HANG_SECONDS)
    assert not lister._thread.is_alive()
    assert multiprocessing.active_children() == []


def test_a_process_lists_what_the_walk_would() -> None:
    lister = Lister(HeldDirectory(str(OLD_TREE)))
    wait_for_end(lister)
    assert lister._found == list_here(OLD_TREE)
    assert len(lister._found) > 5
    path, listing = next(iter(lister._found.items()))
    names = listing.files.split("/")[:-1]
    assert sorted(names) == sorted(one.name for one in (OLD_TREE / path).iterdir() if one.is_file())
    stats = [(OLD_TREE / path / name).stat() for name in names]
    numbers = [(one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino) for one in stats]
    assert list(zip(*[iter(listing.numbers)] * 4, strict=True)) == numbers
    assert (lister.find(path), lister.find(path)) == (listing, None)


def test_a_process_ends_when_nobody_wants_more() -> None:
    lister = Lister(HeldDirectory(str(OLD_TREE)))
    lister.close()
    wait_for_end(lister)


def test_only_plain_directories_are_listed(tmp_path: Path, settled: None) -> None:
    for name in ("plain", "plain/deep", "hidden", "link", "special", "umlaut", ".not"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / "hidden/.gitignore").touch()
    (tmp_path / "link/there").symlink_to("../plain")
    os.mkfifo(tmp_path / "special/fifo")
    (tmp_path / "umlaut/ä").touch()
    found = list_here(tmp_path)
    assert list(found) == ["plain", "plain/deep"]
    assert (found["plain"].files, found["plain"].directories) == ("file/", "deep/")


def test_what_changed_a_moment_ago_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/file").write_text("x")
    os.utime(tmp_path / "new/file", (1, 1))  # the system has noted the time of that
    assert list(list_here(tmp_path)) == [""]
    assert list_here(tmp_path)[""].directories == "new/"


def test_a_number_that_does_not_fit_is_left_to_the_walk(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(lister_process, "_get_numbers", lambda _status: (1, 2, 3, 1 << 63))
    assert list_here(tmp_path) == {}


def test_the_last_directories_come_first_and_not_all_of_a_huge_tree(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "a-b", "a/c", "b"):
        (tmp_path / name).mkdir()
    assert list(list_here(tmp_path)) == ["", "b", "a", "a/c", "a-b"]
    monkeypatch.setattr(lister_process, "MAX_ENTRIES", 4)
    assert list(list_here(tmp_path)) == ["", "b", "a"]
    monkeypatch.setattr(lister_process, "MAX_ENTRIES", 99)
    monkeypatch.setattr(lister_process, "MAX_DEPTH", 1)
    assert list(list_here(tmp_path)) == ["", "b", "a", "a-b"]


class _Kept:
    """Listings made here in place of a process."""

    def __init__(self, found: dict[str, Listing]) -> None:
        self.found = found
        self.is_closed = False

    def find(self, path: str) -> Listing | None:
        return self.found.pop(path, None)

    def close(self) -> None:
        self.is_closed = True


@with_git
def test_a_walk_with_listings_lists_only_directories_with_other_names(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_main(tmp_path)
    kept = _Kept({})
    with closing(_open_tree(tree, kept)) as first:
        first.walk(lambda: False)
        memory = first.memory
        assert kept.is_closed
    change(tree)
    kept = _Kept(list_here(tree.root))
    (tree.root / "package/part5/later.py").write_text("later = 1\n")  # which is not in what was listed
    with closing(_open_tree(tree, kept)) as live, closing(_open_tree(tree, None)) as fresh:
        live.memory = memory
        expected, list_one, listed_here = fresh.walk(lambda: False), _Walk._list, list[str]()

        def note(walk: _Walk, level: WalkLevel, directory: int) -> int:
            listed_here.append(level.path)
            return list_one(walk, level, directory)

        with monkeypatch.context() as patch:
            patch.setattr(_Walk, "_list", note)
            found = live.walk(lambda: False)
        later = {one.path for one in expected.files} - {one.path for one in found.files}
        assert later == {"package/part5/later.py"}
        assert [one for one in expected.files if one.path not in later] == list(found.files)
        assert listed_here == ["", "docs", "package", "package/part3"]
        assert live.walk(lambda: False).files == fresh.walk(lambda: False).files


def _open_tree(checkout: GitTree, listed: _Kept | None, **refusals: bool) -> LiveTree:
    root = HeldDirectory(str(checkout.root))
    tree = LiveTree(root, (), 9_999, Refusals(**refusals), (), None)
    tree.listed = listed
    return tree


@with_git
def test_files_that_are_refused_by_their_status_are_not_taken_from_a_listing(
    tmp_path: Path, settled: None
) -> None:
    tree = make_main(tmp_path)
    kept = _Kept(list_here(tree.root))
    count = len(kept.found)
    with closing(_open_tree(tree, kept, hard_links=True)) as live:
        live.walk(lambda: False)
    assert (len(kept.found), kept.is_closed) == (count, True)


@with_git
@pytest.mark.parametrize(
    ("size", "options"), [(0, {}), (10**6, {}), (0, {"watch": False}), (0, {"siblings": False})]
)
def test_a_server_lists_a_large_checkout_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, options: dict[str, bool]
) -> None:
    monkeypatch.setattr(git_places, "MANY_BYTES", size)
    tree = make_main(tmp_path)
    (repository,), listed = _open_root(tree, **options)
    with closing(repository):
        assert (listed is not None) == (size == 0 and not options)
        assert repository.refresh().added > FILES
        assert repository.tree.listed is None
    (repository,), again = _open_root(tree, **options)
    repository.close()
    assert again is None  # with an index, no process has a part in its first answers
    if listed is not None:
        wait_for_end(listed)


def _open_root(tree: GitTree, **options: Any) -> tuple[Any, Lister | None]:
    config = load_config(str(tree.root), workers=1, toolsets=["repo"], **{"watch": True, **options})
    (loaded,) = load_toolsets(config, lambda _warning: None)
    opened = tuple(loaded.open())
    return opened, opened[0].tree.listed
