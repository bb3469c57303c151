"""Which targets are files of the root: spellings, places, limits, and a reader that is not asked in vain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.documentation.media import MAX_LOOKS, MediaFinder, MediaReader, decode_target, is_medium
from repo_mcp.documentation.query_words import WEIGHTS, weigh_words
from repo_mcp.documentation.references import Reference
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.workspace.reader.client_paths import RootNames

SOUND = b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 40


class TinyDoor:
    """The files of a root by path, and what was asked of them."""

    def __init__(self, **files: bytes) -> None:
        self.files = {path.replace("__", "/").replace("_", "."): data for path, data in files.items()}
        self.looked: list[str] = []
        self.opened: list[str] = []

    def find_stat(self, path: str) -> FileStat | None:
        self.looked.append(path)
        return FileStat(len(self.files[path]), 0, 0, 0) if path in self.files else None

    def read(self, path: str, max_bytes: int) -> bytes:
        self.opened.append(path)
        if len(self.files[path]) > max_bytes:
            raise RepoError(ErrorCode.FILE_TOO_LARGE, "too large")
        return self.files[path]

    def find(self, document: str, *targets: str, query: str = "bell") -> list[str]:
        words = weigh_words(parse_query(query, 10), lambda _: 0.5, WEIGHTS)
        reader = MediaReader(RootNames(("/srv/root",)).normalise, self.find_stat, self.read)
        references = [Reference(target, "") for target in targets]
        return [one.path for one in MediaFinder(reader, words).find(document, references, "A", 0.5)]


@pytest.mark.parametrize(
    ("target", "decoded"),
    [
        ("a.png", "a.png"),
        ("a%20b.png?raw=true#top", "a b.png"),
        ("%C3%A4.png", "ä.png"),
        ("100%.png", "100%.png"),
        ("%zz.png", "%zz.png"),
        ("%", "%"),
        ("%\t\t.png", "%\t\t.png"),
        ("..%2f..%2fx.png", "../../x.png"),
        ("%ff.png", None),
        ("a%5Cb.png", None),
        ("a\\b.png", None),
        ("a%00.png", None),
        ("#top", None),
        ("", None),
        ("a" * 5_000, None),
    ],
)
def test_targets_are_decoded_once(target: str, decoded: str | None) -> None:
    assert decode_target(target) == decoded


@given(st.text(max_size=60))
def test_any_target_is_decoded_or_none(target: str) -> None:
    found = decode_target(target)
    assert found is None or (found and "\0" not in found and "\\" not in found)


def test_what_is_a_medium() -> None:
    assert all(
        map(is_medium, ("a.png", "a/b.SVG", "a.mp3", "a.webm", "a.pdf", "a.drawio", "a.puml", "a.opus"))
    )
    assert not any(map(is_medium, ("a.py", "a.md", "a.zip", "png", ".png", "a.exe", "a.html", "a")))


def test_places_of_a_target() -> None:
    reader = TinyDoor(
        docs__img__bell_png=b"x", site__static__gong_png=b"x", top_png=b"x", docs__a__own_png=b"x"
    )
    assert reader.find("docs/a/x.md", "../img/bell.png") == ["docs/img/bell.png"]
    assert reader.find("docs/a/x.md", "own.png") == ["docs/a/own.png"]
    assert reader.find("docs/a/x.md", "/img/bell.png") == ["docs/img/bell.png"]
    assert reader.find("site/en/guide/x.md", "/gong.png") == ["site/static/gong.png"]
    assert reader.find("x.md", "/top.png", "./top.png", "top.png") == ["top.png"]
    assert reader.find("docs/a/x.md", "../../../top.png", "/../top.png", "missing.png") == []


def test_the_best_are_looked_up_first_and_no_more_than_needed() -> None:
    reader = TinyDoor(**{f"p{number}_png": b"x" for number in range(50)}, doorbell_png=b"x")
    found = reader.find("x.md", *(f"p{number}.png" for number in range(50)), "doorbell.png", query="doorbell")
    assert found == ["doorbell.png", "p0.png", "p1.png", "p2.png"]
    assert len(reader.looked) == 4


def test_looks_are_bounded() -> None:
    reader = TinyDoor()
    assert reader.find("a/b/c/d/x.md", *(f"/missing{number}.png" for number in range(200))) == []
    assert len(reader.looked) == MAX_LOOKS


def test_sounds_are_read_when_they_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = TinyDoor(a_wav=SOUND, b_wav=SOUND + b"\0" * 70_000, c_wav=b"", d_wav=b"no sound")
    assert reader.find("x.md", "a.wav", "b.wav", "c.wav", "d.wav") == ["a.wav", "b.wav", "c.wav", "d.wav"]
    assert reader.opened == ["a.wav", "d.wav"]
