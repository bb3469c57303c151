"""The line of a long build: where it is, how long it took, how long it will take; never in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repo_mcp.cli.console.opening import ProgressLine
from repo_mcp.model import IndexProgress
from tests.repo_mcp.cli.program import PROJECT, make_tree, run


def test_a_long_phase_says_how_long_it_will_take() -> None:
    line = ProgressLine(100.0)
    assert line.render(IndexProgress("walk", 3, 0, 0, 0), 100.5) == "Looking at files  3 files  0:00"
    first = line.render(IndexProgress("index", 10, 1_000, 2_000_000, 0), 101.0)
    assert first == "Indexing  ░░░░░░░░░░░░░░░░░░░░  10 of 1,000 files  2 MB  0:01"
    later = line.render(IndexProgress("index", 250, 1_000, 50_000_000, 0), 131.0)
    assert later == "Indexing  █████░░░░░░░░░░░░░░░  250 of 1,000 files  50 MB  0:31  1:30 left"
    assert len(later) < 80
    assert "left" not in line.render(IndexProgress("merge", 1, 1_000, 0, 0), 132.0)


@pytest.mark.parametrize("arguments", [("index",), ("search", "checksum")], ids=str)
def test_a_pipe_gets_no_progress_whatever_colours_are_forced(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(make_tree(tmp_path), *arguments, FORCE_COLOR="1", TERM="xterm-256color")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals like that")
def test_a_terminal_sees_the_line_and_keeps_none_of_it(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "repo_mcp", "index"],
        cwd=tree,
        env={
            "PYTHONPATH": str(PROJECT),
            "HOME": str(tmp_path / "home"),
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm",
        },
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    drawn = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert b"indexed" in done.stdout
    assert drawn.startswith("\r\x1b[KLooking at files")
    assert drawn.endswith("\r\x1b[K")
