"""Ctrl-C at any moment: one line and 130, from the first import to the end of the last process."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repo_mcp.indexing.shards.shards import SHARD_BYTES
from tests.deep.sizes import IS_DEEP, choose
from tests.repo_mcp.cli.program import PROJECT, make_tree

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process there")
# Python itself answers what comes before the first line of the program.
START = """
import sys
from repo_mcp.cli import main
sys.stdout.write("begun\\n")
sys.stdout.flush()
sys.exit(main())
"""
LONGEST_SECONDS = 2.5 if IS_DEEP else 1.0  # the sooner it comes, the less was done
ROUNDS, LONG_ROUNDS = choose(2, 120), choose(1, 120)


def interrupt(tree: Path, seconds: float, *arguments: str) -> tuple[int, str]:
    """Send Ctrl-C to a command and its processes, as a terminal does. Its exit code and what it said."""
    with subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        cwd=tree,
        env={"PYTHONPATH": str(PROJECT), "HOME": str(tree.parent / "home"), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree of three shards, so that two processes index it."""
    root = make_tree(tmp_path_factory.mktemp("interrupt"))
    made = random.Random(1)
    words = [f"word_{made.randrange(50_000)}" for _ in range(30_000)]
    text = "\n".join(words)
    for number in range(3 * SHARD_BYTES // len(text) + 1):
        (root / f"file_{number:03}.py").write_text(f"number = {number}\n{text}")
    return root


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(LONG_ROUNDS))
def test_an_interrupt_is_one_line_whenever_it_comes(tree: Path, seed: int) -> None:
    seconds = random.uniform(0.005, LONGEST_SECONDS)
    code, said = interrupt(tree, seconds, "index", "--workers", "2", "--force")
    assert (code, said) in ((130, "repo-mcp: interrupted\n"), (0, "")), seconds


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_while_it_starts(tree: Path, seed: int) -> None:
    seconds = random.uniform(0.005, 0.3)
    code, said = interrupt(tree, seconds, "status")
    assert (code, said) in ((130, "repo-mcp: interrupted\n"), (0, ""), (1, "")), seconds
