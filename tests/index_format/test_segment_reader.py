"""A segment reader on bytes whose checksums are right: it answers, or raises IndexFormatError."""

from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex, IndexFormatError, MemoryDirectory, pack, unpack
from index_format.postings import BOUNDS_FREQUENCY
from tests.index_format.segment_bytes import open_bytes, put_together, read_everything, take_apart
from tests.index_format.small_index import (
    BODY,
    PATH,
    Model,
    build_content,
    build_run,
    list_postings,
    write_model,
)

HUGE = [0xFF, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF]
TAGS = [b"POST", b"TERM", b"LIST", b"PAGE", b"TOPS", b"FILE", b"PATH", b"PRNT", b"UNIT", b"CHNK", b"NRMU"]
TAGS += [b"NRMF", b"META"]


def read_forged(sections: dict[bytes, bytes]) -> list[object] | None:
    """What a segment of these sections answers; None when it is refused as it should be."""
    try:
        return read_everything(open_bytes(put_together(sections)[1]))
    except IndexFormatError:
        return None


def test_all_postings_are_those_of_the_model() -> None:
    model: Model = {
        "long": tuple({(BODY, b"often"): 1 + doc % 20, (BODY, b"w%d" % doc): 1} for doc in range(150)),
        "one": ({(PATH, b"often"): 3},),
    }
    directory = MemoryDirectory()
    reader = open_bytes(bytes(directory.files[write_model(directory, model).name]))
    wanted = list_postings(model)
    assert max(map(len, wanted.values())) > BOUNDS_FREQUENCY
    found = {}
    for term in {term for term, _ in wanted}:
        for posting_list in reader.find_lists(term):
            docs, counts = reader.read_postings(posting_list)
            found[term, posting_list.field] = dict(zip(docs.tolist(), counts.tolist(), strict=True))
    assert found == wanted
    content, expected = reader.read_content(), build_content(model)
    assert [column.tolist() for column in content.lengths] == [column.tolist() for column in expected.lengths]
    (run,) = reader.iter_runs(10**6)
    assert run.terms == build_run(model).terms
    assert run.docs.tolist() == build_run(model).docs.tolist()


def test_documents_of_many_terms_are_those_of_their_lists() -> None:
    model: Model = {
        f"file{number}": tuple({(BODY, b"often"): 1, (BODY, b"w%d" % doc): 1} for doc in range(40 * number))
        for number in range(1, 8)
    } | {"one": ({(PATH, b"often"): 3},)}
    directory = MemoryDirectory()
    reader = open_bytes(bytes(directory.files[write_model(directory, model).name]))
    terms = sorted({term for term, _ in list_postings(model)})
    for asked in ([], terms, terms[::7], [b"absent", b"often", b"w3", b"zzz"]):
        lists = [one for term in asked for one in reader.find_lists(term) if one.field == BODY]
        wanted = [doc for one in lists for doc in reader.read_postings(one)[0].tolist()]
        assert reader.read_docs(asked, (BODY,)).tolist() == wanted


def test_runs_of_any_size_hold_the_same(small: bytes) -> None:
    reader = open_bytes(small)
    whole = [(run.terms, run.docs.tolist()) for run in reader.iter_runs(10**6)]
    cut = list(reader.iter_runs(1))
    assert [term for run in cut for term in run.terms] == whole[0][0]
    assert [doc for run in cut for doc in run.docs.tolist()] == whole[0][1]


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


@pytest.mark.parametrize("tag", TAGS)
def test_forged_bytes_answer_or_are_refused(small: bytes, tag: bytes) -> None:
    """Each byte of each section in four other versions: nothing but IndexFormatError is ever raised."""
    sections = take_apart(small)
    refused = 0
    for place in range(len(sections[tag])):
        for change in (0x01, 0x10, 0x80, 0xFF):
            data = bytearray(sections[tag])
            data[place] ^= change
            refused += read_forged({**sections, tag: bytes(data)}) is None
    assert refused or tag == b"PRNT"


@settings(max_examples=800, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tag=st.sampled_from(TAGS), data=st.data())
def test_forged_numbers_answer_or_are_refused(small: bytes, tag: bytes, data: st.DataObject) -> None:
    sections = take_apart(small)
    forged = bytearray(sections[tag])
    for _ in range(data.draw(st.integers(1, 3))):
        width = data.draw(st.sampled_from([1, 2, 4, 8]))
        place = data.draw(st.integers(0, len(forged)))
        value = data.draw(st.one_of(st.integers(0, 9), st.sampled_from(HUGE))) & ((1 << 8 * width) - 1)
        forged[place : place + width] = value.to_bytes(width, "little")
    read_forged({**sections, tag: bytes(forged)})


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_a_document_that_is_not_there_is_corrupt(small: bytes) -> None:
    sections = take_apart(small)
    post = bytearray(sections[b"POST"])
    assert post[:1] == b"\x04"  # alpha in body: documents 0 and 1, with frequencies
    post[2] = 9
    reader = open_bytes(put_together({**sections, b"POST": bytes(post)})[1])
    with pytest.raises(CorruptIndex, match="document 9 of 3"):
        reader.read_postings(reader.find_lists(b"alpha")[0])
    with pytest.raises(CorruptIndex, match="that the segment does not have"):
        list(reader.iter_runs(100))


def test_a_field_that_the_schema_does_not_have_is_corrupt(small: bytes) -> None:
    sections = take_apart(small)
    lists = bytearray(sections[b"LIST"])
    assert struct.unpack_from("<5B", lists) == (1, 1, 4, 2, 2)  # alpha, beta, gamma, md, py
    lists[0] = 0x40
    reader = open_bytes(put_together({**sections, b"LIST": bytes(lists)})[1])
    with pytest.raises(CorruptIndex, match="field 6 of 3"):
        reader.find_lists(b"alpha")
    with pytest.raises(CorruptIndex, match="field 6 of 3"):
        list(reader.iter_runs(100))
