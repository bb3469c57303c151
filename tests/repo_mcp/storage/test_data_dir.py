"""The data directory: made private, and never anything that somebody else has laid there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from repo_mcp.audit.log_reader import LOCK_FILE, LOG_FILE, name_file
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.storage.data_dir import DataDir, name_cache_dir, prepare_data_dir, take_outside_dir
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.storage.poison import POISON_FILE
from tests.posix import posix


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    return root


def prepare(root: Path, configured: Path | None = None) -> DataDir:
    configured_text = str(configured) if configured else None
    return prepare_data_dir(HeldDirectory(str(root)), configured_text, str(root.parent / "cache"))


def describe(found: DataDir) -> tuple[str, tuple[str, ...], tuple[str, ...] | None]:
    return found.path, found.warnings, found.inside_root


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def assert_fell_back(root: Path, found: DataDir) -> None:
    assert os.path.dirname(found.path) == str(root.parent / "cache" / "repo-mcp")
    assert len(os.path.basename(found.path)) == 16
    assert len(found.warnings) == 1
    assert str(root.parent) not in found.warnings[0]
    assert found.inside_root is None
    assert mode_of(Path(found.path)) == 0o700


@posix
def test_the_default_lies_in_the_root(root: Path) -> None:
    found = prepare(root)
    assert describe(found) == (str(root / ".repo_mcp"), (), (".repo_mcp",))
    assert mode_of(root / ".repo_mcp") == 0o700
    assert (root / ".repo_mcp" / ".gitignore").read_text() == "*\n"
    tag = (root / ".repo_mcp" / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert mode_of(root / ".repo_mcp" / ".gitignore") == 0o600


@posix
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_modes_do_not_depend_on_the_umask(root: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        prepare(root)
    finally:
        os.umask(before)
    assert mode_of(root / ".repo_mcp") == 0o700


def test_what_is_there_already_is_kept(root: Path) -> None:
    prepare(root)
    (root / ".repo_mcp" / "segment").write_text("x")
    (root / ".repo_mcp" / ".gitignore").write_text("mine\n")
    assert prepare(root).warnings == ()
    assert (root / ".repo_mcp" / "segment").read_text() == "x"
    assert (root / ".repo_mcp" / ".gitignore").read_text() == "mine\n"


def test_a_directory_of_other_things_is_not_hidden_from_git(root: Path) -> None:
    (root / "out").mkdir()
    (root / "out" / "report.txt").write_text("x")
    assert prepare(root, root / "out").inside_root == ("out",)
    assert os.listdir(root / "out") == ["report.txt"]


def test_one_that_was_removed_under_a_running_server_gets_its_marks_again(root: Path) -> None:
    """What it puts there anew are indexes and the log; the next one to start hides them from Git."""
    (root / ".repo_mcp" / "index-v2-00").mkdir(parents=True)
    for name in (LOG_FILE, LOCK_FILE, name_file(1), POISON_FILE):
        (root / ".repo_mcp" / name).write_text("")
    prepare(root)
    assert (root / ".repo_mcp" / ".gitignore").read_text() == "*\n"
    assert (root / ".repo_mcp" / "CACHEDIR.TAG").exists()


def test_a_configured_one_may_lie_anywhere(root: Path, tmp_path: Path) -> None:
    assert describe(prepare(root, tmp_path / "a" / "b")) == (str(tmp_path / "a" / "b"), (), None)
    assert prepare(root, root / "x" / "y").inside_root == ("x", "y")
    assert prepare(root, tmp_path / "repo-index").inside_root is None


@posix
def test_inside_is_seen_through_links(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert prepare(root, tmp_path / "alias" / "idx").inside_root == ("idx",)


@posix
def test_a_symbolic_link_is_not_used(root: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (root / ".repo_mcp").symlink_to(tmp_path / "victim")
    assert_fell_back(root, prepare(root))
    assert os.listdir(tmp_path / "victim") == []


@posix
def test_a_link_to_nothing_is_not_used(root: Path, tmp_path: Path) -> None:
    (root / ".repo_mcp").symlink_to(tmp_path / "nothing")
    assert_fell_back(root, prepare(root))
    assert not (tmp_path / "nothing").exists()


def test_links_where_our_files_belong_are_not_written_through(root: Path, tmp_path: Path) -> None:
    (root / ".repo_mcp").mkdir(mode=0o700)
    (root / ".repo_mcp" / "CACHEDIR.TAG").symlink_to(tmp_path / "victim")
    (root / ".repo_mcp" / ".gitignore").symlink_to(tmp_path / "victim")
    prepare(root)
    assert not (tmp_path / "victim").exists()


@posix
def test_a_file_is_not_used(root: Path) -> None:
    (root / ".repo_mcp").write_text("x")
    assert_fell_back(root, prepare(root))


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_one_that_others_may_write_to_is_not_used(root: Path, mode: int) -> None:
    (root / ".repo_mcp").mkdir()
    (root / ".repo_mcp").chmod(mode)
    assert_fell_back(root, prepare(root))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_one_of_another_user_is_not_used(root: Path) -> None:
    (root / ".repo_mcp").mkdir(mode=0o700)
    os.chown(root / ".repo_mcp", 12345, 12345)
    assert_fell_back(root, prepare(root))


@posix
def test_the_root_itself_and_what_lies_above_are_not_used(root: Path, tmp_path: Path) -> None:
    for configured in (root, tmp_path, root / "x" / ".."):
        assert_fell_back(root, prepare(root, configured))
    assert sorted(os.listdir(root)) in ([], ["x"])
    assert not (tmp_path / ".gitignore").exists()


@posix
def test_one_that_cannot_be_made_is_replaced(root: Path) -> None:
    (root / "file").write_text("x")
    assert_fell_back(root, prepare(root, root / "file" / "below"))


def test_two_roots_have_two_places_in_the_cache(root: Path, tmp_path: Path) -> None:
    places = set()
    for name in ("one", "two", "one"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / ".repo_mcp").write_text("in the way")
        places.add(prepare(tmp_path / name).path)
    assert len(places) == 2


def test_nowhere_at_all_is_a_configuration_error(root: Path) -> None:
    (root / ".repo_mcp").write_text("x")
    (root.parent / "cache").write_text("x")
    with pytest.raises(RepoError) as caught:
        prepare(root)
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert str(root.parent) not in caught.value.message


@posix
def test_a_place_outside_of_roots_is_made_or_taken(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "place"
    for _ in range(2):
        take_outside_dir([str(tmp_path / "root"), str(tmp_path / "other")], str(place))
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert (place / "CACHEDIR.TAG").is_file()


@posix
@pytest.mark.parametrize("inside", ["root", "root/below", "link/below", "to_root"])
def test_a_place_inside_a_root_is_refused_before_anything_is_made(tmp_path: Path, inside: str) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "root")
    (tmp_path / "to_root").symlink_to("root")
    with pytest.raises(RepoError) as caught:
        take_outside_dir([str(tmp_path / "other"), str(tmp_path / "root")], str(tmp_path / inside))
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert str(tmp_path) not in caught.value.message
    assert list((tmp_path / "root").iterdir()) == []


def test_a_place_that_is_named_has_no_substitute(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RepoError, match="cannot be used") as caught:
        take_outside_dir([str(tmp_path / "root")], str(tmp_path / "file"))
    assert caught.value.code is ErrorCode.CONFIG_INVALID


@posix
def test_a_place_in_the_cache_belongs_to_the_roots_in_their_order() -> None:
    names = {
        name_cache_dir(purpose, roots, "/cache")
        for purpose in ("one", "two")
        for roots in (["/a", "/b"], ["/b", "/a"], ["/a"], ["/a\udcff"])
    }
    assert len(names) == 8
    assert all(os.path.dirname(name) == "/cache/repo-mcp" for name in names)


@posix
def test_a_mark_that_the_disk_has_no_room_for_leaves_no_half(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", refuse)
        with pytest.raises(RepoError, match="No space left on device"):
            prepare(root)
    assert os.listdir(root / ".repo_mcp") == []
    prepare(root)
    assert (root / ".repo_mcp" / "CACHEDIR.TAG").stat().st_size > 0
    assert (root / ".repo_mcp" / ".gitignore").read_text() == "*\n"
