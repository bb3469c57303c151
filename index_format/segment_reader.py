"""One opened segment: tables, dictionary, posting lists. Nothing is read before it is needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from index_format.block_lists import BlockList, Escapes
from index_format.chunks import ChunkSpan, ChunksReader
from index_format.directory import ReadableFile
from index_format.errors import CorruptIndex
from index_format.file_records import RecordsReader, has_records
from index_format.files import FLAGS, LANGUAGE, LINES, SIZE, FilesReader
from index_format.frame import FrameReader
from index_format.meta import read_meta
from index_format.norms import NormsReader
from index_format.posting_runs import cut_run
from index_format.postings import POST, ListTable, decode_list, decode_lists, is_by_block
from index_format.records import (
    I64,
    MAX_FIELDS,
    NO_SINGLE,
    FileTable,
    Integers,
    Level,
    PostingList,
    PostingRun,
    SegmentContent,
)
from index_format.term_pages import PAGE_TERMS, TermPages
from index_format.terms import TermsReader

FOUND_KEPT = 256  # terms with their lists: a query asks for most of its own twice; 0.2 MB


class SegmentReader:
    """A segment as it was written. Safe to use from several threads: it only reads, at positions."""

    def __init__(self, file: ReadableFile) -> None:
        """Read header, tail and META. Raises CorruptIndex, IndexTooOld, IndexTooNew."""
        self.frame = FrameReader(file)
        self.name = file.name
        self.fields, self.language_names, self.length_sums, self.counts = read_meta(self.frame)
        self.chunks = ChunksReader(self.frame)
        self.files = FilesReader(self.frame, self.chunks.units, self.chunks.chunks)
        self._check_counts()
        docs = {Level.UNIT: self.unit_count, Level.FILE: self.file_count}
        self.norms = NormsReader(self.frame, self.fields, docs)
        self.terms = TermsReader(self.frame)
        self.postings = PostingsReader(self.frame, self.terms, [docs[field.level] for field in self.fields])
        self._records = RecordsReader(self.frame, self.file_count) if has_records(self.frame) else None

    def _check_counts(self) -> None:
        found = (self.files.count, self.chunks.units, self.chunks.chunks)
        wanted = (self.counts["files"], self.counts["units"], self.counts["chunks"])
        if found != wanted:
            raise CorruptIndex(f"{self.name}: {found} files, units and chunks, {wanted} expected")

    @property
    def file_count(self) -> int:
        """Return the number of source files, including dead ones."""
        return self.files.count

    @property
    def has_records(self) -> bool:
        """Return whether there is a record for each file."""
        return self._records is not None

    @property
    def records(self) -> RecordsReader:
        """Return the reader of file records. Raises CorruptIndex for a segment without records."""
        if self._records is None:
            raise CorruptIndex(f"{self.name}: it has no records")
        return self._records

    @property
    def unit_count(self) -> int:
        """Return the number of units, including those of dead files."""
        return self.chunks.units

    def read_file_table(self) -> FileTable:
        """Return the whole file table. Raises CorruptIndex."""
        files = self.files
        return FileTable(
            paths=list(files.iter_paths()),
            fingerprints=files.read_fingerprints(),
            sizes=files.read_column(SIZE),
            languages=self.read_languages(),
            flags=files.read_column(FLAGS),
            lines=files.read_column(LINES),
            units=np.diff(files.first_units),
            chunks=np.diff(files.first_chunks),
            language_names=self.language_names,
        )

    def read_content(self) -> SegmentContent:
        """Return everything but the postings; records are read on iteration. Raises CorruptIndex."""
        lengths = [self.norms.read_lengths(number) for number in range(len(self.fields))]
        return SegmentContent(
            self.fields,
            self.read_file_table(),
            self.chunks.read_units(),
            self.chunks.read_chunks(),
            lengths,
            self._records,
        )

    def read_spans(self, file: int) -> list[ChunkSpan]:
        """Return the chunks of one file. Raises CorruptIndex."""
        units, chunks = self.files.first_units, self.files.first_chunks
        return self.chunks.read_spans(
            (int(units[file]), int(units[file + 1])), (int(chunks[file]), int(chunks[file + 1]))
        )

    def read_languages(self) -> I64:
        """Return, for each file, the index of its language in `language_names`. Raises CorruptIndex."""
        numbers = self.files.read_column(LANGUAGE)
        self._check_languages(numbers)
        return numbers

    def take_languages(self, files: I64) -> list[str]:
        """Return the language names of some files, caching what is read. Raises CorruptIndex."""
        numbers = self.files.languages.take(files)
        self._check_languages(numbers)
        return [self.language_names[number] for number in numbers.tolist()]

    def _check_languages(self, numbers: Integers) -> None:
        """Raise CorruptIndex unless all languages have names."""
        highest = int(numbers.max(initial=0))
        if len(numbers) and highest >= len(self.language_names):
            raise CorruptIndex(f"{self.name}: language {highest} of only {len(self.language_names)}")

    def close(self) -> None:
        """Close the file."""
        self.frame.close()


class PostingsReader:
    """The posting lists of one segment: found by their term, read one by one, in part, or in runs."""

    def __init__(self, frame: FrameReader, terms: TermsReader, docs: Sequence[int]) -> None:
        """`docs` counts, for each field, the documents of its level."""
        self._frame = frame
        self._name = frame.name
        self._terms = terms
        self._find_lists = lru_cache(FOUND_KEPT)(terms.find)
        self._docs = docs

    def read(self, posting_list: PostingList) -> tuple[I64, I64]:
        """Return doc ids and term frequencies of one list (both int64). Raises CorruptIndex."""
        return self._decode(posting_list, self._read_bytes([posting_list]))

    def read_blocks(self, posting_list: PostingList, escapes: Escapes | None = None) -> BlockList | None:
        """Return a list that can be read in part; None when it is not by block. Raises CorruptIndex.

        `escapes` are those of the list when it was read before.
        """
        if not self._is_by_block(posting_list):
            return None
        return self._open_blocks(posting_list, self._read_bytes([posting_list]), escapes)

    def read_all(self, lists: Sequence[PostingList]) -> list[BlockList | tuple[I64, I64]]:
        """Return each list of a term, by block if it is so, else decoded as by `read`. Raises CorruptIndex.

        The lists of a term follow each other, so that most are read at once.
        """
        data = self._read_bytes(lists)
        return [
            self._open_blocks(one, data) if self._is_by_block(one) else self._decode(one, data)
            for one in lists
        ]

    def _is_by_block(self, posting_list: PostingList) -> bool:
        return not posting_list.repeats and is_by_block(
            posting_list.frequency, self._docs[posting_list.field]
        )

    def _open_blocks(
        self, posting_list: PostingList, data: Mapping[int, bytes], escapes: Escapes | None = None
    ) -> BlockList:
        own, docs = data[posting_list.offset], self._docs[posting_list.field]
        return BlockList(own, posting_list.frequency, docs, self._name_place(posting_list), escapes)

    def _decode(self, posting_list: PostingList, data: Mapping[int, bytes]) -> tuple[I64, I64]:
        if posting_list.doc is not None:
            where, found = f"{self._name}: LIST", np.array([posting_list.doc], dtype=np.int64)
            counts = np.ones_like(found)
        else:
            where, docs = self._name_place(posting_list), self._count_layout_docs(posting_list)
            found, counts = decode_list(data[posting_list.offset], posting_list.frequency, docs, where)
            if not posting_list.repeats:
                return found, counts
        docs = self._docs[posting_list.field]
        if int(found[-1]) >= docs:
            raise CorruptIndex(f"{where}: document {int(found[-1])} of {docs}")
        return found, np.ones_like(counts)

    def _name_place(self, posting_list: PostingList) -> str:
        """Return a name for errors."""
        return f"{self._name}: POST at {posting_list.offset}"

    def _read_bytes(self, lists: Sequence[PostingList]) -> dict[int, bytes]:
        """Return the bytes of the lists that have some, by their offset."""
        ends = {one.offset: one.offset + one.size for one in lists if one.doc is None}
        return dict(zip(ends, self._frame.read_spans(POST, list(ends), list(ends.values())), strict=True))

    def _count_layout_docs(self, posting_list: PostingList) -> int:
        """Return the number of documents of the level that the list's bytes are laid out for."""
        field = posting_list.field if posting_list.first_field is None else posting_list.first_field
        return self._docs[field]

    def read_docs(self, terms: Sequence[bytes], fields: Collection[int]) -> I64:
        """Return the doc ids of the lists of ascending terms in fields of one level. Raises CorruptIndex."""
        pieces: list[bytes] = []
        lists: list[PostingList] = []
        for page in self._terms.iter_lists(terms):
            wanted = [one for one in page if one.field in fields]
            if wanted:
                start = min(one.offset for one in wanted)
                end = max(one.offset + one.size for one in wanted)
                data = self._frame.read(POST, start, end - start)
                pieces += [data[one.offset - start : one.offset - start + one.size] for one in wanted]
                lists += wanted
        if not lists:
            return np.zeros(0, dtype=np.int64)
        where = f"{self._name}: POST"
        docs, _ = decode_lists(b"".join(pieces), self._build_table(lists), where)
        limit = min(self._docs[field] for field in fields)
        if int(docs.max()) >= limit:  # the doc ids come from a list of another level, which this list repeats
            raise CorruptIndex(f"{where}: document {int(docs.max())} of {limit}")
        return docs

    def _build_table(self, lists: Sequence[PostingList]) -> ListTable:
        """Return a table in which each list has bytes of its own: a repeating list has those it repeats."""
        return ListTable(
            np.arange(len(lists)),
            np.array([one.frequency for one in lists], dtype=np.int64),
            np.array([one.size for one in lists], dtype=np.int64),
            np.array([NO_SINGLE if one.doc is None else one.doc for one in lists], dtype=np.int64),
            np.array([self._count_layout_docs(one) for one in lists], dtype=np.int64),
        )

    def find_lists(self, term: bytes) -> list[PostingList]:
        """Return the posting lists of a term in field order. Raises CorruptIndex for an unknown field."""
        lists = self._find_lists(term)
        if lists and lists[-1].field >= len(self._docs):
            raise CorruptIndex(f"{self._name}: field {lists[-1].field} of only {len(self._docs)}")
        return lists

    def iter_runs(self, batch_bytes: int) -> Iterator[PostingRun]:
        """Yield all lists in order, in runs of a page or about `batch_bytes`. Raises CorruptIndex."""
        post_bytes = self._frame.get_size(POST)
        _, edges = self._terms.weigh_pages(post_bytes)
        start = end = 0
        while start < self._terms.pages:
            reached = int(np.searchsorted(edges, edges[start] + batch_bytes))
            stop = min(max(start + 1, reached), self._terms.pages)
            pages = self._terms.read_pages(start, stop)
            end += int(pages.sizes.sum())
            yield self._decode_pages(pages)
            start = stop
        if end != post_bytes:
            raise CorruptIndex(f"{self._name}: {post_bytes} bytes of postings, {end} expected")

    def read_run(self, first: bytes, end: bytes | None) -> PostingRun | None:
        """Return the posting lists of the terms [first, end), or None without any. Raises CorruptIndex."""
        start, stop = self._terms.find_pages(first, end)
        if start >= stop:
            return None
        run = self._decode_pages(self._terms.read_pages(start, stop))
        low = bisect_left(run.terms.cut(0, min(len(run.terms), PAGE_TERMS)).split(), first)
        high = len(run.terms)
        if end is not None:
            tail = max(0, high - PAGE_TERMS)
            high = tail + bisect_left(run.terms.cut(tail, high).split(), end)
        return cut_run(run, low, high) if low < high else None

    def _decode_pages(self, pages: TermPages) -> PostingRun:
        start = pages.postings_start
        where = f"{self._name}: POST at {start}"
        bits = np.unpackbits(pages.masks.astype(np.uint8), bitorder="little")
        list_terms, list_fields = np.divmod(np.flatnonzero(bits), MAX_FIELDS)
        if int(list_fields.max()) >= len(self._docs):  # every term has at least one list
            raise CorruptIndex(f"{where}: field {int(list_fields.max())} of only {len(self._docs)}")
        limits = np.array(self._docs, dtype=np.int64)
        docs, counts = decode_lists(
            self._frame.read(POST, start, int(pages.sizes.sum())),
            ListTable(list_terms, pages.frequencies, pages.sizes, pages.singles, limits[list_fields]),
            where,
        )
        return PostingRun(pages.terms, list_terms, list_fields, pages.frequencies, docs, counts)
