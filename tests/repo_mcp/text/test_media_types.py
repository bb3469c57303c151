"""Media types of files that are not text: by what they begin with, else by their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.text.lines import BINARY_EXTENSIONS
from repo_mcp.text.media_types import _BEGINNINGS, UNKNOWN, find_media_type


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"\0\0\0\x18ftypisom", "video/mp4"),
        (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        (b"%PDF-1.7", "application/pdf"),
        (b"PK\3\4", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"\x7fELF\2", "application/x-elf"),
        (b"MZ\x90", "application/vnd.microsoft.portable-executable"),
        (b"\0asm\1", "application/wasm"),
        (b"SQLite format 3\0", "application/vnd.sqlite3"),
        (b"\xca\xfe\xba\xbe", "application/java-vm"),
        (b"x" * 257 + b"ustar\0", "application/x-tar"),
        (b"a\0b", UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_the_first_bytes_tell(head: bytes, media_type: str) -> None:
    assert find_media_type("data", head) == media_type
    assert find_media_type("data.unknown", head) == media_type


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("a/b.PNG", "image/png"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("lib.so", "application/x-elf"),
        ("a.table", UNKNOWN),
        ("a.peg", UNKNOWN),
        (".png", UNKNOWN),
        ("png", UNKNOWN),
        ("a.png/b", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_name_tells_where_the_bytes_do_not(path: str, media_type: str) -> None:
    assert find_media_type(path, b"a\0b") == media_type


def test_of_an_archive_the_name_says_what_it_is() -> None:
    assert find_media_type("a.jar", b"PK\3\4") == "application/java-archive"
    assert find_media_type("a.xlsx", b"PK\3\4").endswith("spreadsheetml.sheet")
    assert find_media_type("a.png", b"PK\3\4") == "application/zip"
    assert find_media_type("a.bin", b"BM") == UNKNOWN
    assert find_media_type("a", b"BM") == "image/bmp"
    assert find_media_type("a.zip.bak", b"PK\3\4") == "application/zip"


@given(st.text(max_size=30), st.binary(max_size=300))
def test_any_name_and_bytes_have_a_type(path: str, head: bytes) -> None:
    assert "/" in find_media_type(path, head)


def test_no_beginning_is_hidden_by_one_before_it() -> None:
    for position, (offset, wanted, media_type) in enumerate(_BEGINNINGS):
        if media_type in ("application/zip", "image/bmp"):
            continue
        assert find_media_type("x", b"\x01" * offset + wanted + b"\x01" * 8) == media_type, position


def test_common_binary_files_have_a_type_by_name() -> None:
    known = {one for one in BINARY_EXTENSIONS if find_media_type(f"a.{one}") != UNKNOWN}
    assert known >= {"png", "jpg", "zip", "gz", "pdf", "exe", "so", "class", "woff2", "mp4", "wasm", "sqlite"}
