"""The files of a running refresh that are not in the index yet: shards in order, and files that go first.

The refresh takes shards from here and reports when one is committed. A search may look through the remaining
files and want some of them first. These are moved from their shards into a new one, which is built next. For
files in a shard that is being built, the caller waits.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field

from repo_mcp.indexing.shards.shards import ShardTask
from repo_mcp.record_classes import dataclass, replace


@dataclass(slots=True)
class _AwaitedFiles:
    """Files that somebody waits for."""

    paths: frozenset[str]
    shards: set[str] | None = None  # temporary names of the shards with them; None: not looked up yet
    fulfilled: threading.Event = field(default_factory=threading.Event)


class RemainingFiles:
    """The files of the running refresh that are not in the index yet. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[ShardTask] = deque()
        self._given: dict[str, ShardTask] = {}  # being built or committed, by temporary name
        self._awaited: list[_AwaitedFiles] = []
        self._reserve_temporary: Callable[[], str] | None = None  # None: no refresh runs
        self._wake: Callable[[], None] = lambda: None
        self.is_hidden = False  # the refresh commits only at its end, so waiting is of no use
        self.are_any = False  # a shard waits or is being built, and will become visible

    # For calls that search

    def list_paths(self) -> list[str]:
        """Return the paths of all these files in the order of building; none while asking is no use."""
        with self._lock:
            tasks = () if self.is_hidden else (*self._given.values(), *self._waiting)
            return [path for task in tasks for path, _ in task.files]

    def index_first(self, paths: Sequence[str], seconds: float) -> bool:
        """Have some of these files indexed before all others; return True when they are committed in time."""
        awaited = _AwaitedFiles(frozenset(paths))
        with self._lock:
            if self._reserve_temporary is None or not paths:
                return not paths
            self._awaited.append(awaited)
            wake = self._wake
        wake()
        return awaited.fulfilled.wait(seconds)

    # For the refresh

    def begin(self, reserve_temporary: Callable[[], str], wake: Callable[[], None]) -> None:
        """Begin a refresh, without files so far. `wake` is called when somebody wants some files first."""
        with self._lock:
            self._reserve_temporary, self._wake = reserve_temporary, wake
            self.is_hidden = False

    def end(self) -> None:
        """Forget files that were not built: nobody waits any more."""
        with self._lock:
            self._reserve_temporary = None
            self._waiting.clear()
            self._given.clear()
            self.are_any = False
            for one in self._awaited:
                one.fulfilled.set()
            self._awaited.clear()

    @property
    def count_waiting(self) -> int:
        """Return the number of shards that are not taken yet."""
        return len(self._waiting)

    def add(self, task: ShardTask) -> None:
        """Add the next shard."""
        with self._lock:
            self._waiting.append(task)
            self.are_any = not self.is_hidden

    def take(self) -> ShardTask | None:
        """Return the shard to build next, or None."""
        with self._lock:
            task = self._waiting.popleft() if self._waiting else None
            if task is not None:
                self._given[task.temporary] = task
            return task

    def take_awaited(self) -> ShardTask | None:
        """Return a shard of the files that somebody waits for, or None. Build it at once."""
        with self._lock:
            new = [one for one in self._awaited if one.shards is None]
            wanted = frozenset[str]().union(*[one.paths for one in new])
            task = self._cut_out(wanted) if wanted else None
            for one in new:
                one.shards = {
                    name
                    for name, given in self._given.items()
                    if not one.paths.isdisjoint(path for path, _ in given.files)
                }
            self._wake_fulfilled()
            return task

    def _cut_out(self, wanted: frozenset[str]) -> ShardTask | None:
        """Move the wanted files out of the waiting shards into one of their own; None if there are none.

        Their bytes stay counted with the old shards, which only progress uses.
        """
        assert self._reserve_temporary is not None
        found = []
        for place, task in enumerate(self._waiting):
            if wanted.isdisjoint(path for path, _ in task.files):
                continue
            found += [file for file in task.files if file[0] in wanted]
            self._waiting[place] = replace(task, files=tuple(f for f in task.files if f[0] not in wanted))
        if not found:
            return None
        task = ShardTask(self._reserve_temporary(), tuple(sorted(found)), 0)
        self._given[task.temporary] = task
        return task

    def is_awaited(self, temporary: str) -> bool:
        """Return True when somebody waits for a shard to be committed."""
        with self._lock:
            return any(one.shards is not None and temporary in one.shards for one in self._awaited)

    def note_committed(self, temporary: str) -> None:
        """Record that the files of a shard are in the index."""
        with self._lock:
            self._given.pop(temporary, None)
            self.are_any = not self.is_hidden and bool(self._given or self._waiting)
            self._wake_fulfilled()

    def _wake_fulfilled(self) -> None:
        """Wake the callers whose files are all in the index."""
        for one in self._awaited:
            if one.shards is not None and self._given.keys().isdisjoint(one.shards):
                one.fulfilled.set()
        self._awaited = [one for one in self._awaited if not one.fulfilled.is_set()]
