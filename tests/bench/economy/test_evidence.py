"""Shown lines are read from answers of every shape; bytes are counted until a region was shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.economy.evidence import Line, Region, Spent, Step, read_files, read_lines, render_grouped, spend
from bench.economy.ripgrep import Ripgrep

TWO = {("a.py", 3): "def f():", ("a.py", 4): "    pass"}


@pytest.mark.parametrize(
    "record",
    [
        {"result": {"hits": [{"path": "a.py", "start_line": 1, "snippet": "3\tdef f():\n4\t    pass\n"}]}},
        {"path": "a.py", "spans": [{"content": "3\tdef f():\n4\t    pass"}], "total": 2},
        {"selections": [{"path": "a.py", "start_line": 3, "content": "def f():\n    pass\n"}]},
        {"hits": [{"path": "a.py", "snippet": "3:def f():\n4:    pass\n"}]},
        {"hits": ["a.py\n1-9 Shop\n3-4:def f():\n4:    pass\n+2 more\n"], "warnings": ["3 files changed"]},
        {"hits": ["a.py\n3-4 in Shop:def f():\n4:    pass\n"]},
        {
            "matches": [
                {"path": "a.py", "line": 3, "preview": "def f():"},
                {"path": "a.py", "line": 4, "preview": "    pass"},
            ]
        },
        [
            {
                "file_path": "a.py",
                "spans": [{"start_line": 3, "text": "def f():"}, {"start_line": 4, "text": "    pass"}],
            }
        ],
    ],
    ids=[
        "numbered",
        "path above",
        "by its start",
        "as grep",
        "as text",
        "in a class",
        "one match",
        "a list",
    ],
)
def test_lines_of_every_shape(record: object) -> None:
    assert read_lines(record) == TWO


def test_lines_are_compared_as_their_files_have_them(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"class A:\r\n    x = 1\r\n    y = 12345\r\n")
    shown = {("a.py", 2): "x = 1", ("a.py", 3): "y = 12…"}
    assert read_files(tmp_path, shown) == {("a.py", 2): "    x = 1", ("a.py", 3): "y = 12…"}


def test_names_of_declarations_are_no_lines() -> None:
    for named in ("4-8 .g", "4-8", "Shop.f", ".f", "4th", ""):
        snippet = f"1-9 Shop\n3-4 in Shop\tdef f():\n{named}\n4\t    pass\n"
        assert read_lines({"path": "a.py", "start_line": 1, "snippet": snippet}) == TWO


def test_what_has_no_place_shows_nothing() -> None:
    assert read_lines({"path": "a.py", "symbols": [{"name": "f", "start_line": 3}]}) == {}
    assert read_lines({"keywords": [{"text": "crate"}], "ok": True}) == {}
    assert read_lines({"path": "a.py", "start_line": 1, "content": ""}) == {}


def test_a_preview_that_looks_numbered_is_a_line() -> None:
    assert read_lines({"path": "a", "line": 7, "preview": "12:30 lunch"}) == {("a", 7): "12:30 lunch"}


def build_step(size: int, *lines: Line) -> Step:
    return Step(size, dict.fromkeys(lines, ""))


def test_one_whole_region_is_the_evidence() -> None:
    steps = [build_step(10, ("a", 1)), build_step(20, ("b", 5)), build_step(30, ("a", 2)), build_step(40)]
    assert spend(steps, [Region("a", 1, 2), Region("c", 1, 1)], 1_000) == Spent(60, 3)
    assert spend(steps, [Region("a", 1, 3)], 1_000) == Spent(None, 4)


def test_what_comes_behind_the_budget_does_not_count() -> None:
    steps = [build_step(10, ("a", 1)), build_step(20, ("a", 2))]
    assert spend(steps, [Region("a", 2, 2)], 30) == Spent(30, 2)
    assert spend(steps, [Region("a", 2, 2)], 29) == Spent(None, 2)


def test_lines_are_rendered_as_ripgrep_prints_them(ripgrep: Ripgrep) -> None:
    command = [ripgrep.program, "--no-config", "--heading", "-n", "--sort", "path", "crate|hours"]
    printed = subprocess.run(command, cwd=ripgrep.root, capture_output=True, text=True, check=True).stdout
    found = ripgrep.find("crate|hours")
    assert len({path for path, _ in found}) == 14
    assert render_grouped(found) == printed
