"""Terms that hold a run, against a look at every term."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import TermsReader
from index_format import terms as dictionary
from repo_mcp.exact import term_finder
from repo_mcp.exact.required_terms import CLASS_MARKS, MORE, Edge, Run, find_literal_part
from repo_mcp.exact.term_finder import FoundTerms, TermFinder
from tests.index_format.test_terms import encode, open_terms


def open_dictionary(terms: list[str], *, large: bool = False) -> TermsReader:
    """Return a dictionary in memory."""
    rows = [(term, {0: (1, 2)}) for term in sorted({term.encode() for term in terms})]
    with patch.object(dictionary, "LARGE_PAGES", 1 if large else 1 << 40):
        return open_terms(encode(rows))


def may_hold(run: Run, term: str) -> bool:
    if run.may_have_long_s and "\u017f" in term:
        return True
    positions = [position for position in range(len(term)) if term.startswith(run.text, position)]
    sides = ((run.left, lambda at: term[at - 1 : at]), (run.right, lambda at: term[at + len(run.text) :][:1]))
    return any(
        all(
            edge is Edge.OPEN or not side(at) or (edge is Edge.STRANGE and not side(at).isascii())
            for edge, side in sides
        )
        for at in positions
    )


def may_hold_shape(run: Run, term: str) -> bool:
    """Judge by Python's `re` and the characters beside the match, apart from how terms are searched."""
    if run.may_have_long_s and "\u017f" in term:
        return True
    body = run.shape.translate({ord(mark): part for mark, part in zip(CLASS_MARKS, CLASSES, strict=True)})
    sides = {Edge.OPEN: ("", ""), Edge.CLOSED: ("^", "$"), Edge.STRANGE: (r"(?<![!-~])", r"(?![!-~])")}
    expression = sides[run.left][0] + body.replace(MORE, "+") + sides[run.right][1]
    return re.search(expression, term) is not None


def list_terms(finder: TermFinder, run: Run, limit: int, terms: list[str]) -> list[bytes] | None:
    found = finder.find(run, limit)
    if found is None:
        return None
    assert len(found.terms) == len(set(found.terms))
    if found.span is None:
        return found.terms
    first, end = found.span
    encoded = sorted({term.encode() for term in terms})
    return found.terms + [term for term in encoded if first <= term and (end is None or term < end)]


CLASSES = ("[0-9]", "[0-9a-f]", "[a-z]", "[0-9a-z_]")
words = st.text("abs_0é検\u017f", min_size=1, max_size=6)
runs = st.builds(
    Run, st.text("abs_é", min_size=1, max_size=3), st.sampled_from(Edge), st.sampled_from(Edge), st.booleans()
)


shapes = st.lists(
    st.sampled_from(["a", "ab", "b0", "é", "sab_", *CLASS_MARKS, *(mark + MORE for mark in CLASS_MARKS)]),
    min_size=1,
    max_size=5,
).map("".join)
shaped_runs = st.builds(
    lambda shape, left, right, long_s: Run(find_literal_part(shape), left, right, long_s, shape),
    shapes,
    st.sampled_from(Edge),
    st.sampled_from(Edge),
    st.booleans(),
)


@pytest.mark.parametrize("large", [True, False])
@given(st.lists(words, min_size=1, max_size=40), shaped_runs)
def test_no_term_that_may_hold_the_shape_is_missed(large: bool, terms: list[str], run: Run) -> None:
    finder = TermFinder(open_dictionary(terms, large=large))
    found = list_terms(finder, run, 1_000, terms)
    assert found is not None
    assert {term for term in terms if may_hold_shape(run, term)} <= {term.decode() for term in found}


def test_shapes_are_found_without_more() -> None:
    terms = ["foo", "foo1", "foo12", "foo_1", "xfoo1", "foobar"]
    finder = TermFinder(open_dictionary(terms))

    def find(shape: str, left: Edge, right: Edge) -> list[bytes] | None:
        run = Run("foo", left, right, shape=shape.replace("D", CLASS_MARKS[0]).replace("+", MORE))
        return list_terms(finder, run, 10, terms)

    assert find("fooD", Edge.OPEN, Edge.OPEN) == [b"foo1", b"foo12", b"xfoo1"]
    assert find("fooD", Edge.CLOSED, Edge.CLOSED) == [b"foo1"]
    assert find("fooD+", Edge.CLOSED, Edge.CLOSED) == [b"foo1", b"foo12"]
    assert find("foo_D", Edge.STRANGE, Edge.STRANGE) == [b"foo_1"]


def test_a_search_for_a_shape_that_takes_too_long_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_finder, "SHAPE_SECONDS", -1.0)
    finder = TermFinder(open_dictionary(["foo1"]))
    assert finder.find(Run("foo", Edge.OPEN, Edge.OPEN, shape="foo" + CLASS_MARKS[0]), 10) is None


@pytest.mark.parametrize("edge", [Edge.OPEN, Edge.CLOSED, Edge.STRANGE])
def test_the_kelvin_sign_is_no_letter_to_a_word_boundary(edge: Edge) -> None:
    terms = ["foo", "kfoo", "fook", "xfoo", "foox", "kfook"]
    finder = TermFinder(open_dictionary(terms))
    wanted = {
        Edge.OPEN: {b"foo", b"fook", b"foox", b"kfoo", b"kfook"},
        Edge.CLOSED: {b"foo", b"kfoo"},
        Edge.STRANGE: {b"foo", b"kfoo", b"fook", b"kfook"},
    }
    assert set(list_terms(finder, Run("foo", Edge.STRANGE, edge), 10, terms) or ()) == wanted[edge]


@pytest.mark.parametrize("large", [True, False])
@given(st.lists(words, min_size=1, max_size=40), runs)
def test_no_term_that_may_hold_the_run_is_missed(large: bool, terms: list[str], run: Run) -> None:
    finder = TermFinder(open_dictionary(terms, large=large))
    found = list_terms(finder, run, 1_000, terms)
    assert found is not None
    assert {term for term in terms if may_hold(run, term)} <= {term.decode() for term in found}


def test_closed_runs_are_found_without_more() -> None:
    terms = ["foo", "foobar", "barfoo", "xfoox"]
    finder = TermFinder(open_dictionary(terms))

    def find(left: Edge, right: Edge) -> list[bytes] | None:
        return list_terms(finder, Run("foo", left, right), 10, terms)

    assert find(Edge.CLOSED, Edge.CLOSED) == [b"foo"]
    assert find(Edge.CLOSED, Edge.OPEN) == [b"foo", b"foobar"]
    assert find(Edge.OPEN, Edge.CLOSED) == [b"barfoo", b"foo"]
    assert find(Edge.OPEN, Edge.OPEN) == [b"barfoo", b"foo", b"foobar", b"xfoox"]


def test_more_than_the_limit_is_no_answer() -> None:
    terms = [f"foo{n}" for n in range(20)]
    finder = TermFinder(open_dictionary(terms))
    assert finder.find(Run("foo", Edge.OPEN, Edge.OPEN), 19) is None
    assert len(list_terms(finder, Run("foo", Edge.OPEN, Edge.OPEN), 20, terms) or ()) == 20
    assert len(list_terms(finder, Run("foo", Edge.CLOSED, Edge.OPEN), 20, terms) or ()) == 20
    many = TermFinder(open_dictionary([f"foo{n:04d}" for n in range(4_000)]))
    assert many.find(Run("foo", Edge.CLOSED, Edge.OPEN), 20) is None
    assert many.find(Run("foo", Edge.CLOSED, Edge.OPEN), 4_000) is not None


def test_of_a_large_dictionary_few_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = open_dictionary([f"{n:06d}word" for n in range(20_000)] + ["needle_in_it", "größe"], large=True)
    assert pages.pages > 100
    read: list[int] = []
    read_texts = pages.read_texts
    monkeypatch.setattr(
        pages, "read_texts", lambda start, stop: read.extend(range(start, stop)) or read_texts(start, stop)
    )
    finder = TermFinder(pages)
    assert finder.find(Run("edle_in", Edge.OPEN, Edge.OPEN), 10) == FoundTerms([b"needle_in_it"])
    assert finder.find(Run("_it", Edge.OPEN, Edge.CLOSED), 10) == FoundTerms([b"needle_in_it"])
    assert finder.find(Run("gr", Edge.STRANGE, Edge.STRANGE), 10) == FoundTerms([b"gr", "größe".encode()])
    assert len(read) < 10
