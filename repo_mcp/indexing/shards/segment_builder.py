"""Turns source files into the content of one segment: cuts them, finds their words, counts their terms.

The text of many files is handled at once, in batches of BATCH_BYTES: its words are found and numbered by
array arithmetic, without a Python object for each, and counted by unit and field with one sort. Words become
terms when the segment is built, once for each distinct word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from index_format import (
    FIELD_BITS,
    ChunkTable,
    FileTable,
    Occurrences,
    PostingRun,
    SegmentContent,
    TermText,
    UnitTable,
    gather_spans,
    number_languages,
    rank_spans,
    sort_distinct,
    spread_runs,
)
from repo_mcp.arrays import I64, U32
from repo_mcp.indexing.shards.chunking import CutFile, cut_at, cut_lines, split_long
from repo_mcp.indexing.shards.memory_budget import weigh_words
from repo_mcp.indexing.shards.vocabulary import Vocabulary
from repo_mcp.languages.outline.adapter_answers import Marks
from repo_mcp.languages.patterns.landmarks import Landmarks, Language, Spans, scan
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.smart_chunks import cut_smartly
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import DECLARED, NAME_TERMS, analyse_words
from repo_mcp.text.schema import BODY, CHUNK_LINES_KIND, DOC, FIELDS, PATH, SYMBOL
from repo_mcp.text.spans import Spans as WordSpans
from repo_mcp.text.spans import join_spans

BATCH_BYTES = 1024 * 1024  # the arrays for a batch fit into a core's cache: half as fast again as with 8 MiB
_LINE_FEED = 0x0A


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file, read and decoded."""

    path: str
    data: bytes  # normalised text
    size: int  # bytes of the file before normalisation
    fingerprint: bytes
    language: Language
    flags: int
    marks: Marks | None = None  # names and chunks, where an installed adapter found some


@dataclass(frozen=True, slots=True)
class _Counted:
    """The distinct (word, document) pairs of one text and field, with their counts."""

    text: int  # number of the text in the vocabulary
    ranks: U32  # number of each word among the distinct words of the text
    docs: U32
    counts: U32


class SegmentBuilder:
    """Collects source files in path order and builds the content of one segment."""

    def __init__(self, chunk_lines: int, overlap_lines: int) -> None:
        self._chunk_lines = chunk_lines
        self._overlap_lines = overlap_lines
        self._vocabulary = Vocabulary()
        self._texts = 0
        self._counted: dict[int, list[_Counted]] = {number: [] for number in range(len(FIELDS))}
        self._declared: list[_Counted] = []  # the words that end a declared name: `Conn` of `Plug.Conn`
        self._rows: list[tuple[bytes, bytes, int, str, int, int]] = []
        self._cuts: list[CutFile] = []
        self._unit_sizes: list[I64] = []
        self._units = 0
        self._batch: list[SourceFile] = []
        self._batch_bytes = 0
        self.weight = 0  # estimated bytes that building will take, without the current batch

    def add(self, file: SourceFile) -> None:
        """Add the next file; paths must arrive in UTF-8 byte order."""
        self._batch.append(file)
        self._batch_bytes += len(file.data)
        if self._batch_bytes >= BATCH_BYTES:
            self._take_batch()

    def _take_batch(self) -> None:
        """Cut the files of the batch, and number their words by unit and field."""
        if not self._batch:
            return
        text = b"\n".join([file.data for file in self._batch]) + b"\n"
        raw = np.frombuffer(text, dtype=np.uint8)
        line_feeds = np.flatnonzero(raw == _LINE_FEED)
        sizes = np.array([len(file.data) for file in self._batch], dtype=np.int64)
        offsets = np.cumsum(sizes + 1) - sizes - 1
        firsts, lasts = np.searchsorted(line_feeds, [offsets, offsets + sizes])
        is_open = (sizes > 0) & (raw[offsets + sizes - 1] != _LINE_FEED)  # the last line has no line feed
        doc_spans: list[Spans] = []
        definitions: list[Spans] = []
        for file, offset, first, last, more in zip(
            self._batch, offsets.tolist(), firsts.tolist(), lasts.tolist(), is_open.tolist(), strict=True
        ):
            landmarks = find_landmarks(file)
            doc_spans.append(landmarks.doc_spans)
            definitions.append(landmarks.definitions)
            self._cut_file(file, landmarks, line_feeds[first : last + 1], offset, last - first + more)
        first_unit = self._units
        unit_starts = self._locate_units(offsets, sizes, firsts, line_feeds)
        edges, names = _list_edges(doc_spans, offsets), _list_edges(definitions, offsets)
        self._count_words(text, unit_starts, first_unit, edges, names)
        self._batch, self._batch_bytes = [], 0

    def _cut_file(
        self, file: SourceFile, landmarks: Landmarks, line_feeds: I64, offset: int, lines: int
    ) -> None:
        """Record the units and chunks of the file at `offset`; `line_feeds` ends with the one after it."""
        ends = (line_feeds - offset).data if lines > self._chunk_lines else None
        self._cuts.append(cut_file(file, landmarks, lines, self._chunk_lines, self._overlap_lines, ends))
        row = (file.path.encode(), file.fingerprint, file.size, file.language.name, file.flags, lines)
        self._rows.append(row)

    def _locate_units(self, offsets: I64, sizes: I64, firsts: I64, line_feeds: I64) -> I64:
        """Return the offsets where the batch's units start, in order, and record their sizes."""
        cuts = self._cuts[-len(sizes) :]
        counts = np.array([len(cut.unit_lines) for cut in cuts], dtype=np.int64)
        lines = _join_lists([cut.unit_lines for cut in cuts])
        ends_in_lines = np.cumsum(lines)
        unit_ends = np.cumsum(counts)
        bases = np.concatenate([[0], ends_in_lines])[unit_ends - counts]  # lines of the batch before it
        before = ends_in_lines - lines - np.repeat(bases, counts)  # lines of the file before each unit
        starts: I64 = line_feeds[np.repeat(firsts, counts) + before - 1] + 1
        is_first = before == 0
        starts[is_first] = np.repeat(offsets, counts)[is_first]
        ends = np.append(starts[1:], 0)
        has_units = counts > 0
        ends[unit_ends[has_units] - 1] = (offsets + sizes)[has_units]
        self._unit_sizes.append(ends - starts)
        self._units += len(starts)
        return starts

    def _count_words(
        self, text: bytes, unit_starts: I64, first_unit: int, doc_edges: I64, names: I64
    ) -> None:
        """Count the words of a batch by unit, inside and outside comments separately."""
        words = self._vocabulary.add(text)
        self.weight += weigh_words(0, words.distinct)
        if not len(words.starts):
            unit_starts = unit_starts[:0]
        units = _count_edges_up_to(words.starts, unit_starts) - 1
        in_doc = _count_edges_up_to(words.starts, doc_edges) & 1
        pieces, ranks, counts = _count_pairs(2 * units + in_doc, words.ranks, words.distinct)
        docs = first_unit + (pieces >> 1)
        for is_own, field in (((pieces & 1) == 0, BODY), ((pieces & 1) == 1, DOC)):
            own = np.flatnonzero(is_own)  # half the time of taking columns by the mask
            self._add_counted(field, ranks.take(own), docs.take(own), counts.take(own))
        spans = np.searchsorted(words.starts, names.reshape(-1, 2))
        named = spread_runs(spans[:, 0], spans[:, 1] - spans[:, 0])
        docs = first_unit + units.take(named)
        self._add_counted(SYMBOL, words.ranks.take(named), docs, np.ones_like(named))
        last = spans[spans[:, 1] > spans[:, 0], 1] - 1
        self._declared.append(self._count(words.ranks[last], first_unit + units[last], np.ones_like(last)))
        self._texts += 1

    def _add_counted(self, field: int, ranks: I64, docs: I64, counts: I64) -> None:
        self._counted[field].append(self._count(ranks, docs, counts))

    def _count(self, ranks: I64, docs: I64, counts: I64) -> _Counted:
        self.weight += weigh_words(len(ranks), 0)
        columns = (column.astype(np.uint32) for column in (ranks, docs, counts))
        return _Counted(self._texts, *columns)

    def build(self) -> tuple[SegmentContent, PostingRun]:
        """Return the content of the segment and its posting lists. The builder cannot be used afterwards."""
        self._take_batch()
        self._count_paths()
        words, numbers = self._vocabulary.finish()
        terms, occurrences, repeated = self._list_terms(words, numbers)
        counts = [len(self._rows) if number == PATH else self._units for number in range(len(FIELDS))]
        lengths = [np.zeros(count, dtype=np.int64) for count in counts]
        run = build_run(terms, occurrences, lengths)
        lengths[SYMBOL] -= repeated
        return self._build_content(lengths), run

    def _count_paths(self) -> None:
        """Count the words of each path, under the number of its file."""
        paths = [row[0] for row in self._rows]
        words = self._vocabulary.add(b"\n".join(paths))
        starts = np.cumsum([0, *(len(path) + 1 for path in paths[:-1])])
        files = _count_edges_up_to(words.starts, starts) - 1
        self._add_counted(PATH, words.ranks, files, np.ones_like(files))
        self._texts += 1

    def _list_terms(self, words: WordSpans, numbers: list[I64]) -> tuple[TermText, Occurrences, I64]:
        """Return the terms in byte order, all occurrences, and how many terms of whole names each unit has.

        The number of a posting list is the position of its term in that order, with the field in its low
        bits. Terms of whole names exist only to be looked up: they do not count in lengths, and so change no
        score.
        """
        analysed = analyse_words(words)
        bounds = np.searchsorted(analysed.words, np.arange(len(words.starts) + 1))
        term_counts = np.diff(bounds)
        found = [
            (field, one, numbers[one.text].take(one.ranks))
            for field, texts in self._counted.items()
            for one in texts
        ]
        own_counts = [term_counts.take(own) for _, _, own in found]
        names, named = self._find_names(numbers, term_counts)
        spans = _append_names(analysed.texts, words.take(names))
        ranks, order = rank_spans(spans.padded, spans.starts, spans.sizes)
        term_lists, name_lists = np.split(ranks << FIELD_BITS, [len(analysed.texts.starts)])
        lists = term_lists.take(analysed.terms)
        occurrences = Occurrences(
            sum(int(own.sum()) for own in own_counts) + len(named[0]),
            len(order) << FIELD_BITS,
            max(self._units, len(self._rows)),
            max(int(one.counts.max(initial=0)) for _, one, _ in found),
        )
        for (field, one, own), own_terms in zip(found, own_counts, strict=True):
            for rows, docs, counts in _iter_occurrences(one, bounds.take(own), own_terms):
                occurrences.add(lists.take(rows) | field, docs, counts)
        rows, docs = named
        occurrences.add(name_lists[rows] | SYMBOL, docs, np.ones_like(docs))
        self._counted.clear()
        texts = gather_spans(spans.padded, spans.starts[order], spans.sizes[order])
        return texts, occurrences, np.bincount(docs, minlength=self._units)

    def _find_names(self, numbers: list[I64], term_counts: I64) -> tuple[I64, tuple[I64, I64]]:
        """Return the words whose whole name gets a term of its own (`get_name_term`), and where they occur.

        The latter are two columns with a row for each declaration: index of its word in the first result, and
        unit.
        """
        own = [(numbers[one.text][one.ranks], one.docs.astype(np.int64)) for one in self._declared]
        nothing = np.zeros(0, dtype=np.int64)
        words = np.concatenate([nothing, *(found for found, _ in own)])
        docs = np.concatenate([nothing, *(found for _, found in own)])
        is_short = (term_counts[words] > 0) & (term_counts[words] <= NAME_TERMS)
        names = sort_distinct(words[is_short])
        return names, (names.searchsorted(words[is_short]), docs[is_short])

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
            UnitTable(_join_lists([cut.unit_lines for cut in self._cuts]), np.concatenate(self._unit_sizes)),
            ChunkTable(
                _join_lists([cut.chunk_first_units for cut in self._cuts]),
                _join_lists([cut.chunk_unit_counts for cut in self._cuts]),
                np.full(chunks, CHUNK_LINES_KIND, dtype=np.int64),
            ),
            lengths,
        )


def find_landmarks(file: SourceFile) -> Landmarks:
    """Return the comments and the declared names of a file, the names from its adapter if that found any."""
    is_source = file.path.endswith(".c")  # a header may be of another language
    language = file.language if is_source else find_dialect(file.language, file.data)
    landmarks = scan(language, file.data)
    if file.marks is None or (file.marks.fault and not file.marks.definitions):
        return landmarks
    return Landmarks(landmarks.doc_spans, file.marks.definitions)


def cut_file(
    file: SourceFile,
    landmarks: Landmarks,
    lines: int,
    chunk_lines: int,
    overlap_lines: int,
    line_ends: Sequence[int] | None = None,
) -> CutFile:
    """Return the units and chunks of a file.

    Chunks begin where its adapter proposes; without a proposal at declarations, if it is code of more than
    one chunk, and otherwise by line numbers alone. None is longer than `chunk_lines`.
    """
    if file.marks is not None and file.marks.first_lines is not None:
        return cut_at(lines, split_long(file.marks.first_lines, lines, chunk_lines))
    if file.language.kind == "code" and lines > chunk_lines:
        first_lines = cut_smartly(file.data, landmarks, chunk_lines, line_ends)
        if first_lines is not None:
            return cut_at(lines, first_lines)
    return cut_lines(lines, chunk_lines, overlap_lines)


def _append_names(terms: WordSpans, names: WordSpans) -> WordSpans:
    """Return the terms, followed by those of whole names. See `get_name_term`."""
    marked = join_spans([DECLARED.encode() + name for name in names.slice()])
    starts = np.concatenate([terms.starts, marked.starts + len(terms.padded)])
    return WordSpans(terms.padded + marked.padded, starts, np.concatenate([terms.sizes, marked.sizes]))


def _join_lists(lists: Sequence[Sequence[int]]) -> I64:
    return np.array(list(chain.from_iterable(lists)), dtype=np.int64)


def _iter_occurrences(counted: _Counted, rows: I64, left: I64) -> Iterator[tuple[I64, I64, I64]]:
    """Yield the occurrences of the first term of every counted word, then of every second term, and so on.

    Each yields three columns: row of the term among the analysed words, document and count. `rows` has the
    row of each word's first term, `left` its number of terms; both are changed.
    """
    columns: tuple[I64, ...] = rows, left, counted.docs.astype(np.int64), counted.counts.astype(np.int64)
    while len(kept := np.flatnonzero(columns[1] > 0)):
        if len(kept) < len(columns[0]):
            columns = tuple(column.take(kept) for column in columns)
        rows, left, docs, counts = columns
        yield rows, docs, counts
        rows += 1
        left -= 1


def _list_edges(spans: Sequence[Spans], offsets: I64) -> I64:
    """Return the start and end of each span of each file, in order, shifted by the file's offset."""
    counts = np.array([2 * len(one) for one in spans], dtype=np.int64)
    flat = chain.from_iterable(chain.from_iterable(spans))
    return np.fromiter(flat, np.int64, int(counts.sum())) + np.repeat(offsets, counts)


def _count_edges_up_to(positions: I64, edges: I64) -> I64:
    """Return, for each of the ascending `positions`, the number of ascending `edges` at or before it.

    Edges are searched among the positions, not the reverse: there are fifty times fewer of them.
    """
    firsts = np.searchsorted(positions, edges)
    return np.repeat(np.arange(len(edges) + 1), np.diff(np.concatenate([[0], firsts, [len(positions)]])))


def _count_pairs(pieces: I64, ranks: I64, distinct: int) -> tuple[I64, I64, I64]:
    """Return (piece, rank, count) of each pair that occurs, sorting both packed into one integer."""
    bits = distinct.bit_length()
    largest = int(pieces[-1]) + 1 << bits if len(pieces) else 0
    packed = (pieces << bits | ranks).astype(np.uint32 if largest < 1 << 32 else np.uint64)
    packed.sort()
    starts = np.flatnonzero(packed[1:] != packed[:-1]) + 1
    starts = np.concatenate([[0], starts]) if len(packed) else starts
    pairs = packed[starts].astype(np.int64)
    return pairs >> bits, pairs & ((1 << bits) - 1), np.diff(starts, append=len(packed))


def build_run(terms: TermText, occurrences: Occurrences, lengths: Sequence[I64]) -> PostingRun:
    """Return the posting lists of occurrences, and add their counts to `lengths`. Every term must occur."""
    lists, frequencies, docs, counts = occurrences.finish()
    list_terms, list_fields = lists >> FIELD_BITS, lists & ((1 << FIELD_BITS) - 1)
    room = max(map(len, lengths))
    sums = np.bincount(np.repeat(list_fields * room, frequencies) + docs, counts, len(lengths) * room)
    for number, column in enumerate(lengths):
        column[:] = sums[number * room : number * room + len(column)]
    return PostingRun(terms, list_terms, list_fields, frequencies, docs, counts)
