"""What is blanked keeps its length and its lines."""

from __future__ import annotations

import re

import pytest

from repo_mcp.languages.treesitter.blanking import blank, blank_group, join_blanked


@pytest.mark.parametrize(
    ("text", "filler", "blanked"),
    [
        (b"", b" ", b""),
        (b"a\n", b" ", b" \n"),
        (b"\ta b\n\n\r\nc", b" ", b"    \n\n \n "),
        (bytes(range(256)), b"_", b"_" * 10 + b"\n" + b"_" * 245),
    ],
    ids=["empty", "a line", "other white space", "every byte"],
)
def test_every_byte_but_line_feeds_is_replaced(text: bytes, filler: bytes, blanked: bytes) -> None:
    assert blank(text, filler) == blanked


@pytest.mark.parametrize(
    ("pattern", "group", "blanked"),
    [
        (rb"(int) x", 1, b"f(    x,\n y)"),
        (rb"int (x,\n y)", 1, b"f(int   \n  )"),
        (rb"(i)(nt)", 2, b"f(i   x,\n y)"),
        (rb"int", 0, b"f(    x,\n y)"),
    ],
)
def test_only_the_group_of_a_match_is_blanked(pattern: bytes, group: int, blanked: bytes) -> None:
    assert re.sub(pattern, lambda found: blank_group(found, group), b"f(int x,\n y)") == blanked


def test_a_group_is_filled_with_another_byte() -> None:
    assert re.sub(rb"<(\w+)>", lambda found: blank_group(found, filler=b"0"), b"#if <bit>") == b"#if <000>"


def test_a_match_can_be_joined_to_one_line() -> None:
    assert re.sub(rb"\\\n", join_blanked, b"A(x) \\\n B(y)") == b"A(x)    B(y)"
