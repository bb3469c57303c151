"""The term dictionary: term bytes to posting lists, and the scan for terms that contain bytes.

Terms are sorted by their bytes; each has one posting list for each field that it occurs in. They
are cut into pages of PAGE_TERMS. Four sections:

    TERM  the terms in order, each followed by a line feed: this text is what a scan reads
    LIST  for each page: u8 of field bits for each term | u8 width of document frequencies |
          u8 width of sizes | document frequencies | sizes in bytes of the posting lists
          (widths 1, 2, 4; one value for each list, in (term, field) order; each term has a list)
    PAGE  a table (columns.py), one row a page: where its terms, its LIST bytes and its posting
          lists begin
    TOPS  the first term of each page, each followed by a line feed

No term holds a line feed. What PAGE says lies without gaps: a page ends where the next begins.
A look-up reads TOPS once and keeps it, then one page of TERM and LIST: two reads. Within a page
the bytes are searched by `bytes.find`, never term by term in Python.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from operator import ge

import numpy as np

from index_format.columns import WIDTH_TYPES, TableReader, choose_width, encode_table
from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.records import I64, MAX_FIELDS, PostingList

TERM, LIST, PAGE, TOPS = b"TERM", b"LIST", b"PAGE", b"TOPS"
PAGE_TERMS = 128
PAGE_COLUMNS = 3
LIST_WIDTHS = frozenset((1, 2, 4))
BIT_COUNTS = bytes(bits.bit_count() for bits in range(256))


class TermsWriter:
    """Collects terms in order and encodes them page by page."""

    def __init__(self) -> None:
        self._text: list[bytes] = []
        self._lists: list[bytes] = []
        self._tops: list[bytes] = []
        self._rows: list[tuple[int, int, int]] = []
        self._places = (0, 0, 0)
        self._terms: list[bytes] = []
        self._masks = np.zeros(0, dtype=np.uint8)
        self._frequencies = np.zeros(0, dtype=np.int64)
        self._sizes = np.zeros(0, dtype=np.int64)
        self.count = 0

    def add(self, terms: Sequence[bytes], masks: I64, frequencies: I64, sizes: I64) -> None:
        """The next terms: field bits of each, and frequency and size of each of their lists."""
        self._terms += terms
        self._masks = np.concatenate([self._masks, masks.astype(np.uint8)])
        self._frequencies = np.concatenate([self._frequencies, frequencies])
        self._sizes = np.concatenate([self._sizes, sizes])
        self._flush(len(self._terms) // PAGE_TERMS)

    def _flush(self, pages: int) -> None:
        """Encode that many pages and keep the rest."""
        list_counts = np.bitwise_count(self._masks).astype(np.int64)
        list_starts = np.concatenate([[0], np.cumsum(list_counts)])
        for page in range(pages):
            first, last = page * PAGE_TERMS, min((page + 1) * PAGE_TERMS, len(self._terms))
            self._add_page(first, last, int(list_starts[first]), int(list_starts[last]))
        done = min(pages * PAGE_TERMS, len(self._terms))
        del self._terms[:done]
        self._masks = self._masks[done:]
        self._frequencies = self._frequencies[list_starts[done] :]
        self._sizes = self._sizes[list_starts[done] :]

    def _add_page(self, first: int, last: int, first_list: int, last_list: int) -> None:
        text = b"\n".join(self._terms[first:last]) + b"\n"
        frequencies, sizes = self._frequencies[first_list:last_list], self._sizes[first_list:last_list]
        widths = [max(1, choose_width(int(column.max()))) for column in (frequencies, sizes)]
        lists = b"".join(
            [
                self._masks[first:last].tobytes(),
                bytes(widths),
                frequencies.astype(WIDTH_TYPES[widths[0]]).tobytes(),
                sizes.astype(WIDTH_TYPES[widths[1]]).tobytes(),
            ]
        )
        self._rows.append(self._places)
        self._tops.append(self._terms[first])
        self._text.append(text)
        self._lists.append(lists)
        self.count += last - first
        text_place, list_place, posting_place = self._places
        self._places = (text_place + len(text), list_place + len(lists), posting_place + int(sizes.sum()))

    def finish(self) -> dict[bytes, bytes]:
        """The four sections by tag."""
        self._flush(-(-len(self._terms) // PAGE_TERMS))
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, PAGE_COLUMNS)
        return {
            TERM: b"".join(self._text),
            LIST: b"".join(self._lists),
            PAGE: encode_table([rows[:, column] for column in range(PAGE_COLUMNS)]),
            TOPS: b"".join(top + b"\n" for top in self._tops),
        }


@dataclass(frozen=True, slots=True)
class TermPage:
    """One decoded page of the dictionary."""

    terms: list[bytes]
    masks: I64  # field bits of each term
    frequencies: I64  # of each list
    sizes: I64  # bytes of each list
    postings_start: int  # where the first list begins


class TermsReader:
    """Look-ups in the term dictionary of one segment."""

    def __init__(self, frame: FrameReader) -> None:
        self._frame = frame
        size = frame.get_size(PAGE)
        self._table = TableReader(
            lambda at, size: frame.read(PAGE, at, size), size, PAGE_COLUMNS, f"{frame.name}: PAGE"
        )
        self.pages = self._table.rows
        if self.pages > frame.get_size(TOPS):  # each first term has its line feed at least
            raise self._corrupt(f"{self.pages} pages, {frame.get_size(TOPS)} bytes of first terms")

    @cached_property
    def _tops(self) -> list[bytes]:
        *tops, rest = self._frame.read(TOPS).split(b"\n")
        if len(tops) != self.pages or rest:
            raise self._corrupt(f"{len(tops)} first terms for {self.pages} pages, then {len(rest)} bytes")
        return tops

    @cached_property
    def _columns(self) -> tuple[I64, I64, I64]:
        """The PAGE table, each column with the end as one more row."""
        ends = (self._frame.get_size(TERM), self._frame.get_size(LIST), -1)
        text, lists, postings = (
            np.append(self._table.read_column(column), end) for column, end in enumerate(ends)
        )
        if int(text[0]) or int(lists[0]):
            raise self._corrupt("bytes in front of the first page of the dictionary")
        return text, lists, postings

    def _corrupt(self, what: str) -> CorruptIndex:
        return CorruptIndex(f"{self._frame.name}: {what}")

    def _read_span(self, tag: bytes, column: I64, page: int, last: int) -> bytes:
        start, stop = int(column[page]), int(column[last])
        return self._frame.read(tag, start, stop - start)

    def find(self, term: bytes) -> list[PostingList]:
        """The posting lists of a term in field order; none when the term is not there."""
        page = bisect_right(self._tops, term) - 1
        if page < 0 or b"\n" in term:
            return []
        text_places, list_places, posting_places = self._columns
        text = b"\n" + self._read_span(TERM, text_places, page, page + 1)
        place = text.find(b"\n" + term + b"\n")
        if place < 0:
            return []
        number = text.count(b"\n", 0, place)
        lists = self._read_span(LIST, list_places, page, page + 1)
        return self._parse_lists(lists, text.count(b"\n") - 1, number, int(posting_places[page]))

    def iter_lists(self, terms: Sequence[bytes]) -> Iterator[list[PostingList]]:
        """The posting lists of ascending terms, page by page; of those that are there."""
        place = 0
        while place < len(terms):
            page = max(0, bisect_right(self._tops, terms[place]) - 1)
            end = len(terms)
            if page + 1 < self.pages:
                end = max(place + 1, bisect_left(terms, self._tops[page + 1], place))
            if self.pages:
                yield self._find_in_page(page, terms[place:end])
            place = end

    def _find_in_page(self, page: int, terms: Sequence[bytes]) -> list[PostingList]:
        text_places, list_places, posting_places = self._columns
        text = b"\n" + self._read_span(TERM, text_places, page, page + 1)
        data = self._read_span(LIST, list_places, page, page + 1)
        masks, frequencies, sizes = self._parse_page(data, text.count(b"\n") - 1)
        firsts = [0, *accumulate(masks.translate(BIT_COUNTS))]
        offsets = (np.cumsum(sizes) - sizes + int(posting_places[page])).tolist()
        found: list[PostingList] = []
        for term in terms:
            place = text.find(b"\n" + term + b"\n")
            if place >= 0 and b"\n" not in term:
                number = text.count(b"\n", 0, place)
                fields = [field for field in range(MAX_FIELDS) if masks[number] >> field & 1]
                for row, field in enumerate(fields, firsts[number]):
                    found.append(PostingList(field, int(frequencies[row]), offsets[row], int(sizes[row])))
        return found

    def _parse_lists(self, data: bytes, terms: int, number: int, offset: int) -> list[PostingList]:
        """The lists of term `number` of a page of `terms` terms whose postings begin at `offset`."""
        masks, frequencies, sizes = self._parse_page(data, terms)
        first = sum(masks[:number].translate(BIT_COUNTS))
        offset += int(sizes[:first].sum())
        found: list[PostingList] = []
        for field in range(MAX_FIELDS):
            if masks[number] >> field & 1:
                row = first + len(found)
                found.append(PostingList(field, int(frequencies[row]), offset, int(sizes[row])))
                offset += int(sizes[row])
        return found

    def _parse_page(self, data: bytes, terms: int) -> tuple[bytes, I64, I64]:
        masks = data[:terms]
        count = sum(masks.translate(BIT_COUNTS))
        widths = data[terms : terms + 2]
        if len(widths) < 2 or not LIST_WIDTHS.issuperset(widths) or 0 in masks:
            raise self._corrupt(
                "a page of the dictionary is cut, has unknown widths or a term without a list"
            )
        if len(data) != terms + 2 + count * sum(widths):
            raise self._corrupt(f"a page of the dictionary has {len(data)} bytes for {count} lists")
        start = terms + 2
        frequencies = np.frombuffer(data, WIDTH_TYPES[widths[0]], count, start)
        sizes = np.frombuffer(data, WIDTH_TYPES[widths[1]], count, start + count * widths[0])
        return masks, frequencies.astype(np.int64), sizes.astype(np.int64)

    def find_containing(self, needle: bytes, limit: int) -> list[bytes]:
        """The first `limit` terms in order that contain `needle`: a scan of the dictionary's bytes."""
        if not needle or b"\n" in needle:
            return []
        text = b"\n" + self._frame.read(TERM)
        if not text.endswith(b"\n"):
            raise self._corrupt("the text of the terms is cut")
        found: list[bytes] = []
        place = text.find(needle)
        while place >= 0 and len(found) < limit:
            start = text.rfind(b"\n", 0, place) + 1
            end = text.index(b"\n", place)
            found.append(text[start:end])
            place = text.find(needle, end)
        return found

    def read_texts(self, start: int, stop: int) -> tuple[bytes, I64]:
        """The terms of a span of pages, each followed by a line feed; where each page begins in them."""
        places = self._columns[0]
        text = self._read_span(TERM, places, start, stop)
        if start < stop and not text.endswith(b"\n"):
            raise self._corrupt("the text of the terms is cut")
        return text, places[start:stop] - places[start]

    def list_tops(self, postings_bytes: int) -> tuple[list[bytes], I64]:
        """The first term of each page; where each page's lists begin, with the end as one more row."""
        return self._tops, np.append(self._columns[2][:-1], postings_bytes)

    def find_pages(self, first: bytes, end: bytes | None) -> tuple[int, int]:
        """The half-open span of pages that hold the terms from `first` up to, not including, `end`."""
        start = max(0, bisect_right(self._tops, first) - 1)
        return start, self.pages if end is None else bisect_left(self._tops, end)

    def iter_pages(self, start: int = 0, stop: int | None = None) -> Iterator[TermPage]:
        """Pages in order. Raises CorruptIndex for terms that do not ascend, or gaps between pages."""
        text_places, list_places, posting_places = self._columns
        postings_end = int(posting_places[start]) if 0 < start < self.pages else 0
        for page in range(start, self.pages if stop is None else stop):
            terms = self._read_span(TERM, text_places, page, page + 1).split(b"\n")[:-1]
            self._check_order(page, terms)
            lists = self._read_span(LIST, list_places, page, page + 1)
            masks, frequencies, sizes = self._parse_page(lists, len(terms))
            start = int(posting_places[page])
            if start != postings_end:
                raise self._corrupt(f"the lists of page {page} begin at {start}, {postings_end} expected")
            postings_end += int(sizes.sum())
            yield TermPage(
                terms, np.frombuffer(masks, dtype=np.uint8).astype(np.int64), frequencies, sizes, start
            )

    def _check_order(self, page: int, terms: list[bytes]) -> None:
        following = self._tops[page + 1 : page + 2]
        if terms[:1] != self._tops[page : page + 1]:
            raise self._corrupt(f"page {page} of the dictionary does not begin with its first term")
        if any(map(ge, terms, islice([*terms, *following], 1, None))):
            raise self._corrupt(f"the terms of page {page} do not ascend")
