"""Takes over segments of another index (the donor): links or copies them, and proves that they are genuine.

A segment is proven without reading it if a seal of the same owner lists its file with its present identity.
That may be the donor's seal, or the seal of a third index that has the same file (a witness): linking a file
changes its ctime, so after a second work tree has linked a segment, only the seal of that work tree lists it.
Every other segment is read and compared with its digest in a thread; a copy is compared while it is written.

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
    """The segments taken over from a donor. Some of them may still have to be compared with its seal."""

    def __init__(
        self,
        manifest: Manifest,
        directory: Directory,
        taken: Sealed,
        proof: SegmentProof,
        note_proven: Callable[[Sealed], None],
    ) -> None:
        """Take the entries for the seal of `directory`, by segment (`taken`), and the comparison (`proof`).

        `note_proven` is called with `taken` once the comparison has succeeded.
        """
        self.manifest = manifest
        self._directory = directory
        self._taken = taken
        self._proof = proof
        self._note_proven = note_proven

    def open(self) -> Snapshot:
        """Wait until every segment is proven; then return the donor's snapshot, opened in this directory.

        The caller closes it. Raises CorruptIndex for a damaged segment, another IndexFormatError, OSError.
        """
        self._proof.wait()
        manifest = self.manifest
        segments = open_segments(self._directory, manifest.segments, manifest.fields, sealed=self._taken)
        self._note_proven(self._taken)
        return Snapshot(manifest, segments)

    def close(self) -> None:
        """Stop comparing. Segments that are not proven by now cannot be opened."""
        self._proof.close()


class SegmentAdoption:
    """Takes over the segments of one donor."""

    def __init__(self, directory: Directory, donor: Directory, witnesses: Sequence[Directory]) -> None:
        self._directory = directory
        self._donor = donor
        self._witnesses = witnesses
        # Opened files that still have to be read, with what the seal says of them.
        self.unproven: list[tuple[ReadableFile, SealedFile]] = []

    def take(self, one: SealedFile, name: str) -> SealedFile:
        """Take over a segment whose entry in the donor's seal is `one`; return the entry for our own seal.

        The entry has the identity that the file had before its bytes were compared. If the file changes
        during the comparison, the identity no longer fits. Raises CorruptIndex, OSError.
        """
        digest = SegmentDigest()
        file = self._donor.open(name)
        try:
            is_known = bool(file.identity) and (
                file.identity == one.identity or self._is_witnessed(file, one)
            )
            method = self._directory.take(name, self._donor, digest.add)
        finally:
            file.close()
        taken = self._directory.open(name)
        if method is TransferMethod.COPIED:
            taken.close()
            return digest.check(name, one)._replace(identity=taken.identity)
        if method is TransferMethod.LINKED and is_known and taken.identity[:-1] == file.identity[:-1]:
            taken.close()  # linking changed the ctime of the file that was proven above, and nothing else
        else:
            self.unproven.append((taken, one))
        return one._replace(identity=taken.identity)

    def _is_witnessed(self, file: ReadableFile, one: SealedFile) -> bool:
        """Return True when the seal of a witness lists this very file, unchanged, with the same digest."""
        known = one._replace(identity=file.identity)
        return any(
            sealed.get(file.name) == known and _has_file(directory, file) for directory, sealed in self._seals
        )

    @cached_property
    def _seals(self) -> list[tuple[Directory, Sealed]]:
        return list(_iter_seals(self._witnesses))

    def close(self) -> None:
        """Close the files that have not been compared."""
        for file, _ in self.unproven:
            file.close()


def _iter_seals(directories: Sequence[Directory]) -> Iterator[tuple[Directory, Sealed]]:
    """Yield the directories that our owner has sealed, each with the entries of its seal."""
    for directory in directories:
        try:
            data = read_manifest_bytes(directory)
            sealed = None if data is None else read_seal(directory, data)
        except (OSError, IndexFormatError):  # the index is being changed, or another owner sealed it
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
