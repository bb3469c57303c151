"""Free text to queries: what is understood, and that nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.query.query import MAX_TERMS, parse_query
from repo_mcp.text.analysis import analyse_text


def test_words_become_terms_once() -> None:
    assert parse_query("schedule the work queue, schedule!", 100).terms == [
        "schedule", "schedul", "work", "queue",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["getHTTPResponse_v2", "naïve_Straße 0xff", "x" * 200, "std::vector<int>"])
def test_terms_are_those_of_the_analyser(text: str) -> None:
    assert parse_query(text, 100).terms == list(dict.fromkeys(analyse_text(text)))


def test_english_function_words_rank_alone_only() -> None:
    assert parse_query("how is it", 100).terms == ["how", "is", "it"]
    assert parse_query("how is the queue", 100).terms == ["queue"]


def test_one_quoted_word_among_others_is_text() -> None:
    assert parse_query('Attribute "app" not found in module "main"', 100).phrases == []
    assert parse_query('"app"', 100).phrases == ["app"]
    assert parse_query('where "not found" is raised', 100).phrases == ["not found"]
    assert parse_query('where "not found" is raised', 100).has_other_words
    assert not parse_query('"not found" "in module"', 100).has_other_words


@pytest.mark.parametrize("text", ['it says "no such file"\nfor -x and path:y', '"no such" ' + "word " * 60])
def test_pasted_text_has_no_operators(text: str) -> None:
    query = parse_query(text, 100)
    assert (query.phrases, query.excluded, query.path_parts) == ([], [], [])
    assert "such" not in query.terms
    assert query.text == text.rstrip()


def test_everything_on_top() -> None:
    query = parse_query('find "work  queue" +must -not sym:getUser path:Net/IPV4 lang:Python rest', 100)
    assert query.phrases == ["work queue"]
    assert query.required == [("must",)]
    assert query.excluded == [("not",)]
    assert query.symbols == [("getuser", "get", "user")]
    assert query.path_parts == ["net/ipv4"]
    assert query.languages == ["python"]
    assert query.terms == ["find", "work", "queue", "getuser", "get", "user", "rest"]
    assert query.warnings == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('foo(bar) && "unclosed', ["foo", "bar", "unclosed", "unclos"]),
        ("std::vector<int>", ["std", "vector", "int"]),
        ("x -> y --flag -1", ["x", "y", "flag", "1"]),
        ("path: lang: sym:", ["path", "lang", "sym"]),
        ("x.path:y", ["x", "path", "y"]),
        ("🙂 \0 …", []),
    ],
)
def test_what_is_not_syntax_is_text(text: str, terms: list[str]) -> None:
    query = parse_query(text, 100)
    assert query.terms == terms
    assert (query.required, query.excluded, query.symbols, query.phrases) == ([], [], [], [])


def test_a_language_that_is_not_known_is_said() -> None:
    query = parse_query("parcel lang:klingon", 100)
    assert query.languages == ["klingon"]
    assert query.warnings == ["lang:klingon: no built-in language is called so."]


def test_a_query_of_many_words_is_cut_with_a_warning() -> None:
    query = parse_query(" ".join(f"word{number}" for number in range(10_000)), 1_000)
    assert len(query.terms) == MAX_TERMS
    assert query.warnings == ["The query has 10000 words; the first 1000 were used."]


def test_of_names_with_too_many_parts_the_first_are_used_with_a_warning() -> None:
    query = parse_query(" ".join(f"get{at}Of{at}" for at in range(40)), 1_000)
    assert len(query.terms) == MAX_TERMS
    assert len(query.warnings) == 1


def test_a_query_without_a_word_says_so() -> None:
    assert parse_query("-- !! ->", 100).warnings == ["The query has no word that can be ranked."]


@given(st.text(max_size=300))
def test_nothing_raises(text: str) -> None:
    query = parse_query(text, 50)
    assert len(query.terms) <= MAX_TERMS
    assert all(isinstance(term, str) and term for term in query.terms)
