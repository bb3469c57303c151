"""The program as people run it: a process with a home of its own, on a copy of the tiny repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
BIN = Path(sys.executable).parent


def make_tree(place: Path) -> Path:
    """Make a root, and a home beside it; return the root's path."""
    shutil.copytree(CORPUS, place / "tree")
    (place / "home").mkdir()
    return place / "tree"


def run(
    tree: Path, *arguments: str, given: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run one command with the tree as current directory."""
    environment = {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PROJECT),
        "PYTHONWARNINGS": "error",
        "HOME": str(tree.parent / "home"),
        "COLUMNS": "100",
    }
    return run_program(arguments, cwd=tree, env=environment | variables, given=given or "")
