"""Merges segments into one, in bounded memory. The bytes are those of a segment written in one go.

The dictionary is cut into windows: spans of terms that weigh about WINDOW_BYTES in all sources together.
A term weighs the bytes of its posting lists and a quarter of its own. Each window is read from all sources
at once, its postings get their new doc ids, and one sort of packed integers puts them in order.
Windows do not depend on each other: the caller may have them encoded anywhere, in any number of processes, as
long as they are written in order.

A window of three megabytes has twenty kilobytes of each of 141 sources. Parsed one by one, these take more
time in calls than in arithmetic: merging 127 sources took 1.4 times as long as 36 of the same content. So the
pages of all dictionaries are parsed together. Posting lists are decoded, sorted and encoded for as many terms
at a time as have PART_POSTINGS postings in all sources: these stay in a core's cache.

The terms of all sources are ranked together with the two ends of the span. The ranks show which terms are in
the span, and whether the terms of each source ascend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from index_format.directory import Directory
from index_format.doc_id_map import DROPPED, Source, map_sources, merge_content, merge_lengths, order_files
from index_format.errors import CorruptIndex
from index_format.occurrences import Occurrences
from index_format.posting_runs import encode_run, join_runs
from index_format.postings import POST, DecodedLists, FieldLengths, ListTable, iter_decoded
from index_format.records import (
    FIELD_BITS,
    I64,
    MAX_FIELDS,
    EncodedRun,
    Field,
    Level,
    PostingRun,
    SegmentContent,
    SegmentEntry,
)
from index_format.runs import find_changes, spread_runs
from index_format.segment_writer import SegmentWriter
from index_format.snapshot import LiveSegment
from index_format.term_pages import RawPages, parse_pages
from index_format.term_text import TermText, build_term_text, join_term_texts, rank_terms

WINDOW_BYTES = 3 * 1024 * 1024  # weight of a window in bytes; merging it takes about 150 MB of memory
PART_POSTINGS = 1 << 17  # postings that are decoded, sorted and encoded at a time


class DocIdMaps:
    """The new doc ids of all sources in one array, ordered by level, then by source."""

    def __init__(self, sources: Sequence[Source], fields: Sequence[Field]) -> None:
        self.levels = np.array([int(field.level) for field in fields])
        maps = [source.get_map(level) for level in Level for source in sources]
        sizes = np.array([len(one) for one in maps], dtype=np.int64)
        shape = len(Level), len(sources)
        self.bases = (np.cumsum(sizes) - sizes).reshape(shape)  # first new doc id, by level and source
        self.limits = sizes.reshape(shape)
        self.numbers = np.concatenate(maps)
        self.keeps_all = bool((self.numbers != DROPPED).all())
        self.largest_doc = int(self.numbers.max(initial=0))


class _Lists(NamedTuple):
    """The posting lists of all sources in one window, one row for each, ordered by source."""

    sources: I64
    ranks: I64  # rank of each list's term among the terms of the window
    terms: I64  # number of each list's term among the terms of its source
    fields: I64
    frequencies: I64
    sizes: I64
    singles: I64  # as in ListTable
    offsets: I64  # where the bytes of each list begin in POST of its source


class Window:
    """The dictionary pages of one window, read from all sources, and their posting lists in it."""

    def __init__(self, sources: Sequence[Source], maps: DocIdMaps, first: bytes, end: bytes | None) -> None:
        """Read the terms [first, end). Raises CorruptIndex, OSError."""
        self._sources, self._maps = sources, maps
        spans = [source.reader.terms.find_pages(first, end) for source in sources]
        self._present = [number for number, (start, stop) in enumerate(spans) if start < stop]
        parts = [sources[number].reader.terms.read_raw(*spans[number]) for number in self._present]
        self.terms, self._lists = self._parse(parts, first, end)

    def _parse(self, parts: Sequence[RawPages], first: bytes, end: bytes | None) -> tuple[TermText, _Lists]:
        """Return the distinct terms of the window, and the lists of each source."""
        nothing = np.zeros(0, dtype=np.int64)
        if not parts:
            return build_term_text([]), _Lists(*[nothing] * 8)
        pages = parse_pages(parts)
        term_counts = np.array([part.text.count(b"\n") for part in parts], dtype=np.int64)
        terms, ranks = _rank_span(pages.terms, term_counts, first, end, parts[0].where)
        bits = np.flatnonzero(np.unpackbits(pages.masks.astype(np.uint8), bitorder="little"))
        owners, fields = bits >> FIELD_BITS, bits & (MAX_FIELDS - 1)
        if int(fields.max(initial=0)) >= len(self._maps.levels):
            raise CorruptIndex(
                f"{parts[0].where}: field {int(fields.max())} of only {len(self._maps.levels)}"
            )
        sources = np.array(self._present).repeat(term_counts).take(owners)
        begins = np.flatnonzero(find_changes(sources))
        starts = np.array([int(part.postings[0]) for part in parts])
        offsets = np.cumsum(pages.sizes) - pages.sizes
        offsets += (starts - offsets[begins]).repeat(np.diff(begins, append=len(owners)))
        list_ranks = ranks.take(owners)
        columns = sources, list_ranks, owners, fields, pages.frequencies, pages.sizes, pages.singles, offsets
        kept = np.flatnonzero(list_ranks >= 0)
        return terms, _Lists(*(column.take(kept) for column in columns))

    def iter_runs(self) -> Iterator[PostingRun]:
        """Yield the live postings, of some terms at a time. Raises CorruptIndex, OSError."""
        lists, terms = self._lists, len(self.terms)
        if not terms:
            return
        reader = _ListReader(self._sources, lists)
        postings = np.bincount(lists.ranks, lists.frequencies, terms).cumsum()
        bounds = [0]
        while bounds[-1] < terms:
            before = postings[bounds[-1] - 1] if bounds[-1] else 0
            reached = int(np.searchsorted(postings, before + PART_POSTINGS, side="right"))
            bounds.append(max(bounds[-1] + 1, reached))
        sources = np.arange(len(self._sources))
        places = lists.sources * terms + lists.ranks  # ascending, because the lists are ordered by source
        edges = np.searchsorted(places, np.add.outer(bounds, sources * terms))
        for (low, high), first, last in zip(pairwise(bounds), edges[:-1], edges[1:], strict=True):
            yield self._merge(self.terms.cut(low, high), low, spread_runs(first, last - first), reader)

    def _merge(self, terms: TermText, low: int, rows: I64, reader: _ListReader) -> PostingRun:
        """Return the live postings of `terms`, ranked from `low` on, given the rows of their lists."""
        maps = self._maps
        lists = _Lists(*(column.take(rows) for column in self._lists))
        levels = maps.levels[lists.fields]
        limits = maps.limits[levels, lists.sources]
        table = ListTable(lists.terms, lists.frequencies, lists.sizes, lists.singles, limits)
        bases = maps.bases[levels, lists.sources]
        numbers = (lists.ranks - low) << FIELD_BITS | lists.fields
        found = [
            self._renumber(form, bases, numbers) for form in iter_decoded(reader.read(rows), table, "POST")
        ]
        merged = Occurrences(
            sum(len(docs) for _, docs, _ in found),
            len(terms) * MAX_FIELDS,
            maps.largest_doc,
            max((int(counts.max(initial=0)) for _, _, counts in found), default=0),
        )
        for columns in found:
            merged.add(*columns)
        return _build_run(terms, *merged.finish())

    def _renumber(self, form: DecodedLists, bases: I64, numbers: I64) -> tuple[I64, I64, I64]:
        """Return the number of the list, the new doc id and the count of each live posting."""
        owners, counts = form.owners, form.counts
        docs = bases.take(form.rows).take(owners)
        docs += form.docs
        docs = self._maps.numbers.take(docs).astype(np.int64)
        if not self._maps.keeps_all:
            kept = np.flatnonzero(docs != DROPPED)
            owners, docs, counts = owners.take(kept), docs.take(kept), counts.take(kept)
        return numbers.take(form.rows).take(owners), docs, counts


def _rank_span(
    terms: TermText, term_counts: I64, first: bytes, end: bytes | None, where: str
) -> tuple[TermText, I64]:
    """Return the distinct terms of [first, end), and each term's rank among these; -1 for one outside.

    `term_counts` has the number of terms of each source. Raises CorruptIndex when those of one do not ascend.
    """
    joined = join_term_texts([terms, build_term_text([first] if end is None else [first, end])])
    ranks, positions = rank_terms(joined)
    count = len(terms)
    low, high = int(ranks[count]), int(ranks[count + 1]) if end is not None else len(positions)
    own = ranks[:count]
    falls = np.flatnonzero(own[1:] <= own[:-1]) + 1
    if not np.isin(falls, np.cumsum(term_counts)[:-1]).all():
        raise CorruptIndex(f"{where}: terms of the dictionary that do not ascend")
    wanted = np.zeros(len(positions), dtype=np.bool_)
    wanted[own] = True
    wanted[:low] = wanted[high:] = False
    numbers = np.where(wanted, np.cumsum(wanted) - 1, -1)
    return joined.gather(positions[wanted]), numbers.take(own)


class _ListReader:
    """The bytes of the posting lists of a window, read once from each source."""

    def __init__(self, sources: Sequence[Source], lists: _Lists) -> None:
        """Read the bytes of all the lists. Those of one source are adjacent. Raises CorruptIndex, OSError."""
        firsts = np.flatnonzero(find_changes(lists.sources))
        lasts = np.append(firsts[1:], len(lists.sources)) - 1
        begins, ends = lists.offsets[firsts], lists.offsets[lasts] + lists.sizes[lasts]
        self._data = b"".join(
            sources[source].reader.frame.read(POST, begin, size)
            for source, begin, size in zip(
                lists.sources[firsts].tolist(), begins.tolist(), (ends - begins).tolist(), strict=True
            )
        )
        self._ends = np.cumsum(lists.sizes)
        self._begins = self._ends - lists.sizes

    def read(self, rows: I64) -> bytes:
        """Return the bytes of some lists, in ascending order."""
        is_first = np.diff(rows, prepend=-2) != 1
        firsts = np.flatnonzero(is_first)
        lasts = np.append(firsts[1:], len(rows)) - 1
        spans = zip(self._begins[rows[firsts]].tolist(), self._ends[rows[lasts]].tolist(), strict=True)
        return b"".join([self._data[begin:end] for begin, end in spans])


class Merge:
    """A planned merge, whose windows can be encoded in any order."""

    def __init__(self, segments: Sequence[LiveSegment], window_bytes: int | None = None) -> None:
        """Plan the merge of segments with at least one live file.

        Raises CorruptIndex when a path is live in two segments, IndexFormatError for damage, OSError.
        """
        tables = [segment.reader.read_file_table() for segment in segments]
        self._fields = segments[0].reader.fields
        self._order = order_files(segments, tables)
        self._sources = map_sources(segments, tables, self._order)
        self._maps = DocIdMaps(self._sources, self._fields)
        self._lengths = merge_lengths(self._fields, self._sources)
        self._field_lengths = FieldLengths(self._lengths)
        self.window_bytes = window_bytes or WINDOW_BYTES
        self.windows = _plan_windows(self._sources, self.window_bytes)

    def read_content(self) -> SegmentContent:
        """Return everything in the merged segment but its postings. Encoding windows does not need it.

        Raises IndexFormatError for damage, OSError.
        """
        return merge_content(self._fields, self._sources, self._order, self._lengths)

    def encode_window(self, number: int) -> EncodedRun:
        """Return the encoded posting lists of one window. Raises IndexFormatError for damage, OSError."""
        first, end = self.windows[number]
        try:
            window = Window(self._sources, self._maps, first, end)
            return join_runs([encode_run(run, self._field_lengths) for run in window.iter_runs()])
        except CorruptIndex:
            for source in self._sources:
                # Reading this source alone tells whether it is the damaged one.
                source.reader.postings.read_run(first, end)
            raise


EncodeWindows = Callable[[Merge], Iterable[EncodedRun]]  # yields all windows of a merge, in order


def encode_windows(merge: Merge) -> Iterable[EncodedRun]:
    """Yield every encoded window in order, computed in this process. Raises IndexFormatError, OSError."""
    return map(merge.encode_window, range(len(merge.windows)))


def merge_segments(
    directory: Directory,
    temporary: str,
    segments: Sequence[LiveSegment],
    encode: EncodeWindows = encode_windows,
    window_bytes: int | None = None,
) -> SegmentEntry | None:
    """Write the live files of `segments` as one new segment; return None when no file is live.

    Smaller windows than WINDOW_BYTES take less memory and give the same bytes.

    Raises IndexFormatError for damaged sources, OSError.
    """
    if not any(segment.entry.live_files for segment in segments):
        return None
    merge = Merge(segments, window_bytes)
    with SegmentWriter(directory, temporary) as writer:
        for encoded in encode(merge):
            writer.add(encoded)
        return writer.finish(merge.read_content())  # takes as much memory as the windows did


def _plan_windows(sources: Sequence[Source], window_bytes: int) -> list[tuple[bytes, bytes | None]]:
    """Return half-open spans of terms [first, end); an end of None means the end of the dictionary."""
    pages: list[tuple[bytes, int]] = []
    for source in sources:
        tops, edges = source.reader.terms.weigh_pages(source.reader.frame.get_size(POST))
        pages += zip(tops, np.diff(edges).tolist(), strict=True)
    pages.sort()
    bounds = [b""]
    size = 0
    for top, page_bytes in pages:
        if size >= window_bytes and top > bounds[-1]:
            bounds.append(top)
            size = 0
        size += page_bytes
    return list(zip(bounds, [*bounds[1:], None], strict=True))


def _build_run(terms: TermText, lists: I64, frequencies: I64, docs: I64, counts: I64) -> PostingRun:
    """Build a run from sorted postings, leaving out terms that have none left."""
    list_terms, list_fields = lists >> FIELD_BITS, lists & (MAX_FIELDS - 1)
    is_new = find_changes(list_terms)
    if np.count_nonzero(is_new) < len(terms):
        terms = terms.gather(list_terms[is_new])
        list_terms = np.cumsum(is_new) - 1
    return PostingRun(terms, list_terms, list_fields, frequencies, docs, counts)
