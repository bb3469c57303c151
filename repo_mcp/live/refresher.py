"""Runs the refreshes of one index in this process, one at a time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from index_format import IndexFormatError, MakeTag
from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.indexing.adoption import NO_DONATIONS, Donations
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.indexing.outcome import count_milliseconds, explain_write_error
from repo_mcp.indexing.purging import NO_PROBE, TreeProbe
from repo_mcp.indexing.refresh_inputs import RefreshResources
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.live.generation import Generation
from repo_mcp.live.tree_look import TreeLook
from repo_mcp.model import CompactReport, IndexProgress, ProgressCallback, RefreshReport
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace.path_changes import PathChanges
from repo_mcp.workspace.walk_memory import WalkMemory

REFRESH_WAIT_SECONDS = 5.0  # how long a refresh waits for one that is already running
REFRESH_POLL_SECONDS = 0.05
BUSY = ("A refresh of this index is already running.", "Search still works; repo.status shows the progress.")
CANCELLED = ("The refresh was cancelled.", "Nothing was changed.")
FAILED = "A refresh failed, so changed files may be missing here:"
AWAITED = "Changed files may be missing here until it is done."  # while another process refreshes the index


@dataclass(frozen=True, slots=True)
class IndexSetup:
    """The settings of one root's index, and what a first one may start from."""

    settings: BuildSettings
    configuration: str  # digest of everything that determines the contents
    workers: int
    make_tag: MakeTag | None = None  # an index is used only if it was sealed with it
    donations: Donations = NO_DONATIONS
    memory: WalkMemory | None = None  # what walks of the root have found out


class Refresher:
    """The writing side of one live index. Safe for several threads."""

    def __init__(
        self, generation: Generation, look: TreeLook, setup: IndexSetup, probe: TreeProbe | None
    ) -> None:
        self._generation = generation
        self._look = look
        self.setup = setup
        self._probe = probe if probe is not None else NO_PROBE
        self.running = threading.Lock()  # held while this process refreshes
        self._hurried = threading.Event()  # a few changed files are waiting to be indexed
        self.progress: IndexProgress | None = None
        self.remaining = RemainingFiles()  # files that the running refresh has not indexed yet
        self.finished: Counter[str] = Counter()  # files added, updated and removed by all refreshes so far
        self.fault = ""  # why the last refresh failed; "" after one has succeeded for the whole tree
        self.is_kept_out = False  # the last refresh failed to write, which waiting does not mend
        self.purges = 0  # number of refreshes that purged files, of which no derived index may keep anything
        # Called with the committed generation before a refresh purges files. A derived index sets this.
        self.note_purge_due: Callable[[int], None] = lambda _generation: None
        # Called after each commit of a running refresh. A derived index sets this.
        self.note_commit: Callable[[], None] = lambda: None
        self.commits = 0  # number of commits of all refreshes so far
        self._committed = threading.Condition()  # guards `commits`
        # Waits until the derived index has followed the first refresh, at most until a time (time.monotonic).
        # A derived index that began with a donor sets this.
        self.wait_for_follower: Callable[[float], None] = lambda _deadline: None

    def refresh(
        self, *, force: bool, progress: ProgressCallback | None, stop: Callable[[], bool]
    ) -> RefreshReport:
        """Bring the index up to date with the tree. The caller holds `running`. Raises as the indexer.

        The report does not name the snapshot: that takes time, for which nobody should have to wait.
        """

        def report(now: IndexProgress) -> None:
            self.progress = now
            if now.phase == "index" and now.files_total and not force:
                self._look.stale = now.files_total - now.files_done
            if progress is not None:
                progress(now)

        try:
            with self._note_fault():
                done = self._open_indexer().refresh(
                    force=force, progress=report, cancelled=stop, committed=self._report_commit
                )
            self._look.stale, self.fault, self.is_kept_out = 0, "", False
            self._note_finished(done)
            return done
        finally:
            self.progress = None

    def _report_commit(self) -> None:
        with self._committed:
            self.commits += 1
            self._committed.notify_all()
        self.note_commit()

    def wait_for_commit(self, commits: int) -> None:
        """Wait until there are more than `commits` commits, but only a moment: other processes commit too."""
        with self._committed:
            self._committed.wait_for(lambda: self.commits != commits, REFRESH_POLL_SECONDS)

    def _note_finished(self, done: RefreshReport) -> None:
        self.finished += Counter(added=done.added, updated=done.updated, removed=done.removed)

    def name_snapshot(self) -> str:
        """Return the name of the committed snapshot; "" if it is damaged, which the next search repairs."""
        try:
            searcher = self._generation.find()
            return "" if searcher is None else searcher.snapshot.name
        except (IndexFormatError, OSError):
            return ""

    @contextmanager
    def _note_fault(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.note_failure(error)
            raise

    def note_failure(self, error: Exception) -> None:
        """Record why a refresh failed. Answers say so until a refresh of the whole tree has succeeded.

        Being cancelled is not a failure.
        """
        if not isinstance(error, RepoError):
            self.fault = f"{FAILED} {type(error).__name__}."
        elif error.code is not ErrorCode.CANCELLED:
            is_busy = error.code is ErrorCode.BUSY
            self.fault = f"{error.message} {AWAITED}" if is_busy else f"{FAILED} {error.message}"
            self.is_kept_out = error.hint == CHECK_PLACE

    def join(
        self, stop: Callable[[], bool], progress: ProgressCallback | None
    ) -> Callable[[RefreshReport], RefreshReport]:
        """Wait for the running refresh, reporting its progress, then take `running`. Raises CANCELLED.

        Returns a function that adds the work of that refresh to the report of the caller's own refresh.
        Raises BUSY if that refresh makes no progress for REFRESH_WAIT_SECONDS: it is waiting for another
        process.
        """
        started, before = time.monotonic(), self.finished.copy()
        reported, moved = None, started
        while not self.running.acquire(timeout=REFRESH_POLL_SECONDS):
            if stop():
                raise RepoError(ErrorCode.CANCELLED, *CANCELLED)
            now = self.progress
            if now is not None:
                moved = time.monotonic()
            elif time.monotonic() >= moved + REFRESH_WAIT_SECONDS:
                raise RepoError(ErrorCode.BUSY, *BUSY)
            if progress is not None and now is not None and now != reported:
                progress(now)
                reported = now
        joined = self.finished - before
        return lambda report: _add_joined(report, joined, started)

    def begin(self, stop: Callable[[], bool]) -> None:
        """Take `running`, waiting a little for a refresh that is already running. Raises BUSY, CANCELLED."""
        deadline = time.monotonic() + REFRESH_WAIT_SECONDS
        while not self.running.acquire(timeout=REFRESH_POLL_SECONDS):
            if stop():
                raise RepoError(ErrorCode.CANCELLED, *CANCELLED)
            if time.monotonic() >= deadline:
                raise RepoError(ErrorCode.BUSY, *BUSY)

    def gives_way(self) -> bool:
        """Return True if the running walk, which may take a second, keeps a few changed files waiting."""
        return self._hurried.is_set() and self.is_walking

    @property
    def is_walking(self) -> bool:
        """Return True while a refresh is walking the tree."""
        progress = self.progress
        return progress is not None and progress.phase == "walk"

    def refresh_changes(self, changes: PathChanges, stop: Callable[[], bool]) -> bool:
        """Index a few files. Return False when a walk is needed. Raises as `begin` and `refresh` do."""
        self._hurried.set()
        try:
            self.begin(stop)
        finally:
            self._hurried.clear()
        try:
            return self._refresh_named(changes, stop)
        finally:
            self.running.release()

    def _refresh_named(self, changes: PathChanges, stop: Callable[[], bool]) -> bool:
        with self._note_fault():
            done = self._open_indexer().refresh_named(changes, stop)
        if done is None:
            return False
        self._note_finished(done)
        if self._look.stale:
            self._look.stale = max(0, self._look.stale - len(changes.files) - len(changes.gone))
        manifest = self._generation.read_manifest()
        if not done.warnings and manifest is not None and done.generation == manifest.generation:
            self._generation.note_whole(manifest)  # the next search need not read the record
        return True

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `begin` and `refresh` do."""
        self.begin(lambda: False)
        try:
            done = self._open_indexer().compact(full=full)
            return replace(done, snapshot=self.name_snapshot())
        finally:
            self.running.release()

    def _open_indexer(self) -> Indexer:
        """Open the writing side, recreating its directory if somebody removed it."""
        try:
            directory = self._generation.make_directory()
        except OSError as error:
            raise explain_write_error(error) from error
        setup = self.setup
        resources = RefreshResources(
            directory,
            setup.settings,
            setup.workers,
            self._generation.record,
            self._probe,
            setup.make_tag,
            self.note_purge_due,
            setup.donations,
            self.remaining,
            setup.memory,
        )
        return Indexer(resources, setup.configuration, self._look.walk, self._note_purge)

    def _note_purge(self) -> None:
        self.purges += 1


def _add_joined(report: RefreshReport, joined: Counter[str], started: float) -> RefreshReport:
    """Return the report of a refresh, with the work of the refreshes that it waited for since `started`."""
    if not joined:
        return report
    added, updated = report.added + joined["added"], report.updated + joined["updated"]
    indexed = report.added + report.updated + report.unchanged
    return replace(
        report,
        added=added,
        updated=updated,
        removed=report.removed + joined["removed"],
        unchanged=max(0, indexed - added - updated),
        duration_ms=count_milliseconds(started),
    )
