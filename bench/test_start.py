"""A whole command as people run it: its processor time, in multiples of bare Python's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.rounds import run_rounds

ROUNDS = 10
PASSES = 8  # of both programs in turn; the least processor time counts
TINY_REPO = Path(__file__).resolve().parent.parent / "tests" / "corpus" / "tiny_repo"
COMMANDS = {
    "version": ("--version",),
    "completion": ("completion", "bash"),
    "search": ("search", "checksum"),
    "exact search": ("search", "-F", "checksum"),
}


def run_python(root: Path, *arguments: str) -> float:
    """Run Python in a directory. Returns the seconds of processor time that it took."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=root, stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_command(benchmark: BenchmarkFixture, tmp_path: Path, command: tuple[str, ...]) -> None:
    """On the small tree of the tests, whose index is there."""
    shutil.copytree(TINY_REPO, tmp_path / "tree")
    arguments = ("-m", "repo_mcp", *command)
    run_python(tmp_path / "tree", *arguments)
    run_rounds(benchmark, lambda: run_python(tmp_path / "tree", *arguments), rounds=ROUNDS, warmup_rounds=1)
    times = [
        (run_python(tmp_path, "-c", "pass"), run_python(tmp_path / "tree", *arguments)) for _ in range(PASSES)
    ]
    bare, whole = (min(column) for column in zip(*times, strict=True))
    benchmark.extra_info["processor_ms"] = round(whole * 1e3)
    benchmark.extra_info["times_bare_python"] = round(whole / bare, 1)
