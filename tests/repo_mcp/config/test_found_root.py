"""The repository around a directory: the nearest mark upward counts, and never a home or what lies above."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.config.found_root import MARKS, explain_refusal, find_root
from tests.posix import posix


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "users" / "me"
    place.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("is_file", [True, False])
def test_each_mark_counts_as_a_file_and_as_a_directory(home: Path, mark: str, is_file: bool) -> None:
    (home / "ledger" / "src" / "checks").mkdir(parents=True)
    place = home / "ledger" / mark
    place.touch() if is_file else place.mkdir()
    for below in ("", "src", "src/checks"):
        assert find_root(str(home / "ledger" / below).rstrip("/")) == str(home / "ledger")


def test_the_nearest_mark_counts(home: Path) -> None:
    inner = home / "all" / "part"
    (inner / "src").mkdir(parents=True)
    (home / "all" / ".git").mkdir()
    (inner / "repo_mcp.toml").touch()
    assert find_root(str(inner / "src")) == str(inner)
    assert find_root(str(home / "all")) == str(home / "all")


def test_a_home_and_what_lies_above_it_are_never_found(home: Path) -> None:
    (home / ".git").mkdir()
    (home.parent / ".git").mkdir()
    (home / "notes").mkdir()
    (home.parent / "shared").mkdir()
    for place in (home, home / "notes", home.parent, home.parent / "shared"):
        assert find_root(str(place)) is None


@posix
def test_a_home_is_recognised_by_any_of_its_names(home: Path, tmp_path: Path) -> None:
    (home / ".git").mkdir()
    link = tmp_path / "link"
    link.symlink_to(home)
    assert find_root(str(link)) is None
    assert "home" in explain_refusal(str(link))
    os.environ["HOME"] = str(link)  # the fixture puts it back
    assert find_root(str(home)) is None
    assert "home" in explain_refusal(str(home.parent))


def test_without_a_mark_there_is_no_root(home: Path) -> None:
    (home / "downloads").mkdir()
    assert find_root(str(home / "downloads")) is None
    assert explain_refusal(str(home / "downloads")) == ""
    assert find_root("/") is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_strangers_mark_does_not_count_where_everybody_may_write(home: Path) -> None:
    shared = home / "shared"
    (shared / "mine").mkdir(parents=True)
    (shared / ".git").mkdir()
    os.chown(shared / ".git", 12345, 12345)
    assert find_root(str(shared / "mine")) == str(shared)
    shared.chmod(0o1777)
    assert find_root(str(shared / "mine")) is None
    os.chown(shared / ".git", 0, 0)
    assert find_root(str(shared / "mine")) == str(shared)


@pytest.mark.parametrize(
    ("place", "word"),
    [("/", "system"), ("{home}", "home"), ("{home}/..", "home"), ("{home}/none", "exist"), ("", "exist")],
)
def test_what_is_served_only_by_name_is_explained(home: Path, place: str, word: str) -> None:
    assert word in explain_refusal(place.format(home=home))
