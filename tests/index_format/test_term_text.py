"""Terms as one text against lists of bytes objects: order, ranks, gathering, cutting."""

from __future__ import annotations

import random
from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import TermText, build_term_text, gather_spans, rank_spans, term_text
from index_format.term_text import TermSearch, are_ascending, join_term_texts, parse_term_text, rank_terms
from tests.deep.sizes import examples
from tests.growth import assert_linear
from tests.index_format.plain_lists import build_column

ANY = st.binary(max_size=9).filter(lambda term: b"\n" not in term)
# Lengths around multiples of seven, with long common beginnings and zero bytes, which padding looks like.
LONG = st.tuples(
    st.sampled_from([0, 1, 5, 6, 7, 8, 13, 14, 15, 20, 21, 22, 27, 28, 29]),
    st.sampled_from([b"\x00", b"a", b"\xff"]),
    st.one_of(st.sampled_from([b"", b"\x00", b"\x00\x00", b"a", b"b", b"\xff"]), ANY),
).map(lambda parts: parts[1] * parts[0] + parts[2])
TERMS = st.one_of(ANY, LONG, st.just(b""))
LISTS = st.lists(TERMS, max_size=40)


def as_list(terms: TermText) -> list[bytes]:
    """Return the terms by their ends, which must say what the text says."""
    found = [terms.text[start : end - 1] for start, end in zip(terms.starts, terms.ends, strict=True)]
    assert found == terms.split()
    assert len(terms) == len(found)
    return found


@given(LISTS)
def test_build_parse_and_split(terms: list[bytes]) -> None:
    built = build_term_text(terms)
    assert built.text == b"".join(term + b"\n" for term in terms)
    assert as_list(built) == terms
    assert as_list(parse_term_text(built.text)) == terms


def test_what_has_no_line_feed_is_no_term() -> None:
    assert as_list(parse_term_text(b"a\n\nb")) == [b"a", b""]
    assert as_list(parse_term_text(b"b")) == []
    assert as_list(parse_term_text(b"")) == []


@settings(max_examples=examples(400))
@given(LISTS)
def test_ranks_are_those_of_sorted(terms: list[bytes]) -> None:
    distinct = sorted(set(terms))
    ranks, positions = rank_terms(build_term_text(terms))
    assert ranks.tolist() == [distinct.index(term) for term in terms]
    assert [terms[position] for position in positions] == distinct


@settings(max_examples=examples(200))
@given(st.binary(max_size=60), st.data())
def test_ranks_of_spans_that_lie_anyhow(text: bytes, data: st.DataObject) -> None:
    """Spans may overlap, be the same, be empty, hold line feeds and reach to the end of the text."""
    edges = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    spans = data.draw(st.lists(edges, max_size=12))
    starts = build_column([start for start, _ in spans])
    ranks, positions = rank_spans(text, starts, build_column([end - start for start, end in spans]))
    terms = [text[start:end] for start, end in spans]
    distinct = sorted(set(terms))
    assert ranks.tolist() == [distinct.index(term) for term in terms]
    assert [terms[position] for position in positions] == distinct


@pytest.mark.parametrize("size", [1, 6, 7, 8, 13, 14, 15, 50])
def test_terms_that_differ_in_their_last_byte(size: int) -> None:
    terms = [b"x" * (size - 1) + bytes([byte]) for byte in range(255, -1, -1) if byte != ord("\n")]
    terms += [b"x" * (size - 1), b"x" * size + b"\x00"]
    ranks, positions = rank_terms(build_term_text(terms))
    assert [terms[position] for position in positions] == sorted(set(terms))
    assert [sorted(set(terms))[rank] for rank in ranks] == terms


def test_many_terms_with_common_beginnings() -> None:
    chance = random.Random(7)
    words = [bytes(chance.choices(b"ab\x00", k=chance.randrange(30))) for _ in range(500)]
    terms = [chance.choice(words) + chance.choice([b"", b"\x00", b"tail", b"a" * 40]) for _ in range(5000)]
    ranks, positions = rank_terms(build_term_text(terms))
    distinct = sorted(set(terms))
    assert [terms[position] for position in positions] == distinct
    numbers = {term: number for number, term in enumerate(distinct)}
    assert ranks.tolist() == [numbers[term] for term in terms]


@settings(max_examples=examples(200))
@given(LISTS)
def test_what_is_longer_than_some_lanes_is_sorted_all_the_same(terms: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_text, "_LONG", 7)
        ranks, positions = rank_terms(build_term_text(terms))
    distinct = sorted(set(terms))
    assert ranks.tolist() == [distinct.index(term) for term in terms]
    assert [terms[position] for position in positions] == distinct


@pytest.mark.parametrize("size", [440, 441, 447, 448, 449, 455, 456, 2000])
def test_long_terms(size: int) -> None:
    chance = random.Random(size)
    beginnings = [b"a" * size, b"b" + b"a" * (size - 1)]
    terms = [chance.choice(beginnings) + chance.choice([b"", b"\x00", b"x", b"y" * 30]) for _ in range(60)]
    terms += [b"a" * length for length in range(size - 9, size + 9)]
    ranks, positions = rank_terms(build_term_text(terms))
    distinct = sorted(set(terms))
    assert [terms[position] for position in positions] == distinct
    assert [distinct[rank] for rank in ranks] == terms


def test_ranks_of_terms_that_differ_at_their_end_take_linear_time() -> None:
    """By lanes alone it is quadratic: minutes for terms of megabytes."""

    def rank(terms: list[bytes]) -> None:
        ranks, positions = rank_terms(build_term_text(terms))
        assert (ranks.tolist(), len(positions)) == ([1, 0, 1], 2)

    assert_linear(lambda size: [b"q" * size + last for last in (b"b", b"a", b"b")], rank, 500_000)


@pytest.mark.parametrize("longest", [7, 14, term_text._LONG])
@settings(max_examples=examples(150))
@given(LISTS, st.data())
def test_terms_ascend_or_do_not(longest: int, terms: list[bytes], data: st.DataObject) -> None:
    ordered = sorted(set(terms))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_text, "_LONG", longest)
        assert are_ascending(build_term_text(ordered))
        assert are_ascending(build_term_text(terms)) == (terms == ordered)
        if len(ordered) > 1:
            position = data.draw(st.integers(1, len(ordered) - 1))
            twice = [*ordered[:position], ordered[position - 1], *ordered[position:]]
            assert not are_ascending(build_term_text(twice))
            ordered[position - 1 : position + 1] = ordered[position], ordered[position - 1]
            assert not are_ascending(build_term_text(ordered))


@pytest.mark.parametrize(("lasts", "expected"), [("abc", True), ("acb", False), ("aa", False)])
def test_whether_long_terms_ascend_takes_linear_time(lasts: str, expected: bool) -> None:
    def ask(terms: list[bytes]) -> None:
        assert are_ascending(build_term_text(terms)) is expected

    assert_linear(lambda size: [b"q" * size + last.encode() for last in lasts], ask, 500_000)


def test_one_term_that_is_long_and_stands_twice() -> None:
    terms = [b"q" * 100_000, b"q" * 100_000, b"q" * 99_999]
    ranks, positions = rank_terms(build_term_text(terms))
    assert ranks.tolist() == [1, 1, 0]
    assert [len(terms[position]) for position in positions] == [99_999, 100_000]


@given(LISTS, st.data())
def test_gather(terms: list[bytes], data: st.DataObject) -> None:
    positions = data.draw(st.lists(st.integers(0, len(terms) - 1)) if terms else st.just([]))
    gathered = build_term_text(terms).gather(build_column(positions))
    assert as_list(gathered) == [terms[position] for position in positions]


@given(LISTS, st.data())
def test_cut(terms: list[bytes], data: st.DataObject) -> None:
    low, high = sorted(data.draw(st.tuples(st.integers(0, len(terms)), st.integers(0, len(terms)))))
    cut = build_term_text(terms).cut(low, high)
    assert as_list(cut) == terms[low:high]
    assert cut.text == b"".join(term + b"\n" for term in terms[low:high])


@given(st.lists(LISTS, max_size=4))
def test_join(lists: list[list[bytes]]) -> None:
    joined = join_term_texts([build_term_text(terms) for terms in lists])
    assert as_list(joined) == [term for terms in lists for term in terms]


@given(st.binary(max_size=60).filter(lambda text: b"\n" not in text), st.data())
def test_spans_become_terms(text: bytes, data: st.DataObject) -> None:
    edges = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    spans = data.draw(st.lists(edges, max_size=12))
    starts = build_column([start for start, _ in spans])
    gathered = gather_spans(text + b"|", starts, build_column([end - start for start, end in spans]))
    assert as_list(gathered) == [text[start:end] for start, end in spans]


@given(LISTS, st.data(), st.integers(1, 3))
def test_many_are_gathered_some_at_a_time(terms: list[bytes], data: st.DataObject, some: int) -> None:
    positions = data.draw(st.lists(st.integers(0, len(terms) - 1)) if terms else st.just([]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_text, "_GATHERED", some)
        gathered = build_term_text(terms).gather(build_column(positions))
    assert as_list(gathered) == [terms[position] for position in positions]


def test_empty() -> None:
    empty = build_term_text([])
    assert (empty.text, len(empty), empty.split()) == (b"", 0, [])
    assert (
        as_list(empty.cut(0, 0))
        == as_list(empty.gather(build_column([])))
        == as_list(join_term_texts([]))
        == []
    )
    ranks, positions = rank_terms(empty)
    assert (len(ranks), len(positions)) == (0, 0)
    assert as_list(build_term_text([b""])) == [b""]
    assert rank_terms(build_term_text([b"", b""]))[0].tolist() == [0, 0]
    assert ranks.dtype == empty.ends.dtype == np.int64


@given(LISTS, LISTS, st.sampled_from([1, 7, 64]))
def test_a_text_is_searched_as_a_list_is(terms: list[bytes], others: list[bytes], counted: int) -> None:
    ordered = sorted(set(terms))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_text, "_COUNTED", counted)
        search = TermSearch(build_term_text(ordered).text + b"no term")
        assert len(search) == len(ordered)
        for term in (*terms, *others):
            assert search.count_up_to(term) == bisect_right(ordered, term)
