"""An index that follows the lexical one, as it is now: the opened generation, and the rounds that renew it.

Nothing is made before somebody asks. From `start` on a thread makes what is new after each refresh of the
lexical index, and no call waits for it; whoever builds here and now has it alone. What cannot be read is
dropped, told of as a fault, and made anew by the next round.

Left out on purpose: what is asked of such an index, what its status holds and in which words it is told.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from index_format import Directory, IndexFormatError, Manifest, Snapshot, read_manifest
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived_plan import FindTask, Plan, plan_round
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import IndexProgress

CLOSE_WAIT_SECONDS = 1.5  # for a running round to stop
RETRY_SECONDS = 5.0  # after another process held the index

Report = TypeVar("Report")


class OpenedView(Protocol):
    """One generation, opened."""

    @property
    def snapshot(self) -> Snapshot:
        """Of the index that follows."""


View = TypeVar("View", bound=OpenedView)


@dataclass(frozen=True, slots=True)
class DerivedIndexWording:
    """How a following index is named."""

    thread: str
    busy: str  # a build while the background makes it
    failed: str  # before the message of what went wrong in the background


class DerivedIndex(ABC, Generic[View]):
    """Every method may be called from several threads at a time."""

    def __init__(self, index: LiveIndex, find_task: FindTask, words: DerivedIndexWording) -> None:
        """`find_task` tells which files of the lexical index should have a record."""
        self._index = index
        self._find_task = find_task
        self._words = words
        self._opening = threading.Lock()  # guards the two below
        self._view: View | None = None
        self._opened: tuple[Manifest, Manifest] | None = None  # of this index, of the lexical one
        self._running = threading.Lock()  # held while this process makes or merges
        self._progress: IndexProgress | None = None  # of the round that runs
        self._plan: tuple[tuple[Manifest | None, Manifest], Plan] | None = None  # the same
        self._fault = ""
        self._anew = False  # the next round builds everything
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    # Reading

    def _open_view(
        self,
        directory: Directory,
        configuration: str,
        lexical: Snapshot,
        make: Callable[[Snapshot, View | None], View],
    ) -> View | None:
        """The committed generation; `make` makes it of its snapshot and the view before.

        None when none of this configuration is committed. Raises IndexFormatError, OSError.
        """
        manifest = read_manifest(directory)
        if manifest is None or manifest.configuration != configuration:
            return None
        with self._opening:
            opened = (manifest, lexical.manifest)  # generations begin anew with an index
            before = self._view
            if before is None or self._opened != opened:
                snapshot = Snapshot.open(directory, None if before is None else before.snapshot)
                self._view = None if snapshot is None else make(snapshot, before)
                self._opened = opened
            return self._view

    def _drop_view(self, fault: str) -> None:
        """What is committed could not be read: none of it is used, and the next round builds everything."""
        with self._opening:
            self._view = self._opened = None
        self._fault = fault
        self._anew = True

    def _count_done(self, view: View | None, lexical: Snapshot) -> tuple[int, int]:
        """Files done, and files that should be: by the round that runs, else by what is committed."""
        progress = self._progress
        if progress is not None and progress.files_total:
            return progress.files_done, progress.files_total
        snapshot = None if view is None else view.snapshot
        generations = (None if snapshot is None else snapshot.manifest, lexical.manifest)
        kept = self._plan
        if kept is None or kept[0] != generations:  # to compare all files takes a moment in a large tree
            plan = plan_round(lexical, KnownFiles(snapshot), self._find_task)
            kept = self._plan = (generations, plan)
        return kept[1].done_files, kept[1].total_files

    # Writing

    def start(self) -> None:
        """Make in the background what is new, now and after each refresh of the lexical index to come."""
        with self._opening:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._follow, name=self._words.thread, daemon=True)
                self._thread.start()
        self._wake.set()

    def note_refresh(self) -> None:
        """The lexical index has a new generation. Nothing is done unless it was started."""
        self._wake.set()

    @contextmanager
    def _run_alone(self, *, begun: bool) -> Iterator[None]:
        """For a build here and now; `begun` tells whether `_running` could be had. Raises BUSY."""
        if not begun:
            raise RepoError(ErrorCode.BUSY, self._words.busy, "The status tells how far it is.")
        try:
            yield
        finally:
            self._running.release()

    def _renew(self, make: Callable[[bool], Report]) -> Report:
        """One round: `make` is told whether everything is to be made anew. Raises what it raises.

        What cannot be read then is the lexical index.
        """
        anew, self._anew = self._anew, False
        try:
            done = make(anew)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        except RepoError as error:
            self._anew |= anew and error.code is ErrorCode.BUSY  # it was not begun
            raise
        finally:
            self._progress = None
        self._fault = ""
        return done

    def _follow(self) -> None:
        """Until closed: a round whenever the lexical index is another."""
        done: tuple[object, ...] | None = None
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._closed.is_set():
                searcher = self._index.find_searcher()
                if searcher is None:
                    break
                there_is = self._identify(searcher.snapshot)
                if there_is == done and not self._anew:
                    break
                pause = self._try_round(searcher.snapshot)
                if pause is None:
                    done = there_is
                else:
                    self._closed.wait(pause)

    def _identify(self, lexical: Snapshot) -> tuple[object, ...]:
        """What there is to follow; as long as it stays the same there is nothing to do."""
        return (lexical.manifest,)

    def _try_round(self, lexical: Snapshot) -> float | None:
        """Seconds after which it should be tried again; None when nothing is left to do."""
        try:
            return self._run_round(lexical)
        except RepoError as error:
            if error.code is ErrorCode.BUSY:
                return RETRY_SECONDS
            if error.code is not ErrorCode.CANCELLED:
                self._fault = f"{self._words.failed}: {error.message}"
        except Exception as error:  # a thread has nobody else to tell
            self._fault = f"{self._words.failed}: {type(error).__name__}."
        return None

    @abstractmethod
    def _run_round(self, lexical: Snapshot) -> float | None:
        """One round in the background; as `_try_round`. Raises what a round raises."""

    def _stops_when(self, cancelled: Callable[[], bool] | None) -> Callable[[], bool]:
        """True when this is closed, or whoever asked does not want it any more."""
        return lambda: self._closed.is_set() or (cancelled is not None and cancelled())

    def stop(self) -> None:
        """Have a running round stop, and begin no other."""
        self._closed.set()
        self._wake.set()

    def close(self) -> bool:
        """Stop, and wait for it. False when a round has not stopped in CLOSE_WAIT_SECONDS."""
        self.stop()
        stopped = self._running.acquire(timeout=CLOSE_WAIT_SECONDS)
        with self._opening:
            self._view = None
        return stopped
