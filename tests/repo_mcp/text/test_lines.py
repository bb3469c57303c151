"""The one line model."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.text.lines import (
    _CODECS,
    cut_indentation,
    decode_source,
    has_binary_extension,
    split_lines,
    trim_blank,
)
from tests.deep.sizes import choose


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b"", b""),
        (b"plain\n", b"plain\n"),
        (b"a\r\nb\rc\nd", b"a\nb\nc\nd"),
        (b"\r\r\n\r", b"\n\n\n"),
        ("é\n".encode(), "é\n".encode()),
        (codecs.BOM_UTF8 + b"x\r\n", b"x\n"),
        (codecs.BOM_UTF16_LE + "ä\r\nb".encode("utf-16-le"), "ä\nb".encode()),
        (codecs.BOM_UTF16_BE + "ä".encode("utf-16-be"), "ä".encode()),
        (codecs.BOM_UTF32_LE + "ä\r".encode("utf-32-le"), "ä\n".encode()),
        (codecs.BOM_UTF32_BE + "ä".encode("utf-32-be"), "ä".encode()),
        (codecs.BOM_UTF8, b""),
        (b"a" * 8192 + b"\0", b"a" * 8192 + b"\0"),
    ],
)
def test_decodes_without_a_warning(raw: bytes, data: bytes) -> None:
    text = decode_source(raw)
    assert text.data == data
    assert text.warnings == ()


@pytest.mark.parametrize(
    ("raw", "data", "codec"),
    [
        (b"caf\xe9\r\n", "caf\ufffd\n".encode(), "UTF-8"),
        (codecs.BOM_UTF8 + b"\xff", "\ufffd".encode(), "UTF-8"),
        (codecs.BOM_UTF16_LE + b"a\0b", "a\ufffd".encode(), "UTF-16-LE"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd".encode(), "UTF-8"),  # a surrogate
    ],
)
def test_replaces_with_a_warning(raw: bytes, data: bytes, codec: str) -> None:
    text = decode_source(raw)
    assert text.data == data
    assert text.warnings == (f"The text is not valid {codec}; it was decoded with replacement characters.",)


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ("# -*- coding: latin-1 -*-", "latin-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :", "iso-8859-15"),
        ("\r\n\f# encoding: Windows-1252", "cp1252"),
        ("# coding=iso-latin-1-unix", "latin-1"),
        ("# -*- coding: koi8-r -*-", "koi8-r"),
        ("# -*- coding: shift_jis -*-", "shift_jis"),
    ],
)
def test_a_coding_line_says_what_is_not_utf8(head: str, codec: str) -> None:
    letter = {"koi8-r": "\u0436", "shift_jis": "\u8868"}.get(codec, "\xe9")  # the last holds an ASCII byte
    text = decode_source(f"{head}\nx = '{letter}'\r\n".encode(codec))
    assert text.data.decode().split("\n")[-2] == f"x = '{letter}'"
    assert text.warnings == ()


@pytest.mark.parametrize(
    "head",
    [
        b"import os\n# coding: latin-1",  # after code
        b"#\n#\n# coding: latin-1",  # the third line
        b"coding: latin-1",  # no comment
        b"# coding: utf-7",  # in which ASCII is not itself
        b"# coding: unicode_escape",
        b"# coding: no-such-codec",
        b"# coding: " + b"x" * 2_000,
    ],
)
def test_other_coding_lines_are_not_believed(head: bytes) -> None:
    text = decode_source(head + b"\n\xe9\n")
    assert text.data.endswith("\n\ufffd\n".encode())
    assert text.warnings == ("The text is not valid UTF-8; it was decoded with replacement characters.",)


def test_a_coding_line_is_not_believed_against_valid_utf8() -> None:
    raw = "# coding: latin-1\n\u00e9\n".encode()
    assert decode_source(raw).data == raw


def test_what_the_coding_line_does_not_decode_is_replaced_with_a_warning() -> None:
    text = decode_source(b"# coding: cp1252\n\x81\xe9\n")
    assert text.data == "# coding: cp1252\n\ufffd\u00e9\n".encode()
    assert text.warnings == ("The text is not valid CP1252; it was decoded with replacement characters.",)


@pytest.mark.sized
@pytest.mark.parametrize("codec", sorted(_CODECS))
def test_ascii_is_itself_in_every_declared_codec(codec: str) -> None:
    plain = bytes(range(0x20, 0x7F)).replace(b"\\", b"").replace(b"~", b"")  # signs of money in some codecs
    assert plain.decode(codec) == plain.decode("ascii")
    for high in random.sample(
        range(0x80, 0x100), choose(40, 0x80)
    ):  # every ASCII character of a decoded text stands in its bytes
        for low in range(0x21, 0x100):
            raw = bytes((high, low))
            assert {one for one in raw.decode(codec, "replace").encode() if one < 0x80} <= set(raw)


@pytest.mark.parametrize("raw", [b"\0", b"abc\0def", b"a" * 8191 + b"\0"])
def test_a_nul_near_the_start_is_binary(raw: bytes) -> None:
    with pytest.raises(RepoError) as caught:
        decode_source(raw)
    assert caught.value.code is ErrorCode.BINARY_FILE


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\n", [b"a", b""]),
        (b"a\nb", [b"a", b"b"]),
        ("a\u2028b\x0cc\x85\x0bd\x1c\n".encode(), ["a\u2028b\x0cc\x85\x0bd\x1c".encode()]),
    ],
)
def test_lines_end_at_line_feeds_alone(data: bytes, lines: list[bytes]) -> None:
    assert split_lines(data) == lines


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_binary(raw: bytes) -> None:
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8, codecs.BOM_UTF32_BE))
    if b"\0" in raw and not marked:
        with pytest.raises(RepoError):
            decode_source(raw)
        return
    text = decode_source(raw)
    text.data.decode()
    assert b"\r" not in text.data


@given(st.text(st.sampled_from("ab\r\n\u2028\x0c"), max_size=20))
def test_lines_are_those_of_universal_newlines(text: str) -> None:
    data = decode_source(text.encode()).data
    wanted = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [line.decode() for line in split_lines(data)] == (wanted if wanted[-1] else wanted[:-1])


@pytest.mark.parametrize(
    ("path", "binary"),
    [
        ("a/logo.PNG", True),
        ("x.tar.gz", True),
        ("png", False),
        (".png", False),
        ("a.png/readme", False),
        ("main.c", False),
        ("drawing.svg", False),
        ("snapshot.snap", False),
    ],
)
def test_binary_extensions(path: str, binary: bool) -> None:
    assert has_binary_extension(path) is binary


@pytest.mark.parametrize(
    ("lines", "cut"),
    [
        ([], []),
        (["", "  "], ["", "  "]),
        (["    a", "", "      b"], ["a", "", "  b"]),
        (["\ta", "\t\tb"], ["a", "\tb"]),
        (["\ta", "    b"], ["\ta", "    b"]),
        (["  a", "b"], ["  a", "b"]),
    ],
)
def test_only_shared_indentation_is_cut(lines: list[str], cut: list[str]) -> None:
    assert cut_indentation(lines) == cut


@pytest.mark.parametrize(
    ("text", "span"), [("| \na\n\nb\n |", (0, 5)), (" \na\n\nb\n ", (1, 4)), ("a", (0, 1)), ("\n\n", (0, 1))]
)
def test_blank_lines_are_trimmed_at_both_ends(text: str, span: tuple[int, int]) -> None:
    lines = text.split("\n")
    assert trim_blank(lines, 0, len(lines)) == span
