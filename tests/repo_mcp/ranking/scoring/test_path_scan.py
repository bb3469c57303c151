"""Paths found in the text of all of them, against asking each path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.files import PATH
from repo_mcp.ranking.scoring.path_scan import PathScan
from repo_mcp.text.roles import is_test_path
from tests.index_format.test_files import build_table, encode_files, open_files

NAMES = st.one_of(
    st.sampled_from(
        ("tests", "Test", "spec", "x_test.py", "ITests", "a.spec.js", "Suite.c", "conftest.py", "e2e")
    ),
    st.sampled_from(
        ("__mocks__", "fixtures", "my.Tests", "test-suite", "specs", "a_test.go\n", "latest", "ODOS")
    ),
    st.text("aAbB/.\nİΣςσß", min_size=1, max_size=4),
)
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), unique=True, max_size=40)
PARTS = st.text("abst/.\0\nİi̇Σςσß", min_size=1, max_size=3)


def open_scan(paths: Sequence[str]) -> tuple[PathScan, list[str]]:
    table = build_table(dict.fromkeys(paths, (0, 0, 0, 0)))
    return PathScan(open_files(encode_files(table), 0, 0)), [path.decode() for path in table.paths]


@given(PATHS, PARTS)
@example(["ΑΣ", "ΑΣ/Β", "ΑΣΒ", "İ"], "ς")
@example(["a", "b"], "\0")
@example([], "a")
def test_case_is_that_of_each_path(paths: list[str], part: str) -> None:
    scan, ordered = open_scan(paths)
    assert scan.find_holding(part.lower()).tolist() == [part.lower() in path.lower() for path in ordered]


@given(PATHS)
def test_tests_are_found(paths: list[str]) -> None:
    scan, ordered = open_scan(paths)
    assert scan.find_tests().tolist() == [is_test_path(path) for path in ordered]


@given(PATHS, st.integers(1, 40))
def test_only_the_files_that_are_left_are_asked_about(paths: list[str], step: int) -> None:
    scan, ordered = open_scan(paths)
    files = np.arange(len(ordered)) % step == 0
    asked: list[str] = []
    kept = scan.keep(files, lambda path: asked.append(path) is None and "a" in path)
    assert asked == ordered[::step]
    assert kept.tolist() == [left and "a" in path for left, path in zip(files, ordered, strict=True)]


def test_a_part_with_half_a_character_is_nowhere() -> None:
    assert open_scan(["a", "é"])[0].find_holding("\ud800").tolist() == [False, False]


@pytest.mark.parametrize(
    ("paths", "fault"), [(b"a\0b", "zero byte"), (b"a\xff\xff", "UTF-8"), (b"ab\xc3", "UTF-8")]
)
def test_damaged_paths(paths: bytes, fault: str) -> None:
    sections = encode_files(build_table(dict.fromkeys(("a", "bc"), (0, 0, 0, 0))))
    scan = PathScan(open_files({**sections, PATH: paths}, 0, 0))
    with pytest.raises(CorruptIndex, match=fault):
        scan.find_holding("a")
