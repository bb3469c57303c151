"""The writing side of the derived indexes, which have one record for each file of the lexical index.

A round makes records for new and changed files and drops those of files that are gone. It commits a segment
whenever enough have accumulated, so that the index is useful while it grows and a killed round resumes where
it stopped. After a build, or when most files were renewed, all is merged into one segment. Each derived
index has its own directory and lock: a refresh of the lexical index never waits for it.

Left out on purpose: what a record is, how it is made, and when enough have accumulated. The phase decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Generic, Protocol, TypeVar

from index_format import (
    Directory,
    DirectoryHolder,
    DiskDirectory,
    EncodedRun,
    Field,
    IndexFormatError,
    IndexLocked,
    IndexWriter,
    MakeTag,
    Merge,
    Merger,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    Snapshot,
    WritableFile,
    write_segment,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.adoption import adopt
from repo_mcp.indexing.derived.plan import Plan
from repo_mcp.indexing.known_files import FULL_MERGE_SHARE, KnownFiles
from repo_mcp.indexing.outcome import explain_write_error
from repo_mcp.model import IndexProgress, ProgressCallback
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.donors import ListDonors, list_nothing

# Window of a merge. Merging 4.8 million symbols takes 90 MB of memory; with windows of 1 MB, twice that.
WINDOW_BYTES = 256 * 1024

Cancelled = Callable[[], bool]
Check = Callable[[], None]  # raises RepoError with CANCELLED when the round is cancelled
WriteTarget = tuple[Directory, IndexWriter]  # where segments are written, and what commits them


class MadeFile(Protocol):
    """One source file together with its record."""

    @property
    def path(self) -> str:
        """Return the path as in the lexical index."""

    @property
    def size(self) -> int:
        """Return the size of the source file, in bytes."""


Made = TypeVar("Made", bound=MadeFile)
Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class DerivedStorage:
    """The directory of a derived index, its seal, and the indexes that an empty one may start from."""

    directory: str | DirectoryHolder
    configuration: str  # digest of what determines its contents; an index with another digest is rebuilt
    make_tag: MakeTag | None = None  # seals the index
    list_donors: ListDonors = list_nothing

    def open(self) -> DiskDirectory:
        """Return the directory. Raises OSError when there is none."""
        return DiskDirectory(self.directory, make_tag=self.make_tag)


@dataclass(frozen=True, slots=True)
class PhaseMessages:
    """The messages of a phase that cannot continue."""

    name: str  # name of the phase in reports of progress
    busy: str  # message of the error while another process is writing
    cancelled: str
    kept: str  # hint of that error: what happens to the work done so far


class PhaseStore:
    """The stored files of one derived index, opened for reading or for one round of writing."""

    def __init__(self, storage: DerivedStorage, fields: tuple[Field, ...], messages: PhaseMessages) -> None:
        self._storage = storage
        self._fields = fields
        self._messages = messages
        self.has_adopted = False  # The index began with a donor's records; differing files are still to do

    @contextmanager
    def open_writer(self, cancelled: Cancelled) -> Iterator[WriteTarget]:
        """Open the index for one round of writing. Raises RepoError with BUSY when another process writes.

        An OSError inside the block is raised as RepoError with INDEX_UNAVAILABLE.
        """
        check = partial(self.check, cancelled)
        try:
            directory = StoppableDirectory(self._storage.directory, check, self._storage.make_tag)
            with self._lock(directory) as writer:
                yield directory, writer
        except OSError as error:
            raise explain_write_error(error) from error

    def _lock(self, directory: Directory) -> IndexWriter:
        try:
            return IndexWriter(directory, self._storage.configuration, self._fields)
        except IndexLocked as error:
            raise RepoError(
                ErrorCode.BUSY, self._messages.busy, "You can query what is committed so far."
            ) from error

    def check(self, cancelled: Cancelled) -> None:
        """Raise RepoError with CANCELLED when the round is cancelled."""
        if cancelled():
            raise RepoError(ErrorCode.CANCELLED, self._messages.cancelled, self._messages.kept)

    def run_round(
        self, target: WriteTarget, run: Callable[[KnownFiles | None], Report], *, anew: bool
    ) -> Report:
        """Call `run` with the files that are indexed already and return its result. Raises what it raises.

        With `anew`, or when the index cannot be read, the index is discarded and `run` is called with None.
        """
        directory, writer = target
        with suppress(IndexFormatError):
            if not anew:
                if not writer.segments:
                    self._adopt(writer)
                return run(_read_known(directory, writer))
        writer.discard_all()
        return run(None)

    def begin(self, cancelled: Cancelled) -> None:
        """Start an empty index from a donor. Raises as `open_writer`, and IndexFormatError."""
        with self.open_writer(cancelled) as (_, writer):
            if not writer.segments:
                self._adopt(writer)

    def read_known(self) -> KnownFiles:
        """Return the files that are committed. Raises IndexFormatError, OSError."""
        return KnownFiles(Snapshot.open(self._storage.open()))

    def _adopt(self, writer: IndexWriter) -> None:
        """Take over all records of a donor; each counts only while its file has the same content here."""
        found = adopt(writer, self._storage.list_donors())
        if found is not None:
            _, adopted = found
            for entry in adopted.manifest.segments:
                writer.put(entry)
            writer.commit()
            adopted.close()
            self.has_adopted = True


class SegmentRound(Generic[Made]):
    """The writes of one round, from plan to commit."""

    def __init__(
        self,
        target: WriteTarget,
        known: KnownFiles,
        plan: Plan,
        build: Callable[[Sequence[Made]], tuple[SegmentContent, PostingRun]],
        progress: ProgressCallback | None,
        check: Check,
    ) -> None:
        """Take `target` from `PhaseStore.open_writer`; `known` is indexed already, `build` makes segments."""
        self._directory, self._writer = target
        self._known = known
        self._known_files = known.count
        self._plan = plan
        self._build = build
        self._progress = progress
        self.check = check
        self._pending: list[Made] = []
        self.left: list[str] = []  # paths that got no record, left for the next round
        self.taken = 0  # files that got a record
        self._done_bytes = plan.done_bytes

    def begin(self, phase: str) -> None:
        """Mark the files that are gone as dead, and report the first progress."""
        self._writer.delete_garbage()
        self._mark_dead(self._plan.gone)
        self.report(phase)

    def take(self, file: Made) -> None:
        """Add a file to the next flush."""
        self._pending.append(file)
        self.taken += 1
        self._done_bytes += file.size

    def flush(self) -> None:
        """Commit the pending files, replacing their older versions."""
        if not self._pending:
            return
        content, run = self._build(self._pending)
        entry = write_segment(self._directory, self._writer.reserve_temporary(), content, run)
        self._mark_dead([file.path for file in self._pending])
        self._writer.add(entry)
        self._writer.commit()
        self._pending = []
        _merge_here(self._writer, self.check).merge_early()

    def merge(self) -> None:
        """Merge the segments that the policy chooses, or all when most were renewed. Raises CANCELLED."""
        self.report("merge")
        is_most = self.taken > FULL_MERGE_SHARE * (self._known_files + self.taken)
        merge(self._writer, self.check, full=is_most)

    def end(self) -> int:
        """Commit, delete garbage and return the new generation."""
        generation = self._writer.commit().generation
        self._writer.delete_garbage()
        return generation

    def report(self, phase: str) -> None:
        """Report the round's progress to its callback, if there is one."""
        if self._progress is not None:
            plan = self._plan
            done_files = plan.done_files + self.taken
            self._progress(
                IndexProgress(phase, done_files, plan.total_files, self._done_bytes, plan.total_bytes)
            )

    def _mark_dead(self, paths: Sequence[str]) -> None:
        drop(self._writer, self._known, paths)


def drop(writer: IndexWriter, known: KnownFiles, paths: Sequence[str]) -> None:
    """Mark files as dead for the next commit; unknown paths are skipped."""
    for segment, files in known.take(paths).items():
        writer.mark_dead(segment, files)


def merge(writer: IndexWriter, check: Check, *, full: bool) -> int:
    """Merge what the policy chooses, or all, in this process. Raises CANCELLED, IndexFormatError, OSError."""
    return _merge_here(writer, check).merge(full=full)


def purge(writer: IndexWriter, check: Check) -> int:
    """Rewrite every segment that has dead files, in this process. Raises as `merge` does."""
    return _merge_here(writer, check).purge([entry.name for entry in writer.segments])


def _merge_here(writer: IndexWriter, check: Check) -> Merger:
    def encode(_entries: Sequence[SegmentEntry], planned: Merge) -> Iterable[EncodedRun]:
        for window in range(len(planned.windows)):
            check()
            yield planned.encode_window(window)

    return Merger(writer, encode=encode, window_bytes=WINDOW_BYTES)


def purge_gone(target: WriteTarget, known: KnownFiles, gone: Sequence[str], check: Check) -> KnownFiles:
    """Drop files in one commit after which nothing is left of them, nor of their older versions.

    Returns the files that remain. Raises as `merge` does.
    """
    directory, writer = target
    drop(writer, known, gone)
    purge(writer, check)
    writer.commit()
    writer.delete_garbage()
    return _read_known(directory, writer)


def _read_known(directory: Directory, writer: IndexWriter) -> KnownFiles:
    return KnownFiles(Snapshot.open(directory) if writer.segments else None)


class StoppableDirectory(DiskDirectory):
    """A directory whose new files run a check before each write: records can be many megabytes."""

    def __init__(self, path: str | DirectoryHolder, check: Check, make_tag: MakeTag | None) -> None:
        super().__init__(path, create=True, make_tag=make_tag)
        self._check = check

    def create(self, name: str) -> WritableFile:
        """Create a file whose writes run the check. See `DiskDirectory`."""
        return _StoppableFile(super().create(name), self._check)


class _StoppableFile:
    """A file that runs `check` before each write, and raises what it raises."""

    def __init__(self, file: WritableFile, check: Check) -> None:
        self._file = file
        self._check = check

    def write(self, data: bytes | memoryview) -> None:
        self._check()
        self._file.write(data)

    def sync(self) -> None:
        self._file.sync()

    def close(self) -> None:
        self._file.close()
