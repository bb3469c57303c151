"""The committed generation of one index, reopened when there is a newer one, and the record of its refresh.

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
from repo_mcp.ranking.scoring.searcher import Searcher

UNREADABLE_INDEX = "The index could not be read, so it is being rebuilt."
LOST_INDEX = (
    "The index was removed: answers come from the copy that is still open, until a refresh rebuilds it."
)
FOREIGN_INDEX = "The index was not written with this user's key, so it is being rebuilt."


class Generation:
    """The last committed generation. Safe for several threads."""

    def __init__(self, path: str | DirectoryHolder, configuration: str, make_tag: MakeTag | None) -> None:
        """Make the directory of the index. If that fails, there is no index until `make_directory` succeeds.

        With `make_tag`, an index is used only if it was sealed with it.
        """
        self._path = path
        self._configuration = configuration
        self._make_tag = make_tag
        self.directory: Directory = MemoryDirectory()
        self._manifests = ManifestReader()
        with suppress(OSError):
            self.make_directory()
        self.record = SeenRecord()
        self._opening = threading.Lock()  # Held while a generation is opened: many threads may want it
        self._lock = threading.Lock()  # guards the next two
        self._searcher: Searcher | None = None
        self._fault = ""
        self._loss = ""
        self._whole: Manifest | None = None  # The last manifest found to come from a finished refresh

    def make_directory(self) -> Directory:
        """Make the directory again if somebody removed it, and return it. Raises OSError."""
        self.directory = DiskDirectory(self._path, create=True, make_tag=self._make_tag)
        return self.directory

    def read_manifest(self) -> Manifest | None:
        """Return what is committed now; None when nothing is. Raises IndexFormatError, OSError."""
        return self._manifests.read(self.directory)

    def find(self) -> Searcher | None:
        """Return the searcher of the committed generation; None when there is none of our configuration.

        Raises IndexFormatError. If the system refuses to read, the previous generation continues to answer.
        """
        try:
            manifest = self.read_manifest()
            with self._lock:
                current = self._searcher
                self._loss = LOST_INDEX if manifest is None and current is not None else ""
            if manifest is None or (current is not None and current.snapshot.manifest == manifest):
                return current
            with self._opening:
                return self._open(manifest)
        except OSError as error:
            with self._lock:
                self._loss = _explain_loss(error) if self._searcher is not None else ""
                return self._searcher

    def _open(self, manifest: Manifest) -> Searcher | None:
        """Return the searcher of a committed generation, or of a later one. Raises as `find`, and OSError."""
        with self._lock:
            current = self._searcher
        if current is not None and current.snapshot.manifest == manifest:  # Another thread has opened it
            return current
        snapshot = Snapshot.open(self.directory, None if current is None else current.snapshot)
        if snapshot is None or snapshot.manifest.configuration != self._configuration:
            return None
        searcher = Searcher(snapshot)
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
        """Return why the index that answers come from cannot be reached; empty while it can."""
        with self._lock:
            return self._loss

    def drop(self, error: IndexFormatError | None = None) -> None:
        """Stop using a generation that could not be read."""
        with self._lock:
            self._searcher = None
            self._fault = FOREIGN_INDEX if isinstance(error, IndexForeign) else UNREADABLE_INDEX

    def close(self) -> None:
        """Release the searcher."""
        with self._lock:
            self._searcher = None

    def read_seen(self, generation: int | None = None) -> tuple[Manifest, SeenFiles] | None:
        """Return the committed manifest and the record of the refresh that made it.

        Returns None during a refresh, without an index, and when `generation` is given but another one is
        committed. Raises IndexFormatError, OSError.
        """
        manifest = self.read_manifest()
        if manifest is None or generation not in (None, manifest.generation):
            return None
        seen = self._read_record(manifest)
        return None if seen is None else (manifest, seen)

    def _read_record(self, manifest: Manifest) -> SeenFiles | None:
        return self.record.read(self.directory, manifest.generation, manifest.segments)

    def read_seen_of(self, snapshot: Snapshot) -> SeenFiles | None:
        """Return the record of the refresh that made an opened generation; None for an intermediate one."""
        return self._read_record(snapshot.manifest)

    def note_whole(self, manifest: Manifest) -> None:
        """Remember that a finished refresh made a generation, so that `is_whole` need not read the record."""
        self._whole = manifest

    def is_whole(self, snapshot: Snapshot) -> bool:
        """Return False for an intermediate commit of a refresh, finished or killed, in any process.

        Such a generation may be empty: a rebuild of an unreadable index begins with one.
        """
        manifest = snapshot.manifest
        if manifest != self._whole:
            if self._read_record(manifest) is None:
                return False
            self._whole = manifest
        return True

    @property
    def is_purging(self) -> bool:
        """Return True between the commit after which text must be removed and the one that has removed it."""
        return PurgeMark(self.directory, self._make_tag).read() is not None


def _explain_loss(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"The index cannot be reached ({reason}): answers come from the copy that is still open."
