"""Has changed files indexed as they are reported, and says when the tree should be checked for others.

Events can be lost without notice, when the system's queue overflows or on a network file system. So the tree
is checked now and then even while the system reports changes, and more often where it does not.

Left out on purpose: how the system reports changes (`repo_mcp.indexing.watcher`), and reading any file.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.watcher import TreeWatcher, is_installed
from repo_mcp.threads import REFUSED
from repo_mcp.workspace.git.index import INDEX_PATH
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

LOOK_SECONDS = 1.0  # shortest time between two checks of the tree
LOOK_COST_FACTOR = 20  # a check takes at most a twentieth of a core: it waits 20 times what the last one took
WATCHED_LOOK_SECONDS = 60.0  # between checks while the system reports changes, because it may lose some
MAX_NAMED = 500  # most changed files that are looked at one by one; for more the tree is walked


class ChangeWatch:
    """The watch over one root. It calls back from the thread of its watcher."""

    def __init__(
        self,
        finder: PathChangeFinder | None,
        closed: threading.Event,
        refresh: Callable[[], object],
        refresh_changes: Callable[[PathChanges], bool],
        note_failure: Callable[[Exception], None],
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        """Take what indexes changes: `refresh` walks the tree; `refresh_changes` indexes only a few files.

        `refresh_changes` returns False when a walk is needed instead. `give_way` is called before the system
        is asked to watch, and may wait for more urgent work to end.
        """
        self.finder = finder
        self._closed = closed
        self._refresh = refresh
        self._refresh_changes = refresh_changes
        self._note_failure = note_failure
        self._give_way = give_way
        self._watcher: TreeWatcher | None = None  # None before `start`, and after watching has failed
        self.fault = ""
        self._waiting: frozenset[str] = frozenset()  # changed files that the watcher has reported
        self._reported = 0.0  # when the watcher reported last (time.monotonic)
        self._walked = 0.0  # when the last walk that was indexed began (time.monotonic)
        self._walk_wanted = False  # files that are not in `_waiting` may have changed too
        self._next_look = 0.0  # when the next check is due (time.monotonic)
        self._next_watched_look = 0.0  # when it is due while the system reports changes (time.monotonic)

    def start(self) -> None:
        """Watch for changes from now on if the system supports that; otherwise the tree is checked."""
        if self.finder is not None and self._watcher is None and is_installed():
            self._watcher = TreeWatcher(
                self.finder.root,
                self.finder.list_directories,
                self._take_changes,
                self._stop,
                self._give_way,
                self.finder.git_directory,
            )
            if not self._watcher.start():
                self._stop(REFUSED)

    @property
    def is_active(self) -> bool:
        """Return True while the system reports changes."""
        return self._watcher is not None

    @property
    def can_wait(self) -> bool:
        """Return True while the system can be asked whether something has changed."""
        watcher = self._watcher
        return watcher is not None and watcher.can_wait

    def wait(self, seconds: float) -> bool:
        """Wait until all changes before the call are indexed. Returns False when that takes longer."""
        watcher = self._watcher
        return watcher is None or watcher.wait(seconds)

    @property
    def is_placing(self) -> bool:
        """Return True while watching begins, and the tree is walked for it, and no change is known so far."""
        watcher = self._watcher
        return watcher is not None and watcher.is_placing

    @property
    def is_settled(self) -> bool | None:
        """Return whether all changes so far are indexed; None where the system cannot be asked for them."""
        watcher = self._watcher
        if watcher is None or not watcher.can_wait:
            return None
        return watcher.is_quiet and not self._walk_wanted and not self.count_waiting()

    def close(self) -> None:
        """Stop the watcher."""
        if (watcher := self._watcher) is not None:  # read once: it may give up at any moment
            watcher.close()

    def is_look_due(self) -> bool:
        """Return True if the tree should be checked now. The caller checks it; the next is due later."""
        due = self._next_look
        if self._watcher is not None:
            due = max(due, self._next_watched_look)
        if time.monotonic() < due:
            return False
        self._next_look = time.monotonic() + LOOK_SECONDS
        return True

    def count_waiting(self) -> int:
        """Return how many changed files the watcher has reported that are not indexed yet."""
        return len(self._waiting) if self._reported >= self._walked else 0

    def note_walk(self, started: float, error: Exception | None = None) -> None:
        """Postpone the next check after a walk that began at `started` (time.monotonic).

        A walk that was cancelled, or kept out by another process, counts as taking no time: the next call
        begins it again. One that failed otherwise is tried again when the next check is due.
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
        """Index the changes that the watcher reports, in its thread. With None, anything may have changed."""
        if paths is not None and INDEX_PATH in paths and self.finder is not None:
            paths -= {INDEX_PATH}
            self._walk_wanted |= self.finder.tracks_others()
        self._waiting |= paths or frozenset()
        self._reported = time.monotonic()
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
        """Index the changed files that are known by name. Return False when the tree must be walked."""
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
