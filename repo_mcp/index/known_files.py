"""The files that an index holds: where each lies, and its fingerprint, found by its path."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from index_format import FINGERPRINT_BYTES, LiveSegment, Snapshot


@dataclass(frozen=True, slots=True)
class Place:
    """Where an indexed file lies."""

    segment: str  # name
    file: int


@dataclass(frozen=True, slots=True)
class _SegmentFiles:
    """The file table of one segment: paths ascend, so that one is found in ten steps or so."""

    name: str
    paths: Sequence[bytes]
    live: list[bool]  # changed as files are taken
    fingerprints: bytes


class KnownFiles:
    """The live files of a snapshot, less those that were taken out."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        """Raises IndexFormatError, OSError. The snapshot may be closed afterwards."""
        segments = snapshot.segments if snapshot is not None else ()
        self._segments = [_read_files(segment) for segment in segments]
        self.count = sum(sum(segment.live) for segment in self._segments)

    def find(self, path: str) -> Place | None:
        """Where a file lies."""
        key = path.encode()
        for segment in self._segments:
            file = bisect_left(segment.paths, key)
            if file < len(segment.paths) and segment.paths[file] == key and segment.live[file]:
                return Place(segment.name, file)
        return None

    def find_fingerprint(self, path: str) -> bytes | None:
        """The fingerprint of a file as it was indexed."""
        place = self.find(path)
        if place is None:
            return None
        prints = next(one.fingerprints for one in self._segments if one.name == place.segment)
        return prints[place.file * FINGERPRINT_BYTES : (place.file + 1) * FINGERPRINT_BYTES]

    def take(self, paths: Sequence[str]) -> dict[str, list[int]]:
        """Take files out that are there. Returns their numbers by the name of the segment."""
        taken: dict[str, list[int]] = {}
        for path in paths:
            place = self.find(path)
            if place is not None:
                taken.setdefault(place.segment, []).append(place.file)
                next(one for one in self._segments if one.name == place.segment).live[place.file] = False
        return taken

    def iter_paths(self) -> Iterator[str]:
        """The paths of all files, segment by segment."""
        for segment in self._segments:
            for path, live in zip(segment.paths, segment.live, strict=True):
                if live:
                    yield path.decode()


def _read_files(segment: LiveSegment) -> _SegmentFiles:
    files = segment.reader.files
    return _SegmentFiles(
        segment.name, files.read_paths(), segment.live_file_mask.tolist(), files.read_fingerprints()
    )
