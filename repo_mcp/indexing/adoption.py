"""Takes over from another index the rows of files that are the same here.

Nothing of a donor is live before its file is confirmed: by the fingerprint of the contents or, without
reading them, by what Git recorded about both checkouts. So a file that only the donor has is never returned
or counted, and its rows disappear in the next merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise, repeat

import numpy as np
import numpy.typing as npt

from index_format import FINGERPRINT_BYTES, SIZE, IndexFormatError, IndexWriter, SegmentEntry, Snapshot
from repo_mcp.indexing.scan_state import SeenFiles, find_place, read_seen
from repo_mcp.model import SkipReason
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.storage.donors import Donor, ListDonors, list_nothing
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.workspace.git_blobs import SharedBlobs, find_rows
from repo_mcp.workspace.git_index import STAT_BITS
from repo_mcp.workspace.walked_files import SIZE_COLUMN, WalkedFiles

COMPARED_BYTES = 128 * 1024 * 1024  # compared here in the half second that starting processes takes
INDEXED_BYTES = 8 * 1024 * 1024  # at most that may have to be indexed besides: one shard, as in any refresh
I64 = npt.NDArray[np.int64]
_LASTING = (SkipReason.BINARY, SkipReason.TOO_LARGE)  # true of the same file in every checkout
FindShared = Callable[[Donor], SharedBlobs | None]  # by Git, with its checkout; None: all must be read


NO_DONOR = (
    "The checkout or pack that was named has no usable index: complete, sealed, of this version."
    " So everything is indexed."
)


@dataclass(frozen=True, slots=True)
class Donations:
    """The indexes that a first build may start from."""

    list_donors: ListDonors = list_nothing
    find_shared: FindShared = lambda _donor: None
    is_asked_for: bool = False  # the operator named a checkout or a pack

    def warn(self) -> tuple[str, ...]:
        """Return the warning if a first index started from nothing although a donor was named."""
        return (NO_DONOR,) if self.is_asked_for else ()


NO_DONATIONS = Donations()


def adopt(writer: IndexWriter, donors: Sequence[Donor]) -> tuple[Donor, Snapshot] | None:
    """Take over the segments of the first donor that has them, and return both; None without such a donor.

    The segments are open, and none of their files is live yet.
    """
    for donor in donors:
        try:
            return donor, writer.adopt(donor.directory)
        except (IndexFormatError, OSError):  # it is changing, damaged or gone, or there is no room here
            writer.delete_garbage()
    return None


class Adoption:
    """The files of one donor, and those of them that are confirmed."""

    def __init__(self, donor: Donor, adopted: Snapshot) -> None:
        """`adopted` is what `adopt` returned. Raises IndexFormatError, OSError."""
        self.donor = donor
        self._paths: list[str] = []
        self._prints = b""
        self._sizes: list[int] = []
        self._segments: list[tuple[SegmentEntry, I64]] = []  # and its live files, in the order of the paths
        for segment in adopted.segments:
            files, live = segment.reader.files, np.flatnonzero(segment.live_file_mask)
            prints = files.read_fingerprints()
            self._sizes += files.read_column(SIZE)[live].tolist()
            self._paths += files.read_paths_of(live)
            rows = np.frombuffer(prints, dtype=np.uint8).reshape(-1, FINGERPRINT_BYTES)
            self._prints += rows[live].tobytes()
            self._segments.append((segment.entry, live))
        self._confirmed = np.zeros(len(self._paths), dtype=np.bool_)
        self._shared: tuple[SeenFiles, SharedBlobs] | None = None  # as long as it is needed
        self._put = 0  # files when the entries were last given out

    @cached_property
    def _rows(self) -> dict[str, int]:
        return dict(zip(self._paths, range(len(self._paths)), strict=True))

    @property
    def confirmed(self) -> int:
        """Return the number of files that are known to be the same here."""
        return int(np.count_nonzero(self._confirmed))

    @property
    def is_worth_a_commit(self) -> bool:
        """Return True when at least twice as many files are confirmed as when the entries were given out."""
        return self.confirmed > 2 * self._put

    def describe(self) -> str:
        """Return where the rows came from, without naming a path."""
        return f"{self.donor.root.origin}: {self.confirmed:,} of its {len(self._paths):,} files were the same"

    def find_fingerprint(self, path: str) -> bytes | None:
        """Return the fingerprint of a file in the donor; None if the donor lacks the file."""
        row = self._find_row(path)
        return None if row is None else self._prints[row * FINGERPRINT_BYTES : (row + 1) * FINGERPRINT_BYTES]

    @property
    def must_be_read(self) -> bool:
        """Return True when Git knows of no file, and there are so many bytes that reading begins at once."""
        return self._shared is None and sum(self._sizes) > COMPARED_BYTES

    def is_soon_compared(self, files: WalkedFiles) -> bool:
        """Return True when this process can compare the files before others could start.

        More bytes take longer to read, and a file with another size than in the donor is indexed.
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

    def list_others(self, walked: Sequence[str]) -> list[str]:
        """Return the paths of the donor that are not in a walk, whose paths ascend."""
        if len(self._segments) == 1:
            return [self._paths[row] for row in np.flatnonzero(find_rows(walked, self._paths) < 0).tolist()]
        there = frozenset(walked)
        return [path for path in self._paths if path not in there]

    def list_segments(self, paths: Sequence[str]) -> list[str]:
        """Return the names of the segments that hold any of these files."""
        found = [row for row in map(self._find_row, paths) if row is not None]
        rows = np.array(found, dtype=np.int64)
        edges = np.cumsum([0, *(len(live) for _, live in self._segments)])
        return [
            entry.name
            for (entry, _), (start, stop) in zip(self._segments, pairwise(edges.tolist()), strict=True)
            if ((rows >= start) & (rows < stop)).any()
        ]

    def iter_entries(self) -> Iterator[SegmentEntry]:
        """Yield the entry of each segment, with all files dead except the confirmed ones."""
        self._put = self.confirmed
        start = 0
        for entry, live in self._segments:
            is_dead = np.ones(entry.files, dtype=np.bool_)
            is_dead[live[self._confirmed[start : start + len(live)]]] = False
            yield replace(entry, dead_files=tuple(np.flatnonzero(is_dead).tolist()))
            start += len(live)

    def _find_row(self, path: str) -> int | None:
        """Return the row of one path; None if the donor lacks it."""
        if len(self._segments) == 1:
            return find_place(self._paths, path)
        return self._rows.get(path)

    def _find_rows(self, paths: Sequence[str]) -> I64:
        """Return the rows of ascending paths, -1 for those that the donor lacks."""
        if len(self._segments) == 1:
            return find_rows(self._paths, paths)
        return np.array(list(map(self._rows.get, paths, repeat(-1))), dtype=np.int64)

    def find_shared(self, find_shared: FindShared) -> None:
        """Read Git's records of both checkouts: before the walk, which needs our part of them."""
        manifest = self.donor.manifest
        seen = read_seen(self.donor.directory, manifest.generation, manifest.segments)
        shared = find_shared(self.donor) if seen is not None else None
        if seen is not None and shared is not None:
            self._shared = seen, shared

    def confirm_shared(self, files: WalkedFiles) -> tuple[list[int], dict[str, SkipReason]]:
        """Confirm the files that Git knows to be the same, by their status in a walk.

        Returns the positions of the files that must be read, ascending, and those of the others that are not
        indexed, with the reasons: their bytes and sizes are the same as in the donor. Raises CorruptIndex.
        """
        left = np.ones(len(files), dtype=np.bool_)
        if self._shared is None:
            return np.flatnonzero(left).tolist(), {}
        (seen, shared), self._shared = self._shared, None
        same = _find_same(files, seen, shared)
        rows = self._find_rows([files.paths[position] for position in same.tolist()])
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


def _find_same(files: WalkedFiles, seen: SeenFiles, shared: SharedBlobs) -> I64:
    """Return the positions, in the walk and in the donor, of files with the status that Git recorded."""
    before, racy = seen.read_files(), seen.find_racy()
    if not len(files) or not len(before):
        return np.zeros(0, dtype=np.int64)
    ours, theirs = find_rows(files.paths, shared.paths), find_rows(before.paths, shared.paths)
    is_same = (ours >= 0) & (theirs >= 0)
    if racy:
        is_same &= [path not in racy for path in shared.paths]
    is_same &= (files.stats[ours] & STAT_BITS == shared.ours).all(axis=1)
    is_same &= (before.stats[theirs] & STAT_BITS == shared.theirs).all(axis=1)
    is_same &= files.stats[ours, SIZE_COLUMN] == before.stats[theirs, SIZE_COLUMN]
    return np.sort(ours[is_same])
