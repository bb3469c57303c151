"""What a client names as roots: URIs read, directories judged, names that tell them apart."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.config.client_directories import MAX_ROOTS, name_directories, open_directories, read_file_uri
from tests.posix import posix


@posix
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///srv/ledger", "/srv/ledger"),
        ("file:///srv/ledger/", "/srv/ledger"),
        ("FILE://localhost/srv/ledger", "/srv/ledger"),
        ("file:///srv/my%20ledger", "/srv/my ledger"),
        ("file:///srv/%E5%B8%B3", "/srv/\u5e33"),
        ("file:///srv/my ledger#2", "/srv/my ledger#2"),  # as Claude Code writes it
        ("file:///srv/100%", "/srv/100%"),
        ("file:///srv/../srv/ledger", "/srv/ledger"),
        ("file:////srv/ledger", "/srv/ledger"),
    ],
)
def test_a_file_uri_names_a_path(uri: str, path: str) -> None:
    assert read_file_uri(uri) == path


@pytest.mark.parametrize(
    "uri",
    [
        *("", "file:", "file:srv", "file:/srv", "file://", "file://host", "/srv", "C:\\srv"),
        *("https://example.invalid/srv", "vscode-remote://host/srv", "file://host/srv"),
        *("file:///a%00b", "file:///%FF%FE", "file:///" + "a" * 20_000, "file:///\udc80"),
    ],
)
def test_anything_else_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match="one of them"):
        read_file_uri(uri)


@given(st.text())
def test_any_text_is_a_path_or_refused(text: str) -> None:
    for uri in (text, f"file://{text}", f"file:///{text}"):
        with suppress(ValueError):
            assert Path(read_file_uri(uri)).is_absolute()


def test_names_are_as_short_as_they_can_be() -> None:
    assert name_directories(["/a/ledger", "/a/atlas"]) == {"ledger": "/a/ledger", "atlas": "/a/atlas"}
    assert name_directories(["/me/ledger", "/me/old/ledger", "/me/x"]) == {
        "me/ledger": "/me/ledger",
        "old/ledger": "/me/old/ledger",
        "x": "/me/x",
    }
    assert name_directories(["/a", "/b/a"]) == {"a": "/a", "b/a": "/b/a"}
    assert name_directories([]) == {}
    assert list(name_directories(["/p/a\x1b", "/p/a"])) == ["a", "a-2"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for number in range(MAX_ROOTS + 2):
        (tmp_path / "roots" / str(number)).mkdir(parents=True)
    return tmp_path / "roots"


def test_each_directory_is_served_once_in_the_order_of_the_client(place: Path) -> None:
    uris = [(place / name).as_uri() for name in ("1", "0", "1", "1/../0")]
    found = open_directories(uris)
    assert [held.path for held in found.served] == [str(place / "1"), str(place / "0")]
    assert found.refused == ()


def test_no_more_are_served_than_one_process_can_follow(place: Path) -> None:
    found = open_directories([(place / str(number)).as_uri() for number in range(MAX_ROOTS + 2)])
    assert len(found.served) == MAX_ROOTS
    assert found.refused == (f"only the first {MAX_ROOTS} are served",)


@posix
def test_links_are_followed_before_a_directory_is_judged(place: Path) -> None:
    (place / "home").symlink_to(place.parent / "home")
    (place / "again").symlink_to(place / "0")
    (place / "loop").symlink_to(place / "loop")
    found = open_directories([(place / name).as_uri() for name in ("home", "again", "0", "loop")])
    assert [held.path for held in found.served] == [str(place / "0")]
    assert found.refused[0] == '"home" is your home directory or a directory above it'
    assert len(found.refused) == 2
