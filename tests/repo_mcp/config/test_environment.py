"""Where the user's own files are, and what processes that we start find in their environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.config.environment import (
    find_cache_home,
    find_config_home,
    find_state_home,
    safe_child_environment,
    wants_colour,
)


def test_homes_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "o"))
    assert (find_cache_home(), find_state_home()) == (str(tmp_path / "c"), str(tmp_path / "s"))
    assert find_config_home() == str(tmp_path / "o")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert find_cache_home() == str(tmp_path / ".cache")
    assert find_state_home() == str(tmp_path / ".local" / "state")


def test_processes_start_without_the_users_own_code_and_leave_the_environment_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/home/me/code")
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = dict(os.environ)
    with safe_child_environment():
        assert "PYTHONPATH" not in os.environ
        assert (os.environ["PYTHONSAFEPATH"], os.environ["OMP_NUM_THREADS"]) == ("1", "1")
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("given", "is_terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours_follow_the_terminal_and_the_variables(
    given: dict[str, str], is_terminal: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm"} | given).items():
        monkeypatch.setenv(name, value)
    assert wants_colour(is_terminal=is_terminal) is coloured
