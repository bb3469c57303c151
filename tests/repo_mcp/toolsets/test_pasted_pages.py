"""What a page of text shows for a pasted issue: the lines with its words, and those that it cites."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.ranking.snippets import CITED_NEAR, HEAD_LINES, choose_telling
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from tests.written_trees import write_tree

FILLED = [f"    value{at} = {at}" for at in range(60)]
LEDGER = [
    "def post_entries(ledger):",
    *FILLED[:30],
    "    # find_effective_quarter is slow",
    *FILLED[30:40],
    "    quarter = find_effective_quarter(ledger)",
    *FILLED[40:],
]
FILES = {"books/ledger.py": "\n".join(LEDGER) + "\n", "books/other.py": "def reset():\n    return None\n"}
ISSUE = "find_effective_quarter returns None when entries are posted\n\nThe ledger crashes then.\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = write_tree(tmp_path_factory.mktemp("pasted") / "root", FILES)
    with closing(Repository(load_config(str(root)))) as repository:
        repository.refresh()
        yield repository


def show(repository: Repository, query: str) -> list[int]:
    """Return the numbers of the lines that the first hit shows."""
    tool = next(tool for tool in build_toolset(repository).tools if tool.name == "repo.search")
    call: dict[str, Any] = {"query": query, "detail": "text"}
    rows = json.loads(tool.call(call, CallContext(lambda: False)).text)["result"]["hits"][0].split("\n")
    assert rows[0] == "books/ledger.py"
    numbers = (row.partition(":")[0].partition("-")[0] for row in rows[1:] if ":" in row)
    return [int(number) for number in numbers]


def test_an_issue_is_shown_the_line_that_its_title_names(repository: Repository) -> None:
    asked = LEDGER.index("    quarter = find_effective_quarter(ledger)") + 1
    numbers = show(repository, ISSUE)
    assert len(numbers) == HEAD_LINES
    assert numbers[0] == 1
    assert {asked - 1, asked, asked + 1} <= {*numbers}


def test_a_question_of_one_line_is_shown_the_head(repository: Repository) -> None:
    numbers = show(repository, "effective quarter of the ledger entries that are posted")
    assert numbers == [*range(1, HEAD_LINES + 1)]


def test_lines_around_a_line_that_an_issue_links_to_are_shown(repository: Repository) -> None:
    link = "https://example.org/a/b/blob/2500957f3a95/books/ledger.py#L55"
    numbers = show(repository, f"{ISSUE}It is raised at {link}.\n")
    assert {*range(55 - CITED_NEAR, 55 + CITED_NEAR + 1)} <= {*numbers}
    assert LEDGER.index("    quarter = find_effective_quarter(ledger)") + 1 in numbers
    assert len(numbers) == HEAD_LINES


def test_a_line_that_a_file_has_not_is_not_shown(repository: Repository) -> None:
    link = "https://example.org/a/b/blob/2500957f3a95/books/ledger.py#L5500"
    assert show(repository, f"{ISSUE}It is raised at {link}.\n") == show(repository, ISSUE)


def test_words_that_were_shown_count_less() -> None:
    held = [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0]
    assert choose_telling(held, [1.0, 0.8], [False] * len(held), 6) == {0, 1, 2, 9, 10, 11}


def test_blank_lines_are_not_shown_beside_others() -> None:
    held = [0, 0, 0, 0, 1, 0]
    assert choose_telling(held, [1.0], [False, False, False, True, False, False], 4) == {0, 1, 4, 5}
