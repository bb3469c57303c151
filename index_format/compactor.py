"""Merges segments into one, in bounded memory. The bytes are those of a segment written in one go.

The dictionary is cut into windows: spans of terms that weigh about WINDOW_BYTES in all sources together.
A term weighs the bytes of its posting lists and a quarter of its own. Each window is read from all sources
(merge_window.py), its postings get their new doc ids, and one sort of packed integers puts them in order.
Windows do not depend on each other: the caller may have them encoded anywhere, in any number of processes, as
long as they are written in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from index_format.directory import Directory
from index_format.doc_id_map import Source, map_sources, merge_content, merge_lengths, order_files
from index_format.errors import CorruptIndex
from index_format.merge_window import DocIdMaps, Window
from index_format.occurrences import Occurrences
from index_format.records import (
    I64,
    MAX_FIELDS,
    EncodedRun,
    PostingRun,
    SegmentContent,
    SegmentEntry,
)
from index_format.runs import find_changes
from index_format.segment_writer import POST, SegmentWriter, encode_run
from index_format.snapshot import LiveSegment
from index_format.term_text import TermText

WINDOW_BYTES = 3 * 1024 * 1024  # of posting lists and terms; needs about 150 MB of working memory


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
        self.windows = _plan_windows(self._sources, window_bytes or WINDOW_BYTES)

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
