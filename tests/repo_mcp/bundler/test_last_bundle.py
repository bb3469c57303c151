"""The kept bundle goes when a file that it quotes may not be served any more, and stays while all may be."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format import DiskDirectory
from repo_mcp.bundler import last_bundle
from repo_mcp.bundler.build import build_bundle
from repo_mcp.bundler.last_bundle import JSON_NAME, LOCK_NAME, MARKDOWN_NAME, TEMPORARY_NAME, drop_last_bundle
from repo_mcp.bundler.live_bundles import NOT_DELETED
from repo_mcp.bundler.records import Bundle, BundleRequest
from repo_mcp.config.server_config import load_config
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.own_directories import own

KEPT = [JSON_NAME, MARKDOWN_NAME]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "ledger.py").write_text("def balance():\n    return 'quoted'\n")
    (root / "other.py").write_text("def unrelated():\n    return 0\n")
    return root


@pytest.fixture
def repository(root: Path) -> Iterator[Repository]:
    with open_indexed(root, workers=1) as opened:
        keep(opened)
        assert list_kept(root) == KEPT
        yield opened


def keep(repository: Repository) -> Bundle:
    bundle = repository.engines.bundles.build(BundleRequest("balance in ledger.py:1"))
    assert "ledger.py" in {one.path for one in bundle.selections}
    return bundle


def list_kept(root: Path) -> list[str]:
    names = sorted(path.name for path in (root / ".repo_mcp").glob("last_bundle.*"))
    return [name for name in names if name != LOCK_NAME]


def test_it_stays_while_files_merely_change(root: Path, repository: Repository) -> None:
    (root / "ledger.py").write_text("def balance():\n    return 'other'\n")
    (root / "other.py").unlink()
    (root / "new.py").write_text("x = 1\n")
    repository.refresh()
    assert list_kept(root) == KEPT
    repository.refresh(force=True)
    assert list_kept(root) == KEPT


def test_it_goes_with_a_file_that_is_deleted(root: Path, repository: Repository) -> None:
    (root / "ledger.py").unlink()
    repository.refresh()
    assert list_kept(root) == []


def test_a_server_with_other_rules_looks_after_it_too(root: Path, repository: Repository) -> None:
    """Whatever it keeps itself: the directory is one."""
    repository.close()
    with open_indexed(root, workers=1, exclude_globs=["other.py"]) as other:
        assert list_kept(root) == KEPT
    config = load_config(str(root), workers=1, last_bundle=False, exclude_globs=["ledger.py"])
    with closing(Repository(config)) as other:
        other.refresh()
        assert list_kept(root) == []


def test_it_goes_at_a_start_whose_refresh_fails(root: Path, repository: Repository) -> None:
    repository.close()
    (root / "ledger.py").rename(root / ".env")
    with closing(Repository(load_config(str(root), workers=1))) as other:
        assert other._index.refresher.running.acquire(blocking=False)  # nothing is refreshed meanwhile
        try:
            other.start_background_refresh()
            assert list_kept(root) == []
        finally:
            other._index.refresher.running.release()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: (place / JSON_NAME).unlink(),
        lambda place: (place / JSON_NAME).write_text("[" * 100_000),
        lambda place: (place / JSON_NAME).write_text("{}"),
        lambda place: (place / JSON_NAME).write_text('{"bundle_id": 1}'),
        lambda place: (place / JSON_NAME).write_text(
            json.dumps(json.loads((place / JSON_NAME).read_text()) | {"citations": []})
        ),
        lambda place: (place / MARKDOWN_NAME).write_text("# Context bundle\nthe text of another\n"),
    ],
    ids=["half", "nested", "empty", "typed", "uncited", "of another bundle"],
)
def test_what_is_not_one_bundle_goes(
    root: Path, repository: Repository, spoil: Callable[[Path], object]
) -> None:
    """A process is killed between the two files, or the directory came with the repository."""
    spoil(root / ".repo_mcp")
    repository.refresh()
    assert list_kept(root) == []


@pytest.mark.parametrize("path", ["\ud800", "../other.py", "/etc/passwd", "other.py\0", "", ".", "link.py"])
def test_a_path_that_no_file_of_ours_has_ends_it(root: Path, repository: Repository, path: str) -> None:
    """Whoever wrote it there."""
    (root / "link.py").symlink_to("other.py")
    kept = root / ".repo_mcp" / JSON_NAME
    found = json.loads(kept.read_text())
    found["selections"][0]["path"] = path
    kept.write_text(json.dumps(found))
    repository.start_background_refresh()
    assert list_kept(root) == []


def test_what_a_killed_process_was_writing_goes(root: Path, repository: Repository) -> None:
    (root / ".repo_mcp" / TEMPORARY_NAME).write_text("quoted")
    repository.refresh()
    assert list_kept(root) == KEPT


def test_one_that_is_larger_than_any_bundle_is_not_read(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_bundle, "MAX_BUNDLE_FILE_BYTES", 100)
    repository.refresh()
    assert list_kept(root) == []


def test_a_refresh_between_reading_and_writing_leaves_nothing(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before the file was renamed would be written after the refresh had looked."""

    def build_slowly(*arguments: object) -> Bundle:
        bundle = build_bundle(*arguments)  # type: ignore[arg-type]
        (root / "ledger.py").rename(root / ".env")
        repository.refresh()
        assert list_kept(root) == []
        return bundle

    monkeypatch.setattr("repo_mcp.bundler.build.build_bundle", build_slowly)
    keep(repository)
    assert list_kept(root) == []


def test_a_lock_that_a_stopped_process_holds_keeps_nothing(root: Path, repository: Repository) -> None:
    lock = DiskDirectory(str(root / ".repo_mcp")).lock(LOCK_NAME)
    try:
        (root / "ledger.py").rename(root / ".env")
        repository.refresh()
    finally:
        lock.release()
    assert list_kept(root) == []


def test_one_that_cannot_be_deleted_is_said(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = DiskDirectory.delete

    def refuse(directory: DiskDirectory, name: str) -> None:
        if name == MARKDOWN_NAME:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        delete(directory, name)

    (root / "ledger.py").rename(root / ".env")
    with monkeypatch.context() as patched:
        patched.setattr(DiskDirectory, "delete", refuse)
        repository.refresh()
        assert NOT_DELETED in repository.status().warnings
        assert list_kept(root) == KEPT
    repository.refresh()
    assert NOT_DELETED not in repository.status().warnings
    assert list_kept(root) == []


def test_without_a_data_directory_there_is_nothing_to_delete(tmp_path: Path) -> None:
    def may_stay(_path: str, _fingerprint: str) -> bool:
        raise AssertionError

    assert drop_last_bundle(own(tmp_path / "gone"), may_stay)
    assert drop_last_bundle(own(tmp_path), may_stay)
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / JSON_NAME).write_text("{}")
    assert drop_last_bundle(own(tmp_path / "link"), may_stay)
    assert (tmp_path / JSON_NAME).exists()
