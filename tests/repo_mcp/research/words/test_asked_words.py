"""Which questions are about the tests of a repository, and which about a program that runs tests."""

from __future__ import annotations

import pytest

from repo_mcp.research.words.asked_words import asks_tests, find_error_kind


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


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("which timeout errors can a request raise?", "timeout"),
        ("what errors can a request raise?", ""),
        ("which kinds of errors can a request raise?", ""),
        ("which other errors can a request raise?", ""),
        ("which possible errors can a request raise?", ""),
        ("what are errors of a request?", ""),
    ],
)
def test_the_kind_of_errors_that_is_asked_for(query: str, kind: str) -> None:
    assert find_error_kind(query) == kind
