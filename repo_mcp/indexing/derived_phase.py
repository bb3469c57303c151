"""The writing side of the phases that follow the lexical index: one record for each of its files.

A round makes what is new or changed and drops what is gone. It commits a segment whenever enough has come,
so that the index is of use while it grows, and a round that is killed goes on where it stopped. After a
build, or when most was renewed, everything is merged into one segment. Each such index has a directory and a
lock of its own: a refresh of the lexical index never waits for it.

Left out on purpose: what a record is, who makes it, and when enough has come. That is the phase's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from index_format import (
    Directory,
    DiskDirectory,
    EncodedRun,
    Field,
    IndexFormatError,
    IndexLocked,
    IndexWriter,
    MakeTag,
    Merge,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    Snapshot,
    WritableFile,
    write_segment,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived_plan import Plan
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.reports import explain_write_error
from repo_mcp.model import IndexProgress, ProgressCallback

WINDOW_BYTES = 1024 * 1024  # of a merge: 50 MB of work space, and no slower
FULL_MERGE_SHARE = 0.5  # of the files, when renewed in one round

Cancelled = Callable[[], bool]
Check = Callable[[], None]  # raises CANCELLED when it is
WriteTarget = tuple[Directory, IndexWriter]  # to write a segment to, and to commit it with


class MadeFile(Protocol):
    """One file with its record."""

    @property
    def path(self) -> str:
        """As the lexical index has it."""

    @property
    def size(self) -> int:
        """Bytes of the source file."""


Made = TypeVar("Made", bound=MadeFile)
Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class PhaseWords:
    """What a phase says when it cannot go on."""

    name: str  # of its first progress
    busy: str  # another process writes
    cancelled: str
    kept: str  # what becomes of the work so far


class PhaseStore:
    """The directory of one such index, and who may write to it."""

    def __init__(
        self,
        path: str,
        configuration: str,
        fields: tuple[Field, ...],
        make_tag: MakeTag | None,
        words: PhaseWords,
    ) -> None:
        """`path` is the directory of the index, which `make_tag` seals."""
        self._path = path
        self._configuration = configuration
        self._fields = fields
        self._make_tag = make_tag
        self._words = words

    @contextmanager
    def open_writer(self, cancelled: Cancelled) -> Iterator[WriteTarget]:
        """For one round. BUSY when another process writes.

        What the system refuses inside is explained: INDEX_UNAVAILABLE.
        """
        check = partial(self.check, cancelled)
        try:
            directory = StoppableDirectory(self._path, check, self._make_tag, create=True)
            with self._lock(directory) as writer:
                yield directory, writer
        except OSError as error:
            raise explain_write_error(error) from error

    def _lock(self, directory: Directory) -> IndexWriter:
        try:
            return IndexWriter(directory, self._configuration, self._fields)
        except IndexLocked as error:
            raise RepoError(
                ErrorCode.BUSY, self._words.busy, "What it has committed can be asked meanwhile."
            ) from error

    def check(self, cancelled: Cancelled) -> None:
        """Raises CANCELLED when it is."""
        if cancelled():
            raise RepoError(ErrorCode.CANCELLED, self._words.cancelled, self._words.kept)


class SegmentRound(Generic[Made]):
    """What one round writes, from plan to commit."""

    def __init__(
        self,
        place: WriteTarget,
        known: KnownFiles,
        plan: Plan,
        build: Callable[[Sequence[Made]], tuple[SegmentContent, PostingRun]],
        progress: ProgressCallback | None,
        check: Check,
    ) -> None:
        """`place` is what `PhaseStore.open_writer` gave, `known` what is there, `build` makes a segment."""
        self._directory, self._writer = place
        self._known = known
        self._known_files = known.count
        self._plan = plan
        self._build = build
        self._progress = progress
        self.check = check
        self._pending: list[Made] = []
        self.left: list[str] = []  # paths that got no record: for the next round
        self.taken = 0  # files that got one
        self._done_bytes = plan.done_bytes

    def begin(self, phase: str) -> None:
        """Drop what is gone."""
        self._writer.delete_garbage()
        self._mark_dead(self._plan.gone)
        self.report(phase)

    def take(self, file: Made) -> None:
        """A file that is to be written with the next flush."""
        self._pending.append(file)
        self.taken += 1
        self._done_bytes += file.size

    def flush(self) -> None:
        """Commit what has come, in place of the versions that it supersedes."""
        if not self._pending:
            return
        content, run = self._build(self._pending)
        entry = write_segment(self._directory, self._writer.reserve_temporary(), content, run)
        self._mark_dead([file.path for file in self._pending])
        self._writer.add(entry)
        self._writer.commit()
        self._pending = []

    def merge(self) -> None:
        """Merge what the policy chooses, or all when most was renewed."""
        self.report("merge")
        is_most = self.taken > FULL_MERGE_SHARE * (self._known_files + self.taken)
        merge(self._writer, self.check, full=is_most)

    def end(self) -> int:
        """The generation after the last commit."""
        generation = self._writer.commit().generation
        self._writer.delete_garbage()
        return generation

    def report(self, phase: str) -> None:
        """Tell how far it is."""
        if self._progress is not None:
            plan = self._plan
            done_files = plan.done_files + self.taken
            self._progress(
                IndexProgress(phase, done_files, plan.total_files, self._done_bytes, plan.total_bytes)
            )

    def _mark_dead(self, paths: Sequence[str]) -> None:
        drop(self._writer, self._known, paths)


def drop(writer: IndexWriter, known: KnownFiles, paths: Sequence[str]) -> None:
    """Have the next commit be without files; those that are not there are passed over."""
    for segment, files in known.take(paths).items():
        writer.mark_dead(segment, files)


def merge(writer: IndexWriter, check: Check, *, full: bool) -> int:
    """Merge what the policy chooses, or all, in this process. Raises CANCELLED, IndexFormatError, OSError."""
    return writer.merge(full=full, encode=_encode_here(check), window_bytes=WINDOW_BYTES)


def purge(writer: IndexWriter, check: Check) -> int:
    """Write every segment with dead files anew, in this process. Raises as `merge` does."""
    names = [entry.name for entry in writer.segments]
    return writer.purge(names, encode=_encode_here(check), window_bytes=WINDOW_BYTES)


def _encode_here(check: Check) -> Callable[[Sequence[SegmentEntry], Merge], Iterable[EncodedRun]]:
    def encode(_entries: Sequence[SegmentEntry], planned: Merge) -> Iterable[EncodedRun]:
        for window in range(len(planned.windows)):
            check()
            yield planned.encode_window(window)

    return encode


def purge_gone(place: WriteTarget, known: KnownFiles, gone: Sequence[str], check: Check) -> KnownFiles:
    """Drop files with one commit after which nothing is left of them, nor of older versions.

    Returns the files that are there then. Raises as `merge` does.
    """
    directory, writer = place
    drop(writer, known, gone)
    purge(writer, check)
    writer.commit()
    writer.delete_garbage()
    return _read_known(directory, writer)


def run_round(place: WriteTarget, run: Callable[[KnownFiles | None], Report], *, anew: bool) -> Report:
    """What `run` makes with the files that are there; None for it where everything is to be made `anew`, or
    what is there cannot be read: then it is discarded. Raises what `run` raises then.
    """
    directory, writer = place
    with suppress(IndexFormatError):
        if not anew:
            return run(_read_known(directory, writer))
    writer.discard_all()
    return run(None)


def _read_known(directory: Directory, writer: IndexWriter) -> KnownFiles:
    return KnownFiles(Snapshot.open(directory) if writer.segments else None)


class StoppableDirectory(DiskDirectory):
    """A directory whose new files ask at each write whether to go on: records can be many megabytes."""

    def __init__(self, path: str, check: Check, make_tag: MakeTag | None, *, create: bool = False) -> None:
        super().__init__(path, create=create, make_tag=make_tag)
        self._check = check

    def create(self, name: str) -> WritableFile:
        """As DiskDirectory."""
        return _StoppableFile(super().create(name), self._check)


class _StoppableFile:
    """A file whose writing raises what `check` raises."""

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
