"""`repo-mcp index --structure` and what the other commands say of it."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory
from tests.forked import run_program, run_python

PROJECT = Path(__file__).resolve().parents[3]
# The program, which waits for another process that does nothing for half a second instead of five.
IMPATIENT = """
from repo_mcp.cli import main
from repo_mcp.repository import whole_index
whole_index.OTHER_SECONDS = 0.5
raise SystemExit(main())
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("nothing that has a structure\n")
    return root


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = run_program(arguments, cwd=cwd, env=os.environ)
    assert done.returncode == 0, done.stderr
    return done


def run_json(*arguments: str, cwd: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", cwd=cwd).stdout)
    return found


def test_structure_is_built_where_it_is_asked_for_and_then_kept(tree: Path) -> None:
    assert run_json("index", cwd=tree)["structure"]["state"] == "missing"
    assert not list(tree.glob(".repo_mcp/structure-*"))
    assert "index --structure" in run("index", cwd=tree).stdout
    assert run_json("compact", cwd=tree)["structure"] is None
    built = run_json("index", "--structure", cwd=tree)["structure"]
    assert (built["state"], built["files_done"], built["files_total"]) == ("ready", 0, 0)
    assert list(tree.glob(".repo_mcp/structure-*/manifest"))
    assert "0 of 0 files, 0 symbols" in run("status", cwd=tree).stdout
    assert run_json("status", cwd=tree)["structure"]["state"] == "ready"
    assert run_json("compact", "--full", cwd=tree)["structure"]["segments_after"] == 0


def test_one_that_is_there_is_renewed_unless_it_is_not_wanted(tree: Path) -> None:
    run_json("index", "--structure", cwd=tree)
    (manifest,) = tree.glob(".repo_mcp/structure-*/manifest")
    manifest.write_bytes(b"damaged")
    assert run_json("index", "--no-structure", cwd=tree)["structure"]["state"] != "ready"
    assert manifest.read_bytes() == b"damaged"
    assert run_json("index", "--structure", "--force", cwd=tree)["structure"]["state"] == "ready"


def test_a_process_that_parses_is_waited_for_and_if_it_does_not_end_the_command_fails(tree: Path) -> None:
    run("index", "--structure", cwd=tree)
    (place,) = tree.glob(".repo_mcp/structure-*")
    lock = DiskDirectory(str(place)).lock("lock")
    try:
        done = run_python(["-c", IMPATIENT, "index", "--structure"], cwd=tree, env=os.environ)
        assert done.returncode == 3
        assert "Another process" in done.stderr
        release = threading.Timer(0.3, lock.release)
        release.start()
        waited = run("index", "--structure", cwd=tree)
        release.join()
        assert "This command waits for it." in waited.stderr
    finally:
        lock.release()
