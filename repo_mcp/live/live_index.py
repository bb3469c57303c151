"""The index of one root as it is now: the opened generation, and its refreshing.

Reading takes no lock and never waits for a refresh: it uses the last committed generation, which
another process may have written. A damaged index is noticed where it is read and built anew in the
background. Every method may be called from several threads at a time.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from index_format import (
    Directory,
    DiskDirectory,
    IndexForeign,
    IndexFormatError,
    MakeTag,
    Manifest,
    MemoryDirectory,
    Snapshot,
    read_manifest,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.indexing.purge_mark import PurgeMark
from repo_mcp.indexing.purging import NO_PROBE
from repo_mcp.indexing.refresh import Walk
from repo_mcp.indexing.reports import explain_write_error, name_snapshot
from repo_mcp.indexing.scan_state import (
    ChangedFiles,
    SeenFiles,
    SeenRecord,
    assume_unchanged,
    compare_tree,
    count_changed,
)
from repo_mcp.indexing.shards import BuildSettings
from repo_mcp.indexing.watcher import TreeWatcher, is_installed
from repo_mcp.model import (
    CompactReport,
    IndexProgress,
    IndexStatus,
    ProgressCallback,
    RefreshReport,
    SkipReason,
)
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

NOT_INDEXED_HINT = "Search again in a moment; repo.status tells how far it is. Files can be opened meanwhile."
UNREADABLE_INDEX = "The index could not be read; it is built anew."
NOT_WHOLE = "The index is being built or renewed: files may be missing here."
FOREIGN_INDEX = "The index was not written with this user's key; it is not used and is built anew."
REFRESH_WAIT_SECONDS = 5.0  # for a refresh that runs already
REFRESH_POLL_SECONDS = 0.05
FIRST_FILES_SECONDS = 2.0  # that a call waits for them: a small tree is searchable within one
THREAD_START_SECONDS = 0.1  # until a refresh that was started in the background can be seen to run
LOOK_SECONDS = 1.0  # between looks for changed files, at least
LOOK_FILES = 20_000  # in a larger tree a status does not look itself: walking it takes over 0.1 s
WATCHED_LOOK_SECONDS = 60.0  # the same while the system tells of changes: it may lose some
MAX_GIVEN_WAY = 3  # times that a refresh in the background walks anew for a few changed files to come first
MAX_NAMED = 500  # changed files that are looked at by name; for more the tree is walked
LOOK_COST_FACTOR = 20  # and this many times what the last look took: at most a twentieth of a core
CHEAP_LOOK_FILES = 3_000  # an exact search in a smaller tree looks it over each time, in 30 ms at most
LOOK_REUSE_FACTOR = 4  # in a larger one a look is used again for this many times what it took
MAX_REFRESH_LOOK_SECONDS = 1.0  # what looking took in a refresh that took longer, at most
HEALING_SECONDS = 10.0  # between two builds of an index that cannot be read: the medium may be at fault
CLOSE_WAIT_SECONDS = 1.5  # for a running refresh to stop; the server must be gone within two


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look over the tree found."""

    generation: int
    started: float  # time.monotonic: what changed later may be missing
    took: float  # seconds
    files: int  # that were looked at
    changed: ChangedFiles

    def is_old(self, share: float = 1.0) -> bool:
        """True when that share of the time for which it may be used is over."""
        keeps = LOOK_REUSE_FACTOR * self.took if self.files > CHEAP_LOOK_FILES else 0.0
        return time.monotonic() - self.started >= share * keeps


class LiveIndex:
    """What searches use and refreshes change."""

    def __init__(
        self,
        settings: BuildSettings,
        configuration: str,
        workers: int,
        walk: Walk,
        *,
        watch: bool,
        view: PathChangeFinder | None = None,
        note_refresh: Callable[[], None] = lambda: None,
        make_tag: MakeTag | None = None,
    ) -> None:
        """`walk` gives the files of the root, `view` a few of them by what the walk found out.
        `note_refresh` is called after each refresh. With `make_tag` no index is used that it did not seal.

        Makes the index's directory; where it cannot, there is no index until a refresh can make it.
        """
        self._settings = settings
        self._make_tag = make_tag
        self._directory: Directory = MemoryDirectory()
        with suppress(OSError):
            self._directory = DiskDirectory(settings.index_path, create=True, make_tag=make_tag)
        self.purges = 0  # refreshes after which nothing of a file that is left out may stay anywhere
        self._configuration = configuration
        self._workers = workers
        self._walk = walk
        self._stale: int | None = None  # files that the last look found changed and that are not indexed yet
        self._watch = watch
        self._lock = threading.Lock()  # guards the two below
        self._searcher: Searcher | None = None
        self._whole: Manifest | None = None  # the last generation that was found to be a finished refresh's
        self._index_fault = ""
        self._refreshing = threading.Lock()  # held while this process refreshes
        self._progress: IndexProgress | None = None
        self._hurried = threading.Event()  # a few changed files wait to be indexed
        self._background_fault = ""
        self._next_healing = 0.0  # time.monotonic, before which a damaged index is not built anew again
        self._next_look = 0.0  # time.monotonic, before which no change is looked for
        self._next_watched_look = 0.0  # the same while the system tells of changes
        self._closed = threading.Event()
        self._looking = threading.Lock()  # held while the tree is looked over for an exact search
        self._look: _Look | None = None
        self._view = view
        self._note_refresh_done = note_refresh
        # Called with the committed generation before one that purges, by whoever follows this index.
        self.note_purge_due: Callable[[int], None] = lambda _generation: None
        self._record = SeenRecord()
        self._watcher: TreeWatcher | None = None  # None as well when it cannot go on
        self._watch_fault = ""
        self._waiting: frozenset[str] = frozenset()  # changed files that the watcher has told of
        self._walk_wanted = False  # there may be more

    def get_searcher(self, *, waits: bool = True) -> Searcher:
        """The searcher of the committed generation. INDEX_UNAVAILABLE when there is none.

        `waits` for the first files a little, while they are being indexed.
        """
        self._look_for_changes()
        searcher = self.find_searcher()
        if waits:
            searcher = self._wait_for_first(searcher)
        if searcher is None or (not searcher.snapshot.segments and self._refreshing.locked()):
            raise RepoError(ErrorCode.INDEX_UNAVAILABLE, self._explain_missing(), NOT_INDEXED_HINT)
        return searcher

    def _wait_for_first(self, searcher: Searcher | None) -> Searcher | None:
        """The searcher of the first files, while they are being indexed: models do not like to ask again."""
        started = time.monotonic()
        while not self._index_fault and (searcher is None or not searcher.snapshot.segments):
            waited = time.monotonic() - started
            is_coming = self._refreshing.locked() or (self._watch and waited < THREAD_START_SECONDS)
            if not is_coming or waited > FIRST_FILES_SECONDS or self._closed.wait(REFRESH_POLL_SECONDS):
                break
            searcher = self.find_searcher()
        return searcher

    def find_searcher(self) -> Searcher | None:
        """The searcher of the committed generation, opened anew when there is a newer one."""
        try:
            manifest = read_manifest(self._directory)
            with self._lock:
                current = self._searcher
            if manifest is None or (current is not None and current.snapshot.manifest == manifest):
                return current
            snapshot = Snapshot.open(self._directory, current.snapshot if current is not None else None)
            if snapshot is None or snapshot.manifest.configuration != self._configuration:
                return None
            searcher = Searcher(snapshot)
        except IndexFormatError as error:
            self.report_damage(error)
            return None
        except OSError:
            with self._lock:
                return self._searcher
        with self._lock:
            self._searcher, self._index_fault = searcher, ""
            return searcher

    def report_damage(self, error: IndexFormatError | None = None) -> RepoError:
        """Build the index anew in the background. Returns what to tell the client."""
        with self._lock:
            self._searcher = None
            self._index_fault = FOREIGN_INDEX if isinstance(error, IndexForeign) else UNREADABLE_INDEX
            heals = time.monotonic() >= self._next_healing and not self._refreshing.locked()
            if heals:
                self._next_healing = time.monotonic() + HEALING_SECONDS
        if heals and not self._closed.is_set():
            self.start_background_refresh(force=True)
        return RepoError(
            ErrorCode.INDEX_UNAVAILABLE, "The index is damaged; it is being built anew.", NOT_INDEXED_HINT
        )

    def status(self) -> IndexStatus:
        """The state of the index, from what is committed and what runs in this process."""
        searcher = self.find_searcher()
        if searcher is not None:
            try:
                return self._describe(searcher)
            except IndexFormatError:
                self.report_damage()
        fault, warnings = self._list_faults()
        state = "degraded" if fault else ("building" if self._refreshing.locked() else "missing")
        return IndexStatus(state, None, 0, 0, 0, 0, {}, None, None, self._progress, {}, warnings)

    def _list_faults(self) -> tuple[str, tuple[str, ...]]:
        """What is wrong with the index, and everything that is wrong."""
        with self._lock:
            fault = self._index_fault
        return fault, tuple(text for text in (fault, self._background_fault, self._watch_fault) if text)

    def _describe(self, searcher: Searcher) -> IndexStatus:
        """The status of what is committed. IndexFormatError when it cannot be read."""
        manifest = searcher.snapshot.manifest
        seen = self._record.read(self._directory, manifest.generation, manifest.segments)
        return IndexStatus(
            state="ready" if seen is not None else "partial",
            snapshot=name_snapshot(manifest.generation),
            generation=manifest.generation,
            indexed_files=searcher.snapshot.file_count,
            segments=len(manifest.segments),
            index_bytes=sum(entry.file_bytes for entry in manifest.segments),
            skipped=seen.count_reasons() if seen is not None else {},
            stale=self._count_stale(seen, searcher.snapshot.file_count),
            last_refresh=seen.taken_at if seen is not None else None,
            progress=self._progress,
            languages=count_languages(searcher.snapshot),
            warnings=self._list_faults()[1],
            watching=self._watch,
            chunks=count_chunks(searcher.snapshot),
        )

    def _count_stale(self, seen: SeenFiles | None, files: int) -> int | None:
        """Files changed since the refresh: as they are in a small tree, as last looked at in a large one."""
        if self._waiting:
            return len(self._waiting)
        if seen is None or self._refreshing.locked() or files > LOOK_FILES:
            return self._stale
        try:
            self._stale = count_changed(seen, self._walk(self._closed.is_set).files)
        except RepoError:  # the root is gone, or we are closing
            return None
        return self._stale

    def find_changed(self, generation: int) -> ChangedFiles | None:
        """How the tree differs now from what a generation holds; None when that is not known.

        Looks the tree over. In a large one that takes a second: what was found is used again for
        LOOK_REUSE_FACTOR times what it took, and found anew in the background when half of that is over.
        """
        look = self._look
        if look is None or look.generation != generation or look.is_old():
            asked = time.monotonic()
            with self._looking:  # whoever waited takes what another began to look for after it had asked
                look = self._look
                if look is None or look.generation != generation or look.started < asked:
                    return self._look_over(generation)
        elif look.is_old(0.5) and self._looking.acquire(blocking=False):
            threading.Thread(target=self._look_ahead, args=(generation,), name="look", daemon=True).start()
        return look.changed

    def _look_over(self, generation: int) -> ChangedFiles | None:
        seen = self._read_seen(generation)
        if seen is None:
            return None
        started = time.monotonic()
        files = self._walk(self._closed.is_set).files
        changed = compare_tree(seen, files)
        self._look = _Look(generation, started, time.monotonic() - started, len(files), changed)
        return changed

    def _look_ahead(self, generation: int) -> None:
        """Look over the tree in a thread that was given `_looking`."""
        try:
            self._look_over(generation)
        except (RepoError, IndexFormatError, OSError):
            self._look = None  # the next search looks itself, and tells what is wrong
        finally:
            self._looking.release()

    def _note_refresh(self, started: float) -> None:
        """A refresh looked the tree over: the next exact search need not."""
        manifest = read_manifest(self._directory)
        seen = self._read_seen(manifest.generation) if manifest is not None else None
        if manifest is not None and seen is not None:
            self._whole = manifest
            took = min(time.monotonic() - started, MAX_REFRESH_LOOK_SECONDS)
            self._look = _Look(manifest.generation, started, took, seen.whole_count, assume_unchanged(seen))

    def _read_seen(self, generation: int) -> SeenFiles | None:
        """The record of the refresh that made a generation; None while one is under way."""
        manifest = read_manifest(self._directory)
        if manifest is None or manifest.generation != generation:
            return None
        return self._record.read(self._directory, generation, manifest.segments)

    def describe_progress(self, snapshot: Snapshot) -> list[str]:
        """A warning for answers out of `snapshot` while files changed, as is known, and are not indexed."""
        progress = self._progress
        if progress is not None and progress.phase == "index" and progress.files_total:
            fault = "out of date" if self._is_whole(snapshot) else "missing"
            return [
                f"The index is being refreshed: {progress.files_done} of {progress.files_total} files"
                f" are done; the others may be {fault} here."
            ]
        changed = len(self._waiting) or self._stale
        if changed:
            named = "1 file changed and is" if changed == 1 else f"{changed} files changed and are"
            return [f"{named} not indexed yet: what is found may be out of date."]
        return [] if self._is_whole(snapshot) else [NOT_WHOLE]

    def _is_whole(self, snapshot: Snapshot) -> bool:
        """False for what a refresh committed on its way, or was killed after, in whatever process.

        Such a one may be empty: where an index cannot be read, that is how a new one begins.
        """
        manifest = snapshot.manifest
        if manifest != self._whole:
            if self._record.read(self._directory, manifest.generation, manifest.segments) is None:
                return False
            self._whole = manifest
        return True

    def _explain_missing(self) -> str:
        progress = self._progress
        if progress is not None and progress.files_total:
            done = f"{progress.files_done} of {progress.files_total}"
            return f"Nothing is searchable yet: {done} files are indexed."
        if progress is not None:
            return "Nothing is searchable yet: the tree is being listed."
        return "There is no index yet."

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> RefreshReport:
        """Make the index say what the tree says. Raises BUSY, CANCELLED, INDEX_UNAVAILABLE.

        Waits a little for a refresh that is running; a long one makes it BUSY.
        """
        stop = self._stops_when(cancelled)
        self._begin_refresh(stop)
        started = time.monotonic()
        is_cancelled = False
        try:
            done = self._refresh(force, progress, stop)
            self._note_refresh(started)
            self._note_refresh_done()
            return done
        except RepoError as error:
            is_cancelled = error.code is ErrorCode.CANCELLED
            raise
        finally:
            # What was cancelled goes on in the background with the next call.
            ended = time.monotonic()
            took = 0.0 if is_cancelled else ended - started
            self._next_look = ended + max(LOOK_SECONDS, LOOK_COST_FACTOR * took)
            self._next_watched_look = 0.0 if is_cancelled else ended + WATCHED_LOOK_SECONDS
            self._progress = None
            self._refreshing.release()
            if (watcher := self._watcher) is not None:  # which may give up at any moment
                watcher.note_walk()

    def _stops_when(self, cancelled: Callable[[], bool] | None) -> Callable[[], bool]:
        """True when this is closed, or whoever asked does not want it any more."""
        return lambda: self._closed.is_set() or (cancelled is not None and cancelled())

    def _begin_refresh(self, stop: Callable[[], bool]) -> None:
        deadline = time.monotonic() + REFRESH_WAIT_SECONDS
        while not self._refreshing.acquire(timeout=REFRESH_POLL_SECONDS):
            if stop():
                raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "Nothing was changed.")
            if time.monotonic() >= deadline:
                raise RepoError(
                    ErrorCode.BUSY,
                    "A refresh of this index is running already.",
                    "Search works meanwhile; repo.status tells how far it is.",
                )

    def _refresh(
        self, force: bool, progress: ProgressCallback | None, stop: Callable[[], bool]
    ) -> RefreshReport:
        def report(now: IndexProgress) -> None:
            self._progress = now
            if now.phase == "index" and now.files_total and not force:
                self._stale = now.files_total - now.files_done
            if progress is not None:
                progress(now)

        done = self._open_indexer().refresh(force=force, progress=report, cancelled=stop)
        self._background_fault, self._stale = "", 0
        return done

    def _look_for_changes(self) -> None:
        """Refresh in the background when watching and it was not done lately; a call does not wait for it."""
        due = self._next_look
        if self._watcher is not None:  # which may give up at any moment
            due = max(due, self._next_watched_look)
        if self._watch and time.monotonic() >= due and not self._refreshing.locked():
            self._next_look = time.monotonic() + LOOK_SECONDS
            self.start_background_refresh()

    def start_watching(self) -> None:
        """Have the system tell of changes from now on, if that can be had; else they are looked for."""
        if self._watch and self._view is not None and self._watcher is None and is_installed():
            self._watcher = TreeWatcher(
                self._view.root, self._view.list_directories, self._take_changes, self._stop_watching
            )
            self._watcher.start()

    def _stop_watching(self, why: str) -> None:
        self._watcher = None
        self._watch_fault = f"Files cannot be watched ({why}); changes are looked for now and then."

    def _take_changes(self, paths: frozenset[str] | None) -> None:
        """Index what the watcher tells of, in its thread. None: everything may have changed."""
        self._waiting |= paths or frozenset()
        if paths is None or len(self._waiting) > MAX_NAMED:
            self._walk_wanted = True
        while not self._closed.is_set() and (self._waiting or self._walk_wanted):
            try:
                if not self._refresh_named():
                    self.refresh()
                    self._waiting, self._walk_wanted = frozenset(), False
            except RepoError as error:
                if error.code is not ErrorCode.BUSY:
                    self._note_failure(error)
                    return
                self._walk_wanted = True
            except Exception as error:
                self._note_failure(error)
                return

    def _refresh_named(self) -> bool:
        """Index the changed files that are known by name. False when the tree must be walked."""
        changes = None
        if self._view is not None and not self._walk_wanted:
            changes = self._view.look_at(self._waiting)
        if changes is None:
            return False
        self._waiting = frozenset([*changes.gone, *(file.path for file in changes.files)])
        if not self._waiting:
            return True
        done = self._refresh_changes(changes, self._closed.is_set)
        if done:
            self._waiting, self._background_fault = frozenset(), ""
            self._note_refresh_done()
        return done

    def refresh_paths(
        self, paths: Iterable[str], cancelled: Callable[[], bool] | None = None
    ) -> Mapping[str, SkipReason]:
        """Make the index say what a few files are, now: by name, or by a walk where that is not enough.

        Returns the files of the root that were met and are not indexed, and why. Raises as `refresh` does.
        """
        stop = self._stops_when(cancelled)
        changes = self._view.look_at(paths) if self._view is not None else None
        if changes is not None and self._refresh_changes(changes, stop):
            self._note_refresh_done()
        else:
            self.refresh(cancelled=stop)
        manifest = read_manifest(self._directory)
        seen = self._read_seen(manifest.generation) if manifest is not None else None
        return seen.get_skipped() if seen is not None else {}

    def _refresh_changes(self, changes: PathChanges, stop: Callable[[], bool]) -> bool:
        """Index a few files. False when there must be a walk."""
        self._hurried.set()
        try:
            self._begin_refresh(stop)
        finally:
            self._hurried.clear()
        try:
            done = self._open_indexer().refresh_named(changes, cancelled=stop)
            if done is None:
                return False
            if self._stale:
                self._stale = max(0, self._stale - len(changes.files) - len(changes.gone))
            manifest = read_manifest(self._directory)
            if (
                not done.warnings
                and manifest is not None
                and done.snapshot == name_snapshot(manifest.generation)
            ):
                self._whole = manifest  # the next search need not read the record
            return True
        finally:
            self._refreshing.release()

    def _open_indexer(self) -> Indexer:
        """The writing side, in a directory that is made again where somebody removed it."""
        try:
            path, make_tag = self._settings.index_path, self._make_tag
            self._directory = DiskDirectory(path, create=True, make_tag=make_tag)
        except OSError as error:
            raise explain_write_error(error) from error
        return Indexer(
            self._directory,
            self._settings,
            self._configuration,
            self._workers,
            self._walk,
            self._record,
            probe=self._view if self._view is not None else NO_PROBE,
            note_purge=self._note_purge,
            note_purge_due=self.note_purge_due,
            make_tag=make_tag,
        )

    def _note_purge(self) -> None:
        self.purges += 1

    @property
    def is_purging(self) -> bool:
        """True from the first commit after which text must go to the one after which it is gone."""
        return PurgeMark(self._directory, self._make_tag).read() is not None

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does."""
        with self._refreshing:
            return self._open_indexer().compact(full=full)

    def start_background_refresh(self, *, force: bool = False) -> None:
        """Refresh in a thread of its own; a failure becomes a warning of `status`."""
        threading.Thread(target=self._refresh_quietly, args=(force,), name="refresh", daemon=True).start()

    def _refresh_quietly(self, force: bool) -> None:
        try:
            for _ in range(MAX_GIVEN_WAY):
                try:
                    self.refresh(force=force, cancelled=self._gives_way)
                    return
                except RepoError as error:
                    if error.code is not ErrorCode.CANCELLED or self._closed.wait(REFRESH_POLL_SECONDS):
                        raise
            self.refresh(force=force)
        except Exception as error:  # a thread has nobody else to tell
            self._note_failure(error)

    def _gives_way(self) -> bool:
        """True while files that are known by name wait for a walk, which may take a second beside calls."""
        progress = self._progress
        return self._hurried.is_set() and progress is not None and progress.phase == "walk"

    def _note_failure(self, error: Exception) -> None:
        if not isinstance(error, RepoError):
            self._background_fault = f"The last refresh failed: {type(error).__name__}."
        elif error.code not in (ErrorCode.BUSY, ErrorCode.CANCELLED):
            self._background_fault = f"The last refresh failed: {error.message}"

    def close(self) -> bool:
        """Stop a running refresh. False when it has not stopped in CLOSE_WAIT_SECONDS."""
        self._closed.set()
        if (watcher := self._watcher) is not None:
            watcher.close()
        stopped = self._refreshing.acquire(timeout=CLOSE_WAIT_SECONDS)
        with self._lock:
            self._searcher = None
        return stopped


def count_languages(snapshot: Snapshot) -> dict[str, int]:
    """Live files by language, sorted by name."""
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        numbers = segment.reader.read_languages()[segment.live_file_mask]
        names = segment.reader.language_names
        for number, count in enumerate(np.bincount(numbers, minlength=len(names)).tolist()):
            counts[names[number]] += count
    return {name: count for name, count in sorted(counts.items()) if count}


def count_chunks(snapshot: Snapshot) -> int:
    """Chunks of the live files."""
    return sum(
        int(np.diff(segment.reader.files.first_chunks)[segment.live_file_mask].sum())
        for segment in snapshot.segments
    )
