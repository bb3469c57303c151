"""The report on the index of one root: its status, and what an answer out of it may lack.

Nothing is changed here, nor waited for, but that a tree that was not looked at lately may be looked at.

The system tells that files changed, or the tree is looked over now and then.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from index_format import IndexFormatError, Snapshot
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.scan_state import SeenFiles
from repo_mcp.indexing.watcher import TreeWatcher, is_installed
from repo_mcp.live.generation import Generation
from repo_mcp.live.refresher import Refresher, TreeLook
from repo_mcp.model import IndexStatus
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

NOT_WHOLE = "The index is being built or updated: files may be missing here."
CHANGING = "Files changed a moment ago and are not indexed yet: results may be out of date."
RENEWED = "Changed files were being indexed during this call: results may be out of date. Ask again."
NOT_COMPARED = "The tree is being compared with the index: changed files may be missing here."
TOLD_AGE_SECONDS = 0.5  # of a look at the tree, from which answers say how old it is
LOOK_SECONDS = 1.0  # between looks for changed files, at least
WATCHED_LOOK_SECONDS = 60.0  # the same while the system tells of changes: it may lose some
LOOK_COST_FACTOR = 20  # and this many times what the last look took: at most a twentieth of a core
MAX_NAMED = 500  # changed files that are looked at by name; for more the tree is walked


class ChangeWatch:
    """The watch over one root. It calls back from the watcher's thread."""

    def __init__(
        self,
        finder: PathChangeFinder | None,
        closed: threading.Event,
        refresh: Callable[[], object],
        refresh_changes: Callable[[PathChanges], bool],
        note_failure: Callable[[Exception], None],
    ) -> None:
        """`refresh` walks the tree; `refresh_changes` indexes a few files, or returns False for a walk."""
        self.finder = finder
        self._closed = closed
        self._refresh = refresh
        self._refresh_changes = refresh_changes
        self._note_failure = note_failure
        self._watcher: TreeWatcher | None = None  # None as well when it cannot go on
        self.fault = ""
        self._waiting: frozenset[str] = frozenset()  # changed files that the watcher has told of
        self._told = 0.0  # time.monotonic of the last of them
        self._walked = 0.0  # the same of the begin of the last walk that was indexed
        self._walk_wanted = False  # there may be more
        self._next_look = 0.0  # time.monotonic, before which no change is looked for
        self._next_watched_look = 0.0  # the same while the system tells of changes

    def start(self) -> None:
        """Have the system tell of changes from now on, if that can be had; else they are looked for."""
        if self.finder is not None and self._watcher is None and is_installed():
            self._watcher = TreeWatcher(
                self.finder.root, self.finder.list_directories, self._take_changes, self._stop
            )
            self._watcher.start()

    @property
    def is_active(self) -> bool:
        """Return True while the system tells of changes."""
        return self._watcher is not None

    @property
    def can_wait(self) -> bool:
        """Return True while the system can be asked whether something has changed."""
        watcher = self._watcher
        return watcher is not None and watcher.can_wait

    def wait(self, seconds: float) -> bool:
        """Wait until what had changed before the call is indexed, where `can_wait`; False: it is not yet."""
        watcher = self._watcher
        return watcher is None or watcher.wait(seconds)

    def close(self) -> None:
        """Stop the watcher."""
        if (watcher := self._watcher) is not None:  # which may give up at any moment
            watcher.close()

    def is_look_due(self) -> bool:
        """Return True when the tree should be looked over; it is then not due again for LOOK_SECONDS."""
        due = self._next_look
        if self._watcher is not None:
            due = max(due, self._next_watched_look)
        if time.monotonic() < due:
            return False
        self._next_look = time.monotonic() + LOOK_SECONDS
        return True

    def count_waiting(self) -> int:
        """Return how many changed files the watcher has told of that are not indexed."""
        return len(self._waiting) if self._told >= self._walked else 0

    def note_walk(self, started: float, error: Exception | None = None) -> None:
        """Put the next look off after a walk that began at `started`, by time.monotonic.

        What was cancelled, or kept out by another process, goes on in the background with the next call;
        what failed otherwise is tried again, as often as it may be looked.
        """
        ended = time.monotonic()
        is_put_off = isinstance(error, RepoError) and error.code in (ErrorCode.BUSY, ErrorCode.CANCELLED)
        took = 0.0 if is_put_off else ended - started
        self._next_look = ended + max(LOOK_SECONDS, LOOK_COST_FACTOR * took)
        self._next_watched_look = 0.0 if error is not None else ended + WATCHED_LOOK_SECONDS
        if error is None:
            self._walked = started

    def note_directories(self) -> None:
        """Have the watcher follow the directories that the last walk found."""
        if (watcher := self._watcher) is not None:
            watcher.note_walk()

    def _stop(self, why: str) -> None:
        self._watcher = None
        self.fault = f"Files cannot be watched ({why}), so the tree is checked for changes at intervals."

    def _take_changes(self, paths: frozenset[str] | None) -> None:
        """Index what the watcher tells of, in its thread. None: everything may have changed."""
        self._waiting |= paths or frozenset()
        self._told = time.monotonic()
        if paths is None or len(self._waiting) > MAX_NAMED:
            self._walk_wanted = True
        while not self._closed.is_set() and (self._waiting or self._walk_wanted):
            try:
                if not self._index_named():
                    self._refresh()
                    self._waiting, self._walk_wanted = frozenset(), False
            except RepoError as error:
                if error.code is not ErrorCode.BUSY:
                    self._note_failure(error)
                    return
                self._walk_wanted = True
            except Exception as error:
                self._note_failure(error)
                return

    def _index_named(self) -> bool:
        """Index the changed files that are known by name. False when the tree must be walked."""
        changes = None
        if self.finder is not None and not self._walk_wanted:
            changes = self.finder.look_at(self._waiting)
        if changes is None:
            return False
        self._waiting = frozenset([*changes.gone, *(file.path for file in changes.files)])
        if not self._waiting:
            return True
        done = self._refresh_changes(changes)
        if done:
            self._waiting = frozenset()
        return done


class IndexReport:
    """Tells of the index of one root. Safe for several threads."""

    def __init__(
        self,
        generation: Generation,
        refresher: Refresher,
        watch: ChangeWatch,
        look: TreeLook,
        find_searcher: Callable[[], Searcher | None],
        report_damage: Callable[[], object],
        *,
        follows: bool,
    ) -> None:
        """`find_searcher` and `report_damage` are those of the index; it `follows` the tree, or does not."""
        self._generation = generation
        self._refresher = refresher
        self._watch = watch
        self._look = look
        self._find_searcher = find_searcher
        self._report_damage = report_damage
        self._follows = follows
        self._stays = False  # answers go on: a command that refreshes and then answers need not tell its age
        self._is_first_look = False  # a refresh was begun, and none has ended yet
        self._has_looked = False  # a refresh has ended, well or not

    def note_begun(self, *, stays: bool = False) -> None:
        """Know of a refresh that begins; with `stays` answers go on until the process ends."""
        self._stays = self._stays or stays
        self._is_first_look = not self._has_looked

    def note_looked(self) -> None:
        """Know of a refresh that has ended."""
        self._has_looked, self._is_first_look = True, False

    def status(self) -> IndexStatus:
        """Return the state of the index, from what is committed and what runs in this process."""
        searcher = self._find_searcher()
        if searcher is not None:
            try:
                return self._describe(searcher)
            except IndexFormatError:
                self._report_damage()
        is_building, progress = self._refresher.running.locked(), self._refresher.progress
        is_faulty = self._generation.fault or self._refresher.fault
        state = "degraded" if is_faulty else "building" if is_building else "missing"
        return IndexStatus(state, None, 0, 0, 0, 0, {}, None, None, progress, {}, self._list_faults())

    def _list_faults(self) -> tuple[str, ...]:
        faults = (self._generation.fault, self._generation.loss, self._refresher.fault, self._watch.fault)
        return tuple(filter(None, faults))

    def _describe(self, searcher: Searcher) -> IndexStatus:
        """Return the status of what is committed. Raises IndexFormatError when it cannot be read."""
        manifest = searcher.snapshot.manifest
        seen = self._generation.read_seen_of(searcher.snapshot)
        return IndexStatus(
            state="degraded" if self._refresher.fault else "ready" if seen is not None else "partial",
            snapshot=searcher.snapshot.name,
            generation=manifest.generation,
            indexed_files=searcher.snapshot.file_count,
            segments=len(manifest.segments),
            index_bytes=sum(entry.file_bytes for entry in manifest.segments),
            skipped=seen.count_reasons() if seen is not None else {},
            stale=self._count_stale(seen, searcher.snapshot.file_count),
            last_refresh=seen.taken_at if seen is not None else None,
            progress=self._refresher.progress,
            languages=count_languages(searcher.snapshot),
            warnings=self._list_faults(),
            watching=self._follows,
            chunks=count_chunks(searcher.snapshot),
            watched=self._watch.is_active,
            origin="" if seen is None else seen.origin,
        )

    def _count_stale(self, seen: SeenFiles | None, files: int) -> int | None:
        waiting = self._watch.count_waiting()
        if waiting:
            return waiting
        return self._look.count_stale(seen, files, may_look=lambda: not self._refresher.running.locked())

    def describe_progress(self, snapshot: Snapshot) -> list[str]:
        """Return warnings for answers out of `snapshot`, which may lack files that changed or are new.

        The first counts what is missing, where that is known; the last tells why a refresh failed.
        """
        told, fault = self._describe_missing(snapshot), self._refresher.fault
        return [*told, fault] if fault else told

    def _describe_missing(self, snapshot: Snapshot) -> list[str]:
        progress = self._refresher.progress
        if progress is not None and progress.phase == "index" and progress.files_total:
            fault = "out of date" if self._generation.is_whole(snapshot) else "missing"
            return [
                f"The index is being refreshed: {progress.files_done} of {progress.files_total} files"
                f" are done; the rest may be {fault} here."
            ]
        if self._generation.loss:
            return [self._generation.loss]
        changed = self._watch.count_waiting() or self._look.stale
        if changed:
            named = "1 file changed and is" if changed == 1 else f"{changed} files changed and are"
            return [f"{named} not indexed yet: results may be out of date."]
        if not self._watch.wait(0.0):
            return [CHANGING]
        if not self._generation.is_whole(snapshot):
            return [NOT_WHOLE]
        can_wait = self._watch.can_wait
        if self._is_first_look or (not can_wait and self._refresher.running.locked()):
            return [NOT_COMPARED]
        age = self._look.age
        if self._stays and not can_wait and age > TOLD_AGE_SECONDS:
            return [f"The tree was last checked {age:.1f} s ago: later changes may be missing here."]
        return [RENEWED] if self._has_newer(snapshot) else []

    def _has_newer(self, snapshot: Snapshot) -> bool:
        """Return True when other content than a snapshot's has been committed since."""
        current = self._find_searcher()
        if current is None or current.snapshot.manifest == snapshot.manifest:
            return False
        return current.snapshot.name != snapshot.name

    def explain_missing(self) -> str:
        progress = self._refresher.progress
        if progress is not None and progress.files_total:
            done = f"{progress.files_done} of {progress.files_total}"
            return f"Nothing can be searched yet: {done} files are indexed."
        if progress is not None:
            return "Nothing can be searched yet: the tree is being listed."
        return " ".join(filter(None, ("There is no index yet.", self._refresher.fault)))


def count_languages(snapshot: Snapshot) -> dict[str, int]:
    """Return the number of live files of each language, sorted by name."""
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        numbers = segment.reader.read_languages()[segment.live_file_mask]
        names = segment.reader.language_names
        for number, count in enumerate(np.bincount(numbers, minlength=len(names)).tolist()):
            counts[names[number]] += count
    return {name: count for name, count in sorted(counts.items()) if count}


def count_chunks(snapshot: Snapshot) -> int:
    """Return the number of chunks of the live files."""
    return sum(
        int(np.diff(segment.reader.files.first_chunks)[segment.live_file_mask].sum())
        for segment in snapshot.segments
    )
