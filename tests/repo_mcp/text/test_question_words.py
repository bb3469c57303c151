"""Which words of a question say what it is about."""

from __future__ import annotations

import pytest

from repo_mcp.text.question_words import list_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which errors can an unknown command produce?", ["unknown", "command"]),
        ("What exceptions does parsing a date raise?", ["parsing", "date"]),
        ("Which errors can raise?", ["Which", "errors", "can", "raise"]),  # nothing else is left
        ("How does the error page raise its title?", ["error", "page", "raise", "title"]),
    ],
)
def test_words_that_only_ask_for_errors_are_not_what_a_question_is_about(
    question: str, words: list[str]
) -> None:
    assert list_words(question) == words
