"""Notices changed files, from the top down in three classes.

    ChangeWatch   has changes indexed, and says when the tree should be checked for changes that were missed
    TreeWatcher   a thread that reports the paths that changed, in batches
    ChangeQueue   the changes as Linux reports them (inotify); other systems report through watchfiles

Events are hints and never trusted: names are judged and files examined through the repository reader. A watch
starts before the walk that it relies on: once it is in place, everything is walked again. Events can be lost
without notice, when the system's queue overflows or on a network file system. So the tree is checked now and
then even while the system reports changes, and more often where it does not.

On Linux each walked directory is watched by itself, so ignored and denied ones cost nothing and no symbolic
link is followed. A change is in the queue when the call that made it returns: an empty queue means that
nothing has changed. So `wait` returns at once if it is empty, and otherwise once the changes in it have been
reported. Its entries are

    i32 watch | u32 mask | u32 cookie | u32 bytes of the name | name, padded with NUL

Other systems watch the root as a whole, which they do best. watchfiles reports a change 20 ms later or more,
and nothing can tell before then that there was one.

Left out on purpose: which names count, reading anything, and what happened to a name.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import Any

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.threads import REFUSED, start_daemon
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

LIBRARY = "watchfiles"
LOOK_SECONDS = 1.0  # at least, between checks of the tree
LOOK_COST_FACTOR = 20  # and at least this many times what the last check took: a twentieth of a core
WATCHED_LOOK_SECONDS = 60.0  # between checks while the system reports changes, of which it may lose some
MAX_NAMED = 500  # changed files that are examined by name; for more the tree is walked
STEP_MILLISECONDS = 20  # without another event, before events are reported, unless somebody waits for them
DEBOUNCE_MILLISECONDS = 200  # at most, while more events arrive
QUEUE_SECONDS = 10.0  # without any event, before the queue is read all the same
IDLE_MILLISECONDS = 250  # the same with watchfiles, which cannot be woken
WAIT_SECONDS = 0.1  # between checks for the first walk
CLOSE_SECONDS = 0.2
_MAX_FAILURES = 3  # in a row, because a directory vanished before it was watched

EVENT = struct.Struct("@iIII")
assert EVENT.size == 16
READ_BYTES = 64 * 1024  # at once: a thousand events

_MODIFY, _ATTRIBUTES, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF, _OVERFLOW = 0x100, 0x200, 0x400, 0x800, 0x4000
_ONLY_DIRECTORIES, _DO_NOT_FOLLOW, _NOT_UNLINKED = 0x0100_0000, 0x0200_0000, 0x0400_0000
_OF_NAMES = _MODIFY | _ATTRIBUTES | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_OF_DIRECTORY = _DELETE_SELF | _MOVE_SELF
_WATCHED = _OF_NAMES | _OF_DIRECTORY | _ONLY_DIRECTORIES | _DO_NOT_FOLLOW | _NOT_UNLINKED

Batches = Generator[frozenset[str] | None, None, None]
Told = Callable[[frozenset[str] | None], None]


def is_installed() -> bool:
    """Return True when the system can report changes to us."""
    return has_inotify() or importlib.util.find_spec(LIBRARY) is not None


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
        """`refresh` walks the tree; `refresh_changes` indexes a few files, or returns False for a walk.

        `give_way` is called before a watch is made, and returns when nobody waits for what it would delay.
        """
        self.finder = finder
        self._closed = closed
        self._refresh = refresh
        self._refresh_changes = refresh_changes
        self._note_failure = note_failure
        self._give_way = give_way
        self._watcher: TreeWatcher | None = None  # None as well when it cannot go on
        self.fault = ""
        self._waiting: frozenset[str] = frozenset()  # changed files that the watcher has reported
        self._told = 0.0  # time.monotonic of its last report
        self._walked = 0.0  # time.monotonic at which the last walk that was indexed began
        self._walk_wanted = False  # other files may have changed, too
        self._next_look = 0.0  # time.monotonic, before which the tree is not checked
        self._next_watched_look = 0.0  # the same while the system reports changes

    def start(self) -> None:
        """Watch for changes from now on if the system supports that; otherwise the tree is checked."""
        if self.finder is not None and self._watcher is None and is_installed():
            self._watcher = TreeWatcher(
                self.finder.root,
                self.finder.list_directories,
                self._take_changes,
                self._stop,
                self._give_way,
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

    def close(self) -> None:
        """Stop the watcher."""
        if (watcher := self._watcher) is not None:  # read once: it may give up at any moment
            watcher.close()

    def is_look_due(self) -> bool:
        """Return True when the tree should be checked; the next check is then due after LOOK_SECONDS."""
        due = self._next_look
        if self._watcher is not None:
            due = max(due, self._next_watched_look)
        if time.monotonic() < due:
            return False
        self._next_look = time.monotonic() + LOOK_SECONDS
        return True

    def count_waiting(self) -> int:
        """Return how many changed files the watcher has reported that are not indexed yet."""
        return len(self._waiting) if self._told >= self._walked else 0

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


class TreeWatcher:
    """A thread that waits for changes below a root and reports them."""

    def __init__(
        self,
        root: str,
        list_directories: Callable[[], Sequence[str] | None],
        told: Told,
        failed: Callable[[str], None],
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        """`list_directories` returns those to watch, "" for the root, or None before the first walk.

        `told` is called in the watcher's thread with the changed paths, or with None when everything must be
        walked; `failed` is called once, with the reason, when watching becomes impossible. `give_way` may
        wait before a watch is made.
        """
        self._root = root
        self._list_directories = list_directories
        self._told = told
        self._failed = failed
        self._give_way = give_way
        self._closed = threading.Event()
        self._walked = threading.Event()
        self.can_wait = has_inotify()
        self._turn = threading.Condition()  # guards the next four
        self._queue: ChangeQueue | None = None
        self._begun = 0  # batches taken from the queue so far; the walk of a new watch counts as one
        self._ended = 0  # batches that `told` has finished with
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
        """Wait until `told` is done with all changes before the call. Returns False when that takes longer.

        Only where `can_wait`. Takes 2 microseconds when nothing has changed.
        """
        with self._turn:
            due = self._begun + (self._queue is not None and not self._queue.is_empty)
            if self._ended >= due:
                return True
            self._awaited = max(self._awaited, due)
            self._hurried.set()
            return self._turn.wait_for(lambda: self._ended >= due or self._closed.is_set(), seconds)

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
                self._told(None)
            except Exception as error:
                self._failed(_explain(error))
                return

    def _watch(self, directories: frozenset[str]) -> None:
        """Report changes until the watcher is closed or the set of directories differs."""
        self._walked.clear()
        self._begin()
        with closing(self._iter_batches(directories)) as batches:
            next(batches)  # the watch is in place
            self._told(None)
            self._end()
            for batch in batches:
                if self._closed.is_set():
                    return
                if batch is None or "" in batch:
                    self._told(None)
                elif batch:
                    self._told(batch)
                if self._walked.is_set() and sys.platform == "linux":
                    self._walked.clear()
                    if frozenset(self._list_directories() or ()) != directories:
                        return  # and the batch has not ended before the new watch is in place
                self._end()

    def _begin(self) -> None:
        with self._turn:
            self._begun += 1

    def _end(self) -> None:
        with self._turn:
            self._ended = self._begun
            if self._ended >= self._awaited:
                self._hurried.clear()
            self._turn.notify_all()

    def _iter_batches(self, directories: Iterable[str]) -> Batches:
        """Yield batches of relative paths, "" for the root; empty batches while nothing happens.

        None stands for a batch in which anything may have changed.
        """
        return self._iter_queue(directories) if self.can_wait else self._iter_reported(directories)

    def _iter_queue(self, directories: Iterable[str]) -> Batches:
        queue = ChangeQueue(self._root, sorted(directories))
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
        with self._turn:  # so that a change is either still in the queue or in a batch that has begun
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
    if number in (errno.ENOSPC, errno.EMFILE) or "limit" in str(error):  # of watches; of queues
        return "the system's limit on file watches was reached"
    if number is not None:
        return os.strerror(number)
    return type(error).__name__


@cache
def has_inotify() -> bool:
    """Return True where Linux reports changes itself. In WSL it reports none of Windows' files."""
    if sys.platform != "linux" or "microsoft" in os.uname().release.lower():
        return False
    return hasattr(_load_library(), "inotify_init1")


class ChangeQueue:
    """The changes in some directories since it was made. For one thread, except `is_empty` and `wake`."""

    def __init__(self, root: str, directories: Iterable[str]) -> None:
        """Watch these directories, relative to the root, "" for itself. Raises OSError."""
        library = _load_library()
        self._descriptor = _check(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._woken = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._directories: dict[int, str] = {}
        self._poll = select.poll()
        try:
            for one in directories:
                place = os.fsencode(os.path.join(root, one))
                watch = _check(library.inotify_add_watch(self._descriptor, place, _WATCHED))
                self._directories[watch] = one
            for descriptor in (self._descriptor, self._woken):
                self._poll.register(descriptor, select.POLLIN)
        except BaseException:
            self.close()
            raise

    @property
    def is_empty(self) -> bool:
        """Return True when nothing has changed that was not read."""
        from fcntl import ioctl
        from termios import FIONREAD

        # Not by `poll`: its object serves one thread at a time.
        return not any(ioctl(self._descriptor, FIONREAD, bytes(4)))

    def wait(self, seconds: float) -> None:
        """Wait for changes, or for `wake`."""
        self._poll.poll(seconds * 1000)
        with suppress(BlockingIOError):
            os.eventfd_read(self._woken)

    def wake(self) -> None:
        """End a wait, now or the next one."""
        os.eventfd_write(self._woken, 1)

    def read(self) -> frozenset[str] | None:
        """Return the changed paths, relative to the root, without waiting; None when any may have changed."""
        found: set[str] = set()
        is_known = True
        while True:
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                return frozenset(found) if is_known else None
            offset = 0
            while offset < len(data):
                watch, mask, _cookie, size = EVENT.unpack_from(data, offset)
                offset += EVENT.size
                name = data[offset : offset + size].rstrip(b"\0").decode("utf-8", "replace")
                offset += size
                directory = self._directories.get(watch, "")
                if mask & _OF_NAMES:
                    found.add(f"{directory}/{name}" if directory else name)
                elif mask & _OF_DIRECTORY and directory:
                    found.add(directory)
                else:  # the queue overflowed, or the root is gone; the end of a watch was reported before
                    is_known &= not mask & (_OVERFLOW | _OF_DIRECTORY)

    def close(self) -> None:
        """Watch nothing any more."""
        os.close(self._descriptor)
        os.close(self._woken)


def _check(result: int) -> int:
    """Return the result of a call. Raises OSError when it failed."""
    if result < 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@cache
def _load_library() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
