"""Terms that hold a run, against a look at every term."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import TermsReader
from repo_mcp.exact import term_finder
from repo_mcp.exact.required_terms import CLASS_MARKS, MORE, Edge, Run, find_literal_part
from repo_mcp.exact.term_finder import FoundTerms, TermFinder
from tests.no_threads import no_threads


class Pages(TermsReader):
    """A dictionary in memory, of pages of two terms."""

    def __init__(self, terms: list[str]) -> None:
        encoded = sorted({term.encode() for term in terms})
        self._pages = [encoded[at : at + 2] for at in range(0, len(encoded), 2)]
        self.pages = len(self._pages)
        self.reads = 0

    def read_texts(self, start: int, stop: int):  # type: ignore[no-untyped-def]
        import numpy as np

        self.reads += 1
        pages = [b"".join(term + b"\n" for term in page) for page in self._pages[start:stop]]
        return b"".join(pages), np.cumsum([0, *map(len, pages)])[:-1]

    def find_pages(self, first: bytes, end: bytes | None) -> tuple[int, int]:
        tops = [page[0] for page in self._pages]
        start = max(0, sum(top <= first for top in tops) - 1)
        return start, self.pages if end is None else sum(top < end for top in tops)


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


@pytest.mark.parametrize("signed", [True, False])
@given(st.lists(words, min_size=1, max_size=40), shaped_runs)
def test_no_term_that_may_hold_the_shape_is_missed(signed: bool, terms: list[str], run: Run) -> None:
    finder = TermFinder(Pages(terms))
    if signed:
        finder.sign()
    found = list_terms(finder, run, 1_000, terms)
    assert found is not None
    assert {term for term in terms if may_hold_shape(run, term)} <= {term.decode() for term in found}


def test_shapes_are_found_without_more() -> None:
    terms = ["foo", "foo1", "foo12", "foo_1", "xfoo1", "foobar"]
    finder = TermFinder(Pages(terms))

    def find(shape: str, left: Edge, right: Edge) -> list[bytes] | None:
        run = Run("foo", left, right, shape=shape.replace("D", CLASS_MARKS[0]).replace("+", MORE))
        return list_terms(finder, run, 10, terms)

    assert find("fooD", Edge.OPEN, Edge.OPEN) == [b"foo1", b"foo12", b"xfoo1"]
    assert find("fooD", Edge.CLOSED, Edge.CLOSED) == [b"foo1"]
    assert find("fooD+", Edge.CLOSED, Edge.CLOSED) == [b"foo1", b"foo12"]
    assert find("foo_D", Edge.STRANGE, Edge.STRANGE) == [b"foo_1"]


def test_a_search_for_a_shape_that_takes_too_long_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_finder, "SHAPE_SECONDS", -1.0)
    finder = TermFinder(Pages(["foo1"]))
    assert finder.find(Run("foo", Edge.OPEN, Edge.OPEN, shape="foo" + CLASS_MARKS[0]), 10) is None


@pytest.mark.parametrize("edge", [Edge.OPEN, Edge.CLOSED, Edge.STRANGE])
def test_the_kelvin_sign_is_no_letter_to_a_word_boundary(edge: Edge) -> None:
    terms = ["foo", "kfoo", "fook", "xfoo", "foox", "kfook"]
    finder = TermFinder(Pages(terms))
    wanted = {
        Edge.OPEN: {b"foo", b"fook", b"foox", b"kfoo", b"kfook"},
        Edge.CLOSED: {b"foo", b"kfoo"},
        Edge.STRANGE: {b"foo", b"kfoo", b"fook", b"kfook"},
    }
    assert set(list_terms(finder, Run("foo", Edge.STRANGE, edge), 10, terms) or ()) == wanted[edge]


@pytest.mark.parametrize("signed", [True, False])
@given(st.lists(words, min_size=1, max_size=40), runs)
def test_no_term_that_may_hold_the_run_is_missed(signed: bool, terms: list[str], run: Run) -> None:
    finder = TermFinder(Pages(terms))
    if signed:
        finder.sign()
    found = list_terms(finder, run, 1_000, terms)
    assert found is not None
    assert {term for term in terms if may_hold(run, term)} <= {term.decode() for term in found}


def test_closed_runs_are_found_without_more() -> None:
    terms = ["foo", "foobar", "barfoo", "xfoox"]
    finder = TermFinder(Pages(terms))

    def find(left: Edge, right: Edge) -> list[bytes] | None:
        return list_terms(finder, Run("foo", left, right), 10, terms)

    assert find(Edge.CLOSED, Edge.CLOSED) == [b"foo"]
    assert find(Edge.CLOSED, Edge.OPEN) == [b"foo", b"foobar"]
    assert find(Edge.OPEN, Edge.CLOSED) == [b"barfoo", b"foo"]
    assert find(Edge.OPEN, Edge.OPEN) == [b"barfoo", b"foo", b"foobar", b"xfoox"]


def test_more_than_the_limit_is_no_answer() -> None:
    terms = [f"foo{n}" for n in range(20)]
    finder = TermFinder(Pages(terms))
    assert finder.find(Run("foo", Edge.OPEN, Edge.OPEN), 19) is None
    assert len(list_terms(finder, Run("foo", Edge.OPEN, Edge.OPEN), 20, terms) or ()) == 20
    assert len(list_terms(finder, Run("foo", Edge.CLOSED, Edge.OPEN), 20, terms) or ()) == 20
    many = TermFinder(Pages([f"foo{n}" for n in range(200)]))
    assert many.find(Run("foo", Edge.CLOSED, Edge.OPEN), 20) is None
    assert many.find(Run("foo", Edge.CLOSED, Edge.OPEN), 2_000) is not None


def test_signatures_leave_most_pages_alone() -> None:
    pages = Pages([f"{n:06d}word" for n in range(4_000)] + ["needle_in_it"])
    finder = TermFinder(pages)
    finder.sign()
    pages.reads = 0
    assert finder.find(Run("edle_in", Edge.OPEN, Edge.OPEN), 10) == FoundTerms([b"needle_in_it"])
    assert pages.reads < 20


def test_a_large_dictionary_is_signed_behind_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_finder, "SIGNED_PAGES", 10)
    pages = Pages([f"{n:06d}word" for n in range(4_000)] + ["needle_in_it"])
    finder = TermFinder(pages)
    run = Run("edle_in", Edge.OPEN, Edge.OPEN)
    with no_threads():  # the system has none: the next search tries again
        assert finder.find(run, 10) == FoundTerms([b"needle_in_it"])
    assert finder.find(run, 10) == FoundTerms([b"needle_in_it"])
    deadline = time.monotonic() + 120
    while finder._signatures is None and time.monotonic() < deadline:
        time.sleep(0.01)
    pages.reads = 0
    assert finder.find(run, 10) == FoundTerms([b"needle_in_it"])
    assert pages.reads < 20
