"""The dictionary: every look-up, absent terms, the scan, and borders of pages; forged ones."""

from __future__ import annotations

from contextlib import suppress
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex, build_term_text, find_containing, iter_ending, term_scan
from index_format.columns import encode_table
from index_format.frame import FrameReader
from index_format.memory_directory import MemoryFile
from index_format.records import NO_SINGLE, PostingList
from index_format.term_pages import PAGE_TERMS, TermPages
from index_format.terms import LARGE_SECTIONS, LIST, PAGE, TERM, TOPS, TermsReader, TermsWriter
from tests.deep.sizes import examples
from tests.index_format.plain_lists import build_column, lay_varint
from tests.index_format.segment_bytes import put_together
from tests.index_format.test_columns import open_table

pytestmark = pytest.mark.usefixtures("dictionary_size")

# term -> field -> document frequency, and bytes, or of a list in the dictionary -1 less its doc id
Rows = list[tuple[bytes, dict[int, tuple[int, int]]]]
TERMS = st.one_of(
    st.binary(max_size=3), st.text("abé", max_size=5).map(str.encode), st.just(b"a" * 300)
).filter(lambda term: b"\n" not in term)
NUMBERS = st.one_of(st.integers(1, 300), st.sampled_from([127, 128, 16_383, 16_384, 2**28, 2**32 - 1]))


@st.composite
def draw_lists(draw: st.DrawFn) -> dict[int, tuple[int, int]]:
    """Draw lists of one term, some of which have no bytes: repeated and single ones."""
    kinds = st.one_of(st.tuples(NUMBERS, NUMBERS), st.tuples(st.just(1), NUMBERS.map(lambda doc: -doc)))
    lists = draw(st.dictionaries(st.integers(0, 7), kinds, min_size=1, max_size=4))
    first = min(lists)
    repeated = draw(st.sets(st.sampled_from(sorted(lists)))) - {first}
    return {field: (lists[first][0], 0) if field in repeated else lists[field] for field in lists}


LISTS = draw_lists()


def add_rows(writer: TermsWriter, rows: Rows) -> None:
    lists = [pair for _, fields in rows for _, pair in sorted(fields.items())]
    writer.add(
        build_term_text([term for term, _ in rows]),
        np.array([sum(1 << field for field in fields) for _, fields in rows], dtype=np.int64),
        np.array([frequency for frequency, _ in lists], dtype=np.int64),
        np.array([max(0, size) for _, size in lists], dtype=np.int64),
        np.array([-1 - size if size < 0 else NO_SINGLE for _, size in lists], dtype=np.int64),
    )


def encode(rows: Rows, group: int = 10**6) -> dict[bytes, bytes]:
    writer = TermsWriter()
    for start in range(0, len(rows), group):
        add_rows(writer, rows[start : start + group])
    sections = writer.finish()
    assert writer.count == len(rows)
    return {**{tag: b"".join(writer.take(tag)) for tag in LARGE_SECTIONS}, **sections}


def open_terms(sections: dict[bytes, bytes]) -> TermsReader:
    _, data = put_together(sections)
    return TermsReader(FrameReader(MemoryFile("x.seg", bytearray(data))))


def expect_lists(rows: Rows) -> dict[bytes, list[PostingList]]:
    found, offset = {}, 0
    for term, fields in rows:
        found[term] = []
        for field, (frequency, size) in sorted(fields.items()):
            first = min(fields)
            if size > 0:
                found[term].append(PostingList(field, frequency, offset, size))
            elif size < 0:
                found[term].append(PostingList(field, 1, offset, 0, doc=-1 - size))
            else:
                one = found[term][0]
                found[term].append(PostingList(field, frequency, one.offset, one.size, first, one.doc))
            offset += max(0, size)
    return found


def lay_lists(rows: Rows) -> bytes:
    """Encode LIST of one page, value by value."""
    lists = [pair for _, fields in rows for _, pair in sorted(fields.items())]
    return b"".join(
        [
            bytes(sum(1 << field for field in fields) for _, fields in rows),
            *(lay_varint(compute_head(frequency, size)) for frequency, size in lists),
            *(lay_varint(size) for _, size in lists if size > 0),
        ]
    )


def compute_head(frequency: int, size: int) -> int:
    if size < 0:
        return 2 * (-1 - size) + 1
    return 2 * frequency if size else 0


def list_lists(pages: TermPages) -> list[tuple[int, int]]:
    columns = pages.frequencies.tolist(), pages.sizes.tolist(), pages.singles.tolist()
    return [
        (frequency, size if single == NO_SINGLE else -1 - single)
        for frequency, size, single in zip(*columns, strict=True)
    ]


def read_each(reader: TermsReader) -> list[bytes]:
    """Return the terms of every page, read by itself."""
    return [term for page in range(reader.pages) for term in reader.read_pages(page, page + 1).terms.split()]


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
    assert read_each(reader) == [term for term, _ in rows]


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
def test_hand_laid_bytes() -> None:
    rows: Rows = [
        (b"", {0: (1, 1), 2: (1, -1), 3: (1, 0), 4: (1, -65)}),
        (b"a", {0: (127, 128), 7: (127, 0)}),
        (b"a\x00", {1: (128, 16_383), 2: (300, 16_384), 4: (128, 0)}),
    ]
    sections = encode(rows)
    assert sections[TERM] == b"\na\na\x00\n"
    assert sections[TOPS] == b"\n"
    assert sections[LIST] == bytes.fromhex(
        "1d 81 16" + "02 01 00 8101 fe01 00 8002 d804 00" + "01 8001 ff7f 808001"
    )
    assert sections[PAGE] == bytes.fromhex("01000000 03000000") + bytes(8)
    reader = open_terms(sections)
    assert reader.find(b"") == [
        PostingList(0, 1, 0, 1),
        PostingList(2, 1, 1, 0, doc=0),
        PostingList(3, 1, 0, 1, first_field=0),
        PostingList(4, 1, 1, 0, doc=64),
    ]
    assert reader.find(b"a") == [PostingList(0, 127, 1, 128), PostingList(7, 127, 1, 128, first_field=0)]
    assert reader.find(b"a\x00") == [
        PostingList(1, 128, 129, 16_383),
        PostingList(2, 300, 16_512, 16_384),
        PostingList(4, 128, 129, 16_383, first_field=1),
    ]
    assert [one.repeats for one in reader.find(b"a\x00")] == [False, False, True]
    pages = reader.read_pages(0, 1)
    assert (pages.masks.tolist(), pages.postings_start) == ([0x1D, 0x81, 0x16], 0)


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
def test_two_pages() -> None:
    rows: Rows = [(b"%03d" % number, {0: (1, 3)}) for number in range(130)]
    sections = encode(rows)
    assert sections[LIST] == lay_lists(rows[:128]) + lay_lists(rows[128:])
    assert sections[TOPS] == b"000\n128\n"
    table = open_table(sections[PAGE], 3)
    assert [table.read_column(column).tolist() for column in range(3)] == [[0, 512], [0, 384], [0, 384]]
    reader = open_terms(sections)
    assert [reader.read_pages(*span).postings_start for span in ((0, 1), (0, 2), (1, 2))] == [0, 0, 384]
    tops, edges = reader._list_first_terms(390)
    assert (tops, edges.tolist()) == ([b"000", b"128"], [0, 384, 390])
    assert reader.weigh_pages(390)[1].tolist() == [0, 384 + 512 // 4, 390 + 520 // 4]


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
    assert read_each(reader) == [term for term, _ in rows]
    assert sections[LIST] == lay_lists(rows)
    if rows:
        pages = reader.read_pages(0, reader.pages)
        assert pages.terms.split() == [term for term, _ in rows]
        assert list_lists(pages) == [pair for _, fields in rows for _, pair in sorted(fields.items())]
        assert pages.masks.tolist() == [sum(1 << field for field in fields) for _, fields in rows]
        assert pages.postings_start == 0


@pytest.mark.parametrize("count", [128, 129, 600])
def test_any_span_of_pages(count: int) -> None:
    rows = build_rows(count)
    reader = open_terms(encode(rows))
    lists = [[pair for _, pair in sorted(fields.items())] for _, fields in rows]
    for start in range(reader.pages):
        for stop in range(start + 1, reader.pages + 1):
            span = slice(start * PAGE_TERMS, stop * PAGE_TERMS)
            pages = reader.read_pages(start, stop)
            assert pages.terms.split() == [term for term, _ in rows[span]]
            assert list_lists(pages) == [pair for pairs in lists[span] for pair in pairs]
            assert pages.postings_start == sum(
                max(0, size) for pairs in lists[: span.start] for _, size in pairs
            )
    tops = [term for term, _ in rows[::PAGE_TERMS]]
    assert reader.find_pages(b"", None) == (0, reader.pages)
    assert reader.find_pages(tops[-1], None) == (reader.pages - 1, reader.pages)
    assert reader.find_pages(b"", tops[-1]) == (0, reader.pages - 1)
    assert reader.find_pages(tops[0], tops[-1] + b"x") == (0, reader.pages)
    assert reader.find_pages(b"a", b"b")[1] == 0


@given(st.dictionaries(TERMS, LISTS, max_size=40), st.lists(TERMS, max_size=20), st.integers(1, 40))
def test_lists_of_many_terms(
    found: dict[bytes, dict[int, tuple[int, int]]], others: list[bytes], step: int
) -> None:
    many = {b"\xfe%05d" % number: {0: (1, 2), 3: (5, 6)} for number in range(300)}
    rows = sorted({**many, **found}.items())
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
            text, positions = reader.read_texts(start, stop)
            terms = [term for term, _ in rows[start * PAGE_TERMS : stop * PAGE_TERMS]]
            assert text == b"".join(term + b"\n" for term in terms)
            assert [text[position:].split(b"\n")[0] for position in positions.tolist()] == terms[::PAGE_TERMS]


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
    assert find_containing(open_terms(encode(rows)), needle, limit) == scanned[:limit]
    ending = [term for term, _ in rows if needle and term.endswith(needle)]
    reader = open_terms(encode(rows))
    for compared in (0, term_scan.COMPARED_TEXT):
        with patch.object(term_scan, "COMPARED_TEXT", compared):
            assert list(iter_ending(reader, needle)) == ending


def test_scan_does_not_reach_over_line_feeds() -> None:
    reader = open_terms(encode([(b"ab", {0: (1, 2)}), (b"cd", {0: (1, 2)})]))
    assert find_containing(reader, b"bc", 5) == []
    assert find_containing(reader, b"b\nc", 5) == []
    assert find_containing(reader, b"\n", 5) == []
    assert list(iter_ending(reader, b"b\ncd")) == []
    assert list(iter_ending(reader, b"\n")) == []


def damage(tag: bytes, data: bytes) -> dict[bytes, bytes]:
    return {**encode(build_rows(200)), tag: data}


def read_all(sections: dict[bytes, bytes]) -> None:
    reader = open_terms(sections)
    read_each(reader)
    if reader.pages:
        reader.read_pages(0, reader.pages)
    reader._list_first_terms(10**6)
    find_containing(reader, b"0199", 5)
    reader.find(b"term00000")
    reader.find(b"term00199")


@pytest.mark.parametrize("tag", [TERM, LIST, PAGE, TOPS])
def test_a_section_cut_at_every_byte_is_corrupt(tag: bytes) -> None:
    data = encode(build_rows(200))[tag]
    for size in range(0, len(data), 1 if len(data) < 300 else 41):
        with pytest.raises(CorruptIndex):
            read_all(damage(tag, data[:size]))


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
@pytest.mark.parametrize("span", [(0, 2), (0, 1), (1, 2)])
@pytest.mark.parametrize(
    ("old", "new", "pages"),
    [
        (b"term00003", b"term00002", {0}),  # twice
        (b"term00003", b"term00001", {0}),
        (b"term00127", b"term00128", {0}),  # the first term of the next page
        (b"term00128", b"term00126", {1}),
        (b"term00199", b"term00000", {1}),
        (b"term00000", b"term0000\x00", {0}),
    ],
)
def test_terms_out_of_order_are_corrupt(
    old: bytes, new: bytes, pages: set[int], span: tuple[int, int]
) -> None:
    reader = open_terms(damage(TERM, encode(build_rows(200))[TERM].replace(old, new)))
    if pages & set(range(*span)):
        with pytest.raises(CorruptIndex, match=r"ascend|first term"):
            reader.read_pages(*span)
    else:
        assert len(reader.read_pages(*span).terms) > 0


@pytest.mark.parametrize(
    "tops", [b"term00128\nterm00000\n", b"term00000\nterm00127\n", b"term00000\nterm00000\n"]
)
def test_other_first_terms_are_corrupt(tops: bytes) -> None:
    with pytest.raises(CorruptIndex, match=r"ascend|first term"):
        read_each(open_terms(damage(TOPS, tops)))


def test_a_term_without_a_list_is_corrupt() -> None:
    reader = open_terms(encode([(b"a", {0: (1, 2)}), (b"b", {}), (b"c", {1: (1, 2)})]))
    for read in (lambda: reader.read_pages(0, 1), lambda: reader.find(b"c")):
        with pytest.raises(CorruptIndex, match="a term without a list"):
            read()


def test_a_list_without_bytes_that_repeats_none_is_corrupt() -> None:
    for lists in ({0: (1, 0)}, {0: (1, 0), 1: (1, 3)}, {0: (1, 0), 1: (1, 0)}):
        reader = open_terms(encode([(b"a", {0: (1, 2)}), (b"b", lists), (b"c", {0: (1, 2)})]))
        with pytest.raises(CorruptIndex, match="repeats no other"):
            reader.find(b"b")
        assert reader.read_pages(0, 1).frequencies.tolist()[1] == 0  # and no list is so short
        assert len(reader.find(b"a")) == len(reader.find(b"c")) == 1


@pytest.mark.parametrize(
    "lists",
    [
        "0101 04 04 03",  # a size too few
        "0101 04 04 03 03 03",  # and too many
        "0101 04 03 02 02",
        "0101 04 00 02 02",
        "0101 04 04 03 80",  # ends within an integer
        "0101 04",
        "0101 04 04 00 00",
        "0101 01",  # a head too few, and no list with bytes
    ],
)
def test_other_sizes_than_lists_with_bytes_are_corrupt(lists: str) -> None:
    sections = encode([(b"a", {0: (2, 3)}), (b"b", {0: (2, 3)})])
    assert sections[LIST] == bytes.fromhex("0101 04 04 03 03")
    reader = open_terms({**sections, LIST: bytes.fromhex(lists)})
    for read in (lambda: reader.read_pages(0, 1), lambda: reader.find(b"a"), lambda: reader.find(b"b")):
        with pytest.raises(CorruptIndex):
            read()


def change_page(columns: dict[int, list[int]], rows: Rows) -> TermsReader:
    """Return a reader of the rows whose PAGE table has other columns."""
    whole = encode(rows)
    table = open_table(whole[PAGE], 3)
    found = [table.read_column(column) for column in range(3)]
    for column, values in columns.items():
        found[column] = build_column(values)
    return open_terms({**whole, PAGE: encode_table(found)})


TWO_PAGES: Rows = [(b"t%03d" % number, {0: (1, 2)}) for number in range(130)]


@pytest.mark.parametrize("start", [0, 1, 255, 257, 499, 2**40, 2**63 - 1])
def test_pages_with_a_gap_between_their_lists_are_corrupt(start: int) -> None:
    assert change_page({2: [0, 256]}, TWO_PAGES).read_pages(0, 2).postings_start == 0
    reader = change_page({2: [0, start]}, TWO_PAGES)
    for span in ((0, 1), (0, 2)):
        with pytest.raises(CorruptIndex, match="do not begin where those before end"):
            reader.read_pages(*span)
    assert reader.read_pages(1, 2).postings_start == start  # POST will not have it
    reader.find(b"t129")


@pytest.mark.parametrize("start", [261, 2**40, 2**63 - 1])
def test_lists_that_begin_behind_the_end_are_corrupt(start: int) -> None:
    with pytest.raises(CorruptIndex, match="do not ascend"):
        change_page({2: [0, start]}, TWO_PAGES)._list_first_terms(260)


@pytest.mark.parametrize("tops", [b"t128\nt000\n", b"t000\nt000\n", b"t\n\n"])
def test_first_terms_that_do_not_ascend_are_corrupt_before_a_page_is_left_out(tops: bytes) -> None:
    """A merge looks for its windows by halving: out of order it would not find all pages."""
    reader = open_terms({**encode(TWO_PAGES), TOPS: tops})
    with pytest.raises(CorruptIndex, match="do not ascend"):
        reader._list_first_terms(260)


def test_a_page_that_ends_with_the_first_term_of_the_next_is_corrupt() -> None:
    reader = open_terms({**encode(TWO_PAGES), TOPS: b"t000\nt127\n"})
    with pytest.raises(CorruptIndex, match="the terms of two pages of the dictionary do not ascend"):
        reader.read_pages(0, 1)


HOSTILE = [0, 1, 4, 511, 513, 639, 640, 641, 650, 2**31, 2**63 - 1]


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(("column", "right"), [(0, 640), (1, 384)])
def test_pages_that_begin_elsewhere_are_corrupt(column: int, right: int, value: int) -> None:
    assert change_page({column: [0, right]}, TWO_PAGES).read_pages(0, 2).terms.split()[-1] == b"t129"
    for forged in ([0, value], [value or 1, right]):
        if forged == [0, right]:
            continue
        reader = change_page({column: forged}, TWO_PAGES)
        with pytest.raises(CorruptIndex):
            reader.read_pages(0, 2)
        with pytest.raises(CorruptIndex):
            read_each(reader)
        for term in (b"t000", b"t129"):
            with suppress(CorruptIndex):
                reader.find(term)


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
def test_a_page_of_too_many_terms_is_corrupt() -> None:
    rows = TWO_PAGES[:129]
    sections = encode(rows[:1]) | {
        TERM: b"".join(term + b"\n" for term, _ in rows),
        LIST: lay_lists(rows),
    }
    with pytest.raises(CorruptIndex, match="more than 128 terms"):
        open_terms(sections).read_pages(0, 1)


@pytest.mark.parametrize("position", [128, 129, 400, 420])
@pytest.mark.parametrize("value", [0x80, 0xFF])
def test_a_page_whose_numbers_run_into_each_other_is_corrupt(position: int, value: int) -> None:
    data = bytearray(encode(build_rows(200))[LIST])
    data[position] = value
    with pytest.raises(CorruptIndex):
        read_all(damage(LIST, bytes(data)))


@pytest.mark.parametrize(("position", "value"), [(0, 0), (0, 3), (0, 0x80), (127, 0), (127, 1)])
def test_a_page_with_other_field_bits_is_corrupt(position: int, value: int) -> None:
    data = bytearray(encode(build_rows(200))[LIST])
    assert (data[0], data[127]) == (0x01, 0x81)
    if value.bit_count() == data[position].bit_count():
        return
    data[position] = value
    with pytest.raises(CorruptIndex):
        read_all(damage(LIST, bytes(data)))


FORGED = encode(build_rows(200))


@settings(max_examples=examples(300))
@given(st.data())
def test_forged_dictionaries_answer_or_are_corrupt(data: st.DataObject) -> None:
    sections = {tag: bytearray(raw) for tag, raw in FORGED.items()}
    for _ in range(data.draw(st.integers(1, 3))):
        raw = sections[data.draw(st.sampled_from([TERM, LIST, PAGE, TOPS]))]
        position = data.draw(st.integers(0, len(raw)))
        raw[position : position + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    with suppress(CorruptIndex):
        read_all({tag: bytes(raw) for tag, raw in sections.items()})
