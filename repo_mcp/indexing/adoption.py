"""Starts an index from another one, the donor, so that files which are the same here need not be indexed.

The donor's segments are taken over whole, with every file in them dead. A file becomes live once it is
confirmed to be the same here: by the fingerprint of its contents or, without reading it, by what Git recorded
about both checkouts. So a file that only the donor has is never returned or counted, and the next merge drops
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from index_format import (
    FINGERPRINT_BYTES,
    SIZE,
    AdoptedSegments,
    IndexFormatError,
    IndexWriter,
    SegmentEntry,
    Snapshot,
    sort_distinct,
)
from repo_mcp.arrays import I64
from repo_mcp.indexing.scan_state import SeenFiles, read_seen
from repo_mcp.indexing.scan_state_pages import find_place
from repo_mcp.model import SkipReason
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.donors import Donor, ListDonors, list_nothing
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.workspace.git.blobs import SharedBlobs, find_rows
from repo_mcp.workspace.git.index_entries import STAT_BITS
from repo_mcp.workspace.walked_files import SIZE_COLUMN, WalkedFiles

COMPARED_BYTES = 128 * 1024 * 1024  # reading so much takes as long as starting other processes
INDEXED_BYTES = 8 * 1024 * 1024  # the part of that which may be new or changed: one shard, as in any refresh
_LASTING = (SkipReason.BINARY, SkipReason.TOO_LARGE)  # holds for the same file in every checkout
Read = TypeVar("Read")
FindShared = Callable[[Donor], SharedBlobs | None]  # Files that Git knows to be equal; None: read all


NO_DONOR = (
    "The named checkout or pack has no index that is complete, sealed and of this version."
    " So everything is indexed. An index outside its checkout is found only with the same --data-dir."
)


@dataclass(frozen=True, slots=True)
class Donations:
    """The indexes that a first build may start from."""

    list_donors: ListDonors = list_nothing
    find_shared: FindShared = lambda _donor: None
    is_asked_for: bool = False  # the operator named a checkout or a pack, and is told if it was of no use

    def warn(self) -> tuple[str, ...]:
        """Return the warning if a first index started from nothing although a donor was named."""
        return (NO_DONOR,) if self.is_asked_for else ()


NO_DONATIONS = Donations()


def adopt(writer: IndexWriter, donors: Sequence[Donor]) -> tuple[Donor, Snapshot] | None:
    """Take over the segments of the first donor that can be proven, and return it with its snapshot.

    No file of the segments is live yet. The caller closes the snapshot. Returns None without such a donor.
    """
    return _open_first(writer, _iter_adopted(writer, donors), lambda donor, adopted: (donor, adopted))


def _open_first(
    writer: IndexWriter,
    adopted: Iterable[tuple[Donor, AdoptedSegments]],
    read: Callable[[Donor, Snapshot], Read],
) -> Read | None:
    """Return what `read` returns for the first donor whose segments are proven genuine; None without one.

    If `read` raises IndexFormatError or OSError, the next donor is tried.
    """
    for donor, segments in adopted:
        try:
            return read(donor, segments.open())
        except (IndexFormatError, OSError):
            writer.delete_garbage()
    return None


def _iter_adopted(writer: IndexWriter, donors: Sequence[Donor]) -> Iterator[tuple[Donor, AdoptedSegments]]:
    """Yield each donor whose segments could be linked or copied; they may still have to be proven."""
    for donor in donors:
        try:
            yield donor, writer.adopt(donor.directory, [one.directory for one in donors if one is not donor])
        except (IndexFormatError, OSError):  # the donor is changing, damaged or gone, or the disk is full
            writer.delete_garbage()


class PendingAdoption:
    """The first donor whose segments could all be taken over, while they are still being proven.

    Meanwhile, Git's records are read and the tree may be walked. Nothing is read from the segments before
    they are proven, which is what `finish` waits for.
    """

    def __init__(self, writer: IndexWriter, donations: Donations) -> None:
        self._writer = writer
        self._find_shared = donations.find_shared
        self._donors = _iter_adopted(writer, donations.list_donors())
        self._move_on()

    def _move_on(self) -> None:
        """Take over the segments of the next donor, if there is one."""
        self._shared: tuple[SeenFiles, SharedBlobs] | None = None
        self._current = next(self._donors, None)
        if self._current is not None:
            manifest, directory = self._current[0].manifest, self._current[0].directory
            seen = read_seen(directory, manifest.generation, manifest.segments)
            shared = None if seen is None else self._find_shared(self._current[0])
            self._shared = None if seen is None or shared is None else (seen, shared)

    @property
    def donor(self) -> Donor | None:
        """Return the donor; None where there is none."""
        return None if self._current is None else self._current[0]

    @property
    def is_known_by_git(self) -> bool:
        """Return True when Git knows which files are the same, so that reading can wait for the walk."""
        return self._shared is not None

    def finish(self) -> Adoption | None:
        """Return the files of the first donor whose segments are proven genuine; None without one."""
        return _open_first(self._writer, self._iter_remaining(), self._read)

    def _iter_remaining(self) -> Iterator[tuple[Donor, AdoptedSegments]]:
        """Yield the present donor, then the next ones."""
        while self._current is not None:
            yield self._current
            self._move_on()

    def _read(self, donor: Donor, adopted: Snapshot) -> Adoption:
        """Return the files of a donor. Raises IndexFormatError, OSError."""
        with closing(adopted):
            return Adoption(donor, adopted, self._shared)

    def close(self) -> None:
        """Stop proving the segments. They are not used then."""
        if self._current is not None:
            self._current[1].close()


class Adoption:
    """The files of one donor, and those of them that are confirmed."""

    def __init__(self, donor: Donor, adopted: Snapshot, shared: tuple[SeenFiles, SharedBlobs] | None) -> None:
        """Read the files of the donor's snapshot `adopted`. Raises IndexFormatError, OSError.

        `shared` has the donor's record of seen files and what Git knows of both checkouts, if it knows them.
        """
        self.donor = donor
        paths: list[str] = []
        prints, sizes, owners, files = [], [], [], []
        for number, segment in enumerate(adopted.segments):
            reader, live = segment.reader.files, np.flatnonzero(segment.live_file_mask)
            paths += reader.read_paths_of(live)
            rows = np.frombuffer(reader.read_fingerprints(), dtype=np.uint8).reshape(-1, FINGERPRINT_BYTES)
            prints.append(rows[live])
            sizes.append(reader.read_column(SIZE)[live])
            owners.append(np.full(len(live), number))
            files.append(live)
        order = sorted(range(len(paths)), key=paths.__getitem__) if len(files) > 1 else None
        self._paths = paths if order is None else [paths[row] for row in order]
        self._prints = _join(prints, order).tobytes()
        self._sizes = _join(sizes, order).tolist()
        # For each file: its segment, and its number there.
        self._owners, self._files = _join(owners, order), _join(files, order)
        self._entries = [segment.entry for segment in adopted.segments]
        self._confirmed = np.zeros(len(paths), dtype=np.bool_)
        self._shared = shared  # dropped after use
        self._confirmed_before = 0  # number of confirmed files when `iter_entries` was last called

    @property
    def confirmed(self) -> int:
        """Return the number of files that are confirmed to be the same here."""
        return int(np.count_nonzero(self._confirmed))

    @property
    def is_worth_a_commit(self) -> bool:
        """Return True when more than twice as many files are confirmed as at the last `iter_entries`."""
        return self.confirmed > 2 * self._confirmed_before

    def describe(self) -> str:
        """Return in words where the index began, without naming a path."""
        return f"{self.donor.root.origin}: {self.confirmed:,} of its {len(self._paths):,} files were the same"

    def find_fingerprint(self, path: str) -> bytes | None:
        """Return the fingerprint that the donor has for a path; None if it does not have the path."""
        row = self._find_row(path)
        return None if row is None else self._prints[row * FINGERPRINT_BYTES : (row + 1) * FINGERPRINT_BYTES]

    @property
    def must_be_read(self) -> bool:
        """Return True when Git cannot tell which files are the same, and there is much to read."""
        return self._shared is None and sum(self._sizes) > COMPARED_BYTES

    def is_soon_compared(self, files: WalkedFiles) -> bool:
        """Return True when this process can read the files before worker processes would have started.

        Limits the bytes to be read, and those of files whose size differs from the donor's: these are
        indexed.
        """
        read = indexed = 0
        for path, size in zip(files.paths, files.stats[:, SIZE_COLUMN].tolist(), strict=True):
            row = self._find_row(path)
            if row is not None or not has_binary_extension(path):
                read += size
                indexed += size if row is None or self._sizes[row] != size else 0
        return read <= COMPARED_BYTES and indexed <= INDEXED_BYTES

    def confirm(self, paths: Sequence[str]) -> None:
        """Record that these files of the donor are the same here."""
        self._confirmed[[row for row in map(self._find_row, paths) if row is not None]] = True

    def find_rows(self, walked: Sequence[str]) -> I64:
        """Return the donor's row for each of the ascending paths of a walk (int64); -1 for none."""
        return find_rows(self._paths, walked)

    def list_others(self, rows: I64) -> list[str]:
        """Return the donor's paths that a walk did not find, given what `find_rows` returned for the walk."""
        is_other = np.ones(len(self._paths), dtype=np.bool_)
        is_other[rows[rows >= 0]] = False
        return [self._paths[row] for row in np.flatnonzero(is_other).tolist()]

    def list_segments(self, paths: Sequence[str]) -> list[str]:
        """Return the names of the segments that hold any of these files."""
        found = [row for row in map(self._find_row, paths) if row is not None]
        return [self._entries[number].name for number in sort_distinct(self._owners[found]).tolist()]

    def iter_entries(self) -> Iterator[SegmentEntry]:
        """Yield the entry of each segment, with all files dead except the confirmed ones."""
        self._confirmed_before = self.confirmed
        for number, entry in enumerate(self._entries):
            is_dead = np.ones(entry.files, dtype=np.bool_)
            is_dead[self._files[self._confirmed & (self._owners == number)]] = False
            yield entry._replace(dead_files=tuple(np.flatnonzero(is_dead).tolist()))

    def _find_row(self, path: str) -> int | None:
        """Return the donor's row for a path; None if it does not have the path."""
        return find_place(self._paths, path)

    def confirm_shared(self, files: WalkedFiles, rows: I64) -> tuple[list[int], dict[str, SkipReason]]:
        """Confirm, by their status, the files of a walk that Git knows to be the same.

        `rows` is what `find_rows` returned for the walk. Returns the ascending positions of the files that
        must be read, and the paths that the donor did not index, with the reason, which holds here too:
        binary files and too large ones. Raises CorruptIndex.
        """
        left = np.ones(len(files), dtype=np.bool_)
        if self._shared is None:
            return np.flatnonzero(left).tolist(), {}
        (seen, shared), self._shared = self._shared, None
        same = _find_same(files, seen, shared)
        rows = rows[same]
        self._confirmed[rows[rows >= 0]] = True
        left[same[rows >= 0]] = False
        skipped = seen.get_skipped()
        out = {
            position: reason
            for position in same[rows < 0].tolist()
            if (reason := skipped.get(files.paths[position])) in _LASTING
        }
        left[list(out)] = False
        return np.flatnonzero(left).tolist(), {files.paths[one]: reason for one, reason in out.items()}


def _join(columns: Sequence[npt.NDArray[Any]], order: Sequence[int] | None) -> npt.NDArray[Any]:
    """Return the columns of all segments as one column, with its rows in the given order, if any."""
    joined = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    return joined if order is None else joined[order]


def _find_same(files: WalkedFiles, seen: SeenFiles, shared: SharedBlobs) -> I64:
    """Return the ascending positions of the files in a walk that are the same as in the donor's checkout.

    Git noted the same blob for both checkouts. Here the file has the status that Git noted; there, the record
    of seen files has it.
    """
    rows = find_rows(files.paths, shared.paths)
    walked = np.flatnonzero(rows >= 0)
    rows = rows[walked]
    paths = shared.paths if len(walked) == len(shared.paths) else [files.paths[one] for one in rows.tolist()]
    is_same, sizes = seen.find_noted(WalkedFiles(paths, shared.theirs[walked]))
    racy = seen.find_racy()
    if racy:
        is_same &= [path not in racy for path in paths]
    ours = files.stats[rows]
    is_same &= (ours & STAT_BITS == shared.ours[walked]).all(axis=1)
    is_same &= ours[:, SIZE_COLUMN] == sizes
    return np.sort(rows[is_same])
