"""Reports changed files as the system does, through watchfiles where it can be loaded.

On Linux each walked directory is watched by itself, so ignored and denied ones cost nothing
and no symbolic link is followed. Elsewhere the root is watched as a whole, as those systems do best.
Events are hints, never trusted: names are judged and files looked at through the repository reader.

A watch starts before the walk that it relies on: once it is in place, everything is walked again. Events
can be lost without notice, when the system's queue overflows or on a network file system. The caller
therefore still walks now and then, and so finds what was lost.

Left out on purpose: which names count, and reading anything.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

LIBRARY = "watchfiles"
STEP_MILLISECONDS = 20  # without another event, before events are reported
DEBOUNCE_MILLISECONDS = 200  # at most, while more events arrive
IDLE_MILLISECONDS = 250  # without any event, before the set of watched directories is checked
WAIT_SECONDS = 0.1  # between checks for the first walk
CLOSE_SECONDS = 0.2
_MAX_FAILURES = 3  # in a row, because a directory vanished before it was watched

Told = Callable[[frozenset[str] | None], None]


def is_installed() -> bool:
    """Return True when the library for watching is installed."""
    return importlib.util.find_spec(LIBRARY) is not None


class TreeWatcher:
    """A thread that waits for changes below a root and reports them."""

    def __init__(
        self,
        root: str,
        list_directories: Callable[[], Sequence[str] | None],
        told: Told,
        failed: Callable[[str], None],
    ) -> None:
        """`list_directories` returns those to watch, "" for the root, or None before the first walk.

        `told` is called in the watcher's thread with paths relative to the root, or None when everything
        must be walked; `failed` is called once, with the reason, when watching becomes impossible.
        """
        self._root = root
        self._list_directories = list_directories
        self._told = told
        self._failed = failed
        self._closed = threading.Event()
        self._walked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Start the thread. May be called once."""
        self._thread.start()

    def note_walk(self) -> None:
        """Check for directories to watch or unwatch, after a walk."""
        self._walked.set()

    def close(self) -> None:
        """Stop the thread, waiting at most CLOSE_SECONDS for it."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        failures = 0
        while not self._closed.is_set():
            directories = self._list_directories()
            if directories is None:
                self._closed.wait(WAIT_SECONDS)
                continue
            try:
                self._watch(frozenset(directories))
                failures = 0
            except (FileNotFoundError, PermissionError):
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
        batches = self._iter_batches(directories)
        next(batches)  # the watch is in place
        self._told(None)
        for batch in batches:
            if self._closed.is_set():
                return
            if batch:
                self._told(None if "" in batch else batch)
            if self._walked.is_set() and sys.platform == "linux":
                self._walked.clear()
                if frozenset(self._list_directories() or ()) != directories:
                    return

    def _iter_batches(self, directories: Iterable[str]) -> Iterator[frozenset[str]]:
        """Yield batches of relative paths, "" for the root; empty batches while nothing happens."""
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
    if number is not None:
        return os.strerror(number)
    if "limit" in str(error) or "space" in str(error):
        return "the system's limit on file watches was reached"
    return type(error).__name__
