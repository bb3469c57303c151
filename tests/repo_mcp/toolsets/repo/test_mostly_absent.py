"""Queries most of whose words no file has: little is shown of what matches the rest, and why is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from repo_mcp.bundler.limits import FEW_LINES
from repo_mcp.bundler.limits import FEW_SHOWN as FEW_LINES_SHOWN
from repo_mcp.repository import Repository
from repo_mcp.toolsets.pages import FEW_HITS, FEW_SHOWN
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call
from tests.repo_mcp.toolsets.research.research_roots import Served
from tests.written_trees import write_tree

ABSENT = "quantum flux capacitor teleports unicorn"
QUERY = f"how does the {ABSENT} payload"
TOLD = "No file has: quantum, flux, capacitor, teleports, unicorn."
TREE = {
    f"part{number}.py": f'"""The payload of part {number}."""\n\n\n'
    f"def send_{number}(payload):\n" + "".join(f"    step_{number}({line}, payload)\n" for line in range(40))
    for number in range(8)
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("absent") / "root", TREE) as repository:
        yield repository


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("served")
    with Served(write_tree(place / "root", TREE), place / "data") as served:
        yield served


@pytest.mark.parametrize("more", [{}, {"top_k": 8}, {"detail": "text"}])
def test_a_search_shows_a_few_hits_and_goes_on_when_asked(
    repository: Repository, more: dict[str, object]
) -> None:
    answer = call(repository, "repo.search", query=QUERY, **more)
    assert len(answer["result"]["hits"]) == FEW_HITS
    assert (answer["warnings"][0], answer["warnings"][-1]) == (TOLD, FEW_SHOWN)
    assert answer["result"].get("truncated", False) is ("detail" not in more)
    rest = call(repository, "repo.search", query=QUERY, cursor=answer["result"]["cursor"], **more)
    assert len(rest["result"]["hits"]) == 8 - FEW_HITS
    assert FEW_SHOWN not in rest["warnings"]


def test_a_search_whose_words_are_mostly_there_is_shown_whole(repository: Repository) -> None:
    answer = call(repository, "repo.search", query="payload part send flux capacitor unicorn")
    assert len(answer["result"]["hits"]) == 8


def test_a_bundle_is_short_unless_the_prompt_names_a_file(repository: Repository) -> None:
    answer = call(repository, "repo.build_context_bundle", prompt=QUERY, budget={"max_total_lines": 300})
    assert 0 < answer["result"]["totals"]["lines"] <= FEW_LINES
    assert answer["warnings"] == [TOLD, FEW_LINES_SHOWN]
    named = call(repository, "repo.build_context_bundle", prompt=f"{QUERY} of part1.py")
    assert named["result"]["selections"][0]["path"] == "part1.py"
    assert FEW_LINES_SHOWN not in named["warnings"]


@pytest.mark.parametrize("tool", ["search_code", "search_docs"])
def test_ranked_code_and_documents_are_few(served: Served, tool: str) -> None:
    answer = served.call(tool, query=QUERY)
    assert len(answer["results"]) == FEW_HITS
    assert answer["warnings"][0] == TOLD
    assert FEW_SHOWN in answer["warnings"]
    assert answer["truncated"] is True
    rest = served.call(tool, query=QUERY, cursor=answer["cursor"])
    assert len(rest["results"]) > FEW_HITS


def test_a_query_that_is_widened_is_not_cut(served: Served) -> None:
    answer = served.call("search_code", query=QUERY, semantic_weight=0.5)
    assert len(answer["results"]) > FEW_HITS


def test_research_does_not_call_a_little_evidence_an_answer(served: Served) -> None:
    answer = served.call("code_research", query=f"{QUERY}?")
    assert answer["answer"].startswith("This repository may have no answer")
    assert answer["warnings"][0] == TOLD
    assert 0 < len(answer["findings"]) <= FEW_HITS + 1  # a section beside the declarations
    assert not answer.get("call_chains")
