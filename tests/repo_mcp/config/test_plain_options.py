"""A command line that is taken for plain is valid: no error of configuration comes after the handshake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.config.narrowing import narrow_config
from repo_mcp.config.plain_options import PLACES, SWITCHES, read_plain
from repo_mcp.config.server_config import Config
from repo_mcp.serving.server_options import build_parser, read_config
from tests.deep.sizes import examples

WORDS = [
    "--repo-root",
    "--data-dir",
    "--toolsets",
    "--toolsets=repo",
    "--toolsets=research,repo",
    "--workers",
    "--watch=1",
    "--wat",
    "-h",
]
VALUES = [
    "{root}",
    "{root}/file",
    "{root}/none",
    "",
    "repo",
    "repo,graph",
    "graph,graph",
    "repo,retrieval",
    "3",
    "--watch",
    "-x",
    "a\0b",
    "\udc80",
]


def _read(arguments: list[str]) -> Config:
    """Read a command line. Raises what the server would say."""
    return narrow_config(read_config(build_parser("test").parse_args(arguments)))[0]


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_words=st.lists(st.sampled_from([*WORDS, *VALUES, *sorted(SWITCHES)]), max_size=6))
def test_what_is_plain_is_valid(tmp_path: Path, given_words: list[str]) -> None:
    (tmp_path / "file").touch()
    arguments = [word.format(root=tmp_path) for word in ["--repo-root", "{root}", *given_words]]
    plain = read_plain(arguments)
    if plain is not None:
        assert _read(arguments).toolsets == plain.toolsets


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--no-watch"],
        ["--data-dir", "{root}/d"],
        ["--data-dir={root}/d", "--watch", "--toolsets", "repo"],
        ["--toolsets", "research,graph"],
        ["--toolsets=repo,graph,research"],
    ],
    ids=str,
)
def test_ordinary_command_lines_are_plain(tmp_path: Path, options: list[str]) -> None:
    words = ["--repo-root", str(tmp_path), *(option.format(root=tmp_path) for option in options)]
    plain = read_plain(words)
    assert plain is not None
    assert plain.toolsets == _read(words).toolsets


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--repo-root"],
        ["--repo-root", ""],
        ["--repo-root", "{root}/none"],
        ["--repo-root", "{root}", "--toolsets", "retrieval"],
        ["--repo-root", "{root}", "--toolsets", "repo,none"],
        ["--repo-root", "{root}", "--toolsets", "repo,repo"],
        ["--repo-root", "{root}", "--toolsets", "repo, graph"],
        ["--repo-root", "{root}", "--max-search-hits", "0"],
        ["--repo-root", "{root}", "more"],
        ["{root}"],
    ],
    ids=str,
)
def test_what_may_be_wrong_is_left_to_the_parser(tmp_path: Path, arguments: list[str]) -> None:
    assert not read_plain([argument.format(root=tmp_path) for argument in arguments])


def test_a_root_that_is_found_is_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "r" / "src").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "r" / "src")
    words = ["--repo-root", "auto", "--toolsets", "graph"]
    for mark in (None, ".git"):
        if mark is not None:
            (tmp_path / "r" / mark).mkdir()
        plain = read_plain(words)
        assert plain is not None
        assert (plain.finds_root, plain.has_default_limits, plain.toolsets) == (True, True, ("graph",))
        assert (plain.held_root is not None) == (mark is not None)
    config = read_config(build_parser("test").parse_args(words))
    assert (config.finds_root, config.root) == (True, "")
    assert read_plain([*words, "--data-dir", str(tmp_path / "none" / "d")]) is None


def test_every_option_named_here_is_one_of_the_server() -> None:
    assert set(SWITCHES | PLACES) < set(build_parser("test")._option_string_actions)
