"""Free text to queries: what is understood, and that nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.index.query import MAX_TERMS, parse_query


def test_words_become_terms_once() -> None:
    assert parse_query("schedule the work queue, schedule!", 100).terms == [
        "schedule", "schedul", "the", "work", "queue",
    ]  # fmt: skip


def test_everything_on_top() -> None:
    query = parse_query('find "work  queue" +must -not sym:getUser path:Net/IPV4 lang:Python rest', 100)
    assert query.phrases == ["work queue"]
    assert query.required == [("must",)]
    assert query.excluded == [("not",)]
    assert query.symbols == [("getuser", "get", "user")]
    assert query.path_parts == ["net/ipv4"]
    assert query.languages == ["python"]
    assert query.terms == ["find", "work", "queue", "must", "getuser", "get", "user", "rest"]
    assert query.warnings == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('foo(bar) && "unclosed', ["foo", "bar", "unclosed", "unclos"]),
        ("std::vector<int>", ["std", "vector", "int"]),
        ("a -> b --flag -1", ["a", "b", "flag", "1"]),
        ("path: lang: sym:", ["path", "lang", "sym"]),
        ("x.path:y", ["x", "path", "y"]),
        ("🙂 \0 …", []),
    ],
)
def test_what_is_not_syntax_is_text(text: str, terms: list[str]) -> None:
    query = parse_query(text, 100)
    assert query.terms == terms
    assert (query.required, query.excluded, query.symbols, query.phrases) == ([], [], [], [])


def test_a_query_of_many_words_is_cut_with_a_warning() -> None:
    query = parse_query(" ".join(f"word{number}" for number in range(10_000)), 1_000)
    assert len(query.terms) == MAX_TERMS
    assert len(query.warnings) == 2


def test_a_query_without_a_word_says_so() -> None:
    assert parse_query("-- !! ->", 100).warnings == ["The query has no word to rank by."]


@given(st.text(max_size=300))
def test_nothing_raises(text: str) -> None:
    query = parse_query(text, 50)
    assert len(query.terms) <= MAX_TERMS
    assert all(isinstance(term, str) and term for term in query.terms)
