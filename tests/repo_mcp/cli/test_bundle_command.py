"""`repo-mcp bundle` as people run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
PROMPT = "How does transfer_funds post to an Account?"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CORPUS, tmp_path / "root")
    return tmp_path / "root"


def run(root: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "HOME": str(root.parent)}
    return run_program(("bundle", *arguments), cwd=root, env=environment, given=given)


def test_markdown_on_standard_output_as_in_the_data_directory(root: Path) -> None:
    done = run(root, PROMPT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (root / ".repo_mcp" / "last_bundle.md").read_text()
    assert "def transfer_funds" in done.stdout


def test_a_prompt_from_standard_input_and_a_budget(root: Path) -> None:
    done = run(root, "-", "--max-files", "1", "--max-total-lines", "9", "--no-tests", "--json", given=PROMPT)
    document = json.loads(done.stdout)
    assert document["totals"]["files"] == 1
    assert document["totals"]["lines"] <= 9
    assert document["budget"] == {"max_files": 1, "max_total_lines": 9, "max_tokens": None}
    assert document["warnings"] == []


def test_nothing_found_is_exit_code_1_and_still_a_page(root: Path) -> None:
    done = run(root, "zyzzyva", "--no-last-bundle")
    assert done.returncode == 1
    assert "Nothing was found" in done.stdout
    assert not (root / ".repo_mcp" / "last_bundle.md").exists()


def test_a_wrong_budget_is_a_usage_error_before_anything_is_indexed(root: Path) -> None:
    done = run(root, PROMPT, "--max-files", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "budget.max_files is 0" in done.stderr
    assert not (root / ".repo_mcp").exists()


def test_a_prompt_that_is_not_utf_8_is_read_all_the_same(root: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "HOME": str(root.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "repo_mcp", "bundle", "-", "--no-last-bundle"],
        cwd=root,
        env=environment | {"PYTHONUTF8": "1"},
        input=PROMPT.encode() + b" \xff",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "def transfer_funds" in done.stdout.decode()
