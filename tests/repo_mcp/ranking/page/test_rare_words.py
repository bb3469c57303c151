"""Words that no file has are named, and a best hit that has only common words; nothing is said of others."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from repo_mcp.bundler.records import BundleRequest
from repo_mcp.code_search.records import CodeRequest
from repo_mcp.config.server_config import load_config
from repo_mcp.model import SearchRequest
from repo_mcp.ranking.page.rare_words import (
    QueryWord,
    describe_absent,
    describe_best,
    lacks_most,
    look_up_words,
)
from repo_mcp.repository import Repository

TASKS = Path(__file__).parents[4] / "bench/quality/packages.jsonl"
COUNTS = {
    "parser": 3,
    "pars": 40,
    "token": 90,
    "read_all": 2,
    "read": 60,
    "all": 80,
    "readall": 0,
    "child": 1,
}


def count(term: str) -> int:
    return COUNTS.get(term, 0)


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        ("frobnicator", ["frobnicator"]),
        ("how does the frobnicator choose among tokens", ["frobnicator"]),
        ("parsers", []),  # their stem is there
        ("children unread", ["unread"]),  # a child is there
        ("readAll", []),  # as read_all
        ("readToken", ["readToken"]),  # its parts are there, but nobody has this name
        ("Frobnicator FROBNICATOR x 12345 0xff", ["Frobnicator"]),
        ("", []),
        (f"{'many words ' * 25} frobnicator readToken", ["readToken"]),  # of pasted text names alone
        ("some story\nof frobnicator in read_some", ["read_some"]),
    ],
)
def test_the_words_that_no_file_has(query: str, absent: list[str]) -> None:
    assert [word.text for word in look_up_words(query, count) if not word.units] == absent


@pytest.mark.parametrize(
    ("query", "lacks"),
    [
        ("flux capacitor unicorn parser token", True),
        ("flux capacitor unicorn", True),
        ("flux capacitor unicorn parser token read", False),  # as many are there
        ("flux capacitor", False),  # two words may be other words for what is there
        ("passport bearer coins", False),  # programs call each of them a token
        ("some story\nof readFlux readCapacitor readUnicorn", False),  # of whose prose nothing was looked up
    ],
)
def test_a_query_lacks_most_when_over_half_of_its_words_are_absent(query: str, lacks: bool) -> None:
    assert lacks_most(query, look_up_words(query, count)) is lacks


def test_the_absent_words_are_named_up_to_five() -> None:
    words = look_up_words("aaa bbb ccc ddd eee fff ggg token", count)
    assert describe_absent(words[:1]) == ["No file has: aaa."]
    assert describe_absent(words) == ["No file has: aaa, bbb, ccc, ddd, eee and 2 more."]
    assert describe_absent(words[:2], is_whole=False) == ["No indexed file has: aaa, bbb."]
    assert describe_absent(words[-1:]) == []


WHERE = "; a search for zebra alone finds where it is."


@pytest.mark.parametrize(
    ("best", "text", "expected"),
    [
        (["token"], "token", [f"The best hit has only common words of the query: token{WHERE}"]),
        ([], "", [f"The best hit has none of the rare words of the query{WHERE}"]),
        (["token"], "token Zebra", []),  # its file has it elsewhere
        (["token", "zebra"], "", []),
        (["token", "read"], "", []),  # over a third of the words
    ],
)
def test_a_best_hit_with_common_words_alone(best: list[str], text: str, expected: list[str]) -> None:
    words = [
        QueryWord("token", ("token",), 90),
        QueryWord("read", ("read",), 60),
        QueryWord("zebra", ("zebra",), 1),
        QueryWord("kafka", ("kafka",), 0),
    ]
    assert describe_best(words, 100, best, lambda: text) == expected
    (said,) = describe_best([*words[:2], words[3]], 100, [], lambda: "")
    assert said.endswith("query.")  # the rare word is in no file
    assert describe_best(words[:2], 100, [], lambda: "") == []  # no word of these is rare


Open = Callable[[str], Repository]


@pytest.fixture
def open_package(tmp_path: Path) -> Open:
    def open_it(name: str) -> Repository:
        spec = find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        root = spec.submodule_search_locations[0]
        repository = Repository(load_config(root, data_dir=str(tmp_path / "data"), workers=1))
        repository.refresh()
        return repository

    return open_it


def tell(repository: Repository, query: str) -> list[str]:
    """Return the warnings about words, which come before all others."""
    warnings = repository.search(SearchRequest(query, 8)).warnings
    reported = [one for one in warnings if one.startswith(("No file has", "The best hit has"))]
    assert list(warnings[: len(reported)]) == reported
    return reported


def test_ordinary_questions_over_a_real_package_raise_no_alarm(open_package: Open) -> None:
    repository = open_package("_pytest")
    rows = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    queries = [row["query"] for row in rows if row["repo"] == "_pytest"]
    assert len(queries) > 20
    reported = {query: tell(repository, query) for query in queries}
    # "upload failed test output to a paste service": it is there, and nobody says upload.
    assert len([query for query, said in reported.items() if said]) <= 1, reported
    repository.close()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("how does the kafka consumer rebalance partitions", "No file has: kafka, rebalance."),
        ("where is the bluetooth pairing handshake implemented", "No file has: bluetooth, handshake."),
        ("websocket reconnect backoff", "No file has: websocket, reconnect, backoff."),
        ("GPU shader compilation cache", "No file has: GPU, shader."),
    ],
)
def test_a_question_about_what_is_not_there_is_answered_so_first(
    open_package: Open, query: str, first: str
) -> None:
    repository = open_package("_pytest")
    assert tell(repository, query)[0] == first
    repository.close()


def test_a_bundle_and_a_search_in_words_say_it_first_too(open_package: Open) -> None:
    repository = open_package("_pytest")
    bundle = repository.engines.bundles.build(BundleRequest("Let the kafka consumer collect test files"))
    assert bundle.warnings[0] == "No file has: kafka."
    found = repository.engines.code_search.search(CodeRequest("kafka consumer of collected tests", 5))
    assert found.warnings[0] == "No file has: kafka."
    repository.close()
