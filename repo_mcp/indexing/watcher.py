"""Notices changed files: a thread that reports the paths that changed, in batches.

Events are hints and never trusted: names are judged and files examined through the repository reader. A watch
starts before the walk that it relies on: once it is in place, everything is walked again.

On Linux each walked directory is watched by itself (`repo_mcp.indexing.inotify`). There an empty queue means
that nothing has changed, so `wait` returns at once if it is empty, and otherwise once the changes in it have
been reported. Other systems watch the root as a whole, which they do best. watchfiles reports a change 20 ms
later or more, and nothing can tell before then that there was one.

Left out on purpose: which names count, reading anything, and what happened to a name.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing

from repo_mcp.indexing.inotify import ChangeQueue, has_inotify
from repo_mcp.threads import start_daemon

LIBRARY = "watchfiles"
STEP_MILLISECONDS = 20  # pause without events after which they are reported, unless somebody waits
DEBOUNCE_MILLISECONDS = 200  # longest delay of a report while events keep arriving
QUEUE_SECONDS = 10.0  # the queue is read at least this often
IDLE_MILLISECONDS = 250  # watchfiles is asked at least this often, because it cannot be woken
WAIT_SECONDS = 0.1  # time between checks whether the first walk has ended
CLOSE_SECONDS = 0.2
_MAX_FAILURES = 3  # most failures in a row because a directory vanished before it was watched

_LIMITS = {errno.ENOSPC: "fs.inotify.max_user_watches", errno.EMFILE: "fs.inotify.max_user_instances"}

Batches = Generator[frozenset[str] | None, None, None]
Report = Callable[[frozenset[str] | None], None]


def is_installed() -> bool:
    """Return True when the system can report changes to us."""
    return has_inotify() or importlib.util.find_spec(LIBRARY) is not None


class TreeWatcher:
    """A thread that waits for changes below a root and reports them."""

    def __init__(
        self,
        root: str,
        list_directories: Callable[[], Sequence[str] | None],
        report: Report,
        failed: Callable[[str], None],
        give_way: Callable[[], None] = lambda: None,
        git_directory: str = "",
    ) -> None:
        """`list_directories` returns those to watch, "" for the root, or None before the first walk.

        `report` gets the changed paths in the watcher's thread, or None when everything must be walked;
        `failed` is called once, with the reason, when watching becomes impossible. `give_way` may wait
        before a watch is made. Of `git_directory`, if there is one, only changes of the index are reported.
        """
        self._root = root
        self._list_directories = list_directories
        self._report = report
        self._failed = failed
        self._give_way = give_way
        self._git_directory = git_directory
        self._closed = threading.Event()
        self._walked = threading.Event()
        self.can_wait = has_inotify()
        self._turn = threading.Condition()  # guards the next five
        self._is_placing = False  # a new watch is being put in place: only its walk is waited for
        self._queue: ChangeQueue | None = None
        self._begun = 0  # batches taken from the queue so far; the walk of a new watch counts as one
        self._ended = 0  # batches that `report` has finished with
        self._awaited = 0  # number of the last batch that somebody waits for
        self._hurried = threading.Event()  # somebody waits
        self._thread = threading.Thread(target=self._run, name="watch")

    def start(self) -> bool:
        """Start the thread. Returns False when the system refuses it. May be called once."""
        return start_daemon(self._thread)

    def note_walk(self) -> None:
        """Check for directories to watch or unwatch, after a walk."""
        self._walked.set()
        self._wake()

    def wait(self, seconds: float) -> bool:
        """Wait until `report` is done with all changes before the call. Returns False when that takes longer.

        Only where `can_wait`. Takes 2 microseconds when nothing has changed.
        """
        with self._turn:
            due = self._begun + (self._queue is not None and not self._queue.is_empty)
            if self._ended >= due:
                return True
            self._awaited = max(self._awaited, due)
            self._hurried.set()
            return self._turn.wait_for(lambda: self._ended >= due or self._closed.is_set(), seconds)

    @property
    def is_quiet(self) -> bool:
        """Return True while a watch is in place of which `report` is done with all changes so far."""
        with self._turn:
            return self._queue is not None and self._queue.is_empty and self._ended >= self._begun

    @property
    def is_placing(self) -> bool:
        """Return True while a new watch is put in place and all is walked for it, and no change is known."""
        with self._turn:
            return self._is_placing and (self._queue is None or self._queue.is_empty)

    def close(self) -> None:
        """Stop the thread, waiting at most CLOSE_SECONDS for it."""
        self._closed.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join(CLOSE_SECONDS)

    def _wake(self) -> None:
        with self._turn:
            if self._queue is not None:
                self._queue.wake()

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self._closed.set()
            self._end()  # nobody waits any more

    def _follow(self) -> None:
        failures = 0
        while not self._closed.is_set():
            directories = self._list_directories()
            if directories is None:
                self._closed.wait(WAIT_SECONDS)
                continue
            self._give_way()
            try:
                self._watch(frozenset(directories))
                failures = 0
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                failures += 1
                if failures == _MAX_FAILURES:
                    self._failed("a directory was gone before it could be watched")
                    return
                self._report(None)
            except Exception as error:
                self._failed(_explain(error))
                return

    def _watch(self, directories: frozenset[str]) -> None:
        """Report changes until the watcher is closed or the set of directories differs."""
        self._walked.clear()
        self._begin()
        with closing(self._iter_batches(directories)) as batches:
            next(batches)  # the watch is in place
            self._report(None)
            self._end()
            for batch in batches:
                if self._closed.is_set():
                    return
                if batch is None or "" in batch:
                    self._report(None)
                elif batch:
                    self._report(batch)
                if self._walked.is_set() and sys.platform == "linux":
                    self._walked.clear()
                    if frozenset(self._list_directories() or ()) != directories:
                        return  # the batch ends once the new watch is in place
                self._end()

    def _begin(self) -> None:
        with self._turn:
            self._is_placing = True
            self._begun += 1

    def _end(self) -> None:
        with self._turn:
            self._ended, self._is_placing = self._begun, False
            if self._ended >= self._awaited:
                self._hurried.clear()
            self._turn.notify_all()

    def _iter_batches(self, directories: Iterable[str]) -> Batches:
        """Yield batches of relative paths, "" for the root; empty batches while nothing happens.

        None stands for a batch in which anything may have changed.
        """
        return self._iter_queue(directories) if self.can_wait else self._iter_reported(directories)

    def _iter_queue(self, directories: Iterable[str]) -> Batches:
        queue = ChangeQueue(self._root, sorted(directories), self._git_directory)
        try:
            with self._turn:
                self._queue = queue
            yield frozenset()
            while not self._closed.is_set():
                queue.wait(QUEUE_SECONDS)
                yield frozenset() if queue.is_empty else self._take(queue)
        finally:
            with self._turn:
                self._queue = None
            queue.close()

    def _take(self, queue: ChangeQueue) -> frozenset[str] | None:
        """Return a batch: what is in the queue, and what follows soon unless a caller waits."""
        batch = self._read(queue)
        for _ in range(DEBOUNCE_MILLISECONDS // STEP_MILLISECONDS):
            is_awaited = self._hurried.wait(STEP_MILLISECONDS / 1000)
            if queue.is_empty:
                break
            more = self._read(queue)
            batch = None if batch is None or more is None else batch | more
            if is_awaited:
                break
        return batch

    def _read(self, queue: ChangeQueue) -> frozenset[str] | None:
        with self._turn:  # a change is then either still in the queue or in a batch that has begun
            self._begun += 1
            return queue.read()

    def _iter_reported(self, directories: Iterable[str]) -> Batches:
        from watchfiles import watch

        on_linux = sys.platform == "linux"
        places = [os.path.join(self._root, one) for one in sorted(directories)] if on_linux else [self._root]
        changes = watch(
            *places,
            watch_filter=None,
            debounce=DEBOUNCE_MILLISECONDS,
            step=STEP_MILLISECONDS,
            stop_event=self._closed,
            rust_timeout=IDLE_MILLISECONDS,
            yield_on_timeout=True,
            debug=False,
            raise_interrupt=False,
            recursive=not on_linux,
            ignore_permission_denied=False,  # otherwise every other refusal would be silent too
        )
        prefix = os.path.join(self._root, "")
        for batch in changes:
            inside = (os.path.join(path, "") for _, path in batch)
            yield frozenset(
                path.removeprefix(prefix).rstrip(os.sep).replace(os.sep, "/")
                for path in inside
                if path.startswith(prefix)
            )


def _explain(error: Exception) -> str:
    """Return why watching failed, without naming a path."""
    number = getattr(error, "errno", None)
    raised = "" if number is None else _LIMITS.get(number, "")
    if raised or "limit" in str(error):
        return "the system's limit on file watches was reached" + (f": raise {raised}" if raised else "")
    if number is not None:
        return os.strerror(number)
    return type(error).__name__
