"""The second phase of indexing: the structure of each file that the lexical index holds.

A round parses what is new or changed and drops what is gone. It commits a segment whenever files of
SEGMENT_WEIGHT have come, so that the index is of use while it grows, and a round that is killed goes on
where it stopped. After a build, or when most was renewed, everything is merged into one segment, which is
the same, byte for byte, whatever came before and however many processes parsed.

It has a directory and a lock of its own: a refresh of the lexical index never waits for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from index_format import (
    Directory,
    DiskDirectory,
    EncodedRun,
    IndexFormatError,
    IndexLocked,
    IndexWriter,
    MakeTag,
    Merge,
    SegmentEntry,
    Snapshot,
    WritableFile,
    write_segment,
)
from repo_mcp.adapters.structure_tasks import find_structure_task
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.indexer import (
    build_compact_report,
    count_milliseconds,
    explain_write_error,
    name_snapshot,
)
from repo_mcp.index.known_files import KnownFiles
from repo_mcp.index.structure_documents import ParsedFile, build_segment
from repo_mcp.index.structure_lanes import NICENESS, MakeParser, ParseLanes, ReadFile
from repo_mcp.index.structure_plan import FindTask, Plan, WantedFile, plan_named, plan_round
from repo_mcp.index.structure_schema import STRUCTURE_FIELDS
from repo_mcp.model import CompactReport, IndexProgress, ProgressCallback, StructureReport
from repo_mcp.parse_worker import BatchParser
from repo_mcp.poison import PoisonList
from repo_mcp.structure import ParseStatus

SEGMENT_WEIGHT = 12 * 1024 * 1024  # of the files of a segment, 5 MB of records: writing takes 130 MB at most
WINDOW_BYTES = 1024 * 1024  # of a merge: 50 MB of work space, and no slower
# For a text. The system ends it sooner by processor time, where it can; on a busy machine a process of low
# priority may wait long for its turn, and is not to blame.
WALL_SECONDS = 60.0
FULL_MERGE_SHARE = 0.5  # of the files, when renewed in one round
LANE_BYTES = 1024 * 1024  # to parse, for each process worth starting

Cancelled = Callable[[], bool]


def make_parser() -> BatchParser:
    """A process that parses, with low priority."""
    return BatchParser(wall_seconds=WALL_SECONDS, niceness=NICENESS)


class StructurePhase:
    """The writing side of one root's structure index."""

    def __init__(
        self,
        path: str,
        configuration: str,
        workers: int,
        read: ReadFile,
        *,
        find_task: FindTask = find_structure_task,
        make_parser: MakeParser = make_parser,
        make_tag: MakeTag | None = None,
        poison: PoisonList | None = None,
    ) -> None:
        """`path` is the directory of the index, `read` the door's reading of a file of the walk.

        `make_tag` seals it; texts of the `poison` list are not parsed, and those that end a parser join it.
        """
        self._path = path
        self._configuration = configuration
        self._workers = workers
        self.read = read
        self.find_task = find_task
        self._make_parser = make_parser
        self.make_tag = make_tag
        self._poison = poison if poison is not None else PoisonList()

    def run(
        self,
        lexical: Snapshot,
        *,
        paths: Collection[str] | None = None,
        anew: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Cancelled = lambda: False,
        yields: Callable[[], bool] = lambda: False,
        purges: bool = False,
    ) -> StructureReport:
        """Make the structure index say what the lexical one says, of all files or of some.

        With `anew` nothing that is there is used; with `purges` nothing stays of files that are gone. When
        `yields` says so, the round commits what it has and ends: its report is not complete. Raises BUSY
        when another process does it, CANCELLED, INDEX_UNAVAILABLE when the index cannot be written,
        INTERNAL when nothing can parse; and IndexFormatError for a lexical index that is damaged.
        """
        try:
            with self._open_writer(cancelled) as writer:
                done = self._run(writer, lexical, paths, anew, progress, cancelled, yields)
                if purges and purge(writer, cancelled):
                    done = replace(done, snapshot=name_snapshot(writer.commit().generation))
                    writer.delete_garbage()
                return done
        except OSError as error:
            raise explain_write_error(error) from error

    def _run(
        self,
        writer: IndexWriter,
        lexical: Snapshot,
        paths: Collection[str] | None,
        anew: bool,
        progress: ProgressCallback | None,
        cancelled: Cancelled,
        yields: Callable[[], bool],
    ) -> StructureReport:
        directory = StoppableDirectory(self._path, partial(check, cancelled), self.make_tag)

        def start(known: KnownFiles, paths: Collection[str] | None) -> StructureReport:
            if paths is None:
                plan = plan_round(lexical, known, self.find_task)
            else:
                plan = plan_named(lexical, known, self.find_task, paths)
            lanes = min(self._workers, 1 + plan.bytes // LANE_BYTES)
            parsing = ParseLanes(plan.files, lanes, self.read, self._make_parser, self._poison)
            return _Round(directory, writer, known, plan, progress, cancelled).run(parsing, yields)

        known = None if anew else _read_known(directory, writer)
        with suppress(IndexFormatError):
            if known is not None:
                return start(known, paths)
        writer.discard_all()  # damaged: it is built anew
        return start(KnownFiles(None), None)

    def compact(self, *, full: bool, cancelled: Cancelled = lambda: False) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `run` does."""
        started = time.monotonic()
        try:
            with self._open_writer(cancelled) as writer:
                before = writer.segments
                merge(writer, cancelled, full=full)
                generation = writer.commit().generation
                writer.delete_garbage()
                after = writer.segments
        except IndexFormatError as error:
            raise RepoError(
                ErrorCode.INDEX_UNAVAILABLE,
                "The structure index is damaged.",
                "Index again with --structure: it is built anew.",
            ) from error
        except OSError as error:
            raise explain_write_error(error) from error
        return build_compact_report(before, after, started, generation)

    def _open_writer(self, cancelled: Cancelled) -> IndexWriter:
        directory = StoppableDirectory(self._path, partial(check, cancelled), self.make_tag, create=True)
        try:
            return IndexWriter(directory, self._configuration, STRUCTURE_FIELDS)
        except IndexLocked as error:
            raise RepoError(
                ErrorCode.BUSY,
                "Another process is writing this structure index.",
                "What it has committed can be asked meanwhile.",
            ) from error


class _Round:
    """One round, from plan to commit."""

    def __init__(
        self,
        directory: Directory,
        writer: IndexWriter,
        known: KnownFiles,
        plan: Plan,
        progress: ProgressCallback | None,
        cancelled: Cancelled,
    ) -> None:
        self._directory = directory
        self._writer = writer
        self._known = known
        self._known_files = known.count
        self._plan = plan
        self._progress = progress
        self._cancelled = cancelled
        self._pending: list[ParsedFile] = []
        self._pending_weight = 0
        self._left: list[str] = []
        self._done_files, self._done_bytes = plan.done_files, plan.done_bytes
        self._statuses: Counter[ParseStatus] = Counter()

    def run(self, parsing: ParseLanes, yields: Callable[[], bool]) -> StructureReport:
        started = time.monotonic()
        self._writer.delete_garbage()
        self._mark_dead(self._plan.gone)
        self._report("structure")
        if self._plan.files:
            with parsing:
                for outcomes in parsing.iter_outcomes(partial(check, self._cancelled)):
                    self._take(outcomes)
                    if yields():
                        break
            self._flush()
        renewed = sum(self._statuses.values())
        complete = renewed + len(self._left) == len(self._plan.files)
        if complete:
            self._report("merge")
            is_most = renewed > FULL_MERGE_SHARE * (self._known_files + renewed)
            merge(self._writer, self._cancelled, full=is_most)
        generation = self._writer.commit().generation
        self._writer.delete_garbage()
        return StructureReport(
            parsed=renewed,
            partial=self._statuses[ParseStatus.PARTIAL],
            failed=self._statuses[ParseStatus.FAILED],
            removed=len(self._plan.gone),
            unchanged=self._plan.done_files,
            left=tuple(sorted(self._left)),
            complete=complete,
            duration_ms=count_milliseconds(started),
            snapshot=name_snapshot(generation),
        )

    def _take(self, outcomes: Sequence[ParsedFile | WantedFile]) -> None:
        for one in outcomes:
            if isinstance(one, WantedFile):
                self._left.append(one.path)
                continue
            self._pending.append(one)
            self._pending_weight += one.weight
            self._statuses[one.status] += 1
            self._done_files += 1
            self._done_bytes += one.size
            if self._pending_weight >= SEGMENT_WEIGHT:
                self._flush()
        self._report("structure")

    def _flush(self) -> None:
        """Commit what has come, in place of the versions that it supersedes."""
        if not self._pending:
            return
        content, run = build_segment(self._pending)
        entry = write_segment(self._directory, self._writer.reserve_temporary(), content, run)
        self._mark_dead([file.path for file in self._pending])
        self._writer.add(entry)
        self._writer.commit()
        self._pending, self._pending_weight = [], 0

    def _mark_dead(self, paths: Sequence[str]) -> None:
        for segment, files in self._known.take(paths).items():
            self._writer.mark_dead(segment, files)

    def _report(self, phase: str) -> None:
        if self._progress is not None:
            plan = self._plan
            self._progress(
                IndexProgress(phase, self._done_files, plan.total_files, self._done_bytes, plan.total_bytes)
            )


def merge(writer: IndexWriter, cancelled: Cancelled, *, full: bool) -> int:
    """Merge what the policy chooses, or all, in this process. Raises CANCELLED, IndexFormatError, OSError."""
    return writer.merge(full=full, encode=_encode_here(cancelled), window_bytes=WINDOW_BYTES)


def _encode_here(cancelled: Cancelled) -> Callable[[Sequence[SegmentEntry], Merge], Iterable[EncodedRun]]:
    def encode(_entries: Sequence[SegmentEntry], planned: Merge) -> Iterable[EncodedRun]:
        for window in range(len(planned.windows)):
            check(cancelled)
            yield planned.encode_window(window)

    return encode


def purge(writer: IndexWriter, cancelled: Cancelled) -> int:
    """Write every segment with dead files anew, in this process. Raises as `merge` does."""
    names = [entry.name for entry in writer.segments]
    return writer.purge(names, encode=_encode_here(cancelled), window_bytes=WINDOW_BYTES)


def check(cancelled: Cancelled) -> None:
    """Raises CANCELLED when it is."""
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "Parsing was cancelled.", "What was parsed so far is kept.")


def _read_known(directory: Directory, writer: IndexWriter) -> KnownFiles | None:
    """The live files of the committed generation; None when it cannot be read."""
    try:
        snapshot = Snapshot.open(directory) if writer.segments else None
        return KnownFiles(snapshot)
    except IndexFormatError:
        return None


class StoppableDirectory(DiskDirectory):
    """A directory whose new files ask at each write whether to go on: records can be many megabytes."""

    def __init__(
        self, path: str, check: Callable[[], None], make_tag: MakeTag | None, *, create: bool = False
    ) -> None:
        super().__init__(path, create=create, make_tag=make_tag)
        self._check = check

    def create(self, name: str) -> WritableFile:
        """As DiskDirectory."""
        return _StoppableFile(super().create(name), self._check)


class _StoppableFile:
    """A file whose writing raises what `check` raises."""

    def __init__(self, file: WritableFile, check: Callable[[], None]) -> None:
        self._file = file
        self._check = check

    def write(self, data: bytes | memoryview) -> None:
        self._check()
        self._file.write(data)

    def sync(self) -> None:
        self._file.sync()

    def close(self) -> None:
        self._file.close()
