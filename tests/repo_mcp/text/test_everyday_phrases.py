"""Phrases of everyday English, and what programs call them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo_mcp.text import everyday_phrases
from repo_mcp.text.everyday_phrases import ANY, _stem, find_phrases
from repo_mcp.text.idioms import find_idioms

MOST_WORDS = 4  # of programs for one phrase
ROWS = Path(everyday_phrases.__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
SETS = {row.partition(": ")[0]: row.partition(": ")[2].split() for row in ROWS if re.match(r"@[a-z]+: ", row)}
LINES = ROWS[len(SETS) :]


@pytest.mark.parametrize(
    ("question", "said", "plain"),
    [
        ("How are keys kept out of the log?", "kept out of the log", "redact"),
        ("Who hides the password?", "hides the password", "mask"),
        ("Why is a host left alone for a while?", "left alone for a while", "backoff"),
        ("What if somebody else changed the row?", "somebody else changed", "conflict"),
        ("What becomes of a call made before the line is up?", "before the line is up", "queue"),
        ("Which of several parcels is sent?", "Which of several", "select"),
        ("Many parcels packed into one", "packed into one", "batch"),
        ("What if the link to a depot is lost?", "link to a depot is lost", "reconnect"),
        ("Which requests tell of the same call made twice?", "same call made twice", "duplicate"),
        ("A number for which there are foreign letters", "foreign letters", "unicode"),
        ("Only one depot at a time is locked", "Only one depot at a time", "mutex"),
        ("Where is it said that a key lives elsewhere?", "lives elsewhere", "redirect"),
        ("The primary was swapped for another", "primary was swapped", "failover"),
        ("How is a cross-site request forgery stopped?", "cross-site request forgery", "csrf"),
        ("What is the time to live of an entry?", "time to live", "ttl"),
    ],
)
def test_a_phrase_is_found_in_any_form(question: str, said: str, plain: str) -> None:
    assert plain in dict(find_phrases(question))[said]
    assert plain in find_idioms(question)[said]


@pytest.mark.parametrize(
    "question",
    [
        "Which value is chosen between the two?",
        "The log is kept out of the four old and empty folders",
        "Where is the call made?",
        "What happens when the primary key is changed?",
        "Is this function used elsewhere?",
        "How do I install it without asking for a password?",
        "",
        "?!",
    ],
)
def test_other_words_are_no_phrase(question: str) -> None:
    assert [*find_phrases(question)] == []


def test_any_words_are_at_most_three() -> None:
    assert [*find_phrases("A claim that the three small depots came")] == []
    assert [*find_phrases("A claim that the three depots came")] != []


@pytest.mark.parametrize("line", LINES)
def test_every_phrase_is_found_as_it_is_written(line: str) -> None:
    phrase, _, words = line.partition(": ")
    said = " ".join(SETS.get(one, [one])[0].partition("/")[0] for one in phrase.split() if one != ANY)
    assert (said, tuple(words.split())) in find_phrases(said)


def test_no_form_is_given_whose_stem_another_has() -> None:
    listed = [*SETS.values(), *(one.split("/") for line in LINES for one in line.partition(": ")[0].split())]
    for words in listed:
        assert len(set(map(_stem, words))) == len(words), words


def test_every_line_has_a_phrase_of_its_own_and_few_words_for_it() -> None:
    said = [line.partition(": ")[0] for line in LINES]
    assert len(said) > 50
    assert len(set(said)) == len(said)
    for line in LINES:
        phrase, _, others = line.partition(": ")
        first, *rest = phrase.split()
        words = others.split()
        assert first != ANY, line
        assert not rest or rest[-1] != ANY, line
        assert 1 <= len(words) <= MOST_WORDS, line
        assert len(set(words)) == len(words), line
        assert all(map(str.isalnum, words)), line
        assert line.islower(), line
        assert all(word in SETS for word in phrase.split() if word.startswith("@")), line


def test_every_set_has_words_of_its_own_and_is_used() -> None:
    phrases = " ".join(line.partition(": ")[0] for line in LINES).split()
    for name, words in SETS.items():
        assert name in phrases, name
        assert len(set(words)) == len(words) > 1, name
