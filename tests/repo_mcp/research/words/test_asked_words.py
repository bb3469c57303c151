"""Which questions are about the tests of a repository, and which about a program that runs tests."""

from __future__ import annotations

import pytest

from repo_mcp.research.words.asked_words import asks_tests


@pytest.mark.parametrize(
    "query",
    [
        "which test covers the kiln?",
        "how is the kiln tested?",
        "where are the tests for parcels?",
        "how do the tests mock the clock?",
        "are there tests for parsing?",
        "why do the tests of mail want a greylist?",
    ],
)
def test_questions_about_the_tests_of_a_repository(query: str) -> None:
    assert asks_tests(query)


@pytest.mark.parametrize(
    "query",
    [
        "how is the order of the tests in a class decided?",
        "what happens when a test runs longer than its timeout?",
        "where is the number of parallel test threads configured?",
        "how does the runner collect tests?",
    ],
)
def test_questions_about_what_runs_tests(query: str) -> None:
    assert not asks_tests(query)
