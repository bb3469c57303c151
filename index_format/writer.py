"""The writer: the one process that changes an index. It adds segments, marks files dead, merges, commits.

Nothing that it does is visible before `commit`, and a commit is all or nothing. Segments may be
written by other processes that work for the holder of the lock. A file that no manifest names is
garbage, deleted under the lock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial

from index_format.adopted_segments import AdoptedSegments, SegmentAdoption
from index_format.compactor import Merge, encode_windows, merge_segments
from index_format.directory import Directory
from index_format.errors import CorruptIndex, IndexForeign, IndexFormatError
from index_format.frame import SUFFIX
from index_format.manifest import decode_manifest, encode_manifest, read_manifest_bytes, write_manifest
from index_format.merge_policy import FAN_IN, choose_early_merge, choose_full_merge, choose_merge, find_fan_in
from index_format.records import EncodedRun, Field, Manifest, SegmentEntry
from index_format.seals import (
    SEAL_SUFFIX,
    Sealed,
    SealedFile,
    SegmentProof,
    check_segment,
    find_sealed,
    name_seal,
    read_seal,
    write_seal,
)
from index_format.segment_writer import TEMPORARY_SUFFIX
from index_format.snapshot import OPEN_ATTEMPTS, open_segments

LOCK = "lock"
# Ending of a file that the owner keeps beside a segment, with the name of that segment in front.
SIDE_SUFFIX = ".side"

# (segments of a merge, the merge) -> its encoded windows, in order
MergeEncoder = Callable[[Sequence[SegmentEntry], Merge], Iterable[EncodedRun]]


class IndexWriter:
    """The holder of the writer's lock, from opening to closing. Use as a context manager."""

    def __init__(self, directory: Directory, configuration: str, fields: Sequence[Field]) -> None:
        """Start from the committed generation, if there is one of this configuration and schema.

        If it cannot be read, or was not sealed by the directory's owner, start from nothing: an index is
        derived, so it is never repaired. `start_fault` then says what was wrong. Raises IndexLocked, OSError.
        """
        self.directory = directory
        self._lock = directory.lock(LOCK)
        self._segments: list[SegmentEntry] = []
        self._committed: tuple[SegmentEntry, ...] = ()
        self._added: set[str] = set()
        self._temporaries = 0
        self._generation = 0
        self._changed = False
        self._configuration = configuration
        self._fields = tuple(fields)
        self._sealed: Sealed = {}
        self._reseals = False  # the files were copied since they were sealed, with the same content
        self._seal_name = ""
        self.start_fault: IndexFormatError | None = None
        try:
            self._start()
        except BaseException:
            self._lock.release()
            raise

    def _start(self) -> None:
        try:
            manifest = self._read_committed()
        except IndexFormatError as fault:
            manifest, self.start_fault = None, fault
        if manifest is None:
            self._changed = True
            return
        self._generation = manifest.generation
        self._committed = manifest.segments
        if (manifest.configuration, manifest.fields) == (self._configuration, self._fields):
            self._segments = list(manifest.segments)
        else:
            self._changed = True

    def _read_committed(self) -> Manifest | None:
        """Return the committed manifest, if its segments are those that were sealed."""
        data = read_manifest_bytes(self.directory)
        if data is None:
            return None
        manifest = decode_manifest(data)
        sealed = read_seal(self.directory, data)
        if sealed is not None:
            self._sealed = {entry.name: self._check(entry.name, sealed) for entry in manifest.segments}
            self._reseals = self._sealed != sealed
        self._seal_name = name_seal(data)
        return manifest

    def _check(self, name: str, sealed: Sealed) -> SealedFile:
        try:
            file = self.directory.open(name)
        except FileNotFoundError as error:
            raise CorruptIndex("manifest: names a segment that is missing") from error
        try:
            return check_segment(file, sealed)
        finally:
            file.close()

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def segments(self) -> tuple[SegmentEntry, ...]:
        """Return the segments that the next commit will name."""
        return tuple(self._segments)

    @property
    def added(self) -> tuple[SegmentEntry, ...]:
        """Return those of `segments` that were added to this writer, or were merged from such segments."""
        return tuple(entry for entry in self._segments if entry.name in self._added)

    def reserve_temporary(self) -> str:
        """Return a temporary name for a new segment that nobody else uses."""
        self._temporaries += 1
        return f"new-{self._temporaries}"

    def discard_all(self) -> None:
        """Drop all segments."""
        self._segments = []
        self._changed = True

    def add(self, entry: SegmentEntry) -> None:
        """Add a segment written to the directory. It becomes live with the next commit."""
        if all(known.name != entry.name for known in self._segments):
            self._segments.append(entry)
            self._added.add(entry.name)
            self._changed = True

    def adopt(self, donor: Directory, witnesses: Sequence[Directory] = ()) -> AdoptedSegments:
        """Link or copy the segments of another index, which our owner must have sealed, into this directory.

        None of their files is live before `put`. The seals of the `witnesses`, which are other indexes, may
        prove a file that the donor's own seal no longer lists (see `adopted_segments.py`). Files that no seal
        lists are compared byte by byte in a thread; `AdoptedSegments.open` waits for it.

        Raises IndexForeign when the donor is not sealed or has another schema, another IndexFormatError when
        it is damaged or keeps changing, OSError.
        """
        for attempt in range(OPEN_ATTEMPTS):
            try:
                return self._adopt(donor, witnesses)
            # Missing or foreign; or a commit has just replaced manifest and seal, so look again.
            except (FileNotFoundError, IndexForeign) as error:
                if attempt == OPEN_ATTEMPTS - 1:
                    raise IndexForeign("manifest: its segments or its seal are missing") from error
        raise AssertionError("not reached")

    def _adopt(self, donor: Directory, witnesses: Sequence[Directory]) -> AdoptedSegments:
        data = read_manifest_bytes(donor)
        sealed = None if data is None else read_seal(donor, data)
        if data is None or sealed is None:
            raise IndexForeign("manifest: there is none, or nobody sealed it")
        manifest = decode_manifest(data)
        if manifest.fields != self._fields:
            raise IndexForeign("manifest: has another schema")
        adoption = SegmentAdoption(self.directory, donor, witnesses)
        try:
            taken = {
                one.name: adoption.take(find_sealed(one.name, sealed), one.name) for one in manifest.segments
            }
        except BaseException:
            adoption.close()
            raise
        return AdoptedSegments(
            manifest, self.directory, taken, SegmentProof(adoption.unproven), self._note_proven
        )

    def _note_proven(self, taken: Sealed) -> None:
        self._sealed = {**self._sealed, **taken}

    def put(self, entry: SegmentEntry) -> None:
        """Replace the entry of a segment in the next commit. A segment without live files is dropped."""
        if entry in self._segments:
            return
        others = [known for known in self._segments if known.name != entry.name]
        self._segments = [*others, entry] if entry.live_files else others
        self._changed = True

    def mark_dead(self, segment_name: str, files: Iterable[int]) -> None:
        """Mark files of a segment as superseded or removed.

        Raises KeyError for an unknown segment, IndexError for a file that it does not have.
        """
        positions = {entry.name: position for position, entry in enumerate(self._segments)}
        position = positions[segment_name]
        entry = self._segments[position]
        dead = sorted({*entry.dead_files, *files})
        if dead and not 0 <= dead[0] <= dead[-1] < entry.files:
            raise IndexError(f"files {dead[0]} to {dead[-1]} of {entry.files}")
        if len(dead) == entry.files:
            del self._segments[position]
        else:
            self._segments[position] = entry._replace(dead_files=tuple(dead))
        self._changed = True

    def replace(
        self,
        chosen: Sequence[SegmentEntry],
        *,
        encode: MergeEncoder | None = None,
        window_bytes: int | None = None,
    ) -> None:
        """Replace segments by one that is merged from them, or by none if they have no live files.

        See `Merger` for the arguments. Raises CorruptIndex or another IndexFormatError, OSError.
        """
        merged = self._merge(chosen, encode, window_bytes)
        kept = [entry for entry in self._segments if entry not in chosen]
        self._segments = [*kept, merged] if merged else kept
        if merged and self._added.issuperset(entry.name for entry in chosen):
            self._added.add(merged.name)
        self._changed = True

    def _merge(
        self, chosen: Sequence[SegmentEntry], encode: MergeEncoder | None, window_bytes: int | None
    ) -> SegmentEntry | None:
        try:
            opened = open_segments(self.directory, chosen, self._fields)
        except FileNotFoundError as error:
            raise CorruptIndex("manifest: names a segment that is missing") from error
        try:
            elsewhere = encode_windows if encode is None else partial(encode, chosen)
            return merge_segments(self.directory, self.reserve_temporary(), opened, elsewhere, window_bytes)
        finally:
            for segment in opened:
                segment.reader.close()

    def commit(self) -> Manifest:
        """Commit all changes as the next generation and return it; without changes, the committed one.

        After an OSError either the previous generation is still committed or, if only the last sync failed,
        the new one. Close the writer: a new one finds out which.
        """
        manifest = Manifest(self._generation, self._configuration, self._fields, tuple(self._segments))
        if self._changed:
            manifest = manifest._replace(generation=self._generation + 1)
            self._sealed = write_manifest(self.directory, manifest, self._sealed)
            self._seal_name = name_seal(encode_manifest(manifest))
            self._generation = manifest.generation
            self._committed = manifest.segments
            self._changed = False
        elif self._reseals:  # otherwise every opening would read and compare all segments
            names = [entry.name for entry in manifest.segments]
            self._sealed = write_seal(self.directory, encode_manifest(manifest), names, self._sealed)
        self._reseals = False
        return manifest

    def delete_garbage(self) -> None:
        """Delete every file that neither the committed manifest nor the next one needs.

        These are other segments, files kept beside them, seals of other manifests, and unfinished files, so
        no segment may be being written. On Windows a file that another process has open stays until the next
        call.
        """
        named = {self._seal_name, *(entry.name for entry in (*self._committed, *self._segments))}
        for name in self.directory.list_names():
            unfinished = name.endswith(TEMPORARY_SUFFIX)
            owner = name.partition(".")[0] + SUFFIX if name.endswith(SIDE_SUFFIX) else name
            if unfinished or (owner.endswith((SUFFIX, SEAL_SUFFIX)) and owner not in named):
                with suppress(OSError):
                    self.directory.delete(name)

    def close(self) -> None:
        """Release the lock. Uncommitted changes are lost."""
        self._lock.release()


class Merger:
    """Merges segments of a writer, encoding all merges in the same way."""

    def __init__(
        self, writer: IndexWriter, *, encode: MergeEncoder | None = None, window_bytes: int | None = None
    ) -> None:
        """Take the function that yields the encoded windows of a merge (default: encode them here, in order).

        `encode` may have them encoded in other processes, and may add and commit other segments in between.
        Smaller windows than the default take less memory.
        """
        self._writer = writer
        self._replace = partial(writer.replace, encode=encode, window_bytes=window_bytes)
        self._fan_in = _find_fan_in()

    @property
    def is_due(self) -> bool:
        """Return True when the merge policy chooses segments to merge."""
        return bool(choose_merge(self._writer.segments, self._fan_in))

    def merge(self, *, full: bool = False, between: Callable[[], None] = lambda: None) -> int:
        """Merge what the merge policy chooses until it chooses nothing. Returns the number of merges.

        `between` is called before each merge but the first; it may commit and delete garbage. Raises
        IndexFormatError when a segment is damaged, OSError.
        """
        merges = 0
        while chosen := (choose_full_merge if full else choose_merge)(self._writer.segments, self._fan_in):
            if merges:
                between()
            self._replace(chosen)
            merges += 1
        return merges

    def merge_early(self, *, added: bool = True, committed: Callable[[], None] = lambda: None) -> bool:
        """Merge and commit some segments if there are so many that processes could run out of descriptors.

        With `added`, only segments added to this writer are merged, so that what the caller knows about older
        ones stays true. Calls `committed` after the commit, then deletes the merged segments. Returns True if
        there was a merge. Raises as `merge` does.
        """
        writer = self._writer
        chosen = choose_early_merge(writer.added if added else writer.segments, self._fan_in)
        if chosen:
            self._replace(chosen)
            writer.commit()
            committed()
            for entry in chosen:
                with suppress(OSError):  # Windows keeps an open file; the next `delete_garbage` deletes it
                    writer.directory.delete(entry.name)
        return bool(chosen)

    def purge(self, names: Collection[str]) -> int:
        """Rewrite the named segments that have dead files, and return how many were rewritten.

        After the next commit and `delete_garbage`, the directory holds nothing of the dead files. Raises as
        `merge` does.
        """
        chosen = [entry for entry in self._writer.segments if entry.name in names and entry.dead_files]
        for entry in chosen:
            self._replace([entry])
        return len(chosen)


def _find_fan_in() -> int:
    """Return how many segments this process can well merge at once."""
    if sys.platform == "win32":
        return FAN_IN
    import resource

    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return FAN_IN if descriptors == resource.RLIM_INFINITY else find_fan_in(descriptors)
