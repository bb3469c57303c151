"""Queries that are a name, and how well a declaration is named so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.intent import CASE, EXACT, NO_MATCH, PARTS, SPELLING, AskedName, find_asked_name


@pytest.mark.parametrize(
    ("text", "name", "qualifiers"),
    [
        ("get_user", "get_user", ()),
        ("  get_user()", "get_user", ()),
        ("`Router`", "Router", ()),
        ("class QuerySet:", "QuerySet", ()),
        ("def run", "run", ()),
        ("QuerySet.filter", "filter", ("QuerySet",)),
        ("std::vector::push_back", "push_back", ("std", "vector")),
        ("Map#get", "get", ("Map",)),
        ("Größe", "Größe", ()),
    ],
)
def test_a_query_that_is_a_name(text: str, name: str, qualifiers: tuple[str, ...]) -> None:
    assert find_asked_name(text) == AskedName(name, qualifiers)


@pytest.mark.parametrize("text", ["", "class loader", "get user", "a/b", "3", "how?", "x = 1", "f(x)"])
def test_a_query_that_is_none(text: str) -> None:
    assert find_asked_name(text) is None


def test_what_may_be_a_file_is_told() -> None:
    assert find_asked_name("Response.json") == AskedName("json", ("Response",), may_be_file=True)


@pytest.mark.parametrize(
    ("qualified", "grade"),
    [
        ("Pool.get_user", (EXACT, 1)),
        ("get_user", (EXACT, 0)),
        ("Pool.GET_USER", (CASE, 1)),
        ("Pool.getUser", (SPELLING, 1)),
        ("get_user_name", (PARTS, 0)),
        ("app::Pool::get_user", (EXACT, 1)),
        ("Pool.user", NO_MATCH),
    ],
)
def test_grades(qualified: str, grade: tuple[int, int]) -> None:
    asked = AskedName("get_user", ("Pool",))
    assert asked.grade(qualified) == grade
    assert (asked.grade(qualified) == asked.best_grade) == (grade == (EXACT, 1))


def test_a_qualifier_may_stand_around() -> None:
    assert AskedName("add", ("Router",)).grade("add", {"func", "Router"}) == (EXACT, 1)


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    asked = find_asked_name(text)
    assert asked is None or asked.name in text
