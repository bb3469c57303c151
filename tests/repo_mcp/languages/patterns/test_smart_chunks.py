"""Cuts that keep declarations whole: no line lost, bounded, the same each time."""

from __future__ import annotations

import random

import pytest

from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.patterns.smart_chunks import cut_smartly
from repo_mcp.text.lines import split_lines
from tests.repo_mcp.trees import make_text


def cut(path: str, text: str, most: int = 200) -> tuple[int, ...] | None:
    data = text.encode()
    landmarks = scan(find_language(path), data)
    cuts = cut_smartly(data, landmarks, most)
    line_ends = [*(ordinal for ordinal, byte in enumerate(data) if byte == ord("\n")), len(data)]
    assert cut_smartly(data, landmarks, most, line_ends) == cuts
    return cuts


def body(lines: int, indent: str = "    ") -> str:
    return f"{indent}x = 1\n" * lines


def test_a_short_file_is_one_chunk() -> None:
    assert cut("a.py", "def f():\n" + body(10)) == (1,)


def test_nothing_declared_is_no_reason_to_cut() -> None:
    assert cut("a.py", body(500, "")) is None
    assert cut("a.txt", "def f():\n" * 500) is None
    assert cut("a.py", "") is None


def test_cuts_stand_before_classes_and_functions() -> None:
    text = "import a\n" * 9 + "class A:\n" + body(119) + "class B:\n" + body(129)
    assert cut("a.py", text) == (1, 130)


def test_a_class_is_cut_before_a_method_and_a_class_goes_before_a_method() -> None:
    methods = "".join(f"    def m{number}(self):\n" + body(39, "        ") for number in range(6))
    text = "class A:\n" + methods + "class B:\n" + methods
    assert cut("a.py", text) == (1, 162, 242, 403)
    lines = text.split("\n")
    assert lines[161].strip() == "def m4(self):"
    assert lines[241] == "class B:"


def test_decorators_and_comments_stay_with_their_declaration() -> None:
    text = "def f():\n" + body(150) + "\n# About g,\n# and more.\n@cache\n@other\ndef g():\n" + body(100)
    assert cut("a.py", text) == (1, 153)


def test_a_declaration_longer_than_a_chunk_is_cut_at_the_limit() -> None:
    assert cut("a.py", "def f():\n" + body(449)) == (1, 201, 401)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("suffix", [".py", ".c", ".ts"])
def test_every_line_is_in_one_chunk_of_bounded_length(seed: int, suffix: str) -> None:
    draw = random.Random(seed)
    text = "".join(make_text(draw, suffix) for _ in range(3))
    most = draw.choice([1, 2, 7, 50, 200])
    cuts = cut(f"a{suffix}", text, most)
    if cuts is None:
        return
    total = len(split_lines(text.encode()))
    sizes = [after - before for before, after in zip(cuts, [*cuts[1:], total + 1], strict=True)]
    assert cuts[0] == 1
    assert sum(sizes) == total
    assert max(sizes) <= most
    assert all(size >= max(1, most // 4) for size in sizes[:-1])
    assert cut(f"a{suffix}", text, most) == cuts
