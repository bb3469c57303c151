"""A command imports what it needs and nothing else: imports are most of the time that a command takes.

Modules are listed in a process of its own. `bench/test_start.py` measures the time, beside that of Python.
"""

from __future__ import annotations

import subprocess
import sys
import time
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from index_format.disk_directory import SETTLED_NS
from tests.repo_mcp.cli.program import PROJECT, make_tree

LIST = "import sys; from repo_mcp.cli import main; main(sys.argv[1:]); print('\\0', *sys.modules)"
OF_THE_PARSERS = {
    "repo_mcp.config",
    "repo_mcp.protocol",
    "repo_mcp.record_classes",
    "repo_mcp.storage",
    "repo_mcp.text",
    "repo_mcp.workspace",
}


@cache
def list_modules(tree: Path, *arguments: str) -> frozenset[str]:
    done = subprocess.run(
        [sys.executable, "-c", LIST, *arguments],
        cwd=tree,
        env={"PYTHONPATH": str(PROJECT), "HOME": str(tree.parent / "home"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(done.stdout.rpartition("\0")[2].split())


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_tree(tmp_path_factory.mktemp("start"))
    (root / ".gitignore").write_text("*.py[cod]\n")  # which takes a large library to parse
    time.sleep(SETTLED_NS / 1e9)  # what changed a moment ago is read again
    list_modules(root, "search", "checksum")  # which builds the index
    return root


def list_libraries(modules: frozenset[str]) -> set[str]:
    """Return what was loaded of other packages, as these are installed."""
    loaded = {name.partition(".")[0] for name in modules if not name.startswith("_")}
    return loaded & packages_distributions().keys() - {"repo_mcp"}


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_load_no_engine(tree: Path, argument: str) -> None:
    modules = list_modules(tree, argument)
    own = {name for name in modules if name.startswith(("repo_mcp", "index_format"))}
    assert own == {
        "repo_mcp",
        "repo_mcp.cli",
        "repo_mcp.cli.app",
        "repo_mcp.exit_codes",
        "repo_mcp.process",
        "repo_mcp.process.ending",
    }
    assert list_libraries(modules) == set()
    assert not {"argparse", "dataclasses"} & modules


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_loads_parsers_alone(tree: Path, shell: str) -> None:
    modules = list_modules(tree, "completion", shell)
    others = modules - {"repo_mcp.process.ending", "repo_mcp.serving.server_options"}
    rooms = {".".join(name.split(".")[:2]) for name in others if name.count(".") > 1}
    assert {room for room in rooms if room.startswith("repo_mcp")} <= {*OF_THE_PARSERS, "repo_mcp.cli"}
    assert list_libraries(modules) == set()


UNUSED = {
    "asyncio", "concurrent.futures", "email", "http", "http.client", "ipaddress", "logging", "mcp",
    "multiprocessing", "numpy.ma", "pathlib", "pathspec", "pydantic", "rich", "socket", "ssl", "starlette",
    "subprocess", "tomlkit", "tree_sitter", "typer", "urllib.parse", "urllib.request",
}  # fmt: skip
UNUSED_ROOMS = (
    "exact",
    "graph",
    "research",
    "semantic",
    "toolsets",
    "bundler.document",
    "indexing.segment_builder",
)
LIGHT = {"repo_mcp.exact", "repo_mcp.exact.file_bitmaps", "repo_mcp.exact.page_lines"}


@pytest.mark.parametrize("query", ["checksum", "round_to_cents"])  # a word, and a declared name
def test_a_search_in_an_index_that_is_there_loads_what_searches(tree: Path, query: str) -> None:
    modules = list_modules(tree, "search", query, "--top-k", "1")
    assert UNUSED & modules == set()
    rooms = tuple(f"repo_mcp.{one}" for one in UNUSED_ROOMS)
    assert {name for name in modules if name.startswith(rooms)} <= LIGHT


def test_an_exact_search_loads_no_ranking_of_words(tree: Path) -> None:
    modules = list_modules(tree, "search", "-F", "checksum")
    assert "repo_mcp.exact.search" in modules
    assert not {"repo_mcp.ranking.word_search", "repo_mcp.ranking.files.ranking", "urllib.request"} & modules
