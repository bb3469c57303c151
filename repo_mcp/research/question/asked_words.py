"""Tell what a question in words asks for: the words to search for, tests or not, and what is done or not."""

from __future__ import annotations

import re
from enum import StrEnum

from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.question_words import list_words

MAX_WORDS = 32  # of a question
_DEED = re.compile(r"\W*(?:how (?!many|much|often)|what happens)", re.IGNORECASE)
# A program that runs tests is asked about them as others are about their files: "how are the tests ordered".
_ABOUT_TESTS = re.compile(
    r"\btested\b|\btests? (?:of|for|that|which|cover\w*|check\w*|uses?|mocks?|needs?|wants?)\b"
    r"|\b(?:in|by|from|among|between) (?:the |its |our |which |what )?tests?\b(?! \w+s\b)"
    r"|\b(?:unit|integration|regression|existing) tests?\b"
    r"|\b(?:which|what|where(?:'s| is| are)?|do|does|are|is|any) (?:there |any |the )*tests?\b(?! \w+s\b)",
    re.IGNORECASE,
)
_ERROR_KIND = re.compile(
    r"\b(?:what|which) (?!(?:kinds?|types?|of|other|possible|different|specific|such|are|the|all)\b)"
    r"([a-z-]+) (?:errors?|exceptions?|failures?)\b",
    re.IGNORECASE,
)


class PreferredKind(StrEnum):
    """The kind of declaration that an open question prefers."""

    NOTHING = "nothing"
    FAILURES = "failures"  # where errors are raised
    EXTENSION = "extension"  # what is registered, and what others implement


def choose_words(state: ResearchState, text: str) -> list[str]:
    """Return at most MAX_WORDS words of a question that say what it is about."""
    words = list_words(text)
    if len(words) > MAX_WORDS:
        state.limit(
            f"{len(words) - MAX_WORDS} words of the question", f"the first {MAX_WORDS} are looked for"
        )
    return words[:MAX_WORDS]


def includes_tests(state: ResearchState) -> bool:
    """Return True for a question that tests answer, or that is about the tests of the repository."""
    return state.wants_tests or _ABOUT_TESTS.search(state.request.query) is not None


def find_error_kind(query: str) -> str:
    """Return the word for the kind of errors asked for, "timeout" of "which timeout errors"; "" for none."""
    found = _ERROR_KIND.search(query)
    return found[1] if found is not None else ""


def asks_deed(query: str, preferred: PreferredKind) -> bool:
    """Return True for a question about what is done: how, what happens, or which errors."""
    return preferred is PreferredKind.FAILURES or (
        preferred is PreferredKind.NOTHING and _DEED.match(query) is not None
    )
