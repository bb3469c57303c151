"""The committed generation of one index: opened when there is a newer one, and the record of its refresh.

Reading takes no lock for longer than a moment. Another process may have written the generation.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from index_format import (
    Directory,
    DirectoryHolder,
    DiskDirectory,
    IndexForeign,
    IndexFormatError,
    MakeTag,
    Manifest,
    ManifestReader,
    MemoryDirectory,
    Snapshot,
)
from repo_mcp.indexing.purging import PurgeMark
from repo_mcp.indexing.scan_state import SeenFiles, SeenRecord
from repo_mcp.ranking.searcher import Searcher

UNREADABLE_INDEX = "The index could not be read, so it is being rebuilt."
LOST_INDEX = (
    "The index was removed: answers come from the copy that is still open, until a refresh rebuilds it."
)
FOREIGN_INDEX = "The index was not written with this user's key, so it is being rebuilt."


class Generation:
    """The last committed generation. Safe for several threads."""

    def __init__(self, path: str | DirectoryHolder, configuration: str, make_tag: MakeTag | None) -> None:
        """Make the directory of the index; where that fails there is no index until `make_directory` can.

        With `make_tag` no index is used that it did not seal.
        """
        self._path = path
        self._configuration = configuration
        self._make_tag = make_tag
        self.directory: Directory = MemoryDirectory()
        self._manifests = ManifestReader()
        with suppress(OSError):
            self.make_directory()
        self.record = SeenRecord()
        self._lock = threading.Lock()  # guards the two below
        self._searcher: Searcher | None = None
        self._fault = ""
        self._loss = ""
        self._whole: Manifest | None = None  # the last one that was found to be a finished refresh's

    def make_directory(self) -> Directory:
        """Make the directory again where somebody removed it, and return it. Raises OSError."""
        self.directory = DiskDirectory(self._path, create=True, make_tag=self._make_tag)
        return self.directory

    def read_manifest(self) -> Manifest | None:
        """Return what is committed now; None when nothing is. Raises IndexFormatError, OSError."""
        return self._manifests.read(self.directory)

    def find(self) -> Searcher | None:
        """Return the searcher of the committed generation; None when there is none of our configuration.

        Raises IndexFormatError. Where the system refuses to read, the generation before goes on answering.
        """
        try:
            manifest = self.read_manifest()
            with self._lock:
                current = self._searcher
                self._loss = LOST_INDEX if manifest is None and current is not None else ""
            if manifest is None or (current is not None and current.snapshot.manifest == manifest):
                return current
            snapshot = Snapshot.open(self.directory, current.snapshot if current is not None else None)
            if snapshot is None or snapshot.manifest.configuration != self._configuration:
                return None
            searcher = Searcher(snapshot)
        except OSError as error:
            with self._lock:
                self._loss = _explain_loss(error) if self._searcher is not None else ""
                return self._searcher
        with self._lock:
            self._searcher, self._fault = searcher, ""
            return searcher

    @property
    def fault(self) -> str:
        """Return what made the index unreadable; empty while it can be read."""
        with self._lock:
            return self._fault

    @property
    def loss(self) -> str:
        """Return why the index cannot be reached from which answers come; empty while it can."""
        with self._lock:
            return self._loss

    def drop(self, error: IndexFormatError | None = None) -> None:
        """Use nothing of a generation that could not be read."""
        with self._lock:
            self._searcher = None
            self._fault = FOREIGN_INDEX if isinstance(error, IndexForeign) else UNREADABLE_INDEX

    def close(self) -> None:
        """Let the searcher go."""
        with self._lock:
            self._searcher = None

    def read_seen(self, generation: int | None = None) -> tuple[Manifest, SeenFiles] | None:
        """Return the committed manifest and the record of the refresh that made it.

        None while a refresh is under way, without an index, and when another than `generation` is committed,
        where that is given. Raises IndexFormatError, OSError.
        """
        manifest = self.read_manifest()
        if manifest is None or generation not in (None, manifest.generation):
            return None
        seen = self._read_record(manifest)
        return None if seen is None else (manifest, seen)

    def _read_record(self, manifest: Manifest) -> SeenFiles | None:
        return self.record.read(self.directory, manifest.generation, manifest.segments)

    def read_seen_of(self, snapshot: Snapshot) -> SeenFiles | None:
        """Return the record of the refresh that made an opened generation; None for one on its way."""
        return self._read_record(snapshot.manifest)

    def note_whole(self, manifest: Manifest) -> None:
        """Remember that a generation is a finished refresh's: `is_whole` need not read the record."""
        self._whole = manifest

    def is_whole(self, snapshot: Snapshot) -> bool:
        """Return False for what a refresh committed on its way, or was killed after, in whatever process.

        Such a one may be empty: where an index cannot be read, that is how a new one begins.
        """
        manifest = snapshot.manifest
        if manifest != self._whole:
            if self._read_record(manifest) is None:
                return False
            self._whole = manifest
        return True

    @property
    def is_purging(self) -> bool:
        """Return True from the first commit after which text must go to the one after which it is gone."""
        return PurgeMark(self.directory, self._make_tag).read() is not None


def _explain_loss(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"The index cannot be reached ({reason}): answers come from the copy that is still open."
