"""A live derived index: one that is made from the lexical index, kept up to date and opened for reading.

Nothing is built before the first call of `start`. From then on a thread runs a round after each refresh of
the lexical index, which adds records for new and changed files. A caller may also run a round itself; only
one runs at a time. A damaged index is dropped, reported as a fault, and rebuilt by the next round.

Left out on purpose: the records, the questions that they answer, and the status. The subclasses have those.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from index_format import Directory, IndexFormatError, Manifest, ManifestReader, Snapshot
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived.plan import FindTask, count_done
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import IndexProgress
from repo_mcp.record_classes import dataclass
from repo_mcp.threads import REFUSED, start_daemon

CLOSE_WAIT_SECONDS = 1.5  # how long `close` waits for a running round to stop
MANY_FILES = 20_000  # With more files only the round compares them (0.1 s for 80,000), and not a status
PLAN_SECONDS = 0.5  # how long a status waits for the round to compare them
PLAN_POLL_SECONDS = 0.005
RETRY_SECONDS = 5.0  # pause after another process had locked the index
# Pause after the index could not be written, or the system refused threads or processes. It is longer because
# a round may parse for seconds before it fails.
FULL_RETRY_SECONDS = 30.0
AWAITED = "What it has not finished may be missing here."  # while another process writes the index

Report = TypeVar("Report")
Counted = tuple[Manifest | None, Manifest]  # the manifests of the derived and of the lexical index


class OpenedView(Protocol):
    """One opened generation of a derived index."""

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the derived index."""


View = TypeVar("View", bound=OpenedView)


@dataclass(frozen=True, slots=True)
class DerivedIndexMessages:
    """The messages of a derived index, and the name of its thread."""

    thread: str
    busy: str  # message of the error when a build is requested while the thread is building
    failed: str  # the words in front of the message of a failure in the background
    reach: str  # warning of incomplete answers; {} are the numbers of finished and of wanted files


class DerivedIndex(ABC, Generic[View]):
    """The opened generation of a derived index, and its rounds. Safe for several threads."""

    def __init__(self, index: LiveIndex, find_task: FindTask, messages: DerivedIndexMessages) -> None:
        """Take `find_task`, which tells the files of the lexical index that should have a record."""
        self._index = index
        self._find_task = find_task
        self._messages = messages
        self._manifests = ManifestReader()
        self._opening = threading.Lock()  # guards the next two
        self._view: View | None = None
        self._opened: tuple[Manifest, Manifest] | None = None  # the manifests of both indexes in `_view`
        self._running = threading.Lock()  # held while this process builds or merges
        self._progress: IndexProgress | None = None  # progress of the running round
        # Numbers of finished and of wanted files, with the manifests they are for.
        self._counted: tuple[Counted, tuple[int, int]] | None = None
        self._compares_all = False  # the running (or next) round compares, and so counts, all files
        self._fault = ""
        self._anew = False  # the next round rebuilds everything
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._has_no_thread = False  # the system refused to start a thread
        self._closed = threading.Event()

    # Reading

    def _open_view(
        self,
        directory: Directory,
        configuration: str,
        lexical: Snapshot,
        make: Callable[[Snapshot, View | None], View],
    ) -> View | None:
        """Return a view of the committed generation, built by `make` from its snapshot and the previous view.

        Returns None when none with this configuration is committed. Raises IndexFormatError, OSError.
        """
        manifest = self._manifests.read(directory)
        if manifest is None or manifest.configuration != configuration:
            return None
        with self._opening:
            # Not the numbers of generations, which begin at 1 again after a rebuild.
            opened = (manifest, lexical.manifest)
            before = self._view
            if before is None or self._opened != opened:
                snapshot = Snapshot.open(directory, None if before is None else before.snapshot)
                self._view = None if snapshot is None else make(snapshot, before)
                self._opened = opened
            return self._view

    def _find_opened(self, lexical: Snapshot) -> View | None:
        """Return the view that was opened for this lexical index, for a directory that cannot be entered."""
        with self._opening:
            return self._view if self._opened is not None and self._opened[1] == lexical.manifest else None

    def _drop_view(self, fault: str) -> None:
        """Stop using a damaged index; the next round rebuilds everything."""
        with self._opening:
            self._view = self._opened = None
        self._fault = fault
        self._anew = True

    def _count_done(self, view: View | None, lexical: Snapshot) -> tuple[int, int]:
        """Return the numbers of finished and wanted files: of the running round, or of the committed index.

        If a round is just comparing many files, this waits for its numbers, at most PLAN_SECONDS, because
        comparing them here as well would take longer.
        """
        snapshot = None if view is None else view.snapshot
        generations = (None if snapshot is None else snapshot.manifest, lexical.manifest)
        is_known = self._counted is not None and self._counted[0] == generations
        has_waited = not is_known and self._wait_for_plan(lexical)
        progress, kept = self._progress, self._counted
        # The round that this call waited for has ended.
        if has_waited and kept is not None and kept[0][1] == lexical.manifest:
            return kept[1]
        if progress is not None and progress.files_total:
            return progress.files_done, progress.files_total
        if kept is None or kept[0] != generations:  # compared once only: it takes a moment in a large tree
            kept = generations, count_done(lexical, KnownFiles(snapshot), self._find_task)
            self._counted = kept
        return kept[1]

    def _wait_for_plan(self, lexical: Snapshot) -> bool:
        """Return True after a wait for a round that compares many files, PLAN_SECONDS at most."""
        deadline, has_waited = time.monotonic() + PLAN_SECONDS, False
        while self._is_comparing(lexical) and time.monotonic() < deadline:
            has_waited = True
            if self._closed.wait(PLAN_POLL_SECONDS):
                break
        return has_waited

    def _is_comparing(self, lexical: Snapshot) -> bool:
        """Return True while a round is comparing many files to find out which are finished."""
        is_due = (
            self._thread is not None and self._compares_all and self._progress is None and not self._fault
        )
        return is_due and lexical.file_count > MANY_FILES and self._index.generation.is_whole(lexical)

    def _note_done(self, directory: Directory, lexical: Snapshot, done: int, total: int) -> None:
        """Record the numbers of finished and wanted files after a round that compared all of them."""
        manifest = self._manifests.read(directory)
        self._counted = ((manifest, lexical.manifest), (done, total))

    def _describe_reach(self, done: int, total: int) -> list[str]:
        """Return a warning for answers while files are missing, and why the last round failed."""
        notes = (self._messages.reach.format(done, total) if done < total else "", self._fault)
        return list(filter(None, notes))

    # Writing

    def start(self) -> None:
        """Begin to build in the background, now and after each later refresh of the lexical index.

        Where the system has no thread for it, a fault says so, and `start_again` tries again.
        """
        with self._opening:
            if self._thread is None and not self._closed.is_set():
                thread = threading.Thread(target=self._follow, name=self._messages.thread)
                refused = f"{self._messages.failed}: {REFUSED}."
                self._has_no_thread = not start_daemon(thread)
                if self._has_no_thread:
                    self._fault = refused
                    return
                self._thread = thread
                if self._fault == refused:
                    self._fault = ""
        self._wake.set()

    def start_again(self) -> None:
        """Begin to build if the system had no thread when that was asked for."""
        if self._has_no_thread:
            self.start()

    def note_refresh(self) -> None:
        """Wake the background thread, if started: the lexical index has a new generation."""
        self.start_again()
        self._wake.set()

    @contextmanager
    def _run_alone(self, *, begun: bool) -> Iterator[None]:
        """Release `_running` at the end of a synchronous build. Raises BUSY unless it was taken (`begun`)."""
        if not begun:
            raise RepoError(ErrorCode.BUSY, self._messages.busy, "The status shows the progress.")
        try:
            yield
        finally:
            self._running.release()

    def _renew(self, make: Callable[[bool], Report]) -> Report:
        """Run one round and return its report. `make` runs it, given whether to rebuild everything.

        If `make` raises IndexFormatError, the lexical index is damaged, and that is reported.
        """
        anew, self._anew = self._anew, False
        try:
            done = make(anew)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        except RepoError as error:
            # Another process was writing, so the rebuild is still due.
            self._anew |= anew and error.code is ErrorCode.BUSY
            raise
        finally:
            self._progress = None
        self._fault = ""
        return done

    def _follow(self) -> None:
        """Run a round whenever the lexical index has changed, until closed."""
        done: tuple[object, ...] | None = None
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._closed.is_set():
                searcher = self._index.find_searcher()
                if searcher is None:
                    break
                identity = self._identify(searcher.snapshot)
                if identity == done and not self._anew:
                    break
                pause = self._try_round(searcher.snapshot)
                if pause is None:
                    done = identity
                else:
                    self._closed.wait(pause)

    def _identify(self, lexical: Snapshot) -> tuple[object, ...]:
        """Return what a round depends on. While it is the same as in the last round, none is needed."""
        return (lexical.manifest, self._index.generation.is_whole(lexical))

    def _try_round(self, lexical: Snapshot) -> float | None:
        """Run one round; return the seconds until a retry, or None when nothing is left to do."""
        try:
            return self._run_round(lexical)
        except RepoError as error:
            if error.code is ErrorCode.BUSY:
                if not self._anew:  # otherwise the damage remains the reported fault
                    self._fault = f"{error.message} {AWAITED}"
                return RETRY_SECONDS
            if error.code is not ErrorCode.CANCELLED:
                self._fault = f"{self._messages.failed}: {error.message}"
            if error.code in (ErrorCode.INDEX_UNAVAILABLE, ErrorCode.INTERNAL):
                return FULL_RETRY_SECONDS
        except Exception as error:  # nothing else would report a failure of the thread
            self._fault = f"{self._messages.failed}: {type(error).__name__}."
        return None

    @abstractmethod
    def _run_round(self, lexical: Snapshot) -> float | None:
        """Run one round in the background; return as `_try_round` does. Raises what the round raises."""

    def stop(self) -> None:
        """Stop the running round and start no other."""
        self._closed.set()
        self._wake.set()

    def close(self) -> bool:
        """Stop and wait. Return False when the running round has not stopped in CLOSE_WAIT_SECONDS."""
        self.stop()
        stopped = self._running.acquire(timeout=CLOSE_WAIT_SECONDS)
        with self._opening:
            self._view = None
        return stopped
