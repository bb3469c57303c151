"""The whole comparison on a tiny tree, so that it does not rot. What it measures is not looked at."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.peers import engines
from bench.peers.__main__ import main
from bench.peers.measure import Effort

OF_NO_ENGINE = (
    "symbols of 10 MB of text",
    "symbols, index on disk",
    "exact search over stdio, no run, p50",
    "navigation, callers, p50",
    "`search` of `retrieval` over stdio, p50",
)
ONCE = Effort(builds=1, asks=1, spawns=1, watches=1, server_queries=4, per_class=3)
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are watched in /proc"),
]


def digest(root: Path) -> dict[str, bytes]:
    return {
        str(file): hashlib.blake2b(file.read_bytes()).digest() for file in root.rglob("*") if file.is_file()
    }


def run(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, Path]:
    """Return the printed table and the directory of results."""
    before = digest(tree)
    scratch, results = tmp_path / "scratch", tmp_path / "results"
    main([str(tree), "--scratch", str(scratch), "--results", str(results), *options], ONCE)
    assert list(scratch.iterdir()) == []
    assert digest(tree) == before
    return capsys.readouterr().out, results


@pytest.mark.deep
def test_compares_every_engine_that_is_installed(
    made_tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, results = run(made_tree, tmp_path, capsys)
    for entry in engines.choose_entries(slow=True):
        assert entry.name.startswith(engines.OURS) or f"| {entry.name} |" in printed
    for goal in ("searchable from nothing", "index on disk", "spawn to `initialize`", "refresh with nothing"):
        assert f"| {goal}" in printed
    for row in ("`repo.search` over stdio, p50", *OF_NO_ENGINE):
        assert f"| {row} | " in printed
        assert f"| {row} | - " not in printed
    assert printed.strip() in (results / "peers-tree.md").read_text(encoding="utf-8")
    picture = ElementTree.parse(results / "peers-tree.svg").getroot()
    assert "".join(picture.itertext()).count("goal") > 10


@pytest.mark.deep
def test_grows_a_tree_and_says_what_there_is_no_space_for(
    made_tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.peers.scale.RESERVE_BYTES", 0)
    printed, results = run(made_tree, tmp_path, capsys, "--scale", "--sizes", f"10,60,{10**12}")
    assert "- 10 files" in printed
    assert "- 60 files" in printed
    assert "| build time per file, 10 -> 60 files |" in printed
    assert "| spawn to the first search, 10 -> 60 files |" in printed
    assert "| peak memory of a build, 60 files |" in printed
    assert (results / "scale-tree.svg").is_file()
