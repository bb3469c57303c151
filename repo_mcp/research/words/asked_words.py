"""Tell what a question in words asks for: the words to search for, tests or not, and what is done or not."""

from __future__ import annotations

import re

from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.rated_seeds import PreferredKind
from repo_mcp.text.question_words import list_words

MAX_WORDS = 32  # of a question
_DEED = re.compile(r"\W*(?:how (?!many|much|often)|what happens)", re.IGNORECASE)
_ABOUT_TESTS = frozenset({"test", "tests", "tested", "testing"})
# A question to a program that runs tests, which does not ask for tests: "what happens when a test fails".
_ONE_TEST = re.compile(
    r"\b(?:an?|each|every|another|one|failing|slow|single) test\b(?! (?:for|of)\b)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def choose_words(state: ResearchState, text: str) -> list[str]:
    """Return at most MAX_WORDS words of a question that say what it is about."""
    words = list_words(text)
    if len(words) > MAX_WORDS:
        state.limit(
            f"{len(words) - MAX_WORDS} words of the question", f"the first {MAX_WORDS} are looked for"
        )
    return words[:MAX_WORDS]


def asks_tests(query: str) -> bool:
    """Return True for a question about tests."""
    words = _WORD.findall(_ONE_TEST.sub(" ", query))
    return not _ABOUT_TESTS.isdisjoint(word.lower() for word in words)


def asks_deed(query: str, preferred: PreferredKind) -> bool:
    """Return True for a question about what is done: how, what happens, or which errors."""
    return preferred is PreferredKind.FAILURES or (
        preferred is PreferredKind.NOTHING and _DEED.match(query) is not None
    )
