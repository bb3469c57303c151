"""The files that an index holds: the address and the fingerprint of each, found by path.

A refresh asks for a few files out of many, so paths stay in the bytes of the index and are found by
binary search, in seventeen steps among 80,000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, pairwise

import numpy as np
import numpy.typing as npt

from index_format import FINGERPRINT_BYTES, CorruptIndex, LiveSegment, Snapshot
from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class FileAddress:
    """The segment and the number of an indexed file."""

    segment: str  # name
    file: int


@dataclass(frozen=True, slots=True)
class _SegmentFiles:
    """The file table of one segment. Paths ascend."""

    name: str
    paths: bytes  # concatenated
    ends: npt.NDArray[np.int64]  # of each path, in `paths`
    live: npt.NDArray[np.bool_]  # cleared as files are taken
    fingerprints: bytes

    def get_path(self, file: int) -> bytes:
        return self.paths[int(self.ends[file - 1]) if file else 0 : int(self.ends[file])]

    def list_paths(self) -> list[str]:
        """Return the paths of the live files, ascending. Raises CorruptIndex."""
        spans = compress(pairwise([0, *self.ends.tolist()]), self.live)
        if self.paths.isascii():  # decoded at once
            text = self.paths.decode()
            return [text[start:end] for start, end in spans]
        return [_decode(self.paths[start:end], self.name) for start, end in spans]

    def find(self, path: bytes) -> int | None:
        """Return the number of a live file."""
        file = self.find_any(path)
        return file if file is not None and self.live[file] else None

    def find_any(self, path: bytes) -> int | None:
        """Return the number of a file, live or not."""
        low, high = 0, len(self.ends)
        while low < high:
            middle = (low + high) // 2
            if self.get_path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.ends) and self.get_path(low) == path else None


class KnownFiles:
    """The live files of a snapshot, minus those taken out."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        """Raises IndexFormatError, OSError. The snapshot may be closed afterwards."""
        segments = snapshot.segments if snapshot is not None else ()
        self._segments = {segment.name: _read_files(segment) for segment in segments}
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
        prints = self._segments[place.segment].fingerprints
        return prints[place.file * FINGERPRINT_BYTES : (place.file + 1) * FINGERPRINT_BYTES]

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
    return _read_files(segment).list_paths()


def split_fingerprints(prints: bytes) -> list[bytes]:
    """Return the fingerprints in a run of them."""
    found: list[bytes] = np.frombuffer(prints, dtype=f"V{FINGERPRINT_BYTES}").tolist()
    return found


def _decode(path: bytes, segment: str) -> str:
    try:
        return path.decode()
    except UnicodeDecodeError as error:
        raise CorruptIndex(f"{segment}: a path is not UTF-8") from error


def _read_files(segment: LiveSegment) -> _SegmentFiles:
    files = segment.reader.files
    return _SegmentFiles(
        segment.name,
        files.read_path_bytes(),
        files.path_ends,
        segment.live_file_mask.copy(),
        files.read_fingerprints(),
    )
