"""Queries that are a name, and how well a declaration is named so."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from repo_mcp.ranking.query.asked_name import (
    CASE,
    EXACT,
    NO_MATCH,
    PARTS,
    SPELLING,
    AskedName,
    find_asked_name,
    find_name,
    grade_name,
)
from repo_mcp.text.analysis import PART, get_word_terms
from tests.deep.sizes import examples


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
        (r"\App\Http\Kernel", "Kernel", ("App", "Http")),
        (r"Http\Kernel::boot", "boot", ("Http", "Kernel")),
        ("Größe", "Größe", ()),
        ("AT_EXIT macro definition", "AT_EXIT", ()),
        ("AT_EXIT definition", "AT_EXIT", ()),
        ("shop.RowReader class", "RowReader", ("shop",)),
    ],
)
def test_a_query_that_is_a_name(text: str, name: str, qualifiers: tuple[str, ...]) -> None:
    assert find_asked_name(text) == AskedName(name, qualifiers)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "class loader",
        "get user",
        "a/b",
        "3",
        "how?",
        "x = 1",
        "f(x)",
        "Payment method",
        "AT_EXIT is macro",
    ],
)
def test_a_query_that_is_none(text: str) -> None:
    assert find_asked_name(text) is None


@pytest.mark.parametrize(
    ("text", "name", "qualifiers"),
    [
        ("alts!", "alts!", ()),
        ("async/go-loop", "go-loop", ("async",)),
        ("Row.empty?", "empty?", ("Row",)),
        ("--font-size", "font-size", ()),
        (".card", "card", ()),
        ("$container", "container", ()),
        ("put:at:", "put", ("at",)),
        ("put:at:last", "put", ("at", "last")),
        ("plain_name", "plain_name", ()),
    ],
)
def test_a_name_may_have_signs(text: str, name: str, qualifiers: tuple[str, ...]) -> None:
    assert find_name(text) == AskedName(name, qualifiers)


@pytest.mark.parametrize(
    "text", ["a-b c", "src/plain", "key:value", "-x", "a--b", "!", "List<String>", "a=b"]
)
def test_other_signs_make_no_name(text: str) -> None:
    assert find_name(text) is None


def test_a_sign_at_the_end_of_a_declared_name_is_no_other_name() -> None:
    assert grade_name("empty", "empty?") == grade_name("empty?", "empty?") == EXACT
    assert grade_name("empty!", "empty?") == SPELLING


def test_what_may_be_a_file_is_known() -> None:
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


def grade_clearly(asked: str, name: str) -> int:
    """Return the grade of a name by all of its parts and stems."""
    if name.lower() == asked.lower():
        return EXACT if name == asked else CASE
    terms = [get_word_terms(one) for one in (asked, name)]
    wanted, given = (set(one[1:] or one) for one in terms)
    if not wanted <= given:
        return 0
    parts = [[part.lower() for part in re.findall(PART, one)] for one in (asked, name)]
    return SPELLING if parts[0] == parts[1] else PARTS


PIECES = [
    "get",
    "Getting",
    "User",
    "users",
    "ability",
    "able",
    "_",
    "_",
    "9",
    "x",
    "Ü",
    "ü",
    "HTTP",
    "policies",
    "y",
]
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)


@settings(max_examples=examples(2_000))
@given(NAMES, NAMES)
@example("a" * 300, "b" * 300)
@example("policy", "policies_of_users")
def test_a_name_is_graded_as_by_all_of_its_parts(asked: str, name: str) -> None:
    grade = grade_name(asked, name)
    assert grade == grade_clearly(asked, name)
    root = AskedName(asked).root
    assert not grade or root in name.lower() or not name.isascii()


def test_a_qualifier_may_stand_around() -> None:
    assert AskedName("add", ("Router",)).grade("add", {"func", "Router"}) == (EXACT, 1)


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    asked = find_asked_name(text)
    assert asked is None or asked.name in text


@pytest.mark.parametrize("asked", ["foo_bar", "fooBar", "FooBAR2", "foo", "_foo_bar_", "straße_x"])
@pytest.mark.parametrize(
    "name", ["foo_bar", "foobar", "FOO_BAR", "_foo__bar", "fooBar2", "foo2bar", "Foo", "barfoo", "straße_X"]
)
def test_a_text_with_a_name_that_fits_may_have_it(asked: str, name: str) -> None:
    grade = grade_name(asked, name)
    for least in (PARTS, SPELLING, EXACT):
        if grade >= least:
            assert AskedName(asked).may_be_in(f"int {name}(void);".encode(), least)


def test_a_text_without_the_parts_of_a_name_in_a_row_does_not_have_it() -> None:
    text = b"int foo(int bar); int bar_foo;"
    assert not AskedName("foo_bar").may_be_in(text, SPELLING)
    assert AskedName("foo_bar").may_be_in(text, PARTS)
    assert not AskedName("Foo").may_be_in(text, EXACT)
