"""Names that have the action of a question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.code_search.declarations import list_asked, list_named
from repo_mcp.code_search.expansion import PLAIN_WEIGHT, add_plain_words
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.text.question_words import Action, find_described_action
from tests.repo_mcp.research.asking import open_index


def rate(*names: str) -> list[RatedBlock]:
    return [
        cast(RatedBlock, SimpleNamespace(block=SimpleNamespace(span=SimpleNamespace(name=name))))
        for name in names
    ]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("How is a new password checked?", {"check_password", "validate_password", "verifyPassword"}),
        ("How are the passwords of users deleted?", {"remove_password"}),
        ("How is a password chosen?", {"choose_password", "pickPassword"}),
        ("What happens when a password is overwritten?", {"overwritePassword"}),
        ("Which passwords are there?", set[str]()),
    ],
)
def test_a_name_may_have_the_action_in_another_word(query: str, named: set[str]) -> None:
    names = (
        "check_password",
        "validate_password",
        "verifyPassword",
        "remove_password",
        "list_passwords",
        "choose_password",
        "pickPassword",
        "overwritePassword",
    )
    assert list_named(query, rate(*names), extends=False) == named


def test_what_is_to_be_added_is_named_by_its_own_words() -> None:
    found = list_named("How do I register a lookup?", rate("register_lookup", "add_lookup"), extends=True)
    assert found == {"register_lookup"}


def test_the_words_of_an_idiom_are_asked_for_in_names() -> None:
    asked = list_asked("How does the courier come back after the link was lost?")
    assert asked[:3] == ["courier", "link", "lost"]
    assert "reconnect" in asked
    assert len(set(asked)) == len(asked)  # "link was lost" means the same


@pytest.mark.parametrize(
    ("question", "verb", "nouns"),
    [
        ("How is the given path resolved?", "resolv", ("path",)),
        ("How is a lost connection restored?", "restor", ("lost", "connection")),
        ("How is a cached value evicted?", "evict", ("cached", "value")),
        ("How is the connection lost?", "lose", ("connection",)),
    ],
)
def test_a_participle_behind_an_article_is_no_verb(question: str, verb: str, nouns: tuple[str, ...]) -> None:
    assert find_described_action(question) == Action(verb, nouns)


def test_a_query_has_those_words_of_its_idioms_that_files_have() -> None:
    searcher = open_index({"depot.py": "def evict(parcel):\n    return parcel.is_stale\n"})
    query = parse_query("what becomes of a parcel that nobody used for long", 100)
    widened = add_plain_words(query, searcher)
    assert list(widened.weights.items()) == [("stale", PLAIN_WEIGHT), ("evict", PLAIN_WEIGHT)]
    assert widened.terms == [*query.terms, "stale", "evict"]
