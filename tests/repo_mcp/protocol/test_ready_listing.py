"""The lists of tools that come with the package are those that the tables make."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from repo_mcp.config.plain_options import REPOSITORY_FILE, TOOLSETS, read_plain
from repo_mcp.config.server_config import load_config
from repo_mcp.protocol import ready_listing
from repo_mcp.protocol.instructions import offers_tasks
from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.ready_listing import read_listing
from repo_mcp.protocol.tool_model import name_tools
from repo_mcp.serving.toolset_loader import load_toolsets
from tests.architecture.listings import render_listings

CHOICES = [choice for count in (1, 2, 3) for choice in permutations(sorted(TOOLSETS), count)]


def test_the_files_are_what_the_tables_make() -> None:
    wanted = render_listings()
    assert len(wanted) == len(TOOLSETS)
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, "run: make docs"
    assert set(Path(ready_listing.PLACE).iterdir()) == set(wanted)


@pytest.mark.parametrize("toolsets", CHOICES, ids=",".join)
def test_a_ready_list_is_the_one_that_is_made(tmp_path: Path, toolsets: tuple[str, ...]) -> None:
    """Whatever toolsets are chosen, in either era, to the last byte."""
    plain = read_plain(["--repo-root", str(tmp_path), "--toolsets", ",".join(toolsets)])
    assert plain is not None
    assert plain.has_default_limits
    ready, made = (Answers("1", "", offers_tasks=offers_tasks(toolsets)) for _ in range(2))
    listing = read_listing(plain.toolsets)
    ready.set_listing(listing)
    config = load_config(str(tmp_path), toolsets=toolsets)
    made.set_tools(name_tools(one.toolset for one in load_toolsets(config, lambda warning: None)).values())
    for modern in (False, True):
        is_same = ready.list_tools(1, modern=modern) == made.list_tools(1, modern=modern)
        assert is_same, "run: make docs"


def test_the_second_era_has_the_same_list_without_execution() -> None:
    answers = Answers("1", "", offers_tasks=True)
    answers.set_listing(read_listing(["repo", "research"]))
    first, second = (
        json.loads(answers.list_tools(1, modern=modern))["result"]["tools"] for modern in (False, True)
    )
    assert [tool["name"] for tool in first if tool.pop("execution", None)] == [
        "index_codebase",
        "code_research",
    ]
    assert first == second


def test_a_repository_that_may_narrow_the_limits_has_none(tmp_path: Path) -> None:
    (tmp_path / REPOSITORY_FILE).write_text("[limits]\nmax_search_hits = 3\n")
    plain = read_plain(["--repo-root", str(tmp_path)])
    assert plain is not None
    assert not plain.has_default_limits


def test_without_the_files_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_listing, "PLACE", str(tmp_path))
    assert read_listing(["repo"]) == ""
