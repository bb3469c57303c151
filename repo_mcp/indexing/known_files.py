"""The files that an index holds: the address and the fingerprint of each, found by path.

A refresh asks for a few files out of many, so paths stay in the bytes of the index and are found by
binary search, in seventeen steps among 80,000. Whoever follows the includes of C asks for thousands, most of
which are not there: after MANY_FINDS the hashes of all paths are sorted, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, pairwise

import numpy as np

from index_format import FINGERPRINT_BYTES, CorruptIndex, LiveSegment, Snapshot
from repo_mcp.record_classes import dataclass

MANY_FINDS = 300
FULL_MERGE_SHARE = 0.5  # when more than this share of the files is renewed, everything is merged
_LAST_MARK = (1 << 20) - 1  # 1 MB of marks, of which 80,000 paths set a thirteenth


@dataclass(frozen=True, slots=True)
class FileAddress:
    """The segment and the number of an indexed file."""

    segment: str  # name of the segment
    file: int


class _SegmentFiles:
    """The file table of one segment. Paths ascend."""

    def __init__(self, segment: LiveSegment) -> None:
        """Raises IndexFormatError, OSError."""
        files = segment.reader.files
        self.name = segment.name
        self._paths = files.read_path_bytes()  # concatenated
        self._ends = files.path_ends  # where each path ends
        self.live = segment.live_file_mask.copy()  # cleared as files are taken
        self.fingerprints = files.read_fingerprints()
        self._finds = 0
        self._hashes: _Hashes | None = None  # made after MANY_FINDS look-ups

    def get_path(self, file: int) -> bytes:
        return self._paths[int(self._ends[file - 1]) if file else 0 : int(self._ends[file])]

    def list_paths(self) -> list[str]:
        """Return the paths of the live files, ascending. Raises CorruptIndex."""
        spans = compress(pairwise([0, *self._ends.tolist()]), self.live)
        if self._paths.isascii():  # decoded at once
            text = self._paths.decode()
            return [text[start:end] for start, end in spans]
        return [_decode(self._paths[start:end], self.name) for start, end in spans]

    def find(self, path: bytes) -> int | None:
        """Return the number of a live file."""
        if self._hashes is not None and not self._hashes.marks[hash(path) & _LAST_MARK]:
            return None
        file = self.find_any(path)
        return file if file is not None and self.live[file] else None

    def find_any(self, path: bytes) -> int | None:
        """Return the number of a file, live or not."""
        if self._hashes is not None:
            return self._find_by_hash(self._hashes, path)
        self._finds += 1
        if self._finds > MANY_FINDS:
            spans = pairwise([0, *self._ends.tolist()])
            self._hashes = _Hashes([hash(self._paths[start:end]) for start, end in spans])
        low, high = 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            if self.get_path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._ends) and self.get_path(low) == path else None

    def _find_by_hash(self, hashes: _Hashes, path: bytes) -> int | None:
        return next((file for file in hashes.list_files(hash(path)) if self.get_path(file) == path), None)


class _Hashes:
    """The hashes of paths. One look at the marks shows for most missing paths that they are missing."""

    def __init__(self, hashes: Sequence[int]) -> None:
        found = np.array(hashes, dtype=np.int64)
        self._order = np.argsort(found, kind="stable")
        self._sorted = found[self._order]
        marks = np.zeros(_LAST_MARK + 1, dtype=np.uint8)
        marks[found & _LAST_MARK] = 1
        self.marks = marks.tobytes()  # one bit for the last bits of each hash

    def list_files(self, wanted: int) -> list[int]:
        """Return the numbers of the files whose paths have a hash, ascending."""
        first, end = (int(self._sorted.searchsorted(wanted, side)) for side in ("left", "right"))
        found: list[int] = self._order[first:end].tolist()
        return found


class KnownFiles:
    """The live files of a snapshot, minus those taken out."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        """Raises IndexFormatError, OSError. The snapshot may be closed afterwards."""
        segments = snapshot.segments if snapshot is not None else ()
        self._segments = {segment.name: _SegmentFiles(segment) for segment in segments}
        self.count = sum(int(np.count_nonzero(segment.live)) for segment in self._segments.values())

    def find(self, path: str) -> FileAddress | None:
        """Return the address of a file, or None."""
        key = path.encode()
        for segment in self._segments.values():
            file = segment.find(key)
            if file is not None:
                return FileAddress(segment.name, file)
        return None

    def find_fingerprint(self, path: str) -> bytes | None:
        """Return the fingerprint that a file was indexed with, or None."""
        place = self.find(path)
        if place is None:
            return None
        start = place.file * FINGERPRINT_BYTES
        return self._segments[place.segment].fingerprints[start : start + FINGERPRINT_BYTES]

    def take(self, paths: Sequence[str]) -> dict[str, list[int]]:
        """Take out the files that are present; return their numbers by segment name."""
        taken: dict[str, list[int]] = {}
        for path in paths:
            place = self.find(path)
            if place is not None:
                taken.setdefault(place.segment, []).append(place.file)
                self._segments[place.segment].live[place.file] = False
        return taken

    def list_segments(self, paths: Sequence[str]) -> list[str]:
        """Return the names of the segments that hold any version of the files."""
        keys = [path.encode() for path in paths]
        return [
            segment.name
            for segment in self._segments.values()
            if any(segment.find_any(key) is not None for key in keys)
        ]

    def iter_paths(self) -> Iterator[str]:
        """Yield the paths of all files, segment by segment. Raises CorruptIndex."""
        for segment in self._segments.values():
            yield from segment.list_paths()

    def read_prints(self) -> dict[str, bytes]:
        """Return the fingerprint of each file by its path. Raises CorruptIndex."""
        found: dict[str, bytes] = {}
        for segment in self._segments.values():
            prints = compress(split_fingerprints(segment.fingerprints), segment.live)
            found.update(zip(segment.list_paths(), prints, strict=True))
        return found


def list_live_paths(segment: LiveSegment) -> list[str]:
    """Return the paths of the live files of a segment, ascending. Raises CorruptIndex."""
    return _SegmentFiles(segment).list_paths()


def split_fingerprints(prints: bytes) -> list[bytes]:
    """Return the fingerprints in a run of them."""
    found: list[bytes] = np.frombuffer(prints, dtype=f"V{FINGERPRINT_BYTES}").tolist()
    return found


def _decode(path: bytes, segment: str) -> str:
    try:
        return path.decode()
    except UnicodeDecodeError as error:
        raise CorruptIndex(f"{segment}: a path is not UTF-8") from error
