"""A named directory stays the one that was opened; ours are entered by name, one level at a time."""

from __future__ import annotations

import errno
import os
import pickle
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from index_format import DiskDirectory
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.storage import held_directory
from repo_mcp.storage.held_directory import HeldDirectory, OpenedDirectory, OwnDirectory
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from tests.repo_mcp.open_files import list_open

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"], autouse=True)
def has_descriptors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(held_directory, "HAS_DESCRIPTORS", request.param)
    return bool(request.param)


@pytest.fixture
def named(tmp_path: Path) -> Path:
    named = tmp_path / "named"
    named.mkdir()
    (named / "inside").write_text("inside")
    return named


def replace_by_link(path: Path) -> Path:
    """Put a link to another directory in its place, and return that."""
    path.rename(path.with_name("moved"))
    other = path.with_name("other")
    other.mkdir()
    (other / "inside").write_text("outside")
    path.symlink_to(other)
    return other


def test_a_named_one_is_entered_while_its_path_leads_to_it(named: Path) -> None:
    held = HeldDirectory(str(named))
    replace_by_link(named)
    with pytest.raises(OSError, match="moved, replaced or deleted") as caught:
        held.enter()
    assert caught.value.errno == errno.ESTALE
    named.unlink()
    with pytest.raises(OSError, match="moved, replaced or deleted"):
        held.enter(create=True)
    assert not named.exists()
    named.with_name("moved").rename(named)
    assert held.enter().identity == held.identity


def test_links_in_the_path_of_a_named_one_are_the_operators(named: Path) -> None:
    named.with_name("alias").symlink_to(named)
    held = HeldDirectory(str(named.with_name("alias")))
    assert held.enter().lstat("inside").st_size == 6


def test_a_worker_process_meets_the_same_one_or_none(named: Path) -> None:
    """What is sent to a process is the path and what identifies the directory, as nothing else can be."""
    held = HeldDirectory(str(named))
    own = OwnDirectory(held, "own")
    own.enter(create=True)
    sent = pickle.dumps((held, own))
    there, ours = pickle.loads(sent)
    assert there.get().identity == held.identity
    assert ours.enter().identity == own.enter().identity
    replace_by_link(named)
    there, ours = pickle.loads(sent)
    for enter in (there.get, there.enter, ours.enter, lambda: DiskDirectory(ours, create=True)):
        with pytest.raises(OSError, match="moved, replaced or deleted"):
            enter()


def test_a_reader_reads_what_was_opened_or_nothing(named: Path, has_descriptors: bool) -> None:
    held = HeldDirectory(str(named))
    replace_by_link(named)
    if not has_descriptors:  # there is nothing but the path
        with pytest.raises(RepoError, match="moved, replaced or deleted") as caught:
            RepositoryReader(held, lambda _path: None)
        assert caught.value.code is ErrorCode.CONFIG_INVALID
        return
    reader = RepositoryReader(held, lambda _path: None)
    assert reader.read("inside", 100).data == b"inside"
    with pytest.raises(RepoError, match="moved, replaced or deleted"):
        reader.check_root()
    reader.close()


def test_one_that_may_change_is_entered_anew_and_made_again(tmp_path: Path) -> None:
    """As the user's cache directory, which he may delete at any time."""
    (tmp_path / "cache" / "deep").mkdir(parents=True)
    held = HeldDirectory(str(tmp_path / "cache" / "deep"), may_change=True)
    first = held.enter().identity
    (tmp_path / "cache").rename(tmp_path / "old")
    with pytest.raises(FileNotFoundError):
        held.enter()
    assert held.enter(create=True).identity != first
    assert stat.S_IMODE((tmp_path / "cache" / "deep").stat().st_mode) & 0o077 == 0


def test_ours_is_made_one_level_below_and_private(named: Path) -> None:
    own = OwnDirectory(HeldDirectory(str(named)), "own")
    with pytest.raises(FileNotFoundError):
        own.enter()
    below = OwnDirectory(own, "below")
    with pytest.raises(FileNotFoundError):
        below.enter()
    before = os.umask(0o777)
    try:
        below.enter(create=True)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(one.stat().st_mode) for one in (named / "own", named / "own" / "below")} == {0o700}
    assert below.path == str(named / "own" / "below")


@pytest.mark.parametrize("level", ["own", "own/below"])
def test_a_link_at_any_level_is_refused(named: Path, level: str) -> None:
    own = OwnDirectory(HeldDirectory(str(named)), "own")
    below = OwnDirectory(own, "below")
    directory = DiskDirectory(below, create=True)
    other = replace_by_link(named / level)
    for create in (False, True):
        with pytest.raises(NotADirectoryError, match="a symbolic link is where"):
            below.enter(create=create)
    for use in (directory.list_names, lambda: directory.create("a"), lambda: directory.lock("lock"),
                lambda: directory.delete("inside"), lambda: directory.open_to_append("log")):  # fmt: skip
        with pytest.raises(OSError, match="a symbolic link is where"):
            use()
    assert directory.identify("inside") == ()
    assert [path.name for path in other.iterdir()] == ["inside"]


def test_a_file_in_its_place_is_refused(named: Path) -> None:
    with pytest.raises(NotADirectoryError, match="something else is where"):
        OwnDirectory(HeldDirectory(str(named)), "inside").enter(create=True)


def test_a_junction_of_windows_is_a_link() -> None:
    status = SimpleNamespace(st_mode=stat.S_IFDIR | 0o777, st_reparse_tag=0xA0000003)
    with pytest.raises(NotADirectoryError, match="a symbolic link"):
        held_directory._check_kind(status)  # type: ignore[arg-type]


def test_every_directory_that_is_met_is_looked_at_once(named: Path) -> None:
    met: list[OpenedDirectory] = []
    own = OwnDirectory(HeldDirectory(str(named)), "own", met.append)
    for _ in range(3):
        own.enter(create=True)
    assert len(met) == 1
    (named / "own").rename(named / "old")
    for _ in range(3):
        own.enter(create=True)
    assert len(met) == 2


def test_descriptors_are_given_back(named: Path) -> None:
    held = HeldDirectory(str(named))
    own = OwnDirectory(held, "own")
    for number in range(5):
        own.enter(create=True)
        (named / "own").rename(named / f"old-{number}")
    own.close()
    held.close()
    assert list_open(named) == []
    assert held.enter().lstat("inside").st_size == 6  # entering opens it again
    held.close()


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="Linux opens directories that may not be read")
def test_what_may_only_be_gone_through_can_be_held(named: Path) -> None:
    """As the directory above a data directory where the kernel forbids all else (`--harden`)."""
    named.chmod(0o300)
    held = HeldDirectory(str(named))
    opened = OwnDirectory(held, "own").enter(create=True)
    assert (named / "own").is_dir()
    if held.get().descriptor is not None:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.listdir(held.get().descriptor)
    assert os.listdir(opened.path if opened.descriptor is None else opened.descriptor) == []
