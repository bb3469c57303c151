"""Signatures of pages: none that has the bytes is left out; large dictionaries whole, and forged ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import (
    CorruptIndex,
    IndexFormatError,
    IndexWriter,
    MemoryDirectory,
    PostingRun,
    SegmentEntry,
    build_term_text,
    find_containing,
    iter_ending,
    terms,
    verify_index,
    write_segment,
)
from index_format.frame import FrameReader
from index_format.memory_directory import MemoryFile
from index_format.signatures import (
    CLASS_BITS,
    CLASSES,
    FACTORS,
    GRAM_BYTES,
    SIGN,
    SignatureReader,
    SignatureWriter,
)
from index_format.term_text import count_shared
from index_format.terms import PAGE_TERMS, TERM, TOPS
from tests.index_format.segment_bytes import (
    SMALL,
    build_small,
    open_bytes,
    put_together,
    read_everything,
    take_apart,
    verify_forged,
)
from tests.index_format.small_index import BODY, FIELDS, build_content, write_model
from tests.index_format.test_terms import encode, open_terms

WORDS = st.lists(st.text("abé", max_size=6).map(str.encode), min_size=1, max_size=60, unique=True).map(sorted)
PAGES_OF_FOUR = 4


def sign(words: list[bytes], group: int) -> bytes:
    """Return the section, with pages of four terms, that many added at a time."""
    writer = SignatureWriter()
    for at in range(0, len(words), group):
        own = build_term_text(words[at : at + group])
        shared = count_shared(own, 258)
        shared[::PAGES_OF_FOUR] = 0
        writer.add(own, shared, PAGES_OF_FOUR)
    return writer.finish()


def sign_plainly(words: list[bytes]) -> bytes:
    pages = [words[at : at + PAGES_OF_FOUR] for at in range(0, len(words), PAGES_OF_FOUR)]
    rows = [[0] * -(-len(pages) // 8) for _ in range(CLASSES + 1)]
    for number, page in enumerate(pages):
        for word in page:
            text = word + b"\n"
            for at in range(len(text) - GRAM_BYTES + 1):
                mixed = sum(byte * factor for byte, factor in zip(text[at:], FACTORS, strict=False))
                rows[mixed % (1 << 32) >> (32 - CLASS_BITS)][number // 8] |= 1 << number % 8
            if not word.isascii():
                rows[CLASSES][number // 8] |= 1 << number % 8
    return b"".join(map(bytes, rows))


def open_signatures(data: bytes, pages: int) -> SignatureReader:
    return SignatureReader(FrameReader(MemoryFile("x.seg", bytearray(put_together({SIGN: data})[1]))), pages)


@given(WORDS, st.text("abé", min_size=1, max_size=4).map(str.encode), st.booleans())
def test_signatures_are_those_of_a_plain_writer_and_leave_out_no_page(
    words: list[bytes], needle: bytes, at_end: bool
) -> None:
    data = sign(words, 8 * PAGES_OF_FOUR)
    assert data == sign_plainly(words) == sign(words, 16 * PAGES_OF_FOUR)
    reader = open_signatures(data, -(-len(words) // PAGES_OF_FOUR))
    strange = sorted({number // PAGES_OF_FOUR for number, word in enumerate(words) if not word.isascii()})
    assert reader.list_non_ascii().tolist() == strange
    text = needle + b"\n" * at_end
    if len(text) >= GRAM_BYTES:
        wanted = {number // PAGES_OF_FOUR for number, word in enumerate(words) if text in word + b"\n"}
        assert wanted <= set(reader.list_holding(text).tolist())
        assert wanted <= set(reader.list_spelled(text.upper()).tolist())


@given(WORDS, st.text("aB", min_size=3, max_size=6).map(str.encode))
def test_pages_of_any_case_are_those_of_each_spelling(words: list[bytes], text: bytes) -> None:
    words = sorted({one for word in words for one in (word, word.upper(), word.title())})
    reader = open_signatures(sign(words, 8 * PAGES_OF_FOUR), -(-len(words) // PAGES_OF_FOUR))
    letters = [bytes([letter]) for letter in text]
    spellings = map(b"".join, product(*((letter.lower(), letter.upper()) for letter in letters)))
    wanted = {page for one in spellings for page in reader.list_holding(one).tolist()}
    assert set(reader.list_spelled(text).tolist()) == wanted


def test_signatures_of_another_size_are_corrupt() -> None:
    data = sign([b"a", b"b"], 8)
    with pytest.raises(CorruptIndex, match="bytes of signatures for 9 pages"):
        open_signatures(data, 9)


def test_spans_have_few_pages_and_all_that_are_wanted() -> None:
    words = [b"%06dword" % number for number in range(20_000)]
    with patch.object(terms, "LARGE_PAGES", 1):
        reader = open_terms(encode([(word, {0: (1, 2)}) for word in words]))
        assert find_containing(reader, b"012345w", 5) == [b"012345word"]
        assert sum(stop - start for start, stop in reader.iter_spans(b"012345w")) < 5
        assert list(reader.iter_spans(b"012345W")) == []
        assert 0 < sum(stop - start for start, stop in reader.iter_spans(b"012345WORD\n", any_case=True)) < 5
        assert list(reader.iter_spans(b"zzzzz")) == list(reader.iter_spans(None)) == []
        assert sum(stop - start for start, stop in reader.iter_spans(b"wo")) == reader.pages


def test_a_dictionary_is_large_from_its_number_of_pages_on() -> None:
    for pages, is_large in ((terms.LARGE_PAGES - 1, False), (terms.LARGE_PAGES, True)):
        words = [b"%06d" % number for number in range((pages - 1) * PAGE_TERMS + 1)]
        writer = terms.TermsWriter()
        one = np.ones(len(words), dtype=np.int64)
        writer.add(build_term_text(words), one, one, 0 * one, np.arange(len(words)))
        sections = writer.finish()
        assert (SIGN in sections) is is_large
        sections |= {tag: b"".join(writer.take(tag)) for tag in terms.LARGE_SECTIONS}
        reader = open_terms(sections)
        assert (reader.pages, reader.is_large) == (pages, is_large)
        assert [one.doc for one in reader.find(b"%06d" % 12_345)] == [12_345]
        assert reader.read_texts(0, pages)[0] == b"".join(word + b"\n" for word in words)


def build_large() -> tuple[MemoryDirectory, SegmentEntry]:
    """Write an index of one unit and LARGE_PAGES of terms."""
    words = [*(b"%06x" % (number * 99) for number in range(131_000)), "größe".encode()]
    count = len(words)
    content = build_content({"long.c": ({(BODY, b"any"): count},)})
    one, zero = np.ones(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    run = PostingRun(build_term_text(words), np.arange(count), zero, one, zero, one)
    directory = MemoryDirectory()
    with IndexWriter(directory, "large", FIELDS) as writer:
        entry = write_segment(directory, writer.reserve_temporary(), content, run)
        writer.add(entry)
        writer.commit()
    return directory, entry


def test_the_bytes_of_a_large_dictionary_never_change() -> None:
    """A segment is named after its content: this name stands for golden files of a megabyte."""
    directory, entry = build_large()
    assert entry.name == "7cd3b7d402011f88db7fce551f102d90.seg"
    assert verify_index(directory) == []


def forge(change: Callable[[dict[bytes, bytes]], object]) -> list[str]:
    """Return the faults of an index with a large dictionary that is changed and has its checksums right."""
    with patch.object(terms, "LARGE_PAGES", 1):
        directory = MemoryDirectory()
        with IndexWriter(directory, "forged", FIELDS) as writer:
            writer.add(write_model(directory, SMALL, writer.reserve_temporary()))
            manifest = writer.commit()
        return verify_forged(directory, manifest, change)


def test_verifying_finds_what_a_writer_would_not_have_written() -> None:
    assert forge(lambda sections: None) == []
    (fault,) = forge(lambda sections: sections.update({SIGN: b"\1" * len(sections[SIGN])}))
    assert fault.startswith("SEGMENT: its content, written again, is ")
    assert forge(lambda sections: sections.pop(SIGN)) == ["SEGMENT: no section b'SIGN'"]
    (fault,) = forge(lambda sections: sections.update({TERM: sections[TERM] + b"\0"}))
    assert fault.endswith("a page of the dictionary that does not end where its bytes end")


@given(st.sampled_from([TERM, SIGN, TOPS]), st.data())
def test_forged_sections_answer_or_are_refused(tag: bytes, data: st.DataObject) -> None:
    with patch.object(terms, "LARGE_PAGES", 1):
        sections = take_apart(build_small())
        own = bytearray(sections[tag])
        place = data.draw(st.integers(0, len(own) - 1))
        own[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        with suppress(IndexFormatError):
            reader = open_bytes(put_together({**sections, tag: bytes(own)})[1])
            read_everything(reader)
            list(iter_ending(reader.terms, b"eta"))
