"""Source files to the content of one segment: cut, found words, counted terms.

The text of many files is handled at once, a batch of BATCH_BYTES: one `translate` and `split`
for its words, one dictionary look-up for each, and array arithmetic for which unit and field each
word belongs to. Words become terms when the segment is built, once for each distinct word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from index_format import (
    ChunkTable,
    FileTable,
    PostingRun,
    SegmentContent,
    UnitTable,
    number_languages,
)
from repo_mcp.adapters.languages import Language, scan
from repo_mcp.index.analysis import WordTerms, analyse_words
from repo_mcp.index.chunking import Cut, cut_lines
from repo_mcp.index.schema import BODY, CHUNK_LINES_KIND, DOC, FIELDS, PATH, SYMBOL

I64 = npt.NDArray[np.int64]
BATCH_BYTES = 4 * 1024 * 1024  # about 650,000 words: their objects take 60 MB
FIELD_BITS = 3

_WORD_BYTES = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(128, 256))
_TO_SPACES = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(256))
_IS_WORD = np.array([byte in _WORD_BYTES for byte in range(256)], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file, read and decoded."""

    path: str
    data: bytes  # normalised text
    size: int  # bytes of the file as it is
    fingerprint: bytes
    language: Language
    flags: int


@dataclass(slots=True)
class _Occurrences:
    """Words by number, each with the document of its field's level that it stands in."""

    words: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    docs: list[npt.NDArray[np.uint32]] = field(default_factory=list)

    def add(self, words: npt.NDArray[np.uint32], docs: I64) -> None:
        self.words.append(words)
        self.docs.append(docs.astype(np.uint32))

    def take(self) -> tuple[I64, I64]:
        empty = [np.zeros(0, dtype=np.uint32)]
        return (
            np.concatenate(self.words or empty).astype(np.int64),
            np.concatenate(self.docs or empty).astype(np.int64),
        )


class _Vocabulary(dict[bytes, int]):
    """Word -> its number, given at first sight."""

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number

    def number(self, words: Sequence[bytes]) -> npt.NDArray[np.uint32]:
        return np.fromiter(map(self.__getitem__, words), dtype=np.uint32, count=len(words))


class SegmentBuilder:
    """Collects source files in path order and builds the content of one segment."""

    def __init__(self, chunk_lines: int, overlap_lines: int) -> None:
        self._chunk_lines = chunk_lines
        self._overlap_lines = overlap_lines
        self._vocabulary = _Vocabulary()
        self._occurrences = {number: _Occurrences() for number in range(len(FIELDS))}
        self._rows: list[tuple[bytes, bytes, int, str, int, int]] = []
        self._cuts: list[Cut] = []
        self._unit_sizes: list[I64] = []
        self._units = 0
        self._batch: list[SourceFile] = []
        self._batch_bytes = 0

    @property
    def files(self) -> int:
        """Files added so far."""
        return len(self._rows) + len(self._batch)

    def add(self, file: SourceFile) -> None:
        """The next file; its path comes after those before by the order of UTF-8 bytes."""
        self._batch.append(file)
        self._batch_bytes += len(file.data)
        if self._batch_bytes >= BATCH_BYTES:
            self._take_batch()

    def _take_batch(self) -> None:
        """Cut the files of the batch, and number their words with unit and field."""
        if not self._batch:
            return
        text = b"\n".join([file.data for file in self._batch]) + b"\n"
        raw = np.frombuffer(text, dtype=np.uint8)
        line_feeds = np.flatnonzero(raw == 0x0A)
        unit_starts: list[I64] = []
        doc_edges: list[int] = []
        names: list[tuple[int, int]] = []
        first_unit = self._units
        offset = 0
        for file in self._batch:
            unit_starts.append(self._cut_file(file, offset, line_feeds))
            landmarks = scan(file.language, file.data)
            doc_edges += [offset + edge for span in landmarks.doc_spans for edge in span]
            names += [(offset + start, offset + end) for start, end in landmarks.definitions]
            offset += len(file.data) + 1
        self._number_words(text, raw, np.concatenate(unit_starts), first_unit, doc_edges, names)
        self._batch, self._batch_bytes = [], 0

    def _cut_file(self, file: SourceFile, offset: int, line_feeds: I64) -> I64:
        """Record the file's units and chunks. Returns where its units start in the batch."""
        first, last = np.searchsorted(line_feeds, [offset, offset + len(file.data)])
        lines = int(last - first) + (len(file.data) > 0 and file.data[-1] != 0x0A)
        cut = cut_lines(lines, self._chunk_lines, self._overlap_lines)
        ends_in_lines = np.cumsum(cut.unit_lines)
        starts = np.empty(len(cut.unit_lines), dtype=np.int64)
        if len(starts):
            starts[0] = offset
            starts[1:] = line_feeds[first + ends_in_lines[:-1] - 1] + 1
        self._rows.append(
            (file.path.encode(), file.fingerprint, file.size, file.language.name, file.flags, lines)
        )
        self._cuts.append(cut)
        self._unit_sizes.append(np.diff(starts, append=offset + len(file.data)))
        self._units += len(starts)
        return starts

    def _number_words(
        self,
        text: bytes,
        raw: npt.NDArray[np.uint8],
        unit_starts: I64,
        first_unit: int,
        doc_edges: list[int],
        names: list[tuple[int, int]],
    ) -> None:
        is_word = _IS_WORD[raw]
        starts = np.flatnonzero(is_word[1:] > is_word[:-1]) + 1
        if is_word[0]:
            starts = np.concatenate([[0], starts])
        words = self._vocabulary.number(text.translate(_TO_SPACES).split())
        units = first_unit - 1 + _count_before(starts, unit_starts)
        in_doc = _count_before(starts, np.array(doc_edges, dtype=np.int64)) & 1 == 1
        self._occurrences[DOC].add(words[in_doc], units[in_doc])
        self._occurrences[BODY].add(words[~in_doc], units[~in_doc])
        spans = np.searchsorted(starts, np.array(names, dtype=np.int64).reshape(-1, 2))
        named = _spread_spans(spans[:, 0], spans[:, 1])
        self._occurrences[SYMBOL].add(words[named], units[named])

    def build(self) -> tuple[SegmentContent, PostingRun]:
        """The content of the segment and its posting lists. The builder is spent afterwards."""
        self._take_batch()
        self._add_paths()
        words = list(self._vocabulary)
        self._vocabulary.clear()
        terms, lists, docs = self._list_terms(analyse_words(words), len(words))
        lengths = [np.zeros(count, dtype=np.int64) for count in self._count_docs()]
        run = _build_run(terms, lists, docs, lengths)
        return self._build_content(lengths), run

    def _add_paths(self) -> None:
        """The words of each path, under the number of its file."""
        for number, row in enumerate(self._rows):
            words = row[0].translate(_TO_SPACES).split()
            self._occurrences[PATH].add(self._vocabulary.number(words), np.full(len(words), number))

    def _count_docs(self) -> list[int]:
        return [len(self._rows) if number == PATH else self._units for number in range(len(FIELDS))]

    def _list_terms(self, analysed: WordTerms, word_count: int) -> tuple[list[str], I64, I64]:
        """The terms in byte order, and the list and document of every occurrence of one, unsorted.

        A list's number is its term's place in the order, then its field.
        """
        order = sorted(range(len(analysed.texts)), key=analysed.texts.__getitem__)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        terms = ranks[analysed.terms]
        bounds = np.searchsorted(analysed.words, np.arange(word_count + 1))
        parts = []
        for number, occurrences in self._occurrences.items():
            words, docs = occurrences.take()
            rows = _spread_spans(bounds[words], bounds[words + 1])
            counts = bounds[words + 1] - bounds[words]
            parts.append((terms[rows] << FIELD_BITS | number, np.repeat(docs, counts)))
        self._occurrences.clear()
        lists, docs = (np.concatenate(column) for column in zip(*parts, strict=True))
        return [analysed.texts[place] for place in order], lists, docs

    def _build_content(self, lengths: list[I64]) -> SegmentContent:
        paths, prints, sizes, languages, flags, lines = zip(*self._rows, strict=True)
        names, numbers = number_languages(languages)
        chunk_counts = np.array([len(cut.chunk_first_units) for cut in self._cuts], dtype=np.int64)
        chunks = int(chunk_counts.sum())
        return SegmentContent(
            FIELDS,
            FileTable(
                paths,
                b"".join(prints),
                np.array(sizes, dtype=np.int64),
                numbers,
                np.array(flags, dtype=np.int64),
                np.array(lines, dtype=np.int64),
                np.array([len(cut.unit_lines) for cut in self._cuts], dtype=np.int64),
                chunk_counts,
                names,
            ),
            UnitTable(
                np.concatenate([cut.unit_lines for cut in self._cuts]), np.concatenate(self._unit_sizes)
            ),
            ChunkTable(
                np.concatenate([cut.chunk_first_units for cut in self._cuts]),
                np.concatenate([cut.chunk_unit_counts for cut in self._cuts]),
                np.full(chunks, CHUNK_LINES_KIND, dtype=np.int64),
            ),
            lengths,
        )


def _count_before(places: I64, edges: I64) -> I64:
    """For each of the ascending `places` the number of ascending `edges` at or before it.

    The edges are looked up among the places: there are fifty times fewer of them.
    """
    firsts = np.searchsorted(places, edges)
    return np.repeat(np.arange(len(edges) + 1), np.diff(np.concatenate([[0], firsts, [len(places)]])))


def _spread_spans(starts: I64, ends: I64) -> I64:
    """All integers of the half-open spans, span after span."""
    counts = ends - starts
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)


def _build_run(terms: Sequence[str], lists: I64, docs: I64, lengths: list[I64]) -> PostingRun:
    """Sorted posting lists of unsorted occurrences; adds the occurrences up in `lengths`."""
    doc_bits = int(docs.max()).bit_length() if len(docs) else 0
    packed = lists << doc_bits | docs
    packed.sort()
    starts = np.flatnonzero(np.diff(packed, prepend=-1))
    counts = np.diff(np.append(starts, len(packed)))
    postings = packed[starts]
    docs = postings & ((1 << doc_bits) - 1)
    lists = postings >> doc_bits
    for number in range(len(lengths)):
        own = lists & ((1 << FIELD_BITS) - 1) == number
        sums = np.bincount(docs[own], weights=counts[own], minlength=len(lengths[number]))
        lengths[number] += sums.astype(np.int64)
    list_starts = np.flatnonzero(np.diff(lists, prepend=-1))
    ranks = lists[list_starts] >> FIELD_BITS
    used, list_terms = np.unique(ranks, return_inverse=True)
    return PostingRun(
        [terms[rank].encode() for rank in used.tolist()],
        list_terms,
        lists[list_starts] & ((1 << FIELD_BITS) - 1),
        np.diff(np.append(list_starts, len(lists))),
        docs,
        counts,
    )
