"""A cluster is named on the command line of `index`, and nowhere else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_USAGE
from repo_mcp.indexing.cluster.cluster import choose_cluster
from tests.repo_mcp.cli.program import make_tree, run

ADDRESS = "tcp://127.0.0.1:1"


@pytest.fixture(name="tree")
def copy_tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("distributed") is not None, reason="Dask is installed")
def test_without_dask_the_command_says_what_to_install(tree: Path) -> None:
    done = run(tree, "index", "--scheduler", ADDRESS)
    assert done.returncode == EXIT_USAGE
    assert "Install repo-mcp[distributed]" in done.stderr
    assert not (tree / ".repo_mcp").exists()


def test_the_root_of_workers_needs_workers(tree: Path) -> None:
    done = run(tree, "index", "--scheduler-root", "/elsewhere")
    assert done.returncode == EXIT_USAGE
    assert "--scheduler-root needs --scheduler" in done.stderr


@pytest.mark.parametrize("address", ["", "  "])
def test_an_empty_address_does_not_start_a_cluster(address: str) -> None:
    """As Dask would."""
    with pytest.raises(RepoError) as caught:
        choose_cluster(address, None)
    assert caught.value.code is ErrorCode.CONFIG_INVALID


@pytest.mark.parametrize("command", ["serve", "search", "compact"])
def test_no_other_command_and_no_server_takes_one(tree: Path, command: str) -> None:
    done = run(tree, command, "--scheduler", ADDRESS)
    assert done.returncode == EXIT_USAGE
    assert "--scheduler" in done.stderr
