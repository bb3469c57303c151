"""A question that has a rare name among its words is answered, as text, by the places of that name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits.names_in_question import MOST_UNITS, list_mentioned
from repo_mcp.ranking.ranked_answer import BESIDE_LEADS
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

FILES = {
    **{
        f"src/server_{at}.py": f"def configure_server_{at}(option):\n"
        f"    # a server option of the environment\n    return environment(server, option, {at})\n"
        for at in range(8)
    },
    "src/limits.py": "def build(given):\n    limits = {}\n    limits['accept_timeout'] = given or 30\n"
    "    return limits\n",
    "src/begin.py": "def accept_first(server, option):\n"
    + "    step(environment)\n" * 9
    + "    return option\n",
    "src/loop.py": "def run(limits):\n    wait(limits['accept_timeout'])\n"
    "\n\ndef stop_server(environment):\n    close(environment)\n"
    "\n\ndef stop_environment(server):\n    close(server)\n",
}
QUESTION = "add a server option of the environment like accept_timeout: where?"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("mentioned") / "root", FILES) as repository:
        yield repository


def ask(repository: Repository, query: str) -> SearchAnswer:
    request = SearchRequest(query, 10, names_alone=True, ends_early=True, shows_whole=False)
    return repository.search(request)


@pytest.mark.parametrize("query", [QUESTION, "what does limits.accept_timeout do for the server option"])
def test_the_places_of_a_name_come_first_and_little_else_follows(repository: Repository, query: str) -> None:
    answer = ask(repository, query)
    places = {(hit.path, hit.symbol, hit.start_line) for hit in answer.hits[:2]}
    assert places == {("src/limits.py", "build", 3), ("src/loop.py", "run", 2)}
    assert {name for hit in answer.hits[:2] for name, _ in hit.explanation} == {"place of a name"}
    assert (answer.near_hits, answer.usual_hits) == (2, 2 + BESIDE_LEADS)
    further = replace(SearchRequest(query, 20, names_alone=True), shows_whole=False)
    assert repository.search(further).hits[: len(answer.hits)] == answer.hits  # a page goes on


@pytest.mark.parametrize(("asked", "is_named"), [("how", True), ("where", False)])
def test_what_else_the_files_of_a_name_declare_is_named_unless_places_are_asked_for(
    repository: Repository, asked: str, *, is_named: bool
) -> None:
    hits = ask(repository, f"{asked} does accept_timeout stop the server environment").hits
    lead = next(hit for hit in hits if hit.path == "src/loop.py")
    assert (lead.symbol, bool(lead.also)) == ("run", is_named)
    assert {name for name, _ in lead.also} <= {"stop_server", "stop_environment"}
    assert not any(hit.also for hit in hits if "server_" in hit.path)


def test_what_a_long_function_is_asked_about_is_ranked(repository: Repository) -> None:
    answer = ask(repository, "how does accept_first take the option of a server")
    assert answer.hits[0].symbol == "accept_first"
    assert len(answer.hits) > 1 + BESIDE_LEADS


def test_a_page_of_records_shows_what_the_question_is_about(repository: Repository) -> None:
    hits = repository.search(SearchRequest(QUESTION, 10)).hits
    assert hits[0].path.startswith("src/server_")


def test_names_of_several_parts_that_few_units_have_are_mentioned() -> None:
    units = {
        "accept_timeout": 3,
        "acceptcount": 2,
        "accept_count": 1,
        "postgresql": 4,
        "run_all": MOST_UNITS + 1,
        "mayfail": 1,
    }
    mentioned = [
        list_mentioned(text, lambda term: units.get(term, 0))
        for text in (
            "is accept_timeout read by run_all, or no_such_name",
            "does Server.acceptCount count for PostgreSQL",
            "acceptCount, accept_timeout and mayFail belong together",  # too many
            "is the server ready",
            "what does --accept-timeout or run-all-day do, is it accept_timeout",
            "the may-fail-not and accept-timeout options, --accept-count",
        )
    ]
    once = ["accept_timeout"]
    assert mentioned == [once, ["Server.acceptCount"], [], [], once, ["acceptCount"]]
