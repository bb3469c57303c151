"""The term dictionary: term bytes to posting lists.

Terms are sorted by their bytes; each has one posting list for each field that it occurs in. They
are cut into pages of PAGE_TERMS; a dictionary of LARGE_PAGES is large. Four sections, and one more if it is:

    TERM  the text of each page: its terms in order, each followed by a line feed; folded if the dictionary is
          large (folded_pages.py)
    LIST  for each page: u8 of field bits for each term | a head for each posting list, in (term, field)
          order; each term has a list | the bytes of each list that has some (varints)
    PAGE  a table (columns.py), one row per page: where its terms, its LIST bytes and its posting
          lists begin
    TOPS  the first term of each page, each followed by a line feed
    SIGN  which pages may have a term with given bytes, if the dictionary is large (signatures.py)

A head is twice the document frequency; or, for one document with term frequency 1, one more than twice the
doc id; or 0: the list has the doc ids of the term's first list (postings.py). Lists of the last two kinds
have no bytes: six of ten.

No term contains a line feed. There are no gaps: everything of a page ends where that of the next begins.
A look-up reads TOPS, which is cached, then one page of TERM and LIST: two reads. Within a page
the bytes are searched by `bytes.find`, never term by term in Python.

Folding saves two thirds of the bytes of terms, 60 of the kernel's 88 MB, and unfolding takes 9 us a page.
Most small dictionaries are merged soon, and folding all shards of a build costs more than folding the result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise
from operator import ge

import numpy as np
import numpy.typing as npt

from index_format import varints
from index_format.columns import TableReader, encode_table
from index_format.errors import CorruptIndex
from index_format.folded_pages import fold_pages, unfold_pages
from index_format.frame import FrameReader
from index_format.records import I64, MAX_FIELDS, NO_SINGLE, U8, PostingList
from index_format.runs import count_true
from index_format.signatures import GRAM_BYTES, SIGN, SignatureReader, SignatureWriter
from index_format.term_pages import PAGE_TERMS, RawPages, TermPages, find_laid, parse_pages
from index_format.term_text import TermSearch, TermText, are_ascending, join_term_texts, parse_term_text

TERM, LIST, PAGE, TOPS = b"TERM", b"LIST", b"PAGE", b"TOPS"
LARGE_SECTIONS = (TERM, LIST)  # in the order in which the file has them
PAGE_COLUMNS = 3
LARGE_PAGES = 1024  # 3 MB of text, which is scanned in two milliseconds
PAGES_AT_ONCE = 64  # Pages encoded together: a multiple of 8, for signatures; twice as many fold half as fast
NEAR_PAGES = 2  # pages this far apart are read together: unfolding the page between costs less than a read
TERM_WEIGHT = 4  # bytes of terms that take as long to merge as one byte of posting lists
SCAN_PAGES = 96  # Pages read at a time: a quarter of a megabyte, so that all derived from it stays in cache
BIT_COUNTS = bytes(bits.bit_count() for bits in range(256))
FIELDS_OF_BITS = tuple(
    tuple(field for field in range(MAX_FIELDS) if bits >> field & 1) for bits in range(256)
)


class TermsWriter:
    """Collects terms in order, and encodes them once it is known whether the dictionary is large."""

    def __init__(self) -> None:
        self._pieces: dict[bytes, list[bytes]] = {tag: [] for tag in LARGE_SECTIONS}
        self._first_terms: list[bytes] = []
        self._rows: list[I64] = []
        self._places = np.zeros(PAGE_COLUMNS, dtype=np.int64)
        self._waiting: list[tuple[TermText, U8, I64, I64]] = []  # terms, masks, heads, sizes
        self._signatures: SignatureWriter | None = None  # only a large dictionary has signatures
        self.count = 0

    def add(self, terms: TermText, masks: I64, frequencies: I64, sizes: I64, singles: I64) -> None:
        """Add terms with their columns of an EncodedRun: the field bits of each, and three for each list."""
        heads = np.where(sizes > 0, 2 * frequencies, np.where(singles == NO_SINGLE, 0, 2 * singles + 1))
        self._waiting.append((terms, masks.astype(np.uint8), heads, sizes))
        count = sum(len(waiting) for waiting, *_ in self._waiting)
        if self._signatures is None and count > (LARGE_PAGES - 1) * PAGE_TERMS:
            self._signatures = SignatureWriter()
        if self._signatures is not None:
            self._flush(count - count % (PAGES_AT_ONCE * PAGE_TERMS))

    def _flush(self, count: int) -> None:
        """Encode the first `count` waiting terms, in whole pages except at the very end."""
        if not count:
            return
        terms = join_term_texts([waiting for waiting, *_ in self._waiting])
        _, masks_of, heads_of, sizes_of = zip(*self._waiting, strict=True)
        masks, heads, sizes = map(np.concatenate, (masks_of, heads_of, sizes_of))
        list_ends = np.append(0, np.cumsum(np.bitwise_count(masks), dtype=np.int64))
        for low in range(0, count, PAGES_AT_ONCE * PAGE_TERMS):
            high = min(low + PAGES_AT_ONCE * PAGE_TERMS, count)
            first, last = list_ends[[low, high]].tolist()
            self._encode(terms.cut(low, high), masks[low:high], heads[first:last], sizes[first:last])
        lists = int(list_ends[count])
        self._waiting = [(terms.cut(count, len(terms)), masks[count:], heads[lists:], sizes[lists:])]

    def _encode(self, terms: TermText, masks: U8, heads: I64, sizes: I64) -> None:
        """Encode the pages of these terms."""
        count = len(terms)
        bounds = np.append(np.arange(0, count, PAGE_TERMS), count)
        list_bounds = np.append(0, np.cumsum(np.bitwise_count(masks), dtype=np.int64))[bounds]
        data, data_ends = _encode_lists(heads, sizes, list_bounds)
        self._first_terms += map(terms.__getitem__, bounds[:-1].tolist())
        self._pieces[LIST].append(_interleave(masks.tobytes(), bounds.tolist(), data, data_ends.tolist()))
        text, text_ends = terms.text, np.append(0, terms.ends)[bounds]
        if self._signatures is not None:
            text, page_ends, shared = fold_pages(terms, PAGE_TERMS)
            text_ends = np.append(0, page_ends)
            self._signatures.add(terms, shared, PAGE_TERMS)
        size_ends = np.append(0, np.cumsum(sizes))[list_bounds]
        rows = np.stack([text_ends, data_ends + bounds, size_ends], axis=1)
        self._rows.append(self._places + rows[:-1])
        self._places = self._places + rows[-1]
        self._pieces[TERM].append(text)
        self.count += count

    def take(self, tag: bytes) -> list[bytes]:
        """Return what has been encoded of one of the LARGE_SECTIONS since the last call."""
        pieces, self._pieces[tag] = self._pieces[tag], []
        return pieces

    def finish(self) -> dict[bytes, bytes]:
        """Return the other sections by tag. The rest of the large ones can be taken afterwards."""
        self._flush(sum(len(waiting) for waiting, *_ in self._waiting))
        rows = np.concatenate([np.zeros((0, PAGE_COLUMNS), dtype=np.int64), *self._rows])
        sections = {
            PAGE: encode_table([rows[:, column] for column in range(PAGE_COLUMNS)]),
            TOPS: b"".join(top + b"\n" for top in self._first_terms),
        }
        return sections if self._signatures is None else {**sections, SIGN: self._signatures.finish()}


def _interleave(masks: bytes, bounds: Sequence[int], data: bytes, ends: Sequence[int]) -> bytes:
    """Return the field bits of each page, and behind them its heads and sizes, as one piece.

    A page has some 300 bytes: to write each by itself would take longer than to encode it.
    """
    pieces = (
        piece
        for (low, high), (start, end) in zip(pairwise(bounds), pairwise(ends), strict=True)
        for piece in (masks[low:high], data[start:end])
    )
    return b"".join(pieces)


def _encode_lists(heads: I64, sizes: I64, bounds: I64) -> tuple[bytes, I64]:
    """Return heads and sizes, encoded page by page, and the bounds of the pages in them."""
    is_laid = sizes > 0
    laid = count_true(is_laid, bounds[1:])
    laid_ends = np.cumsum(laid)
    values = np.empty(len(heads) + int(laid_ends[-1]), dtype=np.int64)
    values[np.arange(len(heads)) + np.repeat(laid_ends - laid, np.diff(bounds))] = heads
    values[np.arange(int(laid_ends[-1])) + np.repeat(bounds[1:], laid)] = sizes[is_laid]
    data, ends = varints.encode(values)
    return data, np.append(0, ends)[bounds + np.append(0, laid_ends)]


class TermsReader:
    """The term dictionary of one segment, for looking up and scanning. Opening it raises CorruptIndex."""

    def __init__(self, frame: FrameReader) -> None:
        self._frame = frame
        size = frame.get_size(PAGE)
        where, start = f"{frame.name}: PAGE", frame.get_offset(PAGE)
        self._table = TableReader(partial(frame.view, PAGE), size, PAGE_COLUMNS, where, start)
        self.pages = self._table.rows
        if self.pages > frame.get_size(TOPS):  # each first term has its line feed at least
            raise self._corrupt(
                f"{frame.get_size(TOPS)} bytes of first terms are too few for {self.pages} pages"
            )
        self._places = [self._table.open_column(column) for column in range(PAGE_COLUMNS)]
        self.is_large = self.pages >= LARGE_PAGES  # a large dictionary has folded pages, and signatures
        self._signatures = SignatureReader(frame, self.pages) if self.is_large else None

    @cached_property
    def _first_terms(self) -> TermText:
        """Return the first term of each page. Few ever become objects: only those that are compared."""
        first_terms = parse_term_text(self._top_text)
        self._check_tops(len(first_terms))
        return first_terms

    @cached_property
    def _top_search(self) -> TermSearch:
        """Return the same terms for looking up a single one, at a ninth of the work."""
        first_terms = TermSearch(self._top_text)
        self._check_tops(len(first_terms))
        return first_terms

    @cached_property
    def _top_text(self) -> bytes:
        return self._frame.read(TOPS)

    def _check_tops(self, found: int) -> None:
        rest = len(self._top_text) - (self._top_text.rfind(b"\n") + 1)
        if found != self.pages or rest:
            raise self._corrupt(f"{found} first terms for {self.pages} pages, and {rest} bytes after them")

    @cached_property
    def _columns(self) -> tuple[I64, I64, I64]:
        """Return the columns of the PAGE table, each with its end as one more row."""
        ends = (self._frame.get_size(TERM), self._frame.get_size(LIST), -1)
        text, lists, postings = (
            np.append(self._table.read_column(column), end) for column, end in enumerate(ends)
        )
        if int(text[0]) or int(lists[0]) or int(postings[0]) > 0:
            raise self._corrupt("bytes in front of the first page of the dictionary")
        return text, lists, postings

    def _corrupt(self, what: str) -> CorruptIndex:
        return CorruptIndex(f"{self._frame.name}: {what}")

    def _read_page(self, tag: bytes, page: int) -> bytes:
        """Return the text of one page, for TERM, or its bytes in LIST."""
        positions = self._places[(TERM, LIST).index(tag)].cut(page, min(page + 2, self.pages)).tolist()
        start, end = (*positions, self._frame.get_size(tag))[:2]
        if start and not page:
            raise self._corrupt("bytes in front of the first page of the dictionary")
        data = self._frame.read(tag, start, end - start)
        return next(self._unfold(data, [0, len(data)])) if tag == TERM and self.is_large else data

    def _unfold(self, data: bytes, bounds: Sequence[int]) -> Iterator[bytes]:
        return unfold_pages(data, bounds, PAGE_TERMS, self._frame.name)

    def _read_text(self, page: int, last: int) -> tuple[bytes, I64]:
        """Return the text of pages [page, last), and where each begins and the last one ends."""
        bounds = self._columns[0][page : last + 1] - self._columns[0][page]
        text = self._read_span(TERM, self._columns[0], page, last)
        if self.is_large:
            pieces = list(self._unfold(text, bounds.tolist()))
            text, bounds = b"".join(pieces), np.cumsum([0, *map(len, pieces)])
        return text, bounds

    def _read_span(self, tag: bytes, column: I64, page: int, last: int) -> bytes:
        start, stop = int(column[page]), int(column[last])
        return self._frame.read(tag, start, stop - start)

    def find(self, term: bytes) -> list[PostingList]:
        """Return the posting lists of a term in field order, none if it is absent. Raises CorruptIndex."""
        page = self._top_search.count_up_to(term) - 1
        if page < 0 or b"\n" in term:
            return []
        text = b"\n" + self._read_page(TERM, page)
        position = text.find(b"\n" + term + b"\n")
        if position < 0:
            return []
        number = text.count(b"\n", 0, position)
        data = self._read_page(LIST, page)
        masks, heads, is_laid, sizes = self._parse_page(data, text.count(b"\n") - 1)
        first = sum(masks[:number].translate(BIT_COUNTS))
        own = heads[first : first + BIT_COUNTS[masks[number]]]
        before = np.count_nonzero(is_laid[:first])
        offset = int(self._places[2].cut(page, page + 1)[0]) + int(sizes[:before].sum())
        return self._build_lists(
            masks[number], own.tolist(), sizes[before : before + len(own)].tolist(), offset
        )

    def iter_lists(self, terms: Sequence[bytes]) -> Iterator[list[PostingList]]:
        """Yield the lists of ascending terms, page by page, skipping absent terms. Raises CorruptIndex."""
        position = 0
        while position < len(terms):
            page = max(0, bisect_right(self._first_terms, terms[position]) - 1)
            end = len(terms)
            if page + 1 < self.pages:
                end = max(position + 1, bisect_left(terms, self._first_terms[page + 1], position))
            if self.pages:
                yield self._find_in_page(page, terms[position:end])
            position = end

    def _find_in_page(self, page: int, terms: Sequence[bytes]) -> list[PostingList]:
        _, list_places, posting_positions = self._columns
        text = b"\n" + self._read_text(page, page + 1)[0]
        data = self._read_span(LIST, list_places, page, page + 1)
        masks, heads, is_laid, sizes = self._parse_page(data, text.count(b"\n") - 1)
        firsts = [0, *accumulate(masks.translate(BIT_COUNTS))]
        laid = [0, *np.cumsum(is_laid).tolist()]
        offsets = np.append(0, np.cumsum(sizes)) + posting_positions[page]
        found: list[PostingList] = []
        for term in terms:
            position = text.find(b"\n" + term + b"\n")
            if position >= 0 and b"\n" not in term:
                number = text.count(b"\n", 0, position)
                low, high = firsts[number], firsts[number + 1]
                own_sizes = sizes[laid[low] : laid[high]].tolist()
                own = heads[low:high].tolist()
                found += self._build_lists(masks[number], own, own_sizes, int(offsets[laid[low]]))
        return found

    def _build_lists(
        self, mask: int, heads: Sequence[int], sizes: Sequence[int], offset: int
    ) -> list[PostingList]:
        """Return the lists of a term with these field bits. Those with bytes begin at `offset` in POST."""
        found: list[PostingList] = []
        laid = iter(sizes)
        for field, head in zip(FIELDS_OF_BITS[mask], heads, strict=True):
            if head & 1:
                found.append(PostingList(field, 1, offset, 0, doc=head >> 1))
            elif head:
                size = next(laid)
                if not size:
                    raise self._corrupt("a posting list of no bytes")
                found.append(PostingList(field, head >> 1, offset, size))
                offset += size
            elif found:
                one = found[0]
                found.append(PostingList(field, one.frequency, one.offset, one.size, one.field, one.doc))
            else:
                raise self._corrupt("a posting list without bytes that repeats no other")
        return found

    def _parse_page(self, data: bytes, terms: int) -> tuple[bytes, I64, npt.NDArray[np.bool_], I64]:
        """Return the masks of a page, the heads of its lists, a mask of those with bytes, and their sizes."""
        masks = data[:terms]
        count = sum(masks.translate(BIT_COUNTS))
        raw = np.frombuffer(data, dtype=np.uint8)[terms:]
        values, _ = varints.decode(raw, f"{self._frame.name}: LIST")
        heads, sizes = values[:count], values[count:]
        is_laid = find_laid(heads)
        has_all = len(masks) == terms and len(heads) == count and np.count_nonzero(is_laid) == len(sizes)
        if not has_all or 0 in masks:
            raise self._corrupt(
                f"a page of the dictionary has {len(values)} values for {count} lists,"
                " or a term without a list"
            )
        return masks, heads, is_laid, sizes

    def iter_spans(self, text: bytes | None, *, any_case: bool = False) -> Iterator[tuple[int, int]]:
        """Yield ascending half-open spans of pages that together have every term with these bytes.

        A line feed at their end is that of a term; None stands for any byte above 127. With `any_case`, the
        case of the letters of ASCII does not matter. No span is longer than SCAN_PAGES. Raises CorruptIndex.
        """
        if self._signatures is None or (text is not None and len(text) < GRAM_BYTES):
            yield from self._cut_spans(np.arange(self.pages))
        elif text is None:
            yield from self._cut_spans(self._signatures.list_non_ascii())
        elif any_case:
            yield from self._cut_spans(self._signatures.list_spelled(text))
        else:
            yield from self._cut_spans(self._signatures.list_holding(text))

    def _cut_spans(self, pages: I64) -> Iterator[tuple[int, int]]:
        """Yield spans that have these ascending pages."""
        cuts = np.flatnonzero(np.diff(pages) > NEAR_PAGES) + 1
        for near in np.split(pages, cuts) if len(pages) else ():
            first, end = int(near[0]), int(near[-1]) + 1
            yield from ((at, min(end, at + SCAN_PAGES)) for at in range(first, end, SCAN_PAGES))

    def read_texts(self, start: int, stop: int) -> tuple[bytes, I64]:
        """Return the text of the terms of pages [start, stop), and each page's start. Raises CorruptIndex."""
        text, bounds = self._read_text(start, stop)
        if start < stop and not text.endswith(b"\n"):
            raise self._corrupt("the text of the terms is cut")
        return text, bounds[:-1]

    def read_masks(self, start: int, stop: int, text: bytes, firsts: I64) -> bytes:
        """Return the field bits of the terms of pages [start, stop), given what `read_texts` returns of them.

        Raises CorruptIndex.
        """
        positions = self._columns[1]
        lists = self._read_span(LIST, positions, start, stop)
        bounds = [*firsts.tolist(), len(text)]
        begins = (positions[start:stop] - positions[start]).tolist()
        masks = b"".join(
            lists[begin : begin + text.count(b"\n", first, end)]
            for begin, first, end in zip(begins, bounds[:-1], bounds[1:], strict=True)
        )
        if len(masks) != text.count(b"\n"):
            raise self._corrupt(f"pages {start} to {stop} of the dictionary have terms without lists")
        return masks

    def _list_first_terms(self, postings_bytes: int) -> tuple[list[bytes], I64]:
        """Return each page's first term, and the bounds of the pages' lists in POST. Raises CorruptIndex."""
        edges = np.append(self._columns[2][:-1], postings_bytes)
        first_terms = self._first_terms.split()
        if (np.diff(edges) < 0).any() or any(map(ge, first_terms, first_terms[1:])):
            raise self._corrupt("pages of the dictionary whose lists or first terms do not ascend")
        return first_terms, edges

    def weigh_pages(self, postings_bytes: int) -> tuple[list[bytes], I64]:
        """Return each page's first term, and the running weight at the bounds of pages. Raises CorruptIndex.

        The weight is the bytes of posting lists and a share of those of terms: the work that they take.
        """
        first_terms, edges = self._list_first_terms(postings_bytes)
        weights = edges + self._columns[0] // TERM_WEIGHT
        if (np.diff(weights) < 0).any():
            raise self._corrupt("pages of the dictionary whose terms do not ascend")
        return first_terms, weights

    def find_pages(self, first: bytes, end: bytes | None) -> tuple[int, int]:
        """Return the half-open span of pages with the terms [first, end). Raises CorruptIndex."""
        start = max(0, bisect_right(self._first_terms, first) - 1)
        return start, self.pages if end is None else bisect_left(self._first_terms, end)

    def read_raw(self, start: int, stop: int) -> RawPages:
        """Return pages [start, stop), at least one. Raises CorruptIndex."""
        _, lists, postings = self._columns
        text, text_bounds = self._read_text(start, stop)
        return RawPages(
            self._frame.name,
            text,
            self._read_span(LIST, lists, start, stop),
            text_bounds,
            lists[start : stop + 1] - lists[start],
            postings[start : stop + 1],
            self._first_terms.cut(start, stop).text,
            self._first_terms[stop] if stop < self.pages else None,
        )

    def read_pages(self, start: int, stop: int) -> TermPages:
        """Return pages [start, stop), at least one. Raises CorruptIndex for unordered terms, or gaps."""
        pages = parse_pages([self.read_raw(start, stop)])
        if not are_ascending(pages.terms):
            raise self._corrupt(f"the terms of pages {start} to {stop} do not ascend")
        return pages
