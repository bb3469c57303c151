"""A snapshot: one generation, opened. Later commits do not touch it.

Opening reads only the manifest and each segment's head and tail, however large the segments. Statistics
count exactly the live documents, however many tombstones there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from index_format.checksum import compute_checksum, compute_name
from index_format.directory import Directory
from index_format.errors import CorruptIndex, IndexForeign
from index_format.frame import SUFFIX
from index_format.manifest import decode_manifest, read_manifest_bytes
from index_format.records import FINGERPRINT_BYTES, I64, Field, Level, Manifest, SegmentEntry
from index_format.runs import BLOCK_BITS, sort_distinct
from index_format.seals import Sealed, check_segment, read_seal
from index_format.segment_reader import SegmentReader

NAME_DIGITS = 12
OPEN_ATTEMPTS = 5  # a writer may commit and delete between our reading the manifest and the segments


class ContentHashes:
    """The hashes of a segment's files, computed once for all generations that have the segment."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader

    @cached_property
    def values(self) -> npt.NDArray[np.uint64]:
        """Return the xxh3_64 of each file's path, a zero byte and its fingerprint. Raises CorruptIndex."""
        files = self._reader.files
        prints = files.read_fingerprints()
        each = (prints[at : at + FINGERPRINT_BYTES] for at in range(0, len(prints), FINGERPRINT_BYTES))
        hashes = map(compute_checksum, map(b"\0".join, zip(files.iter_paths(), each, strict=True)))
        return np.fromiter(hashes, dtype=np.uint64, count=files.count)


class LiveSegment:
    """A segment and the liveness of its documents."""

    def __init__(
        self, reader: SegmentReader, entry: SegmentEntry, contents: ContentHashes | None = None
    ) -> None:
        """Take the hashes that another generation has computed for the same segment, if there are any."""
        self.reader = reader
        self.contents = contents or ContentHashes(reader)
        self.entry = entry
        self.name = entry.name
        self.dead_files = np.array(entry.dead_files, dtype=np.int64)

    @cached_property
    def live_file_mask(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the live files."""
        mask = np.ones(self.reader.file_count, dtype=np.bool_)
        mask[self.dead_files] = False
        return mask

    @cached_property
    def live_unit_mask(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the units whose file is live."""
        return np.repeat(self.live_file_mask, np.diff(self.reader.files.first_units))

    @cached_property
    def dead_units(self) -> I64:
        """Return the units of dead files, ascending (int64)."""
        return np.flatnonzero(~self.live_unit_mask)

    @cached_property
    def dead_unit_blocks(self) -> I64:
        """Return the blocks of doc ids that contain a dead unit, ascending (int64)."""
        return sort_distinct(self.dead_units >> BLOCK_BITS)

    def get_live_mask(self, level: Level) -> npt.NDArray[np.bool_] | None:
        """Return a mask of the live documents of a level; None when all are live."""
        if not len(self.dead_files):
            return None
        return self.live_unit_mask if level is Level.UNIT else self.live_file_mask

    @cached_property
    def live_units(self) -> int:
        """Return the number of live units."""
        if not len(self.dead_files):
            return self.reader.unit_count
        return int(np.count_nonzero(self.live_unit_mask))

    def sum_lengths(self, field: int) -> int:
        """Return the sum of a field's lengths over live documents. Raises CorruptIndex."""
        total = self.reader.length_sums[field]
        if len(self.dead_files):
            is_unit = self.reader.fields[field].level is Level.UNIT
            dead = self.dead_units if is_unit else self.dead_files
            total -= int(self.reader.norms.take_lengths(field, dead).sum())
        return total


class Snapshot:
    """One opened generation. Close it, or leave it to the garbage collector."""

    def __init__(self, manifest: Manifest, segments: tuple[LiveSegment, ...]) -> None:
        self.manifest = manifest
        self.segments = segments
        self.fields = manifest.fields
        self._length_sums: dict[int, int] = {}

    @classmethod
    def open(cls, directory: Directory, before: Snapshot | None = None) -> Snapshot | None:
        """Open the committed generation; return None when nothing has been committed yet.

        Segments that `before` has too are shared, with all that was cached of them. Then neither snapshot may
        be closed while the other is in use; dropping the references is enough.

        Raises CorruptIndex (a segment that the manifest names is missing or different), IndexTooOld,
        IndexTooNew, IndexForeign when the directory's owner did not seal it, and OSError for faults other
        than content.
        """
        for attempt in range(OPEN_ATTEMPTS):
            data = read_manifest_bytes(directory)
            if data is None:
                return None
            manifest = decode_manifest(data)
            try:
                known = {} if before is None else {one.name: one for one in before.segments}
                sealed = read_seal(directory, data)
                segments = open_segments(directory, manifest.segments, manifest.fields, known, sealed)
                return cls(manifest, segments)
            except IndexForeign:  # Another owner's index, or a writer has just replaced manifest and seal
                if attempt == OPEN_ATTEMPTS - 1:
                    raise
            except FileNotFoundError as error:
                if attempt == OPEN_ATTEMPTS - 1:
                    raise CorruptIndex("manifest: names a segment that is missing") from error
        raise AssertionError("not reached")

    @property
    def generation(self) -> int:
        """Return the number of the commit."""
        return self.manifest.generation

    @cached_property
    def name(self) -> str:
        """Return a name of the content: equal for equal files and configuration, whatever the history.

        NAME_DIGITS hexadecimal digits: a hash over the configuration and the sum of the files' hashes. Those
        of a segment are computed once, at half a µs a file, for all generations with it. Raises CorruptIndex.
        """
        live = (segment.contents.values[segment.live_file_mask] for segment in self.segments)
        total = sum(int(hashes.sum()) for hashes in live) % (1 << 64)
        facts = f"{self.manifest.configuration} {self.file_count} {total}"
        return compute_name(facts.encode())[:NAME_DIGITS]

    @cached_property
    def file_count(self) -> int:
        """Return the number of live source files."""
        return sum(segment.entry.live_files for segment in self.segments)

    @cached_property
    def unit_count(self) -> int:
        """Return the number of live units."""
        return sum(segment.live_units for segment in self.segments)

    def sum_lengths(self, field: int) -> int:
        """Return the sum of a field's lengths over live documents. Raises CorruptIndex."""
        if field not in self._length_sums:
            self._length_sums[field] = sum(segment.sum_lengths(field) for segment in self.segments)
        return self._length_sums[field]

    def iter_live_files(self) -> Iterator[tuple[LiveSegment, int]]:
        """Yield each live file as its segment and number, segment by segment in path order."""
        for segment in self.segments:
            for file in np.flatnonzero(segment.live_file_mask).tolist():
                yield segment, file

    def close(self) -> None:
        """Close the files of all segments."""
        for segment in self.segments:
            segment.reader.close()


def open_segments(
    directory: Directory,
    entries: Sequence[SegmentEntry],
    fields: Sequence[Field],
    known: Mapping[str, LiveSegment] = MappingProxyType({}),
    sealed: Sealed | None = None,
) -> tuple[LiveSegment, ...]:
    """Open all segments that the entries name, or none; those in `known` are open already.

    Raises CorruptIndex for a segment that differs from its entry, FileNotFoundError, IndexTooOld,
    IndexTooNew, and IndexForeign for one that `sealed`, if given, does not name.
    """
    opened: list[LiveSegment] = []
    try:
        for entry in entries:
            segment = known.get(entry.name)
            if segment is None:
                segment = LiveSegment(_open_reader(directory, entry, fields, sealed), entry)
            elif segment.entry != entry:  # other files are dead than in the earlier snapshot
                _check_entry(segment.reader, entry, fields)
                segment = LiveSegment(segment.reader, entry, segment.contents)
            opened.append(segment)
    except BaseException:
        for segment in opened:
            if segment.name not in known:
                segment.reader.close()
        raise
    return tuple(opened)


def _open_reader(
    directory: Directory, entry: SegmentEntry, fields: Sequence[Field], sealed: Sealed | None
) -> SegmentReader:
    file = directory.open(entry.name)
    try:
        if sealed is not None:
            check_segment(file, sealed)
        reader = SegmentReader(file)
        _check_entry(reader, entry, fields)
    except BaseException:
        file.close()
        raise
    return reader


def _check_entry(reader: SegmentReader, entry: SegmentEntry, fields: Sequence[Field]) -> None:
    for fault in iter_entry_faults(reader, entry, fields):
        raise CorruptIndex(fault)


def iter_entry_faults(reader: SegmentReader, entry: SegmentEntry, fields: Sequence[Field]) -> Iterator[str]:
    """Yield every difference between a segment and the manifest's entry for it."""
    if entry.name != reader.frame.content_name + SUFFIX:
        yield f"{entry.name}: holds the content of {reader.frame.content_name}"
    found = (reader.frame.file_bytes, reader.file_count, reader.unit_count)
    if found != (entry.file_bytes, entry.files, entry.units):
        yield f"{entry.name}: {found} bytes, files and units, the manifest says otherwise"
    if reader.fields != tuple(fields):
        yield f"{entry.name}: has another schema than the manifest"
