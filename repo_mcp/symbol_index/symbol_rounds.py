"""Renews the symbol index of one root: by rounds in the background, builds on request, and purges.

The index is derived from the lexical one. Nothing is parsed until a server whose tools need it calls `start`,
or a person runs `build`. Left out on purpose: what calls read, and what they wait for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from index_format import DiskDirectory, IndexFormatError, Snapshot, read_manifest
from repo_mcp.errors import RepoError
from repo_mcp.indexing.derived.plan import list_changed
from repo_mcp.live.derived_index import DerivedIndex, DerivedIndexMessages
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import CompactReport, IndexProgress, ProgressCallback, SymbolIndexReport
from repo_mcp.symbol_index.asked_files import AskedFiles
from repo_mcp.symbol_index.phase import RoundWanted, SymbolPhase
from repo_mcp.symbol_index.purge_due import PurgeDue
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.threads import start_daemon, stops_when

HURRY_SECONDS = 5.0  # for a background round to make room
ROOM_SECONDS = 0.02  # between checks that the waiting call has begun
WAIT_POLL_SECONDS = 0.005
MESSAGES = DerivedIndexMessages(
    "structure",
    "Files are already being parsed in the background.",
    "Parsing files failed",
    "Files are being parsed: {} of {} are done; symbols in the rest are missing here.",
)


class SymbolRounds(DerivedIndex[SymbolIndex]):
    """The writing side of a live symbol index. Every method may be called from several threads at once."""

    def __init__(self, phase: SymbolPhase, index: LiveIndex) -> None:
        """Create nothing: the directory of the symbol index is made by the first writer."""
        super().__init__(index, phase.find_task, MESSAGES)
        self._phase = phase
        self._purge_due = PurgeDue(self._find_directory, phase.storage.make_tag)
        index.refresher.note_purge_due = self._purge_due.note
        index.refresher.wait_for_follower = self._wait_after_adoption
        index.refresher.note_commit = self._note_commit
        self._followed: Snapshot | None = None  # of the lexical index: fully indexed, except `_left`
        self._left: frozenset[str] = frozenset()
        self._is_followed_whole = True  # if not, files that are gone may remain
        self._asked = AskedFiles()
        self._hurried = threading.Event()  # set while a call waits to have a few files parsed
        self._compares_all = True
        self._purged = 0  # number of the lexical index's purges already followed

    def _find_directory(self) -> DiskDirectory | None:
        try:
            return self._phase.storage.open()
        except OSError:
            return None

    @property
    def exists(self) -> bool:
        """Return True when a generation of this configuration is committed."""
        directory = self._find_directory()
        try:
            manifest = read_manifest(directory) if directory is not None else None
        except (IndexFormatError, OSError):
            return False
        return manifest is not None and manifest.configuration == self._phase.storage.configuration

    def _wait(self, deadline: float) -> bool:
        """Wait until all indexed files are parsed or have failed. Returns False at the deadline."""
        while not self._has_followed() and not self._fault:
            if time.monotonic() >= deadline or self._closed.wait(WAIT_POLL_SECONDS):
                return False
        return True

    def _wait_after_adoption(self, deadline: float) -> None:
        """Wait until the files that differ from an adopted donor's are parsed, if there is one."""
        if self._phase.has_adopted:
            self._wait(deadline)

    def _has_followed(self) -> bool:
        followed, searcher = self._followed, self._index.find_searcher()
        return (
            followed is not None and searcher is not None and followed.manifest == searcher.snapshot.manifest
        )

    def note_refresh(self) -> None:
        """React to a new generation of the lexical index.

        Before `start` nothing is parsed, but text that may no longer be served is purged at once.
        """
        super().note_refresh()
        if self._thread is None and not self._anew:
            self._purge_if_due()

    def _note_commit(self) -> None:
        """Let files that differ from a donor's be parsed while the refresh that found them goes on."""
        if self._phase.has_adopted:
            self._wake.set()

    def _purge_if_due(self) -> None:
        searcher = self._index.find_searcher()
        if searcher is None or self._purge_due.find(searcher.snapshot.generation) is None:
            return
        if not self._running.acquire(blocking=False):
            return  # the running round purges
        try:
            self._run(searcher.snapshot, None, None, self._closed.is_set, parses=False)
        except RepoError:  # the mark stays, and the next writer tries again
            pass
        finally:
            self._running.release()

    def build(
        self,
        *,
        paths: Sequence[str] | None = None,
        anew: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SymbolIndexReport:
        """Parse new and changed files synchronously, of the whole tree or of `paths`; with `anew` all files.

        Raises as `SymbolPhase.run`, and RepoError with BUSY while this process is parsing already.
        """
        stop = stops_when(self._closed, cancelled)
        with self._run_alone(begun=self._begin_build(hurried=paths is not None)):
            self._anew |= anew
            lexical = self._index.get_searcher().snapshot
            done = self._run(lexical, paths, progress, stop)
            if paths is None:
                self._note_counts(lexical, done)
            return done

    @contextmanager
    def adopting(self) -> Iterator[None]:
        """Start an empty index from a donor while the block runs: copying takes a second per gigabyte.

        If that fails, whoever builds the index tries again and reports it.
        """
        left = threading.Event()

        def begin() -> None:
            with self._running, suppress(RepoError, IndexFormatError):
                self._phase.begin(stops_when(self._closed, left.is_set))

        thread = threading.Thread(target=begin, name="structure begin")
        is_begun = start_daemon(thread)
        try:
            yield
        except BaseException:
            left.set()
            raise
        finally:
            if is_begun:
                thread.join()

    def _begin_build(self, *, hurried: bool, seconds: float = HURRY_SECONDS) -> bool:
        """Return True once no other call is parsing; `hurried` asks the background to make room."""
        if not hurried:
            return self._running.acquire(blocking=False)
        self._hurried.set()
        try:
            return self._running.acquire(timeout=seconds)
        finally:
            self._hurried.clear()

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all.

        Raises as `SymbolPhase.compact`, and RepoError with BUSY while this process is parsing.
        """
        with self._run_alone(begun=self._running.acquire(timeout=HURRY_SECONDS)):
            return self._phase.compact(full=full, cancelled=self._closed.is_set)

    def _run(
        self,
        lexical: Snapshot,
        paths: Sequence[str] | None,
        progress: ProgressCallback | None,
        stop: Callable[[], bool],
        *,
        in_background: bool = False,
        yields: Callable[[], bool] | None = None,
        parses: bool = True,
    ) -> SymbolIndexReport:
        def report(now: IndexProgress) -> None:
            if paths is None:  # otherwise the progress covers only some files
                self._progress = now
            if progress is not None:
                progress(now)

        purges = self._index.refresher.purges
        due = self._purge_due.find(lexical.generation)
        is_purging = due is not None or purges != self._purged

        def make(anew: bool) -> SymbolIndexReport:
            is_whole = self._index.generation.is_whole(lexical)
            return self._phase.run(
                lexical,
                RoundWanted(paths, anew, is_purging, parses, is_whole),
                progress=report,
                cancelled=stop,
                yields=yields or (self._hurried.is_set if in_background else lambda: False),
                yields_at_once=yields is not None,
                asked=self._asked if in_background else None,
            )

        done = self._renew(make)
        # Otherwise records of deleted files may remain.
        if done.complete and (paths is None or in_background):
            self._purged = purges
            if due is not None and not self._index.generation.is_purging:  # else more may be dead in a moment
                self._purge_due.clear(due)
        return done

    def _identify(self, lexical: Snapshot) -> tuple[object, ...]:
        return (
            lexical.manifest,
            self._index.refresher.purges,
            self._index.generation.is_whole(lexical),
        )  # the count of purges rises after the new generation appears

    def _run_round(self, lexical: Snapshot) -> float | None:
        if self._phase.has_adopted and self._index.is_being_built():
            with self._running:
                self._phase.parse_ahead(lexical)  # all files are compared once they are indexed
            return None
        changed = self._list_changed(lexical) if self._is_followed_whole else None
        self._compares_all = changed is None
        self._is_followed_whole, self._followed = self._index.generation.is_whole(lexical), None
        with self._running, self._asked.answering(lexical.manifest):
            done = self._run(lexical, changed, None, self._closed.is_set, in_background=True)
        if not done.complete:
            self._make_room()
            return 0.0
        if changed is None:
            self._note_counts(lexical, done)
        self._followed, self._left = lexical, frozenset(done.left)
        self._compares_all = not self._is_followed_whole
        return None  # what was left returns with the next generation of the lexical index

    def _note_counts(self, lexical: Snapshot, done: SymbolIndexReport) -> None:
        """Record how many files are finished, after a round that compared all."""
        directory = self._find_directory()
        if directory is not None:
            finished = done.unchanged + done.parsed
            self._note_done(directory, lexical, finished, finished + len(done.left))

    def close(self) -> bool:
        """Stop and wait. See `DerivedIndex.close`."""
        stopped = super().close()
        if stopped:  # otherwise the round that still runs may take the parser
            self._phase.close()
        return stopped

    def _make_room(self) -> None:
        """Wait until the hurried call has begun."""
        while self._hurried.is_set() and not self._closed.wait(ROOM_SECONDS):
            pass

    def _list_changed(self, lexical: Snapshot) -> list[str] | None:
        """Return files changed since the last round or left by it; None when all must be compared."""
        if self._followed is None or self._anew:
            return None
        try:
            changed = list_changed(self._followed, lexical)
        except (IndexFormatError, OSError):
            return None
        return None if changed is None else [*changed, *self._left]
