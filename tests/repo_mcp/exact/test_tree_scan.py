"""Exact search before there is an index: every file is read, or the answer says how many were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.exact import search as exact_search
from repo_mcp.exact import tree_scan
from repo_mcp.repository import Repository
from tests.repo_mcp.toolsets.repo.repo_calls import call
from tests.written_trees import write_tree

FOLDERS = 5
ADVICE = "the others may match. Ask for fewer files, or again once the index is built."


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    files = {f"part{one}/code.py": f"needle = {one}\n" for one in range(FOLDERS)}
    root = write_tree(tmp_path / "root", {"aim.py": "needle = None\n", **files})
    with closing(Repository(load_config(str(root), data_dir=str(tmp_path / "data")))) as repository:
        yield repository


def find(repository: Repository, query: str, **arguments: object) -> tuple[list[str], Any]:
    """Return the paths of the hits and the whole answer."""
    answer = call(repository, "repo.search", query=query, mode="literal", **arguments)
    return [hit["path"] for hit in answer["result"]["hits"]], answer


def test_a_tree_that_takes_long_to_list_is_searched_as_far_as_it_is_listed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_scan, "LISTING_SHARE", -1.0)
    said = f"The search stopped after 0 seconds (files searched: 1; more were still to be listed): {ADVICE}"
    paths, answer = find(repository, "needle")
    assert paths == ["aim.py"]
    assert answer["result"]["truncated"] is answer["result"]["total_is_lower_bound"] is True
    least = "At least 1 line matches: not every file that may have more was read."
    assert answer["warnings"] == [said, least]
    paths, answer = find(repository, "needle_of_none")
    assert (paths, answer["result"]["total"], answer["warnings"]) == ([], 0, [said])
    assert answer["result"]["truncated"] is True


def test_the_time_for_listing_is_part_of_the_time_of_the_search(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    walk = repository.tree.walk

    def walk_slowly(*given: Any, **named: Any) -> Any:
        clock[0] += exact_search.TIME_LIMIT_SECONDS + 1
        return walk(*given, **named)

    monkeypatch.setattr(repository.tree, "walk", walk_slowly)
    monkeypatch.setattr(tree_scan, "LISTING_SHARE", 9.0)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    paths, answer = find(repository, "needle_of_none")
    assert paths == []
    said = f"The search stopped after 11 seconds (files searched: 1 of {FOLDERS + 1}): {ADVICE}"
    assert answer["warnings"] == [said]


def test_only_the_folder_that_is_asked_for_is_listed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    scan = type(repository.tree.reader).open_child
    monkeypatch.setattr(
        type(repository.tree.reader),
        "open_child",
        lambda reader, parent, name: listed.append(name) or scan(reader, parent, name),
    )
    paths, answer = find(repository, "needle", file_glob="part3/**")
    assert (paths, {name for name in listed if "part" in name}) == (["part3/code.py"], {"part3"})
    assert answer["warnings"] == []
