"""Terms of lines, held against the plain way; and what the words of a query are worth."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.documentation.query_words import (
    WEIGHTS,
    QueryTermFinder,
    get_terms,
    list_terms,
    rate_rarity,
    weigh_words,
)
from repo_mcp.documentation.text_scores import TextFacts, score_text
from repo_mcp.ranking.page import line_terms
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.text.analysis import LONG_WORD, get_word_terms

FORMS = """
install installs installed installing installation INSTALL reinstall happy happily happiness flies flying fly
hop hopping hoped filing file files relational relate conditional getHTTPResponse http_response HTTPResponse2
workqueue work_queue queues x1 a I 42 4you naïve Übersicht relies y
""".split()  # noqa: SIM905
LONG = "x" * 200
WORDS = st.sampled_from([*FORMS, LONG])
LINES = st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12)


@given(LINES, st.lists(WORDS, max_size=6))
def test_terms_are_found_as_by_splitting_every_line(lines: list[str], query: list[str]) -> None:
    terms = tuple(dict.fromkeys(term for word in query for term in get_terms(word)))
    assert QueryTermFinder(terms).find(lines) == find_line_terms(lines, terms)


@given(st.lists(st.text(max_size=80), max_size=6), st.text(max_size=40))
def test_any_text(lines: list[str], query: str) -> None:
    lines = [line.replace("\n", " ") for line in lines]
    terms = tuple(dict.fromkeys(term for word in re.findall(r"\w+", query) for term in get_terms(word)))
    assert QueryTermFinder(terms).find(lines) == find_line_terms(lines, terms)


def test_a_long_word_stands_for_any() -> None:
    assert QueryTermFinder((LONG_WORD,)).find(["short", f"a {LONG} b"]) == [0, 1]
    assert list_terms(0b101, ("a", "b", "c")) == ["a", "c"]


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_the_words_of_a_query_share_its_worth(query: list[str]) -> None:
    words = weigh_words(parse_query(" ".join(query), 100), lambda term: 1.0 / len(term), WEIGHTS)
    assert abs(sum(word.worth for word in words.words) - 1.0) < 1e-9
    assert words.add_up([1.0] * len(words.words)) < 1.0 + 1e-9


def test_rarity_falls_with_frequency() -> None:
    rates = [rate_rarity(count, 1_000) for count in (0, 1, 10, 100, 999, 1_000, 5_000)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == 1.0
    assert all(0.0 <= rate <= 1.0 for rate in rates)
    assert rate_rarity(0, 0) == 1.0


@given(LINES, WORDS, st.lists(WORDS, max_size=3), st.lists(WORDS, min_size=1, max_size=4))
def test_scores_are_shares(lines: list[str], heading: str, above: list[str], query: list[str]) -> None:
    words = weigh_words(parse_query(" ".join(query), 100), lambda _: 0.5, WEIGHTS)
    counts = {term: 50 for line in lines for word in line.split() for term in get_terms(word)}
    points = score_text(TextFacts(counts, 10, heading, tuple(above), 1.0, 1.0), words)
    assert 0.0 <= points.score <= 1.0
    assert bool(points.score) == bool(points.matched)


def score(query: str, text: str, heading: str = "", above: str = "") -> float:
    words = weigh_words(parse_query(query, 100), lambda _: 0.5, WEIGHTS)
    bits = QueryTermFinder(words.terms).find(text.split("\n"))
    counts = {term: sum(one >> position & 1 for one in bits) for position, term in enumerate(words.terms)}
    return score_text(TextFacts(counts, len(text), heading, (above,)), words).score


def test_what_makes_a_section_better() -> None:
    query = "install the wheel"
    assert score(query, "install wheel") > score(query, "installing wheels") > score(query, "install")
    assert score(query, "install\nwheel\ninstall") > score(query, "install\nwheel")
    assert score(query, "install wheel", "Install") > score(query, "install wheel", "Elsewhere")
    assert score(query, "wheel", "Install") > score(query, "wheel", "How to install many other things here")
    assert score(query, "install wheel") > score(query, "install wheel " + "other " * 500)
    assert score(query, "install it", above="Wheels") > score(query, "install it")
    assert score(query, "nothing of it", above="Install wheels") == 0.0
    assert score("work queue", "a workqueue") > 0.0
    assert score("work_queue", "work_queue") > score("work_queue", "work on the queue") > 0.0
    assert score("registering", "", "register_door") > 0.0


def test_of_words_that_hold_a_root_only_parts_that_begin_with_it_are_stemmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stemmed: list[str] = []

    def note(part: str) -> tuple[str, ...]:
        stemmed.append(part)
        return get_word_terms(part)

    line_terms._prepare_terms.cache_clear()
    monkeypatch.setattr(line_terms, "get_word_terms", note)
    lines = ["start smart_art", "partArt", "artful Cart x2art", "ART"]
    assert find_line_terms(lines, ["art"]) == [1, 1, 1, 1]
    assert sorted(stemmed) == ["ART", "Art", "art", "artful"]
