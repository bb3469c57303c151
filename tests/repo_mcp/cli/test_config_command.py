"""`repo-mcp config --show`, run as a process: each key, its value and who set it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.config.settings import list_settings
from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    return tree


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "HOME": str(cwd.parent)}
    return run_program(("config", *arguments), cwd=cwd, env=environment)


def show(*arguments: str, cwd: Path) -> Any:
    done = run("--show", "--json", *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_defaults_of_every_key(tree: Path) -> None:
    shown = show(cwd=tree)
    assert shown["warnings"] == []
    settings = shown["settings"]
    keys = [one.key for one in list_settings(load_config(str(tree)))]
    assert list(settings) == keys
    assert settings["repo_root"] == {"value": str(tree), "source": "default"}
    assert settings["data_dir"]["value"] == str(tree / ".repo_mcp")
    assert settings["max_file_bytes"] == {"value": 2_000_000, "source": "default"}
    assert settings["embeddings"] == {"value": {"enabled": False}, "source": "default"}
    assert {one["source"] for one in settings.values()} == {"default"}
    assert list(tree.iterdir()) == []  # nothing was made


def test_the_three_sources_in_their_order(tree: Path) -> None:
    (tree / "repo_mcp.toml").write_text(
        'ignore_globs = ["gen/"]\ndata_dir = "/etc"\n'
        "[limits]\nmax_open_lines = 10\nmax_search_hits = 5\nmax_file_bytes = 99_000_000\n"
        '[extensions]\n".foo" = "python"\n[adapters.python]\nenabled = false\n'
    )
    shown = show(
        "--max-search-hits", "7", "--exclude-glob", "tmp/", "--repo-root", str(tree), cwd=tree.parent
    )
    settings = shown["settings"]
    for key, value, source in [
        ("repo_root", str(tree), "command line"),
        ("max_open_lines", 10, "repo_mcp.toml"),
        ("default_open_lines", 10, "repo_mcp.toml"),
        ("max_search_hits", 7, "command line"),
        ("max_file_bytes", 2_000_000, "default"),
        ("exclude_globs", ["tmp/", "gen/"], "repo_mcp.toml, command line"),
        ("extensions", {"foo": "python"}, "repo_mcp.toml"),
        ("adapters", {"python": {"enabled": False}}, "repo_mcp.toml"),
    ]:
        assert settings[key] == {"value": value, "source": source}, key
    assert [warning.split(" ")[1] for warning in shown["warnings"]] == [
        "data_dir",
        "limits.max_search_hits",
        "limits.max_file_bytes",
    ]


def test_for_people_it_is_one_line_a_key_and_warnings_go_to_stderr(tree: Path) -> None:
    (tree / "repo_mcp.toml").write_text("unheard_of = 1\n[limits]\nmax_open_lines = 10\n")
    done = run("--show", cwd=tree)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == len(list_settings(load_config(str(tree))))
    assert [line.split() for line in lines if line.startswith("max_open_lines")] == [
        ["max_open_lines", "10", "(repo_mcp.toml)"]
    ]
    assert "unheard_of" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--no-such-option"], "--no-such-option"),
        (["--max-file-bytes", "0"], "--max-file-bytes"),
        (["--repo-root", "missing"], "root"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_2(tree: Path, arguments: list[str], word: str) -> None:
    done = run("--show", *arguments, cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert word in done.stderr


def test_help_names_every_option(tree: Path) -> None:
    done = run("--help", cwd=tree)
    assert done.returncode == 0
    for one in list_settings(load_config(str(tree))):
        assert one.option.split("/")[0] in done.stdout


def test_the_named_roots_are_shown_with_where_they_come_from(tree: Path) -> None:
    (tree / "docs").mkdir()
    (tree / "any.toml").write_text('docs_root = "docs"\ncode_root = "."\n')
    settings = show("--toolsets", "retrieval", "--config", "any.toml", cwd=tree)["settings"]
    assert settings["docs_root"] == {"value": str(tree / "docs"), "source": "configuration file"}
    assert settings["code_root"] == {"value": str(tree), "source": "configuration file"}
    done = run("--show", "--toolsets", "retrieval", cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert "CONFIG_MISSING: DOCS_ROOT is not set." in done.stderr
