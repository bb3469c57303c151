"""The segments of another index that a writer takes over: linked or copied, and proven to be those sealed.

A segment is proven by a seal of the same owner that lists its file: the donor's seal, or that of another
index which has the very same file (a witness). Linking a file or deleting a link changes its ctime. So after
a second work tree has linked a segment, only the seal of that work tree lists it. Files that no seal lists
are read and compared, beside other work. A copy is compared while it is written.

Left out on purpose: which files of a segment are live. The caller tells the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from index_format.directory import Directory, ReadableFile, TransferMethod
from index_format.disk_directory import DiskFile
from index_format.errors import IndexFormatError
from index_format.manifest import read_manifest_bytes
from index_format.records import Manifest
from index_format.seals import Sealed, SealedFile, SegmentDigest, SegmentProof, read_seal
from index_format.snapshot import Snapshot, open_segments


class AdoptedSegments:
    """The segments of a donor, taken over, of which some may still be compared with its seal."""

    def __init__(
        self,
        manifest: Manifest,
        directory: Directory,
        taken: Sealed,
        proof: SegmentProof,
        note_proven: Callable[[Sealed], None],
    ) -> None:
        """`taken` is what to seal them with in `directory`; `note_proven` is called once `proof` is there."""
        self.manifest = manifest
        self._directory = directory
        self._taken = taken
        self._proof = proof
        self._note_proven = note_proven

    def open(self) -> Snapshot:
        """Return what the donor has committed, opened here, when all of it is proven; the caller closes it.

        Raises CorruptIndex when it is damaged, another IndexFormatError, OSError.
        """
        self._proof.wait()
        manifest = self.manifest
        segments = open_segments(self._directory, manifest.segments, manifest.fields, sealed=self._taken)
        self._note_proven(self._taken)
        return Snapshot(manifest, segments)

    def close(self) -> None:
        """Give up what is not proven yet."""
        self._proof.close()


class SegmentAdoption:
    """Takes over the segments of one donor."""

    def __init__(self, directory: Directory, donor: Directory, witnesses: Sequence[Directory]) -> None:
        self._directory = directory
        self._donor = donor
        self._witnesses = witnesses
        self.unproven: list[tuple[ReadableFile, SealedFile]] = []  # open, and what they must be

    def take(self, one: SealedFile, name: str) -> SealedFile:
        """Take over a segment with the entry `one` in the donor's seal, and return the entry for our seal.

        Its identity is that before its bytes are compared, so that a change meanwhile does not go unnoticed.
        Raises CorruptIndex, OSError.
        """
        digest = SegmentDigest()
        file = self._donor.open(name)
        try:
            is_known = bool(file.identity) and (
                file.identity == one.identity or self._is_witnessed(file, one)
            )
            taken = self._directory.take(name, self._donor, digest.add)
        finally:
            file.close()
        mine = self._directory.open(name)
        if taken is TransferMethod.COPIED:
            mine.close()
            return digest.check(name, one)._replace(identity=mine.identity)
        if taken is TransferMethod.LINKED and is_known and mine.identity[:-1] == file.identity[:-1]:
            mine.close()  # it is the file just known, with another ctime
        else:
            self.unproven.append((mine, one))
        return one._replace(identity=mine.identity)

    def _is_witnessed(self, file: ReadableFile, one: SealedFile) -> bool:
        """Return True when a witness has this very file, and sealed these bytes in it as it is now."""
        known = one._replace(identity=file.identity)
        return any(
            sealed.get(file.name) == known and _has_file(directory, file) for directory, sealed in self._seals
        )

    @cached_property
    def _seals(self) -> list[tuple[Directory, Sealed]]:
        return list(_iter_seals(self._witnesses))

    def close(self) -> None:
        """Close the files that are to be compared."""
        for file, _ in self.unproven:
            file.close()


def _iter_seals(directories: Sequence[Directory]) -> Iterator[tuple[Directory, Sealed]]:
    """Yield the directories that are sealed by their owner, and what their seals say."""
    for directory in directories:
        try:
            data = read_manifest_bytes(directory)
            sealed = None if data is None else read_seal(directory, data)
        except (OSError, IndexFormatError):  # it is changing, or another's
            continue
        if sealed is not None:
            yield directory, sealed


def _has_file(directory: Directory, file: ReadableFile) -> bool:
    """Return True when a directory has this very file under its name."""
    try:
        other = directory.open(file.name)
    except (OSError, IndexFormatError):
        return False
    try:
        if not (isinstance(file, DiskFile) and isinstance(other, DiskFile)):
            return False
        return (file.device, file.identity) == (other.device, other.identity)
    finally:
        other.close()
