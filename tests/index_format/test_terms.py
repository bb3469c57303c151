"""The dictionary: every look-up, absent terms, the scan, and borders of pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.columns import encode_table
from index_format.directory import MemoryFile
from index_format.frame import FrameReader
from index_format.records import PostingList
from index_format.terms import LIST, PAGE, PAGE_TERMS, TERM, TOPS, TermsReader, TermsWriter
from tests.index_format.segment_bytes import put_together
from tests.index_format.test_columns import open_table

Rows = list[tuple[bytes, dict[int, tuple[int, int]]]]  # term -> field -> document frequency, bytes
TERMS = st.one_of(
    st.binary(max_size=3), st.text("abé", max_size=5).map(str.encode), st.just(b"a" * 300)
).filter(lambda term: b"\n" not in term)
LISTS = st.dictionaries(
    st.integers(0, 7), st.tuples(st.integers(1, 70_000), st.integers(1, 300)), min_size=1, max_size=3
)


def add_rows(writer: TermsWriter, rows: Rows) -> None:
    lists = [pair for _, fields in rows for _, pair in sorted(fields.items())]
    writer.add(
        [term for term, _ in rows],
        np.array([sum(1 << field for field in fields) for _, fields in rows], dtype=np.int64),
        np.array([frequency for frequency, _ in lists], dtype=np.int64),
        np.array([size for _, size in lists], dtype=np.int64),
    )


def encode(rows: Rows, group: int = 10**6) -> dict[bytes, bytes]:
    writer = TermsWriter()
    for start in range(0, len(rows), group):
        add_rows(writer, rows[start : start + group])
    sections = writer.finish()
    assert writer.count == len(rows)
    return sections


def open_terms(sections: dict[bytes, bytes]) -> TermsReader:
    _, data = put_together(sections)
    return TermsReader(FrameReader(MemoryFile("x.seg", bytearray(data))))


def expect_lists(rows: Rows) -> dict[bytes, list[PostingList]]:
    found, offset = {}, 0
    for term, fields in rows:
        found[term] = []
        for field, (frequency, size) in sorted(fields.items()):
            found[term].append(PostingList(field, frequency, offset, size))
            offset += size
    return found


def build_rows(count: int) -> Rows:
    return [(b"term%05d" % number, {0: (1, 2), number % 8: (3, 4)}) for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 255, 256, 257])
def test_every_term_is_found_and_nothing_else(count: int) -> None:
    rows = build_rows(count)
    reader = open_terms(encode(rows))
    assert reader.pages == -(-count // PAGE_TERMS)
    wanted = expect_lists(rows)
    assert {term: reader.find(term) for term in wanted} == wanted
    for absent in [b"", b"a", b"term", b"term00000x", b"zzz", b"term00000\nterm00001", b"\n", b"erm00000"]:
        assert reader.find(absent) == []
    assert [term for page in reader.iter_pages() for term in page.terms] == [term for term, _ in rows]


@settings(deadline=None)
@given(st.dictionaries(TERMS, LISTS, max_size=40), TERMS, st.sampled_from([1, 3, 1000]))
def test_random_dictionaries(
    found: dict[bytes, dict[int, tuple[int, int]]], probe: bytes, group: int
) -> None:
    rows = sorted(found.items())
    sections = encode(rows)
    assert encode(rows, group) == sections
    reader = open_terms(sections)
    wanted = expect_lists(rows)
    assert {term: reader.find(term) for term in wanted} == wanted
    assert reader.find(probe) == wanted.get(probe, [])
    pages = list(reader.iter_pages())
    assert [term for page in pages for term in page.terms] == [term for term, _ in rows]
    lists = [pair for _, fields in rows for _, pair in sorted(fields.items())]
    assert [value for page in pages for value in page.frequencies.tolist()] == [pair[0] for pair in lists]
    assert [value for page in pages for value in page.sizes.tolist()] == [pair[1] for pair in lists]
    assert [start for page in pages for start in [page.postings_start]][:1] == ([0] if rows else [])


@settings(deadline=None)
@given(st.dictionaries(TERMS, LISTS, max_size=40), st.lists(TERMS, max_size=20), st.integers(1, 40))
def test_lists_of_many_terms(
    found: dict[bytes, dict[int, tuple[int, int]]], others: list[bytes], step: int
) -> None:
    rows = sorted(found.items()) + [(b"\xfe%05d" % number, {0: (1, 2), 3: (5, 6)}) for number in range(300)]
    reader = open_terms(encode(rows))
    asked = sorted({*others, *[term for term, _ in rows][::step]})
    lists = [one for page in reader.iter_lists(asked) for one in page]
    assert lists == [one for term in asked for one in reader.find(term)]
    assert list(open_terms(encode([])).iter_lists([b"a"])) == []


@pytest.mark.parametrize("count", [1, 128, 129, 300])
def test_texts_of_pages(count: int) -> None:
    rows = build_rows(count)
    reader = open_terms(encode(rows))
    for start in range(reader.pages + 1):
        for stop in range(start, reader.pages + 1):
            text, places = reader.read_texts(start, stop)
            terms = [term for term, _ in rows[start * PAGE_TERMS : stop * PAGE_TERMS]]
            assert text == b"".join(term + b"\n" for term in terms)
            assert [text[place:].split(b"\n")[0] for place in places.tolist()] == terms[::PAGE_TERMS]


@settings(deadline=None)
@given(
    st.dictionaries(TERMS, st.just({0: (1, 2)}), max_size=30),
    st.text("abé", max_size=3).map(str.encode),
    st.integers(0, 8),
)
def test_terms_that_contain_bytes(
    found: dict[bytes, dict[int, tuple[int, int]]], needle: bytes, limit: int
) -> None:
    rows = sorted(found.items())
    scanned = [term for term, _ in rows if needle and needle in term]
    assert open_terms(encode(rows)).find_containing(needle, limit) == scanned[:limit]


def test_scan_does_not_reach_over_line_feeds() -> None:
    reader = open_terms(encode([(b"ab", {0: (1, 2)}), (b"cd", {0: (1, 2)})]))
    assert reader.find_containing(b"bc", 5) == []
    assert reader.find_containing(b"b\nc", 5) == []
    assert reader.find_containing(b"\n", 5) == []


def damage(tag: bytes, data: bytes) -> dict[bytes, bytes]:
    return {**encode(build_rows(200)), tag: data}


def read_all(sections: dict[bytes, bytes]) -> None:
    reader = open_terms(sections)
    list(reader.iter_pages())
    reader.find_containing(b"0199", 5)
    reader.find(b"term00000")
    reader.find(b"term00199")


@pytest.mark.parametrize("tag", [TERM, LIST, PAGE, TOPS])
def test_a_section_cut_at_every_byte_is_corrupt(tag: bytes) -> None:
    data = encode(build_rows(200))[tag]
    for size in range(0, len(data), 1 if len(data) < 300 else 41):
        with pytest.raises(CorruptIndex):
            read_all(damage(tag, data[:size]))


def test_terms_out_of_order_are_corrupt() -> None:
    whole = encode(build_rows(200))[TERM]
    for swapped in (
        whole.replace(b"term00003", b"term00002"),
        whole.replace(b"term00128", b"term00126"),
        whole.replace(b"term00199", b"term00000"),
    ):
        with pytest.raises(CorruptIndex, match=r"ascend|first term"):
            list(open_terms(damage(TERM, swapped)).iter_pages())


def test_a_term_without_a_list_is_corrupt() -> None:
    reader = open_terms(encode([(b"a", {0: (1, 2)}), (b"b", {}), (b"c", {1: (1, 2)})]))
    for read in (lambda: list(reader.iter_pages()), lambda: reader.find(b"c")):
        with pytest.raises(CorruptIndex, match="a term without a list"):
            read()


@pytest.mark.parametrize("start", [0, 499, 501])
def test_pages_with_a_gap_between_their_lists_are_corrupt(start: int) -> None:
    rows: Rows = [(b"t%03d" % number, {0: (1, 2)}) for number in range(128)]
    rows = [*rows, (b"u", {0: (1, 244)}), (b"v", {0: (1, 2)})]
    whole = encode(rows)
    table = open_table(whole[PAGE], 3)
    columns = [table.read_column(column) for column in range(3)]
    assert columns[2].tolist() == [0, 256]
    columns[2][1] = start
    reader = open_terms({**whole, PAGE: encode_table(columns)})
    with pytest.raises(CorruptIndex, match="256 expected"):
        list(reader.iter_pages())


@pytest.mark.parametrize(("place", "value"), [(0, 0), (128, 8), (128, 0), (129, 3)])
def test_a_page_with_other_widths_or_a_term_without_a_list_is_corrupt(place: int, value: int) -> None:
    data = bytearray(encode(build_rows(200))[LIST])
    data[place] = value
    with pytest.raises(CorruptIndex):
        read_all(damage(LIST, bytes(data)))
