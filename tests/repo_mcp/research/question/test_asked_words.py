"""Which questions are about the tests of a repository, and which about a program that runs tests."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.asked_words import find_error_kind, includes_tests
from tests.repo_mcp.research.asking import Asked, list_found


def _includes_tests(query: str) -> bool:
    source, control = Asked({"kiln.py": "fire = 1\n"}).open_source(), RunControl(lambda: False)
    return includes_tests(ResearchState(source, ResearchRequest(query), control, wants_tests=False))


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
    assert _includes_tests(query)


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
    assert not _includes_tests(query)


@pytest.mark.parametrize("verb", ["covers", "exercises"])
def test_tests_are_looked_for_if_one_must_be_the_answer(verb: str) -> None:
    texts = {
        "shop.py": "def greylist_sender(name):\n    return name\n",
        "tests/test_mail.py": "def test_greylist_retries_are_delayed():\n    assert greylist()\n",
    }
    report = Asked(texts).ask(f"what {verb} the delayed greylist retries?")
    assert list_found(report)[0] == "test_mail.test_greylist_retries_are_delayed"


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
