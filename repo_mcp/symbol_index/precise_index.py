"""The index of precise records, which an operator imports from precise indexers: written, read, and purged.

Like the symbol index it is derived from the lexical index, and it has a directory of its own. A record counts
only while its file is the version that was indexed: after an edit our own answers count, until the edit is
undone. `repo_mcp/scip/intake.py` makes the records.

Documents are files. The field `defines` has the meanings that a file declares, in hexadecimal, and `names`
the names of references that our parser did not find in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from index_format import IndexFormatError, Manifest, ManifestReader, Snapshot
from repo_mcp.errors import RepoError
from repo_mcp.indexing.derived.phase import (
    Cancelled,
    DerivedStorage,
    PhaseMessages,
    PhaseStore,
    SegmentRound,
    WriteTarget,
    purge_gone,
)
from repo_mcp.indexing.derived.plan import Plan
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbol_index.precise_record import DEFINES, NAMES, PRECISE_FIELDS, PreciseRecord
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import SymbolRecordError

if TYPE_CHECKING:
    from repo_mcp.symbol_index.precise_documents import PreciseFile

VERSION = 1  # of the meaning of the fields
SEGMENT_BYTES = 8 * 1024 * 1024  # of records
CACHED_BYTES = 16 * 1024 * 1024  # of decoded records
_ENTRY_BYTES = 400
UNREADABLE = (
    "The imported SCIP index cannot be read, so it is not used. Run repo-mcp index --scip FILE again."
)
MESSAGES = PhaseMessages(
    "scip",
    "Another process is importing a SCIP index.",
    "Importing the SCIP index was cancelled.",
    "What was imported so far is kept.",
)


class PreciseView:
    """One committed generation next to one of the lexical index. Used by one call at a time.

    A damaged index raises nothing: it has no records then, and `fault` says why.
    """

    def __init__(self, index: SymbolIndex) -> None:
        self._index = index
        self._records: LruCache[str, PreciseRecord | None] = LruCache(CACHED_BYTES, _weigh)
        self.fault = ""

    @property
    def file_count(self) -> int:
        """Return the number of files with a record, of any version."""
        return self._index.snapshot.file_count

    def find(self, path: str) -> PreciseRecord | None:
        """Return the record of a file; None without one, or if it is of another version."""
        return self._records.get(path, lambda: self._read(path))

    def _read(self, path: str) -> PreciseRecord | None:
        try:
            data = self._index.find_record_bytes(path)
            return None if data is None else PreciseRecord(data)
        except (IndexFormatError, SymbolRecordError, OSError):
            self.fault = UNREADABLE
            return None

    def list_defining(self, meaning: bytes) -> list[str]:
        """Return the files that declare a meaning in any version, ascending."""
        return self._list(DEFINES, meaning.hex())

    def list_naming(self, name: str) -> list[str]:
        """Return the files with references to a name that our parser did not find, ascending."""
        return self._list(NAMES, name)

    def _list(self, field: int, term: str) -> list[str]:
        try:
            return self._index.list_paths(field, term)
        except (IndexFormatError, OSError):
            self.fault = UNREADABLE
            return []


def _weigh(record: PreciseRecord | None) -> int:
    return _ENTRY_BYTES if record is None else _ENTRY_BYTES + 40 * record.record.reference_count


class PreciseIndex:
    """The index of one root. Safe for use from several threads."""

    def __init__(self, storage: DerivedStorage) -> None:
        """Create nothing: the directory is made by the first `take`."""
        self._storage = storage
        self._store = PhaseStore(storage, PRECISE_FIELDS, MESSAGES)
        self._manifests = ManifestReader()
        self._opening = threading.Lock()  # guards the next two
        self._view: PreciseView | None = None
        self._opened: tuple[Manifest, Manifest] | None = None  # of this index and of the lexical one
        self._purged = 0  # number of the lexical index's purges already followed

    # Reading

    def find_view(self, lexical: Snapshot) -> PreciseView | None:
        """Return the committed generation next to this lexical index; None if none can be opened.

        Damage that is found later is reported as the view's `fault`.
        """
        try:
            directory = self._storage.open()
            manifest = self._manifests.read(directory)
            if (
                manifest is None
                or manifest.configuration != self._storage.configuration
                or not manifest.segments
            ):
                return None
            with self._opening:
                opened = (manifest, lexical.manifest)
                if self._opened != opened:
                    snapshot = Snapshot.open(directory)
                    known = KnownFiles(lexical)
                    index = None if snapshot is None else SymbolIndex(snapshot, known.find_fingerprint)
                    self._view = None if index is None else PreciseView(index)
                    self._opened = opened
                return self._view
        except (IndexFormatError, OSError):  # missing, or not written by us: treated as missing
            return None

    # Writing

    def take(
        self, lexical: Snapshot, iter_files: Callable[[], Iterable[PreciseFile]], *, anew: bool = False
    ) -> None:
        """Add the records of some files, each once, in place of earlier ones; drop files that are gone.

        With `anew` no other records stay. Raises RepoError with BUSY when another process writes,
        INDEX_UNAVAILABLE when the index cannot be written; and what `iter_files` raises.
        """
        from repo_mcp.symbol_index.precise_documents import build_segment  # here: servers only read

        check = partial(self._store.check, _never)
        with self._store.open_writer(_never) as target:

            def run(known: KnownFiles | None) -> int:
                there = KnownFiles(None) if known is None else known
                wanted = KnownFiles(lexical)
                gone = sorted(path for path in there.iter_paths() if wanted.find(path) is None)
                plan = Plan((), tuple(gone), 0, 0, 0)
                segments = SegmentRound(target, there, plan, build_segment, None, check)
                segments.begin(MESSAGES.name)
                pending = 0
                for file in iter_files():
                    segments.take(file)
                    pending += len(file.record)
                    if pending >= SEGMENT_BYTES:
                        segments.flush()
                        pending = 0
                segments.flush()
                segments.merge()
                return segments.end()

            self._store.run_round(target, run, anew=anew)

    def forget(self) -> None:
        """Drop all imported records. Raises as `take` does; does nothing if there are none."""
        if self._exists():
            with self._store.open_writer(_never) as (_, writer):
                writer.discard_all()
                writer.commit()
                writer.delete_garbage()

    def note_refresh(self, lexical: Snapshot | None, purges: int) -> None:
        """React to a new generation of the lexical index: text that may no longer be served is purged."""
        if lexical is None or purges == self._purged or not self._exists():
            return
        try:
            with self._store.open_writer(_never) as target:
                self._store.run_round(target, partial(self._purge, target, lexical), anew=False)
            self._purged = purges
        except (RepoError, OSError):  # another process is writing; the next refresh that purges tries again
            pass

    def _purge(self, target: WriteTarget, lexical: Snapshot, known: KnownFiles | None) -> int:
        """Drop the records of files that are gone, and of other versions than the indexed one."""
        if known is None:
            return 0
        wanted = KnownFiles(lexical)
        before = known.read_prints()
        stale = sorted(path for path, one in before.items() if wanted.find_fingerprint(path) != one)
        purge_gone(target, known, stale, partial(self._store.check, _never))
        return len(stale)

    def _exists(self) -> bool:
        try:
            directory = self._storage.open()
            return self._manifests.read(directory) is not None
        except (IndexFormatError, OSError):
            return False


_never: Cancelled = lambda: False  # noqa: E731
