"""`repo-mcp status`: the verdict first, and each verdict for its state."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.cli.console.status_page import StatusPage, count_offered, draw_bar, judge
from repo_mcp.cli.console.text import Colour, open_console
from repo_mcp.model import IndexStatus, SymbolIndexStatus
from tests.repo_mcp.cli.program import make_tree, run


def build_state(state: str, *, snapshot: str | None = "g1", stale: int | None = 0) -> IndexStatus:
    skipped = {"binary": 2, "ignored": 7, "too_large": 1}
    return IndexStatus(state, snapshot, 1, 10, 1, 1_000, skipped, stale, 0.0, None)


@pytest.mark.parametrize(
    ("state", "word", "advice"),
    [
        (build_state("ready"), "healthy", "up to date"),
        (build_state("ready", stale=None), "healthy", "next search"),
        (build_state("ready", stale=1), "behind", "1 file changed"),
        (build_state("ready", stale=3_000), "behind", "3,000 files changed"),
        (build_state("partial"), "incomplete", "repo-mcp index"),
        (build_state("building", snapshot=None), "incomplete", "being built"),
        (build_state("missing", snapshot=None), "missing", "repo-mcp index"),
        (build_state("degraded", snapshot=None), "damaged", "repo-mcp index"),
    ],
)
def test_verdicts(state: IndexStatus, word: str, advice: str) -> None:
    assert judge(state).word == word
    assert advice in judge(state).advice


def test_coverage_counts_what_was_looked_at() -> None:
    assert count_offered(build_state("ready")) == 11  # not what was ignored, nor what holds no text


@pytest.mark.parametrize(
    ("part", "whole", "cells"), [(0, 9, 0), (1, 1_000, 1), (999, 1_000, 19), (5, 5, 20), (0, 0, 0)]
)
def test_a_bar_is_full_only_when_nothing_is_missing(part: int, whole: int, cells: int) -> None:
    assert draw_bar(part, whole).plain.count("█") == cells


@pytest.mark.parametrize(
    ("state", "skipped", "expected"),
    [("ready", {}, "nothing"), ("partial", {}, "not known"), ("partial", {"binary": 2}, "2 binary")],
)
def test_what_was_left_out_is_known_when_a_build_has_ended(
    capsys: pytest.CaptureFixture[str], state: str, skipped: dict[str, int], expected: str
) -> None:
    page = StatusPage(open_console(Colour.NEVER))
    structure = SymbolIndexStatus("missing", None, 0, 0, 0, 0, 0, 0, {}, None)
    page.show("r", replace(build_state(state), skipped=skipped), structure, {})
    assert f"left out       {expected}\n" in capsys.readouterr().out


def test_a_page_tells_health_at_a_glance(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    assert (
        run(tree, "status").stdout
        == "tree: missing. There is no index yet. Run repo-mcp index to build it.\n"
    )
    run(tree, "index")
    first, blank, *facts = run(tree, "status").stdout.splitlines()
    assert (first, blank) == ("tree: healthy. Everything is indexed and up to date.", "")
    assert any(row.startswith("coverage       11 of 11 files") for row in facts)
    assert any(row.startswith("python            5  ████") for row in facts)
    (tree / "new.py").write_text("x = 1\n")
    assert run(tree, "status").stdout.startswith("tree: behind. 1 file changed since")
    assert json.loads(run(tree, "status", "--json").stdout)["health"] == "behind"
