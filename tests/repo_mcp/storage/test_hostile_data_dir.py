"""A data directory that may have come with the repository: nothing in it is believed that we did not write.

The rows of section 3.3 of the threat model that need a whole repository.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from index_format import DiskDirectory, IndexWriter, Snapshot, pack
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.indexer import DAMAGED, FOREIGN
from repo_mcp.indexing.scan_state import SIDE_FILE, read_seen, write_seen
from repo_mcp.indexing.walk_record import keep_walk, recall_walk
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.storage.namespaces import UNUSED_SECONDS
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.walk_memory import WalkMemory
from tests.posix import posix
from tests.written_trees import write_tree

FILES = {"one.py": "def first_function():\n    return 1\n", "two.md": "# About gizmos\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "root", FILES)


def open_root(root: Path) -> Repository:
    return Repository(load_config(str(root), workers=1))


def ask(repository: Repository, query: str = "first_function gizmos") -> list[tuple[str, int, int]]:
    return [
        (hit.path, hit.start_line, hit.end_line) for hit in repository.search(SearchRequest(query, 10)).hits
    ]


def refresh_and_ask(repository: Repository) -> list[tuple[str, int, int]] | RepoError:
    try:
        repository.refresh()
        return ask(repository)
    except RepoError as error:
        return error


def list_namespaces(root: Path) -> list[Path]:
    return sorted((root / ".repo_mcp").glob("index-*"))


def become(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Be another user from now on, with another key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(home))


def test_an_index_that_another_key_wrote_is_neither_read_nor_touched(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become(monkeypatch, tmp_path / "them")
    with closing(open_root(root)) as theirs:
        theirs.refresh()
    (place,) = list_namespaces(root)
    before = {file.name: file.read_bytes() for file in place.iterdir()}
    become(monkeypatch, tmp_path / "us")
    with closing(open_root(root)) as ours:
        assert not ours.index_exists
        assert ours.refresh().warnings == ()
        assert len(ask(ours)) == 2
    assert {file.name: file.read_bytes() for file in place.iterdir()} == before
    for home in ("them", "us", "them", "us"):  # neither undoes what the other did
        become(monkeypatch, tmp_path / home)
        with closing(open_root(root)) as repository:
            assert repository.index_exists
            assert repository.refresh().added == 0
    assert len(list_namespaces(root)) == 2


def put_foreign(place: Path, tmp_path: Path) -> None:
    """Put there a whole index of another tree, with a seal of another key."""
    other = write_tree(tmp_path / "other", {"evil.py": "def first_function():\n    run('gizmos')\n"})
    with closing(open_root(other)) as repository:
        repository.refresh()
    (theirs,) = list_namespaces(other)
    for file in place.iterdir():
        file.unlink()
    for file in theirs.iterdir():
        shutil.copy(file, place / file.name)


def put_unsealed(place: Path, tmp_path: Path) -> None:
    """Put there the same index without what it is known by."""
    for seal in place.glob("*.seal"):
        seal.unlink()


def put_own_manifest(place: Path, tmp_path: Path) -> None:
    """Put there a manifest that says that every file is dead, with checksums that agree."""
    manifest = Snapshot.open(DiskDirectory(str(place))).manifest  # type: ignore[union-attr]
    with IndexWriter(DiskDirectory(str(place)), manifest.configuration, FIELDS) as writer:
        for entry in writer.segments:
            writer.mark_dead(entry.name, range(entry.files))
        writer.commit()


@pytest.mark.parametrize("damage", [put_foreign, put_unsealed, put_own_manifest])
def test_valid_checksums_on_hostile_data_are_rebuilt_with_a_warning(
    root: Path, tmp_path: Path, damage: Callable[[Path, Path], None]
) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
        wanted = ask(repository)
    (place,) = list_namespaces(root)
    damage(place, tmp_path)
    with closing(open_root(root)) as repository:
        report = repository.refresh()
        assert report.warnings == (FOREIGN,)
        assert (report.added, ask(repository)) == (2, wanted)
    with closing(open_root(root)) as repository:
        assert repository.refresh().warnings == ()
        assert ask(repository) == wanted


def test_a_server_says_that_it_does_not_use_a_foreign_index(root: Path, tmp_path: Path) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
    put_unsealed(list_namespaces(root)[0], tmp_path)
    with closing(open_root(root)) as repository:
        repository._index.start_background_refresh = lambda **_: None  # type: ignore[method-assign]
        with pytest.raises(RepoError):
            ask(repository)
        assert "not written with this user's key" in " ".join(repository.status().warnings)


def test_a_segment_that_was_exchanged_is_not_used(root: Path) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
        wanted = ask(repository)
    (segment,) = list_namespaces(root)[0].glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    with closing(open_root(root)) as repository:
        assert repository.refresh().warnings == (DAMAGED,)
        assert ask(repository) == wanted


def test_a_record_of_seen_files_that_we_did_not_write_counts_for_nothing(root: Path) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
        sealed = repository._index.generation.directory
        assert isinstance(sealed, DiskDirectory)
        manifest = Snapshot.open(sealed).manifest  # type: ignore[union-attr]
        seen = read_seen(sealed, manifest.generation, manifest.segments)
        assert seen is not None
        plain = DiskDirectory(sealed.path)
        unwritten = replace(seen, whole=replace(seen.whole, mark=b""))
        write_seen(plain, unwritten, manifest.segments)  # as it should be, but for the tag
        assert read_seen(plain, manifest.generation, manifest.segments) is not None
        assert read_seen(sealed, manifest.generation, manifest.segments) is None


def test_a_record_of_a_walk_that_we_did_not_write_counts_for_nothing(root: Path) -> None:
    (root / "secrets").mkdir()
    (root / "secrets" / "key.pem").write_text("gizmos")
    (root / "built.py").write_text("gizmos = 1\n")
    (root / ".gitignore").write_text("built.py\n")
    with closing(open_root(root)) as repository:
        repository.refresh()
        wanted = [file.path for file in repository.list_files(None, 10, False).files]
        sealed = repository._index.generation.directory
        assert isinstance(sealed, DiskDirectory)
    memory = WalkMemory()
    recall_walk(sealed, memory)
    known = memory.judged[""]
    # What is ignored and denied as if it were admitted, by the same rules.
    memory.judged = {
        "": known._replace(file_names="built.py/one.py/two.md/", ignored_file_names=""),
        "secrets": known._replace(file_names="key.pem/", directory_names="", ignored_file_names=""),
    }
    memory.new_names = 3
    plain = DiskDirectory(sealed.path)
    keep_walk(plain, memory)  # as it should be, but for the tag
    believed, refused = WalkMemory(), WalkMemory()
    recall_walk(plain, believed)
    recall_walk(sealed, refused)
    assert (believed.judged, refused.judged) == (memory.judged, {})
    with closing(open_root(root)) as repository:
        assert repository.refresh().skipped == {"denied": 1, "hidden": 1, "ignored": 1}
        assert [file.path for file in repository.list_files(None, 10, False).files] == wanted


def test_a_record_of_another_generation_with_the_same_number_counts_for_nothing(root: Path) -> None:
    """As an index has that was built anew, and was killed before the end."""
    with closing(open_root(root)) as repository:
        repository.refresh()
        sealed = repository._index.generation.directory
        manifest = Snapshot.open(sealed).manifest  # type: ignore[union-attr]
        assert read_seen(sealed, manifest.generation, manifest.segments) is not None
        assert read_seen(sealed, manifest.generation, ()) is None
        assert read_seen(sealed, manifest.generation, manifest.segments[:-1]) is None


def test_a_moved_repository_has_another_index(root: Path, tmp_path: Path) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
    root.rename(tmp_path / "moved")
    with closing(open_root(tmp_path / "moved")) as repository:
        assert not repository.index_exists
        repository.refresh()
        assert len(ask(repository)) == 2


@posix
def test_a_root_by_another_name_has_the_same_index(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    with closing(open_root(root)) as repository:
        repository.refresh()
    with closing(open_root(tmp_path / "alias")) as repository:
        assert repository.index_exists
        assert repository.refresh().added == 0


def test_without_a_key_that_lasts_each_process_has_its_own_index(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    become(monkeypatch, tmp_path / "file")
    with closing(open_root(root)) as first, closing(open_root(root)) as second:
        assert "cannot be stored" in " ".join(first.warnings)
        for repository in (first, second, first, second):
            repository.refresh()
            assert len(ask(repository)) == 2
        assert len(list_namespaces(root)) == 2
        assert first.refresh().added == second.refresh().added == 0
    assert list_namespaces(root) == []


def test_a_medium_that_takes_nothing_keeps_nobody_from_reading_files(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = os.mkdir

    def refuse(path: str, mode: int = 0o777, dir_fd: int | None = None) -> None:
        if "index-v" in path:
            raise OSError(errno.ENOSPC, "No space left on device")
        make(path, mode, dir_fd=dir_fd)

    with monkeypatch.context() as full:
        full.setattr(os, "mkdir", refuse)
        with closing(open_root(root)) as repository:
            assert repository.open_file("one.py", 1, 1).lines == ("def first_function():",)
            assert repository.list_files(None, 10, False).total == 2
            for ask_it in (repository.refresh, lambda: ask(repository)):
                with pytest.raises(RepoError) as refused:
                    ask_it()
                assert refused.value.code is ErrorCode.INDEX_UNAVAILABLE
            full.undo()
            assert repository.refresh().added == 2  # nobody had to start it again
            assert len(ask(repository)) == 2


def test_namespaces_that_nobody_uses_go_with_the_next_refresh(root: Path) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
    (mine,) = list_namespaces(root)
    for name, age in (("index-v2-0123456789abcdef", 2.0), ("structure-v1-0123456789abcdef", 0.5)):
        other = root / ".repo_mcp" / name
        other.mkdir()
        (other / "old.seg").write_bytes(b"x")
        then = os.stat(mine).st_mtime - age * UNUSED_SECONDS
        os.utime(other, (then, then))
    with closing(open_root(root)) as repository:
        repository.refresh()
    assert [place.name for place in sorted((root / ".repo_mcp").glob("*-v*"))] == [
        mine.name,
        "structure-v1-0123456789abcdef",
    ]


@pytest.mark.parametrize("name", [SIDE_FILE, "seen.changes", "judged", "poison", "manifest", "lock"])
@pytest.mark.parametrize(
    "kind",
    [pytest.param("link", marks=posix), pytest.param("fifo", marks=posix), "directory", "bomb", "empty"],
)
def test_what_stands_in_the_place_of_a_file_of_ours(root: Path, tmp_path: Path, name: str, kind: str) -> None:
    """It is not followed, not waited for, not believed; answers are those of a fresh index."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    with closing(open_root(root)) as repository:
        repository.refresh()
        wanted = ask(repository)
    place = root / ".repo_mcp" / name if name == "poison" else list_namespaces(root)[0] / name
    place.unlink(missing_ok=True)
    {
        "link": lambda: place.symlink_to(victim),
        "fifo": lambda: os.mkfifo(place),
        "directory": place.mkdir,
        "bomb": lambda: place.write_bytes(pack([[]] * 10_000)),
        "empty": lambda: place.write_bytes(b""),
    }[kind]()
    with closing(open_root(root)) as repository:
        found = refresh_and_ask(repository)
        if isinstance(found, RepoError):  # a lock or a manifest that cannot be replaced
            assert (name in ("lock", "manifest"), str(tmp_path) in found.message) == (True, False)
        else:
            assert found == wanted
        assert repository.open_file("one.py", 1, 1).lines == ("def first_function():",)
    assert victim.read_text() == "precious"
