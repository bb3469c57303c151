"""Maps the documents of several segments to those of one: the tables of a merge.

The live files of all sources are put in path order. Files, units and chunks are renumbered in that order,
and every table is rearranged to match. Dead files are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from index_format.columns import narrow
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

Numbers = npt.NDArray[np.signedinteger[Any]]  # document numbers, or DROPPED
DROPPED = -1


class Source(NamedTuple):
    """One segment to merge, with the new doc id of each of its documents, or DROPPED."""

    reader: SegmentReader
    new_files: Numbers
    new_units: Numbers

    def get_map(self, level: Level) -> Numbers:
        """Return the new doc ids of a level's documents, in the order of their old ones."""
        return self.new_units if level is Level.UNIT else self.new_files


def order_files(segments: Sequence[LiveSegment], tables: Sequence[FileTable]) -> Numbers:
    """Return every live file in path order, numbered through the files of all segments in turn.

    Raises CorruptIndex when a path is live in two segments.
    """
    paths = [path for table in tables for path in table.paths]
    live = np.flatnonzero(np.concatenate([segment.live_file_mask for segment in segments]))
    order = sorted(live.tolist(), key=paths.__getitem__)
    for one, other in pairwise(order):
        if paths[one] == paths[other]:
            raise CorruptIndex(f"{paths[one]!r} is live in two segments")
    return np.array(order, dtype=_choose_type(len(paths)))


def map_sources(segments: Sequence[LiveSegment], tables: Sequence[FileTable], order: Numbers) -> list[Source]:
    """Return each segment's reader with the new numbers of its files and units."""
    maps = _map_files([len(table.paths) for table in tables], order)
    units = _map_rows(maps, [table.units for table in tables], order)
    return [Source(segment.reader, *own) for segment, *own in zip(segments, maps, units, strict=True)]


def _choose_type(rows: int) -> type[np.int32 | np.int64]:
    """Return the narrowest type for `rows` row numbers and DROPPED: a merge has one for each unit."""
    return np.int32 if rows < 1 << 31 else np.int64


def _map_files(counts: Sequence[int], order: Numbers) -> list[Numbers]:
    """Return, for each source, the new numbers of its files; `counts` gives the files of each source."""
    new_files = np.full(sum(counts), DROPPED, dtype=_choose_type(len(order)))
    new_files[order] = np.arange(len(order), dtype=new_files.dtype)
    return np.split(new_files, np.cumsum(counts)[:-1])


def _map_rows(maps: Sequence[Numbers], counts: Sequence[I64], order: Numbers) -> list[Numbers]:
    """Return, for each source, the new numbers of its units or chunks; `counts` gives those of each file."""
    ordered = np.concatenate(counts)[order]
    firsts = np.cumsum(ordered) - ordered
    numbers = _choose_type(int(ordered.sum()))
    return [_spread(new_files, own, firsts, numbers) for new_files, own in zip(maps, counts, strict=True)]


def _spread(new_files: Numbers, counts: I64, new_firsts: I64, numbers: type[np.int32 | np.int64]) -> Numbers:
    """Return the new numbers of the rows of one source."""
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    if not len(new_firsts):  # nothing is live
        return np.full(len(within), DROPPED, dtype=numbers)
    spread = np.repeat(np.where(new_files == DROPPED, DROPPED, new_firsts[new_files]), counts)
    return np.where(spread == DROPPED, DROPPED, spread + within).astype(numbers)


def merge_lengths(fields: Sequence[Field], sources: Sequence[Source]) -> list[Integers]:
    """Return, for each field, the lengths of the merged documents."""
    return [
        _gather(
            [source.reader.norms.load_lengths(number) for source in sources],
            [source.get_map(field.level) for source in sources],
        )
        for number, field in enumerate(fields)
    ]


def merge_content(
    fields: Sequence[Field], sources: Sequence[Source], order: Numbers, lengths: Sequence[Integers]
) -> SegmentContent:
    """Read all of the merged segment but the postings. Raises CorruptIndex if only some have records."""
    tables = [source.reader.read_file_table() for source in sources]
    unit_maps = [source.new_units for source in sources]
    chunk_maps = _map_rows(
        [source.new_files for source in sources], [table.chunks for table in tables], order
    )
    readers = [source.reader.chunks for source in sources]
    units = [narrow(table.lines, table.sizes) for table in (reader.read_units() for reader in readers)]
    chunks = [
        narrow(table.first_units, table.unit_counts, table.kinds)
        for table in (reader.read_chunks() for reader in readers)
    ]
    return SegmentContent(
        fields,
        _merge_files(tables, order),
        UnitTable(*(_gather(columns, unit_maps) for columns in zip(*units, strict=True))),
        ChunkTable(*(_gather(columns, chunk_maps) for columns in zip(*chunks, strict=True))),
        lengths,
        _merge_records(sources, order),
    )


def _merge_records(sources: Sequence[Source], order: Numbers) -> Iterable[bytes] | None:
    """Return the live files' records in path order, read lazily; None when the sources have none."""
    present = [source.reader.records for source in sources if source.reader.has_records]
    if not present:
        return None
    if len(present) != len(sources):
        raise CorruptIndex("segments with records and segments without cannot be merged")
    return _iter_records(present, [len(source.new_files) for source in sources], order)


def _iter_records(readers: Sequence[RecordsReader], counts: Sequence[int], order: Numbers) -> Iterator[bytes]:
    """Yield records in `order`. It keeps the order of each source, so each is read through once."""
    coming = [enumerate(reader) for reader in readers]
    ends = np.cumsum(counts)
    sources = np.searchsorted(ends, order, side="right")
    files = order - (ends - counts)[sources]
    for source, file in zip(sources.tolist(), files.tolist(), strict=True):
        yield next(record for position, record in coming[source] if position == file)


def _merge_files(tables: Sequence[FileTable], order: Numbers) -> FileTable:
    paths = [path for table in tables for path in table.paths]
    names = [table.language_names[language] for table in tables for language in table.languages.tolist()]
    language_names, languages = number_languages([names[file] for file in order.tolist()])
    prints = np.frombuffer(b"".join(table.fingerprints for table in tables), dtype=np.uint8)

    def take(columns: Iterable[I64]) -> I64:
        found: I64 = np.concatenate(list(columns))[order]
        return found

    return FileTable(
        paths=[paths[file] for file in order.tolist()],
        fingerprints=prints.reshape(-1, FINGERPRINT_BYTES)[order].tobytes(),
        sizes=take(table.sizes for table in tables),
        languages=languages,
        flags=take(table.flags for table in tables),
        lines=take(table.lines for table in tables),
        units=take(table.units for table in tables),
        chunks=take(table.chunks for table in tables),
        language_names=language_names,
    )


def number_languages(names: Sequence[str]) -> tuple[list[str], I64]:
    """Return the distinct names, sorted, and the number (int64) of each file's name among them."""
    distinct = sorted(set(names))
    numbers = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([numbers[name] for name in names], dtype=np.int64)


def _gather(columns: Sequence[Integers], maps: Sequence[Numbers]) -> Integers:
    """Return the values of all sources in their new rows, as narrow as the widest of them."""
    rows = sum(int(np.count_nonzero(own != DROPPED)) for own in maps)
    merged: Integers = np.zeros(rows, dtype=np.result_type(*columns))
    for column, own in zip(columns, maps, strict=True):
        kept = own != DROPPED
        merged[own[kept]] = column[kept]
    return merged
