"""What `repo-mcp init` writes, read by the clients themselves: each connects by its own file."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.examples.test_retrieval_examples import talk_to_codex
from tests.repo_mcp.cli.program import BIN, make_tree, run

pytestmark = pytest.mark.clients


def get_client(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


def ask(tree: Path, *command: str, **variables: str) -> str:
    """Return what a client says, on either stream."""
    done = subprocess.run(
        command,
        cwd=tree,
        env={"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HOME": str(tree.parent / "home")} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_codex_lists_the_tools(tmp_path: Path) -> None:
    program = get_client("codex")
    tree = make_tree(tmp_path)
    assert run(tree, "init", "codex", "--write", "--name", "tidepool").returncode == 0
    for question in talk_to_codex(program, tmp_path / "home"):
        question("initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
        (server,) = question("mcpServerStatus/list", {})["data"]
        assert (server["name"], len(server["tools"])) == ("tidepool", 8)


def test_gemini_connects_by_the_projects_file(tmp_path: Path) -> None:
    program = get_client("gemini")
    tree = make_tree(tmp_path)
    assert run(tree, "init", "gemini", "--scope", "project", "--write").returncode == 0
    said = ask(tree, program, "mcp", "list", GEMINI_CLI_TRUST_WORKSPACE="true")
    assert "repo" in said
    assert "Connected" in said


def test_claude_connects_by_the_users_file(tmp_path: Path) -> None:
    program = get_client("claude")
    tree = make_tree(tmp_path)
    (tmp_path / "home" / ".claude.json").write_text('{"numStartups": 3}')
    assert run(tree, "init", "claude", "--write").returncode == 0
    said = ask(tree, program, "mcp", "list")
    assert "repo" in said
    assert "Connected" in said


def test_copilot_reads_the_users_file_and_the_projects(tmp_path: Path) -> None:
    program = get_client("copilot")
    tree = make_tree(tmp_path)
    assert run(tree, "init", "copilot", "--write", "--harden").returncode == 0
    said = ask(tree, program, "mcp", "get", "repo", COPILOT_AUTO_UPDATE="false")
    assert "Enabled" in said
    assert "repo-mcp-server --repo-root auto --harden" in said
    assert "Tools: * (all)" in said


@pytest.mark.parametrize("first", ["copilot", "claude"])
def test_claude_takes_a_file_that_it_shares_with_copilot(tmp_path: Path, first: str) -> None:
    program = get_client("claude")
    tree = make_tree(tmp_path)
    assert run(tree, "init", first, "--scope", "project", "--write").returncode == 0
    said = ask(tree, program, "mcp", "list")
    assert "Skipped" not in said
    assert "Pending approval" in said  # which is asked for once, in a terminal
