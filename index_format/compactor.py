"""Merges segments into one, in bounded memory, byte for byte as if it had been written at once.

The files of all sources are put in path order; each source's doc ids are mapped to the new ones;
then the sources' posting lists are read side by side in windows of terms, and each window is one
sort of packed (list, document, term frequency) integers. Dead files' content is left behind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from index_format.directory import Directory
from index_format.errors import CorruptIndex
from index_format.occurrences import sort_postings
from index_format.records import (
    FINGERPRINT_BYTES,
    I64,
    MAX_FIELDS,
    ChunkTable,
    Field,
    FileTable,
    Level,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    UnitTable,
)
from index_format.segment_reader import SegmentReader
from index_format.segment_writer import SegmentWriter
from index_format.snapshot import LiveSegment

WINDOW_POSTINGS = 1_000_000  # decoded at a time, all sources together: about 150 MB of work space
DROPPED = -1


@dataclass(frozen=True, slots=True)
class Source:
    """One segment to merge and where its documents go: new doc ids, or DROPPED."""

    reader: SegmentReader
    new_files: I64
    new_units: I64
    new_chunks: I64

    def get_map(self, level: Level) -> I64:
        """New doc ids of a level."""
        return self.new_units if level is Level.UNIT else self.new_files


def merge_segments(
    directory: Directory, temporary: str, segments: Sequence[LiveSegment]
) -> SegmentEntry | None:
    """The live files of `segments` as one new segment; None when no file is live.

    Raises CorruptIndex when a path is live in two segments, IndexFormatError for damaged sources, OSError.
    """
    fields = segments[0].reader.fields
    tables = [segment.reader.read_file_table() for segment in segments]
    order = _order_files(segments, tables)
    if not order:
        return None
    sources = _map_sources(segments, tables, order)
    content = _merge_content(fields, sources, tables, order)
    with SegmentWriter(directory, temporary, content) as writer:
        for window in _iter_windows(sources):
            writer.add(_merge_window(window, sources, fields))
        return writer.finish()


def _order_files(
    segments: Sequence[LiveSegment], tables: Sequence[FileTable]
) -> list[tuple[bytes, int, int]]:
    """(path, source, file) of every live file in path order."""
    order = [
        (table.paths[file], source, file)
        for source, (segment, table) in enumerate(zip(segments, tables, strict=True))
        for file in np.flatnonzero(segment.live_file_mask).tolist()
    ]
    order.sort()
    for one, other in pairwise(order):
        if one[0] == other[0]:
            raise CorruptIndex(f"{one[0]!r} is live in two segments")
    return order


def _map_sources(
    segments: Sequence[LiveSegment], tables: Sequence[FileTable], order: list[tuple[bytes, int, int]]
) -> list[Source]:
    source_of = np.array([row[1] for row in order])
    file_of = np.array([row[2] for row in order])
    units = np.array([tables[source].units[file] for _, source, file in order])
    chunks = np.array([tables[source].chunks[file] for _, source, file in order])
    first_units, first_chunks = np.cumsum(units) - units, np.cumsum(chunks) - chunks
    sources = []
    for number, (segment, table) in enumerate(zip(segments, tables, strict=True)):
        new_files = np.full(segment.reader.file_count, DROPPED, dtype=np.int64)
        own = np.flatnonzero(source_of == number)
        new_files[file_of[own]] = own
        sources.append(
            Source(
                segment.reader,
                new_files,
                _map_rows(new_files, table.units, first_units),
                _map_rows(new_files, table.chunks, first_chunks),
            )
        )
    return sources


def _map_rows(new_files: I64, counts: I64, new_firsts: I64) -> I64:
    """New numbers of the rows (units or chunks) of files that have `counts` rows each."""
    firsts = np.where(new_files == DROPPED, DROPPED, new_firsts[new_files])
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    spread = np.repeat(firsts, counts)
    return np.where(spread == DROPPED, DROPPED, spread + within)


def _merge_content(
    fields: Sequence[Field],
    sources: Sequence[Source],
    tables: Sequence[FileTable],
    order: list[tuple[bytes, int, int]],
) -> SegmentContent:
    units = [source.reader.read_units() for source in sources]
    chunks = [source.reader.read_chunks() for source in sources]
    unit_maps = [source.new_units for source in sources]
    chunk_maps = [source.new_chunks for source in sources]
    lengths = [
        _gather(
            [source.reader.norms.read_lengths(number) for source in sources],
            [source.get_map(field.level) for source in sources],
        )
        for number, field in enumerate(fields)
    ]
    return SegmentContent(
        fields,
        _merge_files(sources, tables, order),
        UnitTable(
            _gather([table.lines for table in units], unit_maps),
            _gather([table.sizes for table in units], unit_maps),
        ),
        ChunkTable(
            _gather([table.first_units for table in chunks], chunk_maps),
            _gather([table.unit_counts for table in chunks], chunk_maps),
            _gather([table.kinds for table in chunks], chunk_maps),
        ),
        lengths,
    )


def _merge_files(
    sources: Sequence[Source], tables: Sequence[FileTable], order: list[tuple[bytes, int, int]]
) -> FileTable:
    maps = [source.new_files for source in sources]
    names = [tables[source].language_names[int(tables[source].languages[file])] for _, source, file in order]
    language_names, languages = number_languages(names)
    return FileTable(
        paths=[path for path, _, _ in order],
        fingerprints=b"".join(_get_fingerprint(tables[source], file) for _, source, file in order),
        sizes=_gather([table.sizes for table in tables], maps),
        languages=languages,
        flags=_gather([table.flags for table in tables], maps),
        lines=_gather([table.lines for table in tables], maps),
        units=_gather([table.units for table in tables], maps),
        chunks=_gather([table.chunks for table in tables], maps),
        language_names=language_names,
    )


def _get_fingerprint(table: FileTable, file: int) -> bytes:
    return table.fingerprints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES]


def number_languages(names: Sequence[str]) -> tuple[list[str], I64]:
    """The names that occur, sorted, and each file's number among them: one numbering for one content."""
    distinct = sorted(set(names))
    numbers = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([numbers[name] for name in names], dtype=np.int64)


def _gather(columns: Sequence[I64], maps: Sequence[I64]) -> I64:
    """The values of all sources at their new places."""
    merged = np.zeros(sum(int(np.count_nonzero(rows != DROPPED)) for rows in maps), dtype=np.int64)
    for column, rows in zip(columns, maps, strict=True):
        kept = rows != DROPPED
        merged[rows[kept]] = column[kept]
    return merged


class _RunBuffer:
    """The next posting lists of one source."""

    def __init__(self, runs: Iterator[PostingRun]) -> None:
        self._runs = runs
        self.run: PostingRun | None = next(runs, None)

    def take_through(self, bound: bytes) -> PostingRun | None:
        """Remove and return the lists of the terms up to and including `bound`; they lie in one run."""
        run = self.run
        if run is None:
            return None
        count = bisect_right(run.terms, bound)
        if count == len(run.terms):
            self.run = next(self._runs, None)
            return run
        taken, self.run = _split(run, count)
        return taken if count else None


def _split(run: PostingRun, count: int) -> tuple[PostingRun, PostingRun]:
    """The first `count` terms of a run, and the rest."""
    lists = int(np.searchsorted(run.list_terms, count))
    postings = int(run.frequencies[:lists].sum())
    head = PostingRun(
        run.terms[:count],
        run.list_terms[:lists],
        run.list_fields[:lists],
        run.frequencies[:lists],
        run.docs[:postings],
        run.term_frequencies[:postings],
    )
    rest = PostingRun(
        run.terms[count:],
        run.list_terms[lists:] - count,
        run.list_fields[lists:],
        run.frequencies[lists:],
        run.docs[postings:],
        run.term_frequencies[postings:],
    )
    return head, rest


def _iter_windows(sources: Sequence[Source]) -> Iterator[list[PostingRun | None]]:
    """For each window of terms, each source's lists of it."""
    share = max(1, WINDOW_POSTINGS // len(sources))
    buffers = [_RunBuffer(source.reader.iter_runs(share)) for source in sources]
    while ends := [buffer.run.terms[-1] for buffer in buffers if buffer.run is not None]:
        bound = min(ends)
        yield [buffer.take_through(bound) for buffer in buffers]


def _merge_window(
    window: list[PostingRun | None], sources: Sequence[Source], fields: Sequence[Field]
) -> PostingRun:
    """One run of the lists of all sources, with new doc ids and without dropped documents."""
    terms = sorted(set().union(*(run.terms for run in window if run is not None)))
    numbers = {term: number for number, term in enumerate(terms)}
    parts = [
        _renumber(run, source, numbers, fields)
        for run, source in zip(window, sources, strict=True)
        if run is not None
    ]
    lists, docs, counts = sort_postings(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return _build_run(terms, lists, docs, counts)


def _renumber(
    run: PostingRun, source: Source, numbers: dict[bytes, int], fields: Sequence[Field]
) -> tuple[I64, I64, I64]:
    """(list, new doc id, term frequency) of each kept posting; a list is term * MAX_FIELDS + field."""
    new_terms = np.fromiter(map(numbers.__getitem__, run.terms), dtype=np.int64, count=len(run.terms))
    lists = np.repeat(new_terms[run.list_terms] * MAX_FIELDS + run.list_fields, run.frequencies)
    posting_fields = np.repeat(run.list_fields, run.frequencies)
    docs = np.empty_like(run.docs)
    for level in Level:
        of_level = np.array([field.level is level for field in fields])[posting_fields]
        docs[of_level] = source.get_map(level)[run.docs[of_level]]
    kept = docs != DROPPED
    return lists[kept], docs[kept], run.term_frequencies[kept]


def _build_run(terms: list[bytes], lists: I64, docs: I64, counts: I64) -> PostingRun:
    """A run of sorted postings, without the terms that have none left."""
    starts = np.flatnonzero(np.diff(lists, prepend=-1))
    frequencies = np.diff(np.append(starts, len(lists)))
    list_terms, list_fields = np.divmod(lists[starts], MAX_FIELDS)
    used, list_terms = np.unique(list_terms, return_inverse=True)
    return PostingRun(
        [terms[number] for number in used.tolist()], list_terms, list_fields, frequencies, docs, counts
    )
