"""Refreshes the index of one root: walk, find what changed, build shards, commit, merge.

Each shard is committed as it comes, so a long build is searchable from its first seconds and a
killed one goes on where it stopped. After a build from nothing, or one that renewed most of the index,
everything is merged into one segment, which is the same, byte for byte, whatever came before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Protocol

from index_format import (
    Directory,
    IndexForeign,
    IndexFormatError,
    IndexLocked,
    IndexWriter,
    MakeTag,
    SegmentEntry,
    Snapshot,
    read_manifest,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.building import Building
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.purge_mark import PurgeMark
from repo_mcp.indexing.scan_state import (
    SeenFiles,
    SeenRecord,
    build_seen,
    drop_unchanged,
    find_changed,
    read_seen,
    renew_seen,
    write_seen,
)
from repo_mcp.indexing.shards import BuildSettings, ShardPlanner, ShardResult
from repo_mcp.indexing.workers import ShardPool, encode_windows
from repo_mcp.model import (
    CompactReport,
    IndexProgress,
    ProgressCallback,
    RefreshReport,
    SkipReason,
    WalkedFile,
    WalkReport,
)
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.path_changes import PathChanges
from repo_mcp.workspace.walked_files import FileColumns, build_walked_files

FULL_MERGE_SHARE = 0.5  # of the indexed files, when renewed in one refresh
DAMAGED = "The index was damaged; it was built anew."
FOREIGN = "The index was not written with this user's key; it was not used and was built anew."
MAX_LOOKED_AT = 2_000  # files that left the index, one by one: 20 ms
INODE_COLUMN = 3  # of the numbers of a file
LOCK_WAIT_SECONDS = 5.0
LOCK_RETRY_SECONDS = 0.05


class Walk(Protocol):
    """Gives the files of the root. Raises CANCELLED when `cancelled` says so, and what `met` raises, which is
    told of the files so far.
    """

    def __call__(
        self, cancelled: Callable[[], bool], met: Callable[[FileColumns], None] | None = None, /
    ) -> WalkReport: ...


class TreeProbe(Protocol):
    """What can tell where a file stands that the walk did not meet."""

    def is_there(self, path: str) -> bool:
        """True when something stands at the path and its name is not denied."""

    def find_below_denied(self, inodes: frozenset[int]) -> frozenset[int] | None:
        """Those that stand below denied directories; None when there are too many to look through."""


class _NoProbe:
    """Where nobody can tell, what is gone is gone."""

    def is_there(self, _path: str) -> bool:
        return False

    def find_below_denied(self, _inodes: frozenset[int]) -> frozenset[int] | None:
        return frozenset()


NO_PROBE: TreeProbe = _NoProbe()


class Indexer:
    """The writing side of one root's index."""

    def __init__(
        self,
        directory: Directory,
        settings: BuildSettings,
        configuration: str,
        workers: int,
        walk: Walk,
        record: SeenRecord | None = None,
        *,
        places: TreeProbe = NO_PROBE,
        note_purge: Callable[[], None] = lambda: None,
        note_purge_due: Callable[[int], None] = lambda _generation: None,
        make_tag: MakeTag | None = None,
    ) -> None:
        """`record` is kept from one indexer of the index to the next. `places` tells where a file that the
        walk left out stands now. `note_purge_due` is called with the committed generation before text that
        must not be served is dead, `note_purge` when nothing of it is left. `make_tag` seals the mark.
        """
        self._directory = directory
        self._settings = settings
        self._configuration = configuration
        self._workers = workers
        self._walk = walk
        self._record = record if record is not None else SeenRecord()
        self._places = places
        self._note_purge = note_purge
        self._note_purge_due = note_purge_due
        self._mark = PurgeMark(directory, make_tag)

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        committed: Callable[[], None] = lambda: None,
    ) -> RefreshReport:
        """Make the index say what the tree says. `committed` is called after each commit.

        With `force` every file is read, whatever its times say. Raises BUSY when another process
        writes, CANCELLED, INDEX_UNAVAILABLE when the index cannot be written.
        """
        try:
            with self._open_writer() as writer:
                warnings = _explain_start(writer)
                try:
                    return self._run(writer, force, progress, cancelled, committed, warnings)
                except IndexFormatError:
                    writer.discard_all()
                return self._run(writer, True, progress, cancelled, committed, (DAMAGED,))
        except OSError as error:
            raise explain_write_error(error) from error

    def refresh_named(
        self,
        changes: PathChanges,
        *,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> RefreshReport | None:
        """Make the index say what a few files are, without a walk; None when there must be one.

        Raises as `refresh` does.
        """
        try:
            with self._open_writer() as writer:
                if writer.start_fault is not None:
                    return None
                refresh = self._begin(writer, progress, cancelled)
                with refresh.pool:
                    report = refresh.run_named(changes)
                self._finish_purge(refresh, report)
                return report
        except IndexFormatError:
            return None
        except OSError as error:
            raise explain_write_error(error) from error

    def _run(
        self,
        writer: IndexWriter,
        force: bool,
        progress: ProgressCallback | None,
        cancelled: Callable[[], bool],
        committed: Callable[[], None],
        warnings: Sequence[str] = (),
    ) -> RefreshReport:
        refresh = self._begin(writer, progress, cancelled, committed)
        refresh.warnings += warnings
        with refresh.pool:
            report = refresh.run(self._walk, force)
        self._finish_purge(refresh, report)
        return report

    def _finish_purge(self, refresh: _Refresh, report: RefreshReport | None) -> None:
        if refresh.purged and report is not None:
            self._mark.clear()
            self._note_purge()

    def _begin(
        self,
        writer: IndexWriter,
        progress: ProgressCallback | None,
        cancelled: Callable[[], bool],
        committed: Callable[[], None] = lambda: None,
    ) -> _Refresh:
        return _Refresh(
            self._directory,
            self._settings,
            self._workers,
            writer,
            progress,
            cancelled,
            committed,
            self._record,
            self._places,
            self._mark,
            self._note_purge_due,
        )

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does.

        INDEX_UNAVAILABLE too for a damaged index; where there is none, none is made.
        """
        started = time.monotonic()
        try:
            with self._open_writer() as writer:
                if writer.start_fault is not None:
                    raise writer.start_fault
                if read_manifest(self._directory) is None:
                    return build_compact_report((), (), started, 0)
                before = writer.segments
                seen = read_seen(self._directory, writer.commit().generation, before)
                writer.merge(
                    full=full,
                    encode=partial(
                        encode_windows, self._settings, self._workers, _count_files(before), lambda: False
                    ),
                    window_bytes=self._settings.memory.window_bytes,
                )
                manifest = writer.commit()
                if seen is not None and seen.generation != manifest.generation:
                    renumbered = seen.renumber(manifest.generation)
                    write_seen(self._directory, renumbered, writer.segments)
                writer.delete_garbage()
                after = writer.segments
        except IndexFormatError as error:
            raise RepoError(
                ErrorCode.INDEX_UNAVAILABLE, "The index is damaged.", "Refresh the index: it is built anew."
            ) from error
        except OSError as error:
            raise explain_write_error(error) from error
        return build_compact_report(before, after, started, manifest.generation)

    def _open_writer(self) -> IndexWriter:
        """The writer, after a bounded wait for another one to finish."""
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            try:
                return IndexWriter(self._directory, self._configuration, FIELDS)
            except IndexLocked as error:
                if time.monotonic() >= deadline:
                    raise RepoError(
                        ErrorCode.BUSY,
                        "Another process is refreshing this index.",
                        "Search works meanwhile; try the refresh again later.",
                    ) from error
                time.sleep(LOCK_RETRY_SECONDS)


class _Refresh:
    """One refresh, from walk to commit."""

    def __init__(
        self,
        directory: Directory,
        settings: BuildSettings,
        workers: int,
        writer: IndexWriter,
        progress: ProgressCallback | None,
        cancelled: Callable[[], bool],
        committed: Callable[[], None],
        record: SeenRecord,
        places: TreeProbe,
        mark: PurgeMark,
        note_purge_due: Callable[[int], None],
    ) -> None:
        self._record = record
        self._places = places
        self._mark = mark
        self._note_purge_due = note_purge_due
        self._started_at = 0  # generation
        self._is_marked = False  # that something must be purged
        self.purged: set[str] = set()  # segments with files that are left out and not gone
        self._directory = directory
        self._settings = settings
        self._workers = workers
        self.pool = ShardPool(settings, workers)  # the caller enters it
        self._writer = writer
        self._progress = progress
        self._cancelled = cancelled
        self._committed = committed
        self.warnings: list[str] = []
        self._skipped: dict[str, SkipReason] = {}
        self._unsettled: set[str] = set()
        self._gone: set[str] = set()
        self._added = self._updated = self._removed = 0
        self._indexed_files = 0
        self._commits_shards = True
        self._reads_all = False

    def run(self, walk: Walk, force: bool) -> RefreshReport:
        started, scan_started_ns = time.monotonic(), time.time_ns()
        self._writer.delete_garbage()
        self._report("walk", 0, 0, 0, 0)
        generation = self._started_at = self._writer.commit().generation
        self._take_up_purge()
        seen = None if force else self._record.read(self._directory, generation, self._writer.segments)
        known = building = None
        if seen is None:  # every file is to be read: the first of them while the walk goes on
            known = self._read_known()
            self._reads_all = force
            self._commits_shards = not force or not known.count  # else that answers until all is built anew
            building = self._begin_building(known)
        report = walk(self._cancelled, building.note if building is not None else None)
        self.warnings += report.warnings
        changed, missing = find_changed(seen, report.files)
        if seen is not None:
            self._skipped = seen.get_skipped()
        if changed or missing or seen is None or self.purged:
            known = known if known is not None else self._read_known()
            self._indexed_files = known.count
            self._remove_missing(known, report, missing if seen is not None and seen.complete else None, seen)
            files = build_walked_files(report.files).take(changed)
            if seen is not None and report.denied_inodes:  # else nothing tells what was given such a name
                renamed = [one.path for one in files if _find_inode(seen, one.path) in report.denied_inodes]
                self._purge(renamed, known)
            (building if building is not None else self._begin_building(known)).finish(files)
            self._merge()
            generation = self._commit()
            self._writer.delete_garbage()
            self._write_seen(generation, scan_started_ns, report, seen, changed, missing)
        return self._build_report(started, generation, report)

    def run_named(self, changes: PathChanges) -> RefreshReport | None:
        """None when the record of what was seen is not that of the committed generation, and when a walk must
        tell whether what another file was put in the place of was given a name that is denied.
        """
        started, scan_started_ns = time.monotonic(), time.time_ns()
        generation = self._started_at = self._writer.commit().generation
        seen = self._record.read(self._directory, generation, self._writer.segments)
        if seen is None or self._mark.read() is not None:
            return None
        changed = drop_unchanged(seen, changes.files)
        missing = [path for path in changes.gone if seen.find(path) is not None]
        if changes.met_denied and any(_is_another(seen, file) for file in changed):
            return None
        self._skipped = seen.get_skipped()
        if changed or missing:
            known = self._read_known()
            self._indexed_files = known.count
            denied = missing if changes.met_denied else self._find_moved(missing, seen)
            self._removed += self._mark_dead(denied, known, purges=True)
            self._removed += self._mark_dead(missing, known)
            for path in missing:
                self._skipped.pop(path, None)
            self._begin_building(known).finish(build_walked_files(changed))
            self._merge()
            generation = self._commit()
            self._writer.delete_garbage()
            unsettled = frozenset(self._unsettled | self._gone)
            now = renew_seen(
                seen, generation, time.time(), scan_started_ns, changed, missing, self._skipped, unsettled
            )
            self._put_seen(now)
        return self._build_report(started, generation, WalkReport((), seen.left_out, (), ()))

    def _read_known(self) -> KnownFiles:
        """The live files of the committed generation."""
        snapshot = Snapshot.open(self._directory) if self._writer.segments else None
        try:
            return KnownFiles(snapshot)
        finally:
            if snapshot is not None:
                snapshot.close()

    def _remove_missing(
        self, known: KnownFiles, report: WalkReport, missing: Sequence[str] | None, seen: SeenFiles | None
    ) -> None:
        """Mark dead what the walk did not meet, except below directories that it could not list.

        `missing` is what the last walk met and this one did not; None when that is not known.
        """
        if missing is None:
            walked = frozenset(build_walked_files(report.files).paths)
            missing = [path for path in chain(known.iter_paths(), self._skipped) if path not in walked]
        unreadable = tuple(directory + "/" if directory else "" for directory in report.unreadable)
        gone = [path for path in missing if not path.startswith(unreadable)]
        left_out = self._find_left_out(gone, report, seen)
        self._removed += self._mark_dead(left_out, known, purges=True)
        self._removed += self._mark_dead(gone, known)
        for path in missing:
            self._skipped.pop(path, None)

    def _find_left_out(
        self, gone: Sequence[str], report: WalkReport, seen: SeenFiles | None
    ) -> Sequence[str]:
        """Those that still stand in the tree: ignored by now, or given a name that is denied.

        All of them when that cannot be told, or takes long: most of what is rewritten then would be anyway.
        """
        if seen is None or len(gone) > MAX_LOOKED_AT:
            return gone
        there: list[str] = []
        elsewhere: list[str] = []
        for path in gone:
            is_known = self._places.is_there(path) or _find_inode(seen, path) in report.denied_inodes
            (there if is_known else elsewhere).append(path)
        return [*there, *self._find_moved(elsewhere, seen)]

    def _find_moved(self, paths: Sequence[str], seen: SeenFiles | None) -> Sequence[str]:
        """Those that stand below a denied directory now; all of them when that cannot be told."""
        inodes = {path: inode for path in paths if (inode := _find_inode(seen, path))}
        found = self._places.find_below_denied(frozenset(inodes.values())) if inodes else frozenset()
        return [path for path, inode in inodes.items() if found is None or inode in found]

    def _take_up_purge(self) -> None:
        """What a process that was killed had still to purge: it may be in any segment with dead files."""
        if self._mark.read() is not None:
            self.purged |= {entry.name for entry in self._writer.segments if entry.dead_files}
            if not self.purged:
                self._mark.clear()

    def _mark_dead(self, paths: Sequence[str], known: KnownFiles, *, purges: bool = False) -> int:
        """Returns how many of the files there were. With `purges` nothing of them stays in the index, nor of
        the versions that these were indexed in place of.
        """
        if purges:
            self._purge([path for path in paths if known.find(path) is not None], known)
        taken = known.take(paths)
        for segment, files in taken.items():
            self._writer.mark_dead(segment, files)
        return sum(map(len, taken.values()))

    def _purge(self, paths: Sequence[str], known: KnownFiles) -> None:
        """Have nothing stay of files as they are indexed, once they are dead."""
        if paths and not self._is_marked:
            self._is_marked = True
            self._mark.set(self._started_at)
            self._note_purge_due(self._started_at)
        self.purged.update(known.list_segments(paths))

    def _begin_building(self, known: KnownFiles) -> Building:
        find = (lambda _path: None) if self._reads_all else known.find_fingerprint
        planner = ShardPlanner(find, self._writer.reserve_temporary, self._settings.shard_bytes)
        take, report = partial(self._take, known=known), partial(self._report, "index")
        return Building(planner, self.pool, take, report, self._cancelled)

    def _take(self, result: ShardResult, known: KnownFiles) -> None:
        """Put a shard into the index, in place of the versions that it supersedes."""
        updated = self._mark_dead(result.indexed, known)
        self._updated += updated
        self._added += len(result.indexed) - updated
        self._removed += self._mark_dead(tuple(result.skipped), known, purges=True)
        self._removed += self._mark_dead(result.gone, known)
        self._unsettled.update(result.unsettled)
        self._gone.update(result.gone)
        for path in (*result.indexed, *result.unchanged):
            self._skipped.pop(path, None)
        self._skipped.update(result.skipped)
        for entry in result.entries:
            self._writer.add(entry)
        if result.entries and self._commits_shards:
            self._commit()

    def _commit(self) -> int:
        generation = self._writer.commit().generation
        self._committed()
        return generation

    def _merge(self) -> None:
        renewed = self._added + self._updated
        self._report("merge", 0, 0, 0, 0)
        files = _count_files(self._writer.segments)
        encode = partial(encode_windows, self._settings, self._workers, files, self._cancelled)
        window_bytes = self._settings.memory.window_bytes
        full = renewed > FULL_MERGE_SHARE * (self._indexed_files + self._added)
        self._writer.merge(full=full, encode=encode, window_bytes=window_bytes, between=self._commit_merge)
        self._writer.purge(self.purged, encode=encode, window_bytes=window_bytes)

    def _commit_merge(self) -> None:
        """Others follow: until then searches have fewer segments to look in, and the disk fewer to hold."""
        if self._commits_shards:
            self._commit()
            self._writer.delete_garbage()

    def _write_seen(
        self,
        generation: int,
        scan_started_ns: int,
        report: WalkReport,
        before: SeenFiles | None,
        changed: Sequence[int],
        missing: Sequence[str],
    ) -> None:
        unsettled = frozenset(self._unsettled | self._gone)  # a file that is gone is missed the next time
        now = time.time()
        if before is None:
            seen = build_seen(generation, now, scan_started_ns, report, self._skipped, unsettled)
        else:
            files = build_walked_files(report.files).take(changed)
            seen = renew_seen(
                before, generation, now, scan_started_ns, files, missing, self._skipped, unsettled
            )
            seen = replace(seen, left_out=report.skipped, complete=not report.unreadable)
        self._put_seen(seen)

    def _put_seen(self, seen: SeenFiles) -> None:
        try:
            self._record.write(self._directory, seen, self._writer.segments)
        except OSError:
            self.warnings.append("The record of seen files could not be written; the next refresh reads all.")

    def _report(self, phase: str, files: int, files_total: int, size: int, size_total: int) -> None:
        if self._progress is not None:
            self._progress(IndexProgress(phase, files, files_total, size, size_total))

    def _build_report(self, started: float, generation: int, report: WalkReport) -> RefreshReport:
        skipped = dict(report.skipped)
        for reason in self._skipped.values():
            skipped[reason.value] = skipped.get(reason.value, 0) + 1
        indexed = sum(entry.live_files for entry in self._writer.segments)
        return RefreshReport(
            added=self._added,
            updated=self._updated,
            removed=self._removed,
            unchanged=indexed - self._added - self._updated,
            skipped=dict(sorted(skipped.items())),
            duration_ms=count_milliseconds(started),
            timestamp=time.time(),
            snapshot=name_snapshot(generation),
            warnings=tuple(self.warnings),
        )


def _find_inode(seen: SeenFiles | None, path: str) -> int | None:
    """The inode that a file had when it was last seen."""
    numbers = seen.find(path) if seen is not None else None
    return numbers[INODE_COLUMN] if numbers is not None else None


def _is_another(seen: SeenFiles, file: WalkedFile) -> bool:
    """True when another file stood at its path."""
    return _find_inode(seen, file.path) not in (None, file.stat.inode)


def _count_files(segments: Sequence[SegmentEntry]) -> int:
    return sum(entry.files for entry in segments)


def _explain_start(writer: IndexWriter) -> tuple[str, ...]:
    """A warning where the index that was there is not gone on with."""
    if writer.start_fault is None:
        return ()
    return (FOREIGN if isinstance(writer.start_fault, IndexForeign) else DAMAGED,)


def name_snapshot(generation: int) -> str:
    """How a generation is named in answers."""
    return f"g{generation}"


def build_compact_report(
    before: Sequence[SegmentEntry], after: Sequence[SegmentEntry], started: float, generation: int
) -> CompactReport:
    """What a compaction did that began at `started`, by time.monotonic."""
    return CompactReport(
        len(before),
        len(after),
        sum(entry.file_bytes for entry in before),
        sum(entry.file_bytes for entry in after),
        count_milliseconds(started),
        name_snapshot(generation),
    )


def count_milliseconds(started: float) -> int:
    """Since a time of time.monotonic."""
    return round((time.monotonic() - started) * 1000)


def explain_write_error(error: OSError) -> RepoError:
    """What to tell a client when the index cannot be written."""
    return RepoError(
        ErrorCode.INDEX_UNAVAILABLE,
        f"The index cannot be written ({error.strerror or type(error).__name__}).",
        "Check the space and permissions of the data directory; the index from before still answers.",
    )
