"""Where the documents of several segments go in one: the tables of a merge.

The live files of all sources are put in path order; files, units and chunks are numbered anew in
that order, and every table follows. Dead files are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from index_format.errors import CorruptIndex
from index_format.file_records import RecordsReader
from index_format.records import (
    FINGERPRINT_BYTES,
    I64,
    ChunkTable,
    Field,
    FileTable,
    Integers,
    Level,
    SegmentContent,
    UnitTable,
)
from index_format.segment_reader import SegmentReader
from index_format.snapshot import LiveSegment

DROPPED = -1


@dataclass(frozen=True, slots=True)
class Source:
    """One segment to merge and where its documents go: new doc ids, or DROPPED."""

    reader: SegmentReader
    new_files: I64
    new_units: I64
    new_chunks: I64

    @property
    def keeps_all(self) -> bool:
        """True when no document of the segment is dropped."""
        return not len(self.new_files) or int(self.new_files.min()) != DROPPED

    def get_map(self, level: Level) -> I64:
        """New doc ids of a level."""
        return self.new_units if level is Level.UNIT else self.new_files


def order_files(segments: Sequence[LiveSegment], tables: Sequence[FileTable]) -> list[tuple[bytes, int, int]]:
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


def map_sources(
    segments: Sequence[LiveSegment], tables: Sequence[FileTable], order: list[tuple[bytes, int, int]]
) -> list[Source]:
    source_of = np.array([row[1] for row in order], dtype=np.int64)
    file_of = np.array([row[2] for row in order], dtype=np.int64)
    units = np.array([tables[source].units[file] for _, source, file in order], dtype=np.int64)
    chunks = np.array([tables[source].chunks[file] for _, source, file in order], dtype=np.int64)
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


def merge_content(
    fields: Sequence[Field],
    sources: Sequence[Source],
    tables: Sequence[FileTable],
    order: list[tuple[bytes, int, int]],
) -> SegmentContent:
    units = [source.reader.chunks.read_units() for source in sources]
    chunks = [source.reader.chunks.read_chunks() for source in sources]
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
        _merge_records(sources, order),
    )


def _merge_records(sources: Sequence[Source], order: list[tuple[bytes, int, int]]) -> Iterable[bytes] | None:
    """The records of the live files in path order, read as they are written; None where there are none."""
    present = [source.reader.records for source in sources if source.reader.has_records]
    if not present:
        return None
    if len(present) != len(sources):
        raise CorruptIndex("segments with records and segments without cannot be merged")
    return _iter_records(present, order)


def _iter_records(readers: Sequence[RecordsReader], order: list[tuple[bytes, int, int]]) -> Iterator[bytes]:
    """Files of one source stand in `order` as they do in the source: each source is gone through once."""
    coming = [enumerate(reader) for reader in readers]
    for _, source, file in order:
        yield next(record for number, record in coming[source] if number == file)


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


def _gather(columns: Sequence[Integers], maps: Sequence[I64]) -> I64:
    """The values of all sources at their new places."""
    merged = np.zeros(sum(int(np.count_nonzero(rows != DROPPED)) for rows in maps), dtype=np.int64)
    for column, rows in zip(columns, maps, strict=True):
        kept = rows != DROPPED
        merged[rows[kept]] = column[kept]
    return merged
