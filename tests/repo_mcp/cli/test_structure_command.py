"""`repo-mcp index --structure` and what the other commands say of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]


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
