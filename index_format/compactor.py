"""Merges segments into one, in bounded memory. The bytes are those of a segment written in one go.

The dictionary is cut into windows: spans of terms that weigh about WINDOW_BYTES in all sources together.
A term weighs the bytes of its posting lists and a quarter of its own. Each window is read from all sources
at once, its postings get their new doc ids, and one sort of packed integers puts them in order.
Windows do not depend on each other: the caller may have them encoded anywhere, in any number of processes, as
long as they are written in order.

A window of three megabytes has twenty kilobytes of each of 141 sources. Parsed one by one, these take more
time in calls than in arithmetic: merging 127 sources took 1.4 times as long as 36 of the same content. So the
pages of all dictionaries are parsed together, and the lists of so many sources as have GROUP_BYTES, which
stay in a core's cache.

All terms are ranked together, and beside them the ends of the span: that tells which terms lie in it, and
whether those of each source ascend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from index_format.directory import Directory
from index_format.doc_id_map import (
    DROPPED,
    Numbers,
    Source,
    map_sources,
    merge_content,
    merge_lengths,
    order_files,
)
from index_format.errors import CorruptIndex
from index_format.occurrences import Occurrences
from index_format.postings import ListTable, decode_lists
from index_format.records import (
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
from index_format.segment_writer import POST, SegmentWriter, encode_run
from index_format.snapshot import LiveSegment
from index_format.term_text import TermText, build_term_text, join_term_texts, rank_terms
from index_format.terms import RawPages, parse_pages

WINDOW_BYTES = 3 * 1024 * 1024  # of posting lists and terms; needs about 150 MB of working memory
GROUP_BYTES = 512 * 1024  # of posting lists


class DocIdMaps:
    """The new doc ids of all sources, source after source, for each level."""

    def __init__(self, sources: Sequence[Source], fields: Sequence[Field]) -> None:
        self.levels = np.array([int(field.level) for field in fields])
        self.maps: dict[Level, Numbers] = {}
        bases, limits = [], []
        for level in Level:
            maps = [source.get_map(level) for source in sources]
            sizes = np.array([len(one) for one in maps], dtype=np.int64)
            self.maps[level] = np.concatenate(maps)
            bases.append(np.cumsum(sizes) - sizes)
            limits.append(sizes)
        self.bases, self.limits = np.array(bases), np.array(limits)  # [level, source]
        self.keeps_all = bool((self.maps[Level.FILE] != DROPPED).all())
        self.largest_doc = max(int(one.max(initial=0)) for one in self.maps.values())

    def renumber(self, docs: I64, levels: I64, frequencies: I64) -> I64:
        """Return the new doc ids of lists, given their levels and numbers of postings."""
        is_file = levels == Level.FILE
        if is_file.all():
            return self.maps[Level.FILE].take(docs).astype(np.int64)
        found = self.maps[Level.UNIT].take(docs, mode="clip").astype(np.int64)  # there may be more files
        if is_file.any():
            counts = frequencies[is_file]
            in_files = spread_runs(np.cumsum(frequencies)[is_file] - counts, counts)
            found[in_files] = self.maps[Level.FILE].take(docs.take(in_files))
        return found


class WindowPostings(NamedTuple):
    """Postings of some sources in one window, in the order of the sources."""

    lists: I64  # for each posting: rank of its term in the window * MAX_FIELDS + field
    docs: I64  # new doc ids
    counts: I64  # term frequencies


class _Lists(NamedTuple):
    """Posting lists of all sources in one window, source after source."""

    sources: I64
    ranks: I64  # of the terms
    terms: I64  # numbers of the terms, those of each source apart
    fields: I64
    frequencies: I64
    sizes: I64
    singles: I64  # see ListTable
    offsets: I64  # in the source's POST


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
        ends = [first] if end is None else [first, end]
        joined = join_term_texts([pages.terms, build_term_text(ends)])
        ranks, positions = rank_terms(joined)
        count = len(pages.terms)
        low, high = int(ranks[count]), int(ranks[count + 1]) if end is not None else len(positions)
        term_counts = np.array([part.text.count(b"\n") for part in parts], dtype=np.int64)
        own, others = ranks[:count], np.cumsum(term_counts)[:-1]
        falls = np.flatnonzero(own[1:] <= own[:-1]) + 1
        if not np.isin(falls, others).all():
            raise CorruptIndex(f"{parts[0].where}: terms of the dictionary that do not ascend")
        wanted = np.zeros(len(positions), dtype=np.bool_)
        wanted[own] = True
        wanted[:low] = wanted[high:] = False
        numbers = np.cumsum(wanted) - 1
        term_sources = np.array(self._present).repeat(term_counts)
        bits = np.flatnonzero(np.unpackbits(pages.masks.astype(np.uint8), bitorder="little"))
        terms, fields = np.divmod(bits, MAX_FIELDS)
        if int(fields.max(initial=0)) >= len(self._maps.levels):
            raise CorruptIndex(f"{parts[0].where}: field {int(fields.max())} of {len(self._maps.levels)}")
        offsets = np.cumsum(pages.sizes) - pages.sizes
        list_sources = term_sources[terms]
        begins = np.flatnonzero(find_changes(list_sources))
        starts = np.array([int(part.postings[0]) for part in parts])
        offsets += (starts - offsets[begins]).repeat(np.diff(begins, append=len(terms)))
        kept = np.flatnonzero(wanted[own[terms]])
        return joined.gather(positions[wanted]), _Lists(
            list_sources[kept],
            numbers[own[terms[kept]]],
            terms[kept],
            fields[kept],
            pages.frequencies[kept],
            pages.sizes[kept],
            pages.singles[kept],
            offsets[kept],
        )

    def iter_postings(self) -> Iterator[WindowPostings]:
        """Yield the live postings, of some sources at a time. Raises CorruptIndex, OSError."""
        lists = self._lists
        firsts = np.searchsorted(lists.sources, self._present)
        weights = np.append(0, np.cumsum(lists.sizes))[np.append(firsts, len(lists.sources))]
        low = 0
        while low < len(firsts):
            reached = int(np.searchsorted(weights, weights[low] + GROUP_BYTES, side="right")) - 1
            high = min(max(low + 1, reached), len(firsts))
            bounds = firsts[low], firsts[high] if high < len(firsts) else len(lists.sources)
            if bounds[0] < bounds[1]:
                yield self._decode(slice(*map(int, bounds)))
            low = high

    def _decode(self, rows: slice) -> WindowPostings:
        """Return the live postings of some adjacent lists."""
        lists, maps = self._lists, self._maps
        sources, frequencies = lists.sources[rows], lists.frequencies[rows]
        levels = maps.levels[lists.fields[rows]]
        table = ListTable(
            lists.terms[rows],
            frequencies,
            lists.sizes[rows],
            lists.singles[rows],
            maps.limits[levels, sources],
        )
        docs, counts = decode_lists(self._read(rows), table, "POST")
        docs += maps.bases[levels, sources].repeat(frequencies)
        new_docs = maps.renumber(docs, levels, frequencies)
        numbers = (lists.ranks[rows] * MAX_FIELDS + lists.fields[rows]).repeat(frequencies)
        if maps.keeps_all:
            return WindowPostings(numbers, new_docs, counts)
        kept = np.flatnonzero(new_docs != DROPPED)
        return WindowPostings(numbers.take(kept), new_docs.take(kept), counts.take(kept))

    def _read(self, rows: slice) -> bytes:
        """Return the bytes of some adjacent lists; those of a source lie one after the other."""
        sources, offsets, sizes = (
            column[rows] for column in (self._lists.sources, self._lists.offsets, self._lists.sizes)
        )
        firsts = np.flatnonzero(find_changes(sources))
        lasts = np.append(firsts[1:], len(sources)) - 1
        begins, ends = offsets[firsts], offsets[lasts] + sizes[lasts]
        return b"".join(
            self._sources[source].reader.frame.read(POST, begin, size)
            for source, begin, size in zip(
                sources[firsts].tolist(), begins.tolist(), (ends - begins).tolist(), strict=True
            )
        )


class Merge:
    """A planned merge, whose windows can be encoded in any order."""

    def __init__(self, segments: Sequence[LiveSegment], window_bytes: int | None = None) -> None:
        """Plan the merge of segments, of which at least one file is live. Raises CorruptIndex when a path is
        live in two of them, IndexFormatError for damage, OSError."""
        tables = [segment.reader.read_file_table() for segment in segments]
        self._fields = segments[0].reader.fields
        self._order = order_files(segments, tables)
        self._sources = map_sources(segments, tables, self._order)
        self._maps = DocIdMaps(self._sources, self._fields)
        self._lengths = merge_lengths(self._fields, self._sources)
        self.window_bytes = window_bytes or WINDOW_BYTES
        self.windows = _plan_windows(self._sources, self.window_bytes)

    def read_content(self) -> SegmentContent:
        """Return everything in the merged segment but its postings. Encoding windows does not need it.

        Raises IndexFormatError for damage, OSError.
        """
        return merge_content(self._fields, self._sources, self._order, self._lengths)

    def encode_window(self, number: int) -> EncodedRun:
        """Return the encoded posting lists of one window. Raises IndexFormatError for damage, OSError."""
        try:
            run = self._read_window(*self.windows[number])
        except CorruptIndex:
            for source in self._sources:
                source.reader.postings.read_run(*self.windows[number])  # which of them it is
            raise
        return encode_run(run, self._lengths)

    def _read_window(self, first: bytes, end: bytes | None) -> PostingRun:
        """Return one run with the lists of all sources, renumbered and without dropped documents."""
        window = Window(self._sources, self._maps, first, end)
        groups = list(window.iter_postings())
        merged = Occurrences(
            sum(len(group.docs) for group in groups),
            len(window.terms) * MAX_FIELDS,
            self._maps.largest_doc,
            max((int(group.counts.max(initial=0)) for group in groups), default=0),
        )
        for group in groups:
            merged.add(group.lists, group.docs, group.counts)
        groups.clear()
        return _build_run(window.terms, *merged.finish())


EncodeWindows = Callable[[Merge], Iterable[EncodedRun]]  # all windows of a merge, in order


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
        return writer.finish(merge.read_content())  # as large as the windows were


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
    list_terms, list_fields = np.divmod(lists, MAX_FIELDS)
    is_new = find_changes(list_terms)
    if np.count_nonzero(is_new) < len(terms):
        terms = terms.gather(list_terms[is_new])
        list_terms = np.cumsum(is_new) - 1
    return PostingRun(terms, list_terms, list_fields, frequencies, docs, counts)
