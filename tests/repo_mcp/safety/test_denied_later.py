"""A file that must not be served any more: gone at the next answer, and from the disk with the next refresh.

The rows of section 3.2 of the threat model about what becomes denied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.bundler.records import BundleRequest
from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.scan_state import SeenRecord
from repo_mcp.model import SearchRequest, SymbolIndexReport
from repo_mcp.repository import Repository, root_indexes
from repo_mcp.workspace import path_changes
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.symbol_index.tiny_parser import parse_only_tiny
from tests.waiting import wait_until

CANARY = "zyxcanaryzyx"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "private").mkdir(parents=True)
    (root / "settings.tiny").write_text(f"def {CANARY}\n")
    (root / "private" / "notes.tiny").write_text("def elsewhere\n")
    for number in range(40):  # so that one dead file is not worth a merge
        (root / f"f{number:02}.tiny").write_text(f"def name{number}\n" * 30)
    return root


@pytest.fixture
def repository(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setattr(root_indexes, "Parsing", parse_only_tiny)
    limits = {"max_file_bytes": 5_000}
    with open_indexed(root, workers=1, limits=limits) as opened:
        opened.symbol_index.build()
        opened.engines.bundles.build(BundleRequest("what is at settings.tiny:1"))  # which is kept
        assert {"last_bundle.json", "last_bundle.md"} < set(list_holding(root, CANARY))
        yield opened


def list_holding(root: Path, token: str) -> list[str]:
    """Return the files of the data directory in which the token stands."""
    data_dir = root / ".repo_mcp"
    found = []
    for path in sorted(data_dir.rglob("*")):
        with suppress(FileNotFoundError):  # a file that a server is about to put in another's place
            if path.is_file() and token.encode() in path.read_bytes():
                found.append(str(path.relative_to(data_dir)))
    return found


def ask(repository: Repository, query: str = CANARY) -> list[str]:
    return [hit.path for hit in repository.search(SearchRequest(query, 10)).hits]


def rename_to_denied(root: Path) -> None:
    (root / "settings.tiny").rename(root / ".env")


def rename_over_denied(root: Path) -> None:
    (root / ".env").write_text("A=1\n")
    (root / "settings.tiny").rename(root / ".env")


def move_into_denied(root: Path) -> None:
    (root / ".ssh").mkdir()
    (root / "settings.tiny").rename(root / ".ssh" / "settings.tiny")


def ignore_file(root: Path) -> None:
    (root / ".gitignore").write_text("settings.*\n")


def hide_file(root: Path) -> None:
    (root / "settings.tiny").rename(root / "id_rsa_settings")


def grow(root: Path) -> None:
    (root / "settings.tiny").write_text(f"def {CANARY}\n" * 1_000)


def become_binary(root: Path) -> None:
    (root / "settings.tiny").write_bytes(CANARY.encode() + bytes(100))


@pytest.mark.parametrize(
    "change",
    [
        rename_to_denied,
        rename_over_denied,
        move_into_denied,
        hide_file,
        ignore_file,
        grow,
        become_binary,
    ],
)
def test_a_file_that_becomes_denied_is_purged_at_the_next_refresh(
    root: Path, repository: Repository, change: Callable[[Path], None]
) -> None:
    change(root)
    repository.refresh()
    repository.symbol_index.build()
    assert ask(repository) == []
    assert list_holding(root, CANARY) == []
    assert ask(repository, "name7")[0] == "f07.tiny"  # the rest is there


def test_so_are_the_versions_from_before(root: Path, repository: Repository) -> None:
    """What a file was indexed in place of lies in another segment than the file."""
    (root / "settings.tiny").write_text("def other\n")
    repository.refresh()
    assert list_holding(root, CANARY)
    rename_to_denied(root)
    repository.refresh()
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


@pytest.mark.parametrize("force", [False, True], ids=["no record", "by force"])
def test_where_nobody_knows_where_it_went_it_is_purged(
    root: Path, repository: Repository, *, force: bool
) -> None:
    """The record of what was seen tells: of the generation that a refresh leaves that was killed is none."""
    if not force:
        for record in (root / ".repo_mcp").rglob("seen*"):
            record.unlink()
        repository._index.generation.record = SeenRecord()
    rename_to_denied(root)
    repository.refresh(force=force)
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


def test_so_is_one_in_whose_place_another_was_put(root: Path, repository: Repository) -> None:
    rename_to_denied(root)
    (root / "settings.tiny").write_text("def other\n")
    repository.refresh()
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []
    assert ask(repository, "other") == ["settings.tiny"]


def test_so_is_one_in_whose_place_another_was_put_where_the_system_tells_of_it(
    root: Path, repository: Repository
) -> None:
    rename_to_denied(root)
    (root / "settings.tiny").write_text("def other\n")
    repository._index.refresh_paths(["settings.tiny", ".env"])
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


def test_a_purge_that_another_process_asks_for_meanwhile_is_not_forgotten(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round that follows the purge before it knows nothing of it."""
    structure = repository.symbol_index
    lexical = repository._index.find_searcher()
    assert lexical is not None
    structure._purge_due.note(lexical.snapshot.generation - 1)  # of an earlier one
    run = structure._phase.run

    def run_slowly(*arguments: Any, **options: Any) -> SymbolIndexReport:
        done = run(*arguments, **options)
        rename_to_denied(root)
        with closing(Repository(load_config(str(root), workers=1, limits={"max_file_bytes": 5_000}))) as more:
            monkeypatch.setattr(more.symbol_index, "note_refresh", lambda: None)  # it is killed before
            more.refresh()
        return done

    with monkeypatch.context() as patched:
        patched.setattr(structure._phase, "run", run_slowly)
        structure.build()
    structure.build()
    assert list_holding(root, CANARY) == []


def test_also_where_the_system_tells_of_it(root: Path, repository: Repository) -> None:
    view = repository._index._watch.finder
    assert view is not None
    rename_to_denied(root)
    changes = view.look_at(["settings.tiny", ".env"])
    assert changes is not None
    assert ("settings.tiny" in changes.gone, changes.met_denied) == (True, True)
    assert repository._index.refresh_paths(["settings.tiny", ".env"]) == {}
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


def test_a_server_purges_both_indexes_by_itself(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it follows each refresh in the background, whichever it hears of first."""
    monkeypatch.setattr(root_indexes, "Parsing", parse_only_tiny)
    with closing(Repository(load_config(str(root), workers=1, toolsets=["graph"]))) as served:
        served.start_background_refresh()
        wait_until(lambda: served.index_exists and served.symbol_index.status().files_done == 42)
        rename_to_denied(root)
        served.refresh()
        wait_until(lambda: list_holding(root, CANARY) == [])
        wait_until(lambda: served.symbol_index.status().files_done == 41)  # or a round is at work


def test_a_folder_that_is_ignored_is_purged(root: Path, repository: Repository) -> None:
    assert list_holding(root, "elsewhere")
    (root / ".gitignore").write_text("/private/\n")
    repository.refresh()
    repository.symbol_index.build()
    assert list_holding(root, "elsewhere") == []


def test_a_file_that_is_gone_costs_no_rewriting(root: Path, repository: Repository) -> None:
    before = sorted((root / ".repo_mcp").rglob("*.seg"))
    (root / "settings.tiny").unlink()
    repository.refresh()
    repository.symbol_index.build()
    assert sorted((root / ".repo_mcp").rglob("*.seg")) == before
    assert ask(repository) == []


@pytest.mark.parametrize("change", [rename_to_denied, rename_over_denied, move_into_denied, hide_file])
def test_it_is_gone_at_the_next_answer_before_any_refresh(
    root: Path, repository: Repository, change: Callable[[Path], None]
) -> None:
    assert ask(repository) == ["settings.tiny"]
    change(root)
    answer = repository.search(SearchRequest(CANARY, 10))
    assert CANARY not in repr(answer)
    assert [hit.path for hit in answer.hits] in ([], ["settings.tiny"])  # its name, and nothing of its text


@pytest.mark.parametrize("name", [".ssh", "lib/.env", ".git/objects"])
@pytest.mark.parametrize("stood", [False, True], ids=["new", "stood"])
def test_a_directory_that_is_moved_below_a_denied_one_is_purged(root: Path, name: str, stood: bool) -> None:
    (root / "lib" / "deep").mkdir(parents=True)
    (root / "lib" / "deep" / "settings.tiny").write_text("def movedcanary\n")
    (root / "lib" / "stays.tiny").write_text("def stays\n")
    if stood:
        (root / name).mkdir(parents=True)
    with open_indexed(root, workers=1) as opened:
        assert list_holding(root, "movedcanary")
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / "lib" / "deep").rename(root / name / "deep")
        opened.refresh()
        assert list_holding(root, "movedcanary") == []
        assert ask(opened, "stays") == ["lib/stays.tiny"]


def test_a_file_that_is_moved_below_a_denied_directory_is_purged_where_the_system_tells_of_it(
    root: Path, repository: Repository
) -> None:
    """It tells of the file that left, and of nothing below directories that are not entered."""
    (root / ".ssh" / "old").mkdir(parents=True)
    assert repository._index.refresh_paths([".ssh"]) == {}
    (root / "settings.tiny").rename(root / ".ssh" / "old" / "settings.tiny")
    assert repository._index.refresh_paths(["settings.tiny"]) == {}
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


def test_more_than_can_be_looked_through_counts_as_moved_there(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".ssh").mkdir()
    for number in range(5):
        (root / ".ssh" / f"key{number}").write_text("")
    monkeypatch.setattr(path_changes, "MAX_DENIED_ENTRIES", 5)
    (root / "settings.tiny").unlink()
    repository.refresh()
    repository.symbol_index.build()
    assert list_holding(root, CANARY) == []


class Killed(BaseException):
    """The end of a process, as far as its indexes can tell."""


def die(*_arguments: object, **_more: object) -> None:
    raise Killed


@pytest.mark.parametrize(
    "moment",
    [
        ("repo_mcp.indexing.refresh.Refresh._merge", "before the text of the lexical index goes"),
        ("repo_mcp.live.refresher.Refresher._note_purge", "after it went"),
        ("repo_mcp.symbol_index.live_symbol_index.LiveSymbolIndex.note_refresh", "after the refresh"),
    ],
    ids=lambda moment: moment[1],
)
def test_who_comes_next_purges_what_a_killed_process_left(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch, moment: tuple[str, str]
) -> None:
    """Whatever it serves, and though nothing has changed since."""
    (root / "f39.tiny").write_text("def changed\n")  # so that something is committed on the way
    rename_to_denied(root)
    with monkeypatch.context() as patched:
        patched.setattr(moment[0], die)
        with pytest.raises(Killed):
            repository.refresh()
    assert list_holding(root, CANARY)
    with open_indexed(root, workers=1, limits={"max_file_bytes": 5_000}) as other:
        assert list_holding(root, CANARY) == []
        assert not list((root / ".repo_mcp").rglob("purge*"))
        assert ask(other, "name7")[0] == "f07.tiny"


def test_a_mark_that_is_not_ours_counts_for_nothing(root: Path, repository: Repository) -> None:
    before = sorted((root / ".repo_mcp").rglob("*.seg"))
    (root / "f39.tiny").unlink()
    repository.refresh()
    for directory in {segment.parent for segment in before}:
        (directory / "purge").write_bytes(bytes(32) + b"1")
    repository.refresh()
    assert sorted((root / ".repo_mcp").rglob("*.seg")) == before
