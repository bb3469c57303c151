"""Posting lists in their four forms: which list has which, round trips, decoders that agree on any bytes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.postings import BLOCK_SHARE, ListTable, decode_list, decode_lists, is_by_block
from index_format.records import I64, NO_SINGLE
from tests.deep.sizes import examples
from tests.index_format.plain_lists import (
    Lengths,
    Posting,
    Row,
    build_column,
    build_table,
    encode_rows,
    lay_block_list,
    lay_gap_list,
    lay_row,
    list_keys,
    pair,
)

HUGE = 2**32 - 1
COUNTS = st.one_of(st.integers(1, 3), st.sampled_from([4, 5, 15, 16, 17, 131, 132, HUGE]))
DOCS = st.sampled_from([1, 2, 3, 7, 256, 257, 513, 900])


@st.composite
def draw_postings(draw: st.DrawFn, docs: int) -> list[Posting]:
    """Draw few, many or all of so many documents."""
    sizes = st.integers(1, docs).map(lambda size: set(range(docs - size, docs)))
    chosen = draw(st.one_of(st.sets(st.integers(0, docs - 1), min_size=1, max_size=12), sizes))
    counts = draw(st.lists(COUNTS, min_size=1, max_size=4))
    return [(doc, counts[position % len(counts)]) for position, doc in enumerate(sorted(chosen))]


@st.composite
def draw_row(draw: st.DrawFn, lengths: Sequence[Lengths]) -> Row:
    """Draw the lists of one term, some of which are the first one again, or nearly."""
    fields = sorted(draw(st.sets(st.integers(0, len(lengths) - 1), min_size=1)))
    row = {fields[0]: draw(draw_postings(len(lengths[fields[0]])))}
    for field in fields[1:]:
        docs = len(lengths[field])
        kind = draw(st.sampled_from(["another", "the same", "another document", "another frequency"]))
        again = [(doc, 1) for doc, _ in row[fields[0]] if doc < docs]
        row[field] = again if kind != "another" and again else draw(draw_postings(docs))
        if kind == "another document" and (row[field][-1][0]) + 1 < docs:
            row[field] = [*row[field][:-1], (row[field][-1][0] + 1, 1)]
        elif kind == "another frequency":
            row[field] = [*row[field][:-1], (row[field][-1][0], 2)]
    return row


@st.composite
def draw_lists(draw: st.DrawFn) -> tuple[list[Row], list[Lengths]]:
    """Draw terms with lists in fields of two levels, and the lengths of each field."""
    levels = draw(st.tuples(DOCS, DOCS))
    fields = draw(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=4))
    short = st.lists(st.integers(0, 30), min_size=1, max_size=4)
    lengths = []
    for level in fields:
        column = draw(short)
        lengths.append([column[doc % len(column)] for doc in range(levels[level])])
    return draw(st.lists(draw_row(lengths), min_size=1, max_size=5)), lengths


def split(data: bytes, sizes: I64) -> list[bytes]:
    ends = np.cumsum(sizes).tolist()
    return [data[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True)]


def decode_bulk(data: bytes, table: ListTable) -> list[list[Posting]]:
    postings = pair(decode_lists(data, table, "here"))
    ends = np.cumsum(table.frequencies).tolist()
    return [postings[end - size : end] for end, size in zip(ends, table.frequencies.tolist(), strict=True)]


def decode_singly(lists: Sequence[bytes], table: ListTable) -> list[list[Posting]]:
    """Decode each list by itself; a list without bytes as a reader does it, by that of its term."""
    found: list[list[Posting]] = []
    first = 0
    for position, data in enumerate(lists):
        if not position or table.terms[position] != table.terms[position - 1]:
            first = position
        frequency, docs = int(table.frequencies[position]), int(table.docs[position])
        if table.singles[position] != NO_SINGLE:
            if frequency != 1 or table.singles[position] >= docs:
                raise CorruptIndex("a single list of several postings, or of no document of the level")
            found.append([(int(table.singles[position]), 1)])
        elif data or position == first:
            found.append(pair(decode_list(data, frequency, docs, "here")))
        elif frequency != table.frequencies[first] or found[first][-1][0] >= docs:
            raise CorruptIndex("repeats no other")
        else:
            found.append([(doc, 1) for doc, _ in found[first]])
    return found


@settings(max_examples=examples(250))
@given(draw_lists())
def test_round_trip_of_many_lists(made: tuple[list[Row], list[Lengths]]) -> None:
    rows, lengths = made
    encoded = encode_rows(rows, lengths)
    lists = split(encoded.data, encoded.sizes)
    assert lists == [data for row in rows for data in lay_row(row, lengths)]
    wanted = [rows[term][field] for term, field in list_keys(rows)]
    table = build_table(rows, encoded, lengths)
    assert decode_bulk(encoded.data, table) == wanted
    assert decode_singly(lists, table) == wanted


@pytest.mark.parametrize(
    ("docs", "blocks"), [(1, 1), (255, 1), (256, 1), (257, 2), (512, 2), (513, 3), (2000, 8)]
)
def test_the_form_follows_from_the_document_frequency(docs: int, blocks: int) -> None:
    assert BLOCK_SHARE == 6
    least = BLOCK_SHARE * blocks
    lengths: Lengths = [3] * docs
    for frequency in {1, least - 1, least, least + 1, docs} & set(range(1, docs + 1)):
        postings = [(doc, 2 + doc % 20) for doc in range(docs - frequency, docs)]
        by_block = frequency >= least
        assert is_by_block(frequency, docs) == by_block
        laid = lay_block_list(postings, lengths) if by_block else lay_gap_list(postings)
        encoded = encode_rows([{0: postings}], [lengths])
        assert (encoded.data, encoded.sizes.tolist()) == (laid, [len(laid)])
        assert pair(decode_list(laid, frequency, docs, "here")) == postings
        other = lay_gap_list(postings) if by_block else lay_block_list(postings, lengths)
        with pytest.raises(CorruptIndex):
            decode_list(other, frequency, docs, "here")


FIRST: list[Posting] = [(3, 2), (9, 1), (700, 40)]
AGAIN: list[Posting] = [(3, 1), (9, 1), (700, 1)]


@pytest.mark.parametrize(
    ("row", "sizes"),
    [
        ({0: FIRST, 1: AGAIN}, [5, 0]),
        ({0: AGAIN, 1: AGAIN, 2: AGAIN}, [4, 0, 0]),
        ({1: FIRST, 2: AGAIN}, [5, 0]),
        ({0: FIRST, 1: FIRST}, [5, 5]),
        ({0: AGAIN, 1: FIRST}, [4, 5]),
        ({0: FIRST, 1: [(3, 1), (9, 1), (701, 1)]}, [5, 4]),  # one document differs
        ({0: FIRST, 1: [(2, 1), (9, 1), (700, 1)]}, [5, 4]),
        ({0: FIRST, 1: [(3, 1), (9, 2), (700, 1)]}, [5, 4]),  # one term frequency is not 1
        ({0: FIRST, 1: AGAIN[:2]}, [5, 2]),
        ({0: FIRST[:2], 1: AGAIN}, [2, 4]),
        ({0: [(5, 1)], 1: AGAIN, 2: AGAIN}, [0, 4, 4]),  # the second again, not the first
        ({0: AGAIN, 1: [(5, 1)], 2: AGAIN}, [4, 0, 0]),
        ({0: [(5, 1)], 1: [(5, 1)], 2: [(6, 1)], 3: [(5, 2)]}, [0, 0, 0, 1]),
    ],
)
def test_a_list_is_repeated_when_it_is_the_first_of_its_term(row: Row, sizes: list[int]) -> None:
    lengths = [[1] * 900] * 4
    rows = [{0: AGAIN}, row, {0: AGAIN, 1: [(5, 1)]}]  # other terms do not matter
    encoded = encode_rows(rows, lengths)
    assert encoded.sizes.tolist() == [4, *sizes, 4, 0]
    table = build_table(rows, encoded, lengths)
    assert decode_bulk(encoded.data, table) == [rows[term][field] for term, field in list_keys(rows)]


def test_a_list_is_repeated_from_a_field_of_another_level() -> None:
    """600 units and 7 files: the first list has the form of its own level."""
    lengths = [[1] * 600, [1] * 7]
    again: list[Posting] = [(doc, 1) for doc in (0, 2, 3, 4, 5, 6)]
    first: list[Posting] = [(0, 4), *again[1:]]
    rows: list[Row] = [{0: first, 1: again}]
    encoded = encode_rows(rows, lengths)
    assert (encoded.data.hex(), encoded.sizes.tolist()) == ("03080404040400", [7, 0])
    assert decode_bulk(encoded.data, build_table(rows, encoded, lengths)) == [first, again]
    encoded = encode_rows(rows, lengths[::-1])
    assert (encoded.data, encoded.sizes.tolist()) == (lay_block_list(first, [1] * 7), [11, 0])
    assert decode_bulk(encoded.data, build_table(rows, encoded, lengths[::-1])) == [first, again]


def test_a_list_of_one_posting_stands_in_the_dictionary() -> None:
    """Where its term frequency is 1 and it repeats no other, whatever its level and its doc id."""
    rows: list[Row] = [{0: [(0, 1)], 1: [(6, 1)]}, {0: [(599, 1)], 1: [(3, 2)]}, {1: [(3, 1)]}, {0: [(7, 5)]}]
    lengths = [[1] * 600, [1] * 7]
    encoded = encode_rows(rows, lengths)
    assert encoded.singles.tolist() == [0, 6, 599, NO_SINGLE, 3, NO_SINGLE]
    assert (encoded.data.hex(" "), encoded.sizes.tolist()) == ("0d 1f 01", [0, 0, 0, 1, 0, 2])
    table = build_table(rows, encoded, lengths)
    assert decode_bulk(encoded.data, table) == [rows[term][field] for term, field in list_keys(rows)]
    second = np.arange(6) == 1
    changes: list[Callable[[ListTable], ListTable]] = [
        lambda one: one._replace(docs=np.where(second, 6, one.docs)),
        lambda one: one._replace(frequencies=np.where(second, 2, one.frequencies)),
        lambda one: one._replace(singles=np.where(second, 7, one.singles)),
    ]
    for change in changes:
        with pytest.raises(CorruptIndex):
            decode_lists(encoded.data, change(table), "here")


def build_list_table(rows: Sequence[tuple[int, int, int, int]]) -> ListTable:
    """Build the table from (term, document frequency, size, documents of the level) of each list."""
    terms, frequencies, sizes, docs = (build_column([row[column] for row in rows]) for column in range(4))
    return ListTable(terms, frequencies, sizes, np.full_like(terms, NO_SINGLE), docs)


GAPS = bytes.fromhex("0c 18 84 14")  # 3, 9, 650


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", [(0, 3, 0, 900)]),  # a first list without bytes
        (b"", [(0, 3, 0, 900), (0, 3, 0, 900)]),
        (GAPS, [(0, 3, 0, 900), (0, 3, 4, 900)]),
        (GAPS, [(0, 3, 4, 900), (1, 3, 0, 900)]),  # repeats the list of another term
        (GAPS, [(0, 3, 4, 900), (0, 2, 0, 900)]),  # another document frequency
        (GAPS, [(0, 3, 4, 900), (0, 4, 0, 900)]),
        (GAPS, [(0, 3, 4, 900), (0, 3, 0, 650)]),  # a document that the other level does not have
        (GAPS, [(0, 3, 4, 650)]),
        (GAPS, [(0, 3, 4, 2)]),
        (GAPS, [(0, 0, 4, 900)]),
        (GAPS, [(0, -1, 4, 900)]),
        (GAPS, [(0, 2, 4, 900)]),
        (GAPS, [(0, 4, 4, 900)]),
        (GAPS, [(0, 5, 4, 900)]),
        (GAPS, [(0, 3, 3, 900)]),
        (GAPS, [(0, 3, 5, 900)]),
        (GAPS, [(0, 3, 4, 900), (1, 1, 1, 900)]),
        (GAPS + b"\x00", [(0, 3, 4, 900)]),
        (b"", []),
    ],
)
def test_tables_that_do_not_fit_are_corrupt(data: bytes, rows: list[tuple[int, int, int, int]]) -> None:
    if not rows:
        assert pair(decode_lists(data, build_list_table(rows), "here")) == []
        data = b"\x00"
    with pytest.raises(CorruptIndex):
        decode_lists(data, build_list_table(rows), "here")


def test_the_good_table_is_good() -> None:
    table = build_list_table([(0, 3, 4, 651), (0, 3, 0, 900)])
    assert decode_bulk(GAPS, table) == [[(3, 1), (9, 1), (650, 1)]] * 2


@pytest.mark.parametrize(
    ("data", "frequency", "docs"),
    [
        (b"", 1, 900),
        (b"", 0, 900),
        (GAPS, 0, 900),
        (GAPS, -1, 900),
        (GAPS, 3, 0),
        (GAPS, 3, 2),
        (GAPS, 3, 650),
        (GAPS, 2**31, 2**35),
        (GAPS, 2**62, 2**62),
        (GAPS, 3, 256),
        (bytes([2] * 6), 6, 256),  # by block
        (b"\x00", 1, 0),
    ],
)
def test_numbers_that_do_not_fit_one_list_are_corrupt(data: bytes, frequency: int, docs: int) -> None:
    with pytest.raises(CorruptIndex):
        decode_list(data, frequency, docs, "here")


def agree(lists: Sequence[bytes], table: ListTable) -> None:
    """Assert that the decoder of many lists finds what that of one finds, or refuses as that does."""
    data = b"".join(lists)
    try:
        wanted = decode_singly(lists, table)
    except CorruptIndex:
        with pytest.raises(CorruptIndex):
            decode_lists(data, table, "here")
        return
    assert decode_bulk(data, table) == wanted
    for postings, docs in zip(wanted, table.docs.tolist(), strict=True):
        assert [doc for doc, _ in postings] == sorted({doc for doc, _ in postings})
        assert all(0 <= doc < docs and 1 <= count <= HUGE for doc, count in postings)


@settings(max_examples=examples(400))
@given(draw_lists(), st.data())
def test_damaged_lists_decode_alike_or_are_corrupt(
    made: tuple[list[Row], list[Lengths]], data: st.DataObject
) -> None:
    rows, lengths = made
    encoded = encode_rows(rows, lengths)
    table = build_table(rows, encoded, lengths)
    forged, sizes, frequencies = bytearray(encoded.data), encoded.sizes.copy(), table.frequencies.copy()
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(sizes) - 1))
        kind = data.draw(st.sampled_from(["byte", "byte", "border", "frequency"]))
        if kind == "byte":
            if forged:
                at = data.draw(st.integers(0, len(forged) - 1))
                forged[at] = data.draw(st.one_of(st.integers(0, 4), st.integers(0, 255)))
        elif kind == "frequency":
            frequencies[position] = data.draw(
                st.one_of(st.integers(-1, 9), st.sampled_from([HUGE, 2**35 - 1]))
            )
        elif position and sizes[position] and encoded.singles[position - 1] == NO_SINGLE:
            sizes[position] -= 1
            sizes[position - 1] += 1
    agree(split(bytes(forged), sizes), table._replace(sizes=sizes, frequencies=frequencies))


@settings(max_examples=examples(400))
@given(
    st.lists(
        st.tuples(
            st.booleans(),  # of the same term as the list before
            st.lists(st.one_of(st.integers(0, 4), st.integers(0, 255)), max_size=14).map(bytes),
            st.integers(0, 8),
            st.sampled_from([0, 1, 2, 7, 256, 257, 600]),
        ),
        max_size=5,
    )
)
def test_any_bytes_decode_alike_or_are_corrupt(rows: list[tuple[bool, bytes, int, int]]) -> None:
    terms = np.cumsum([not same for same, _, _, _ in rows])
    table = ListTable(
        terms.astype(np.int64),
        build_column([row[2] for row in rows]),
        build_column([len(row[1]) for row in rows]),
        np.full(len(rows), NO_SINGLE),
        build_column([row[3] for row in rows]),
    )
    agree([row[1] for row in rows], table)


@pytest.mark.parametrize(("docs", "unused_bits"), [(900, set()), (256, {*range(8), *range(100, 104)})])
def test_damage_of_every_bit_is_another_list_or_corrupt(docs: int, unused_bits: set[int]) -> None:
    """Of no account for the postings: a bound, and the unused half of the last frequencies."""
    postings = [(3, 1), (4, 2), (5, 1), (6, 1), (9, 3), (100, 1), (250, 40)]
    laid = encode_rows([{0: postings}], [[4] * docs]).data
    silent = set()
    for bit in range(8 * len(laid)):
        damaged = bytearray(laid)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            found = pair(decode_list(bytes(damaged), 7, docs, "here"))
        except CorruptIndex:
            continue
        assert len(found) == 7
        silent |= {bit} if found == postings else set()
    assert silent == unused_bits


def test_hostile_counts_take_no_memory() -> None:
    by_block = lay_block_list([(0, 16), (1, 20)], [1] * 2)
    hostile = [
        (GAPS, [(0, 3, 4, 2**62), (0, 2**61, 0, 2**62)]),  # a repeated list of many documents
        (GAPS, [(0, 2**35 - 1, 4, 2**62), (0, 2**35 - 1, 0, 2**62)]),
        (GAPS, [(0, 2**35 - 1, 4, 2**35)]),
        (by_block, [(0, 2**35 - 1, len(by_block), 2**35)]),
        (by_block, [(0, 2, len(by_block), 2**35)]),
        (GAPS + by_block, [(0, 3, 4, 900), (1, 2**33, len(by_block), 2**33)]),
        (GAPS, [(0, 3, 2**35 - 1, 900)]),
        (GAPS, [(0, 2**62, 2**62, 2**62)] * 4),  # sums beyond 64 bits
    ]
    tracemalloc.start()
    try:
        for data, rows in hostile:
            with pytest.raises(CorruptIndex):
                decode_lists(data, build_list_table(rows), "here")
        for frequency, docs in ((2**35 - 1, 2**35), (2**62, 2**62), (2, 2**35), (2, 2**62)):
            for data in (GAPS, by_block):
                with pytest.raises(CorruptIndex):
                    decode_list(data, frequency, docs, "here")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_repeats_are_eight_times_the_bytes_at_most() -> None:
    """What a list without bytes may cost is bounded by the bytes of the one that it repeats."""
    laid = lay_gap_list([(doc, 1) for doc in range(0, 1000, 100)])
    table = build_list_table([(0, 10, len(laid) * (field == 0), 10_000) for field in range(8)])
    assert decode_bulk(laid, table) == [[(doc, 1) for doc in range(0, 1000, 100)]] * 8
