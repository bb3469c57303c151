"""Finds out that files changed: the system tells of them, or the tree is looked over now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.watcher import TreeWatcher, is_installed
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

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
