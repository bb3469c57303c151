"""A segment reader on bytes whose checksums are right: it answers, or raises IndexFormatError."""

from __future__ import annotations

import random
import struct
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex, IndexFormatError, MemoryDirectory, PostingRun, pack, unpack
from index_format.block_lists import BlockList
from index_format.chunks import CHNK
from index_format.columns import encode_table
from index_format.postings import is_by_block
from index_format.segment_reader import SegmentReader
from tests.deep.sizes import IS_DEEP, examples
from tests.index_format.plain_lists import compute_bound, lay_varint, pair
from tests.index_format.segment_bytes import (
    SMALL_TERMS,
    open_bytes,
    put_together,
    read_everything,
    take_apart,
)
from tests.index_format.small_index import (
    BODY,
    PATH,
    SYMBOL,
    Model,
    build_content,
    build_run,
    list_postings,
    write_model,
)
from tests.index_format.test_columns import open_table

HUGE = [0xFF, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF]
TAGS = [b"POST", b"TERM", b"LIST", b"PAGE", b"TOPS", b"FILE", b"PATH", b"PRNT", b"UNIT", b"CHNK", b"NRMU"]
TAGS += [b"NRMF", b"META"]


def read_forged(sections: dict[bytes, bytes]) -> list[object] | None:
    """Return what a segment of these sections answers; None when it is refused as it should be."""
    try:
        return read_everything(open_bytes(put_together(sections)[1]))
    except IndexFormatError:
        return None


LARGE: Model = {
    "long": tuple(
        {(BODY, b"often"): 1 + doc % 20, (BODY, b"w%03d" % doc): 1}
        | ({(BODY, b"rare"): 2, (SYMBOL, b"rare"): 1} if doc in (3, 590) else {})
        | ({(BODY, b"nearly"): 1, (SYMBOL, b"nearly"): 1 + (doc == 9)} if doc in (5, 9) else {})
        | ({(BODY, b"both"): 1} if doc < 6 else {})
        for doc in range(600)
    ),
    "more": ({(PATH, b"often"): 3, (PATH, b"both"): 1},),
    "next": ({(SYMBOL, b"last"): 70_000},),
    "one": (),
    **{f"n{number}": ({(PATH, b"both"): 1},) for number in range(4)},
}
# A list in another field has the doc ids of the first, as documents of another level.
LARGE["long"] = ({**LARGE["long"][0], (PATH, b"both"): 1}, *LARGE["long"][1:])


def write_bytes(model: Model) -> bytes:
    directory = MemoryDirectory()
    return bytes(directory.files[write_model(directory, model).name])


def open_model(model: Model) -> SegmentReader:
    return open_bytes(write_bytes(model))


def read_lists(reader: SegmentReader, term: bytes) -> dict[tuple[bytes, int], dict[int, int]]:
    return {
        (term, posting_list.field): dict(pair(reader.postings.read(posting_list)))
        for posting_list in reader.postings.find_lists(term)
    }


def list_run(run: PostingRun | None) -> dict[tuple[bytes, int], dict[int, int]]:
    """Return the postings: (term, field) -> doc id -> term frequency."""
    if run is None:
        return {}
    postings = pair((run.docs, run.term_frequencies))
    ends = np.cumsum(run.frequencies).tolist()
    terms = run.terms.split()
    return {
        (terms[term], field): dict(postings[end - size : end])
        for term, field, end, size in zip(
            run.list_terms.tolist(), run.list_fields.tolist(), ends, run.frequencies.tolist(), strict=True
        )
    }


def test_all_postings_are_those_of_the_model() -> None:
    reader = open_model(LARGE)
    wanted = list_postings(LARGE)
    found = {}
    for term in {term for term, _ in wanted}:
        found |= read_lists(reader, term)
    assert found == wanted
    content, expected = reader.read_content(), build_content(LARGE)
    assert [column.tolist() for column in content.lengths] == [column.tolist() for column in expected.lengths]
    (run,) = reader.postings.iter_runs(10**6)
    assert run.terms.split() == build_run(LARGE).terms.split()
    assert run.docs.tolist() == build_run(LARGE).docs.tolist()
    assert list_run(run) == wanted


def test_the_model_has_lists_of_every_form() -> None:
    reader = open_model(LARGE)
    found = {
        (term, one.field): (one.repeats, reader.postings.read_blocks(one) is not None)
        for term in (b"often", b"rare", b"nearly", b"both", b"last")
        for one in reader.postings.find_lists(term)
    }
    assert found == {
        (b"often", BODY): (False, True),
        (b"often", PATH): (False, False),
        (b"rare", BODY): (False, False),
        (b"rare", SYMBOL): (True, False),
        (b"nearly", BODY): (False, False),
        (b"nearly", SYMBOL): (False, False),
        (b"both", BODY): (False, False),
        (b"both", PATH): (True, False),
        (b"last", SYMBOL): (False, False),
    }


def test_the_lists_of_a_term_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_model(LARGE)
    reads: list[int] = []
    view = reader.frame.view

    def count(tag: bytes, offset: int, size: int) -> memoryview:
        reads.append(offset)
        return view(tag, offset, size)

    for term in (b"often", b"rare", b"nearly", b"both", b"last"):
        lists = reader.postings.find_lists(term)
        wanted = [pair(reader.postings.read(one)) for one in lists]
        with monkeypatch.context() as patched:
            patched.setattr(reader.frame, "view", count)
            found = reader.postings.read_all(lists)
        assert [pair(one.read() if isinstance(one, BlockList) else one) for one in found] == wanted
        assert [isinstance(one, BlockList) for one in found] == [
            reader.postings.read_blocks(one) is not None for one in lists
        ]
    assert len(reads) == 5  # for nine lists


def test_a_term_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_model(LARGE)
    terms = (b"often", b"nowhere")
    found = [reader.postings.find_lists(term) for term in terms]
    monkeypatch.setattr(reader.terms, "_read_page", None)
    assert [reader.postings.find_lists(term) for term in terms] == found


ONCE = [(doc, 1) for doc in range(6)]


def test_a_list_of_another_level_is_repeated_in_the_form_of_its_own() -> None:
    """Of six units in 600 by gap, of six files in eight it would be by block; and the other way round."""
    reader = open_model(LARGE)
    assert [is_by_block(6, docs) for docs in (reader.unit_count, reader.file_count)] == [False, True]
    body, path = reader.postings.find_lists(b"both")
    assert (path.first_field, path.offset, path.size, path.frequency) == (BODY, body.offset, body.size, 6)
    assert pair(reader.postings.read(body)) == pair(reader.postings.read(path)) == ONCE
    turned: Model = {
        "a": ({(PATH, b"t"): 5, (SYMBOL, b"t"): 1}, *({(SYMBOL, b"t"): 1},) * 5, *({} for _ in range(600))),
        **{path: ({(PATH, b"t"): 1},) for path in "bcdef"},
    }
    reader = open_model(turned)
    path, symbol = reader.postings.find_lists(b"t")
    assert (path.size, symbol.first_field, reader.postings.read_blocks(path) is None) == (11, PATH, False)
    assert pair(reader.postings.read(path)) == [(0, 5), *ONCE[1:]]
    assert pair(reader.postings.read(symbol)) == ONCE
    assert list_run(next(reader.postings.iter_runs(10))) == list_postings(turned)


def test_blocks_of_a_list_are_parts_of_it() -> None:
    reader = open_model(LARGE)
    whole = list_postings(LARGE)[b"often", BODY]
    blocks = reader.postings.read_blocks(reader.postings.find_lists(b"often")[0])
    assert blocks is not None
    assert blocks.frequency == len(whole) == 600
    assert blocks.block_sizes.tolist() == [256, 256, 88]
    for chosen in ([], [0], [1], [2], [0, 2], [0, 1, 2]):
        found = pair(blocks.take(np.array(chosen, dtype=np.int64)))
        assert dict(found) == {doc: count for doc, count in whole.items() if doc // 256 in chosen}
    lengths = reader.norms.read_lengths(BODY).tolist()
    for block, bound in enumerate(blocks.bounds.tolist()):
        own = [(doc, count) for doc, count in whole.items() if doc // 256 == block]
        assert bound == max(compute_bound(count, lengths[doc], lengths) for doc, count in own)


@pytest.mark.parametrize("batch_bytes", [0, 1, 200, 500, 10**6, 2**40])
def test_runs_of_any_size_hold_the_same(batch_bytes: int) -> None:
    reader = open_model(LARGE)
    runs = list(reader.postings.iter_runs(batch_bytes))
    assert reader.terms.pages == 5
    assert len(runs) == 5 if batch_bytes < 2 else len(runs) <= 5
    found: dict[tuple[bytes, int], dict[int, int]] = {}
    for run in runs:
        found |= list_run(run)
    assert found == list_postings(LARGE)
    assert list(found) == sorted(found)


EDGES = [
    b"",
    b"a",
    b"both",
    b"both\x00",
    b"last",
    b"o",
    b"w",
    b"w000",
    b"w117",
    b"w118",
    b"w119",
    b"w245",
    b"w5",
    b"w599",
    b"x",
]


@settings(max_examples=examples(100))
@given(st.sampled_from(EDGES), st.one_of(st.none(), st.sampled_from(EDGES)))
def test_a_run_of_a_span_of_terms(first: bytes, end: bytes | None) -> None:
    wanted = {
        key: docs
        for key, docs in list_postings(LARGE).items()
        if first <= key[0] and (end is None or key[0] < end)
    }
    run = OPENED.postings.read_run(first, end)
    assert list_run(run) == wanted
    assert (run is None) == (not wanted)


OPENED = open_model(LARGE)


@pytest.mark.parametrize("fields", [(BODY,), (SYMBOL,), (BODY, SYMBOL), (PATH,)])
def test_documents_of_many_terms_are_those_of_their_lists(fields: tuple[int, ...]) -> None:
    """Of lists by block and by gap, and of repeated ones whose first list is not asked for."""
    terms = sorted({term for term, _ in list_postings(LARGE)})
    for asked in ([], terms, terms[::7], [b"absent", b"both", b"nearly", b"often", b"rare", b"w003", b"zzz"]):
        lists = [one for term in asked for one in OPENED.postings.find_lists(term) if one.field in fields]
        wanted = [doc for one in lists for doc in OPENED.postings.read(one)[0].tolist()]
        assert OPENED.postings.read_docs(asked, fields).tolist() == wanted


def test_an_unknown_section_is_ignored(small: bytes) -> None:
    wanted = read_everything(open_bytes(small))
    found = read_forged({b"\xffNEW": b"later", **take_apart(small), b"SYMB": bytes(30)})
    assert found == wanted


@pytest.mark.parametrize("tag", TAGS)
def test_every_section_is_needed(small: bytes, tag: bytes) -> None:
    sections = take_apart(small)
    assert list(sections) == TAGS
    del sections[tag]
    with pytest.raises(CorruptIndex, match="no section"):
        read_everything(open_bytes(put_together(sections)[1]))


@pytest.mark.parametrize("tag", TAGS)
def test_a_section_cut_anywhere_or_longer_is_corrupt(small: bytes, tag: bytes) -> None:
    sections = take_apart(small)
    whole = sections[tag]
    for data in [*(whole[:size] for size in range(len(whole))), whole + b"\x00", whole + whole]:
        assert read_forged({**sections, tag: data}) is None


@pytest.mark.sized
@pytest.mark.parametrize("tag", TAGS)
def test_forged_bytes_answer_or_are_refused(small: bytes, tag: bytes) -> None:
    """Each byte of each section in four other versions: nothing but IndexFormatError is ever raised. A check
    tries every sixth byte, and the next check others.
    """
    sections = take_apart(small)
    refused = 0
    step = 1 if IS_DEEP else 6
    for position in range(random.randrange(step), len(sections[tag]), step):
        for change in (0x01, 0x10, 0x80, 0xFF):
            data = bytearray(sections[tag])
            data[position] ^= change
            refused += read_forged({**sections, tag: bytes(data)}) is None
    assert refused or tag == b"PRNT"


@settings(max_examples=examples(800), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tag=st.sampled_from(TAGS), data=st.data())
def test_forged_numbers_answer_or_are_refused(small: bytes, tag: bytes, data: st.DataObject) -> None:
    sections = take_apart(small)
    forged = bytearray(sections[tag])
    for _ in range(data.draw(st.integers(1, 3))):
        width = data.draw(st.sampled_from([1, 2, 4, 8]))
        position = data.draw(st.integers(0, len(forged)))
        value = data.draw(st.one_of(st.integers(0, 9), st.sampled_from(HUGE))) & ((1 << 8 * width) - 1)
        forged[position : position + width] = value.to_bytes(width, "little")
    read_forged({**sections, tag: bytes(forged)})


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tag=st.sampled_from(TAGS), data=st.binary(max_size=80))
def test_any_bytes_as_a_section(small: bytes, tag: bytes, data: bytes) -> None:
    read_forged({**take_apart(small), tag: data})


META_CHANGES: list[dict[str, object]] = [
    {"fields": None},
    {"fields": [["body", 0]] * 9},
    {"fields": [["body", 7], ["path", 1], ["symbol", 0]]},
    {"fields": [["body"], ["path", 1], ["symbol", 0]]},
    {"fields": [["body", 0], ["path", 1]]},
    {"fields": []},
    {"files": 2},
    {"files": float("inf")},
    {"units": -1},
    {"units": 2**64 - 1},
    {"units": "3"},
    {"chunks": None},
    {"length_sums": 5},
    {"length_sums": [1, 2]},
    {"length_sums": [float("nan"), 1, 2]},
    {"languages": []},
    {"languages": 3},
]


@pytest.mark.parametrize("change", META_CHANGES)
def test_another_meta_is_corrupt(small: bytes, change: dict[str, object]) -> None:
    sections = take_apart(small)
    sections[b"META"] = pack({**unpack(sections[b"META"], "META"), **change})
    assert read_forged(sections) is None


@pytest.mark.parametrize("value", [None, 3, [], "text", {}, {"fields": []}, [[["a", 0]]]])
def test_meta_of_another_kind_is_corrupt(small: bytes, value: object) -> None:
    assert read_forged({**take_apart(small), b"META": pack(value)}) is None


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\xdd\xff\xff\xff\xff",  # a list of four billion
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\xdd\x00\x00\x00\x03" * 20_000,  # nested
        b"\x91" * 100_000 + b"\x01",
        b"\xa2\xff\xff",  # not UTF-8
        b"\x81\x01\x01",  # a key that is a number
        b"\xc0\xc0",
        b"\xc1",
        b"\xd4\x05\x00",
    ],
)
def test_packed_bombs_are_corrupt(small: bytes, packed: bytes) -> None:
    assert read_forged({**take_apart(small), b"META": packed}) is None


@pytest.mark.parametrize(
    ("term", "tag", "position", "byte", "field"),
    [
        (b"alpha", b"POST", 7, 9, BODY),  # by block: the last doc id
        (b"gamma", b"POST", 23, 0x26, BODY),  # by gap: 9, three times
        (b"gamma", b"POST", 23, 0x26, SYMBOL),  # repeated
        (b"md", b"LIST", 9, 0x13, PATH),  # in the dictionary
        (b"py", b"LIST", 10, 0x13, BODY),
        (b"py", b"LIST", 10, 0x13, PATH),
    ],
)
def test_a_document_that_is_not_there_is_corrupt(
    small: bytes, term: bytes, tag: bytes, position: int, byte: int, field: int
) -> None:
    sections = take_apart(small)
    forged = bytearray(sections[tag])
    forged[position] = byte
    reader = open_bytes(put_together({**sections, tag: bytes(forged)})[1])
    (posting_list,) = (one for one in reader.postings.find_lists(term) if one.field == field)
    with pytest.raises(CorruptIndex, match="document 9"):
        reader.postings.read(posting_list)
    with pytest.raises(CorruptIndex, match=r"of the segment|does not have"):
        list(reader.postings.iter_runs(100))
    with pytest.raises(CorruptIndex, match=r"of the segment|does not have"):
        reader.postings.read_run(b"", None)


def test_a_document_that_the_other_level_does_not_have_is_corrupt() -> None:
    """Unit 3 is there, file 3 is not."""
    model: Model = {
        "a": tuple({(BODY, b"x"): 1} if unit == 1 else {} for unit in range(5)),
        "b": ({(PATH, b"x"): 1},),
    }
    reader = open_model(model)
    assert [one.repeats for one in reader.postings.find_lists(b"x")] == [False, True]
    sections = take_apart(write_bytes(model))
    assert (sections[b"POST"], sections[b"LIST"].hex()) == (b"", "030300")
    reader = open_bytes(put_together({**sections, b"LIST": bytes.fromhex("030700")})[1])
    body, path = reader.postings.find_lists(b"x")
    assert pair(reader.postings.read(body)) == [(3, 1)]
    with pytest.raises(CorruptIndex, match="document 3 of 2"):
        reader.postings.read(path)
    with pytest.raises(CorruptIndex, match="does not have"):
        list(reader.postings.iter_runs(100))


def test_a_field_that_the_schema_does_not_have_is_corrupt(small: bytes) -> None:
    sections = take_apart(small)
    lists = bytearray(sections[b"LIST"])
    assert struct.unpack_from("<5B", lists) == (1, 1, 5, 2, 3)  # alpha, beta, gamma, md, py
    lists[0] = 0x40
    reader = open_bytes(put_together({**sections, b"LIST": bytes(lists)})[1])
    with pytest.raises(CorruptIndex, match="field 6 of only 3"):
        reader.postings.find_lists(b"alpha")
    with pytest.raises(CorruptIndex, match="field 6 of only 3"):
        list(reader.postings.iter_runs(100))


def test_hostile_numbers_of_the_dictionary_take_no_memory(small: bytes) -> None:
    """A list of 2**34 documents, of 2**34 bytes, a repeated one of 2**34 documents: refused before memory."""
    sections = take_apart(small)
    lists = sections[b"LIST"]
    terms, values = lists[:5], np.frombuffer(lists[5:], dtype=np.uint8).tolist()  # all below 128
    assert values == [12, 12, 2, 0, 3, 1, 0, 11, 12, 1]
    huge = lay_varint(2**34)
    forgeries = [
        b"".join(huge if at == position else bytes([value]) for at, value in enumerate(values))
        for position in range(10)
    ]
    both = b"".join(huge if position in (2, 9) else bytes([value]) for position, value in enumerate(values))
    for forged in [*forgeries, both]:
        data = put_together({**sections, b"LIST": terms + forged})[1]
        tracemalloc.start()
        try:
            with pytest.raises(CorruptIndex):
                read_everything(open_bytes(data))
            for term in SMALL_TERMS:
                with suppress(CorruptIndex):
                    reader = open_bytes(data)
                    for posting_list in reader.postings.find_lists(term):
                        reader.postings.read(posting_list)
                        reader.postings.read_blocks(posting_list)
                        reader.postings.read_all([posting_list])
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()


def find_ends(reader: SegmentReader) -> list[tuple[int, int]]:
    """Return each chunk of the files with units, and the unit behind it."""
    files, firsts = np.flatnonzero(np.diff(reader.files.first_units)), reader.files.first_units
    units = firsts[files], firsts[files + 1]
    chunks, ends = reader.chunks.find_ends(reader.files.read_chunk_spans(files), units)
    return list(zip(chunks.tolist(), ends.tolist(), strict=True))


def test_the_ends_of_chunks_are_those_of_their_spans(small: bytes) -> None:
    reader = open_bytes(small)
    wanted = []
    for file in range(reader.file_count):
        first, chunk = int(reader.files.first_units[file]), int(reader.files.first_chunks[file])
        chunks = reader.chunks.read_chunks(chunk, int(reader.files.first_chunks[file + 1]))
        ends = first + chunks.first_units + chunks.unit_counts
        wanted += enumerate(ends.tolist(), chunk)
    assert find_ends(reader) == wanted


@pytest.mark.parametrize("column", [0, 1])
def test_chunks_that_do_not_cover_their_file_are_corrupt(small: bytes, column: int) -> None:
    sections = take_apart(small)
    table = open_table(sections[CHNK], 3)
    columns = [table.read_column(number) for number in range(3)]
    columns[column][-1] += 1
    sections[CHNK] = encode_table(columns)
    with pytest.raises(CorruptIndex, match="do not cover"):
        find_ends(open_bytes(put_together(sections)[1]))
