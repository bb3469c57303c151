"""The live symbol index of one root: the opened generation, and the phase that renews it.

It is derived from the lexical index. Nothing is parsed until a server whose tools need it calls `start`, or a
person runs `build`. Queries are answered from what is committed while it grows; `status` reports the
progress, and `warn` adds it to answers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress

from index_format import (
    DirectoryHolder,
    DiskDirectory,
    IndexForeign,
    IndexFormatError,
    Snapshot,
    read_manifest,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived_plan import list_changed
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.derived_index import DerivedIndex, DerivedIndexWording
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import (
    CompactReport,
    IndexProgress,
    ProgressCallback,
    SymbolIndexReport,
    SymbolIndexStatus,
)
from repo_mcp.symbol_index.asked_files import AskedFiles
from repo_mcp.symbol_index.named_files import NamedFiles
from repo_mcp.symbol_index.needed_files import find_needed
from repo_mcp.symbol_index.phase import RoundWanted, SymbolPhase
from repo_mcp.symbol_index.purge_due import PurgeDue
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbol_index.unparsed import UnparsedFiles
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecord, SymbolRecordError, decode_symbol_record
from repo_mcp.threads import start_daemon

NOT_BUILT_HINT = "Wait for the parser, or run repo-mcp index --structure. Search works meanwhile."
UNREADABLE_RECORD = "The symbol index could not be read, so it is being rebuilt."
FOREIGN_STRUCTURE = "The symbol index was not written with this user's key, so it is being rebuilt."
COMPARING = "The symbol index is being compared with the tree: symbols may be missing here."
HURRY_SECONDS = 5.0  # for a background round to make room
ROOM_SECONDS = 0.02  # between checks that the waiting call has begun
NAMED_SECONDS = 20.0  # for files that a call names, which clients give up after 60
COMMIT_SECONDS = 0.5  # more for a call whose time is over, to commit what was parsed for it
ROUND_SECONDS = 0.25  # for the round after a saved file, which takes a third of it
WAIT_POLL_SECONDS = 0.005
HEALING_SECONDS = 10.0  # between two builds of an index that cannot be read
WORDS = DerivedIndexWording(
    "structure",
    "Files are already being parsed in the background.",
    "Parsing files failed",
    "Files are being parsed: {} of {} are done; symbols in the rest are missing here.",
)


class LiveSymbolIndex(DerivedIndex[SymbolIndex]):
    """The symbol index that navigation queries. Every method may be called from several threads at once."""

    def __init__(
        self,
        directory: str | DirectoryHolder,
        configuration: str,
        phase: SymbolPhase,
        index: LiveIndex,
        name_path: Callable[[str], str],
    ) -> None:
        """`directory` is that of the symbol index, created by the first writer.

        `name_path` turns a client's path into a relative one, or raises RepoError.
        """
        super().__init__(index, phase.find_task, WORDS)
        self._directory = directory
        self._configuration = configuration
        self._phase = phase
        self._purge_due = PurgeDue(self._find_directory, phase.make_tag)
        index.refresher.note_purge_due = self._purge_due.note
        index.refresher.wait_for_follower = self._wait_after_adoption
        index.refresher.note_commit = self._note_commit
        self._followed: Snapshot | None = None  # of the lexical index: fully indexed, except `_left`
        self._left: frozenset[str] = frozenset()
        self._is_followed_whole = True  # if not, files that are gone may remain
        self._asked = AskedFiles()
        self._hurried = threading.Event()  # set while a call waits to have a few files parsed
        self._compares_all = True
        self.is_expected = False  # `start` is about to be called: a first call may come before it
        self._purged = 0  # number of the lexical index's purges already followed
        self._next_healing = 0.0  # time.monotonic
        self.unparsed = UnparsedFiles(index)
        self.named_files = NamedFiles(
            index, phase, name_path, parse=self.parse_named, view=self.view, closed=self._closed
        )

    # Reading

    @contextmanager
    def view(self) -> Iterator[SymbolIndex]:
        """Open the committed generation for one call. Raises RepoError with INDEX_UNAVAILABLE.

        That means none is committed, or it is damaged; a damaged one is rebuilt in the background.
        """
        try:
            found = self.find_view()
            if found is None:
                raise RepoError(ErrorCode.INDEX_UNAVAILABLE, self._explain_missing(), NOT_BUILT_HINT)
            yield found
        except IndexFormatError as error:
            raise self._report_damage(error) from error

    def find_view(self) -> SymbolIndex | None:
        """Return the committed generation, reopened when it or the lexical index is newer; None if none.

        Raises IndexFormatError, and RepoError with INDEX_UNAVAILABLE when there is no lexical index either.
        """
        lexical = self._index.get_searcher().snapshot
        directory = self._find_directory()
        if directory is None:
            return self._find_opened(lexical)

        def make(snapshot: Snapshot, before: SymbolIndex | None) -> SymbolIndex:
            return SymbolIndex(snapshot, KnownFiles(lexical).find_fingerprint, before)

        return self._open_view(directory, self._configuration, lexical, make)

    def open_finder(self) -> Callable[[str], SymbolRecord | None]:
        """Return a function that finds a file's current symbol record in the committed generation.

        It returns None for a file without one, and for all files if there is no symbol index, or a damaged
        one.
        """
        try:
            view = self.find_view()
        except (IndexFormatError, OSError):
            view = None

        def find(path: str) -> SymbolRecord | None:
            try:
                record = None if view is None else view.find_record_bytes(path)
                return None if record is None else decode_symbol_record(record)
            except SymbolRecordError:  # written by someone else: treated as missing
                return None
            except IndexFormatError as error:
                self._report_damage(error)
                return None

        return find

    def _find_directory(self) -> DiskDirectory | None:
        try:
            return DiskDirectory(self._directory, make_tag=self._phase.make_tag)
        except OSError:
            return None

    def _explain_missing(self) -> str:
        progress = self._progress
        if progress is not None and progress.files_total:
            return f"No symbols yet: {progress.files_done} of {progress.files_total} files are parsed."
        return "There is no symbol index yet."

    def _report_damage(self, error: IndexFormatError) -> RepoError:
        self._drop_view(FOREIGN_STRUCTURE if isinstance(error, IndexForeign) else UNREADABLE_RECORD)
        if time.monotonic() >= self._next_healing:
            self._next_healing = time.monotonic() + HEALING_SECONDS
            self.start()
        return RepoError(
            ErrorCode.INDEX_UNAVAILABLE,
            "The symbol index is damaged and is being rebuilt.",
            NOT_BUILT_HINT,
        )

    def wait_for(self, need: Need, deadline: float) -> bool:
        """Wait until every file is parsed, or every one that a call needs, but not beyond `deadline`.

        Files saved just before the call are indexed first, and the background round gets ROUND_SECONDS. Then
        the files that the call needs are parsed. Returns False if the deadline came first; `warn` then says
        so. There is no wait if `start` is not expected, nor for files that failed. The deadline, by
        time.monotonic, does not include the time to find and index files that the lexical index lacks. Raises
        RepoError with INDEX_UNAVAILABLE if there is no lexical index.
        """
        self.start_again()
        started = time.monotonic()
        is_needed = deadline > started and bool(need.text or need.paths)
        self._index.get_searcher(fresh=True, need=need if is_needed else None)
        deadline += time.monotonic() - started
        if self._thread is None and not self.is_expected:
            return True
        if self._wait(min(deadline, time.monotonic() + ROUND_SECONDS)):
            return is_needed or not self._index.refresher.remaining.are_any
        try:
            needed = find_needed(self._index.get_searcher(), need)
            if self._parse_first(needed.paths, deadline) and needed.are_all:
                return True
        except (RepoError, IndexFormatError, OSError):  # whoever reads the index next reports it
            pass
        return self._wait(deadline)

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

    def _parse_first(self, paths: Sequence[str], deadline: float) -> bool:
        """Parse the files that have no current record, as many as there is time for.

        Returns False when there are none, or the deadline came first. Raises as `build` does, with CANCELLED
        when what is left to do, such as a merge, takes longer than committing may.
        """
        missing = self._list_without_record(paths)
        if missing:
            lexical = self._index.get_searcher().snapshot
            asked = self._asked.ask(lexical.manifest, missing, deadline, COMMIT_SECONDS, self._closed.is_set)
            if asked is not None:
                return asked.is_answered
            begun = self._begin_build(hurried=True, seconds=max(0.0, deadline - time.monotonic()))
            with self._run_alone(begun=begun):
                stop = self._stops_when(lambda: time.monotonic() >= deadline + COMMIT_SECONDS)
                done = self._run(lexical, missing, None, stop, yields=lambda: time.monotonic() >= deadline)
            return done.complete
        return bool(paths)

    def _list_without_record(self, paths: Sequence[str]) -> list[str]:
        """Return the files without a current symbol record."""
        view = self.find_view()
        return [path for path in paths if view is None or view.find_status(path) is None]

    def parse_named(self, paths: Sequence[str], cancelled: Callable[[], bool] | None) -> Collection[str]:
        """Parse files now, and return those of them that were perhaps not parsed.

        The round in the background parses them first, if it is about this lexical index. Otherwise it makes
        room. Raises as `build` does.
        """
        missing = self._list_without_record(paths)
        if not missing:
            return ()
        lexical, stop = self._index.get_searcher().snapshot, self._stops_when(cancelled)
        deadline = time.monotonic() + NAMED_SECONDS
        asked = self._asked.ask(lexical.manifest, missing, deadline, COMMIT_SECONDS, stop)
        if asked is not None and (asked.is_answered or stop() or time.monotonic() >= deadline):
            return asked.wanted
        return self.build(paths=paths, cancelled=cancelled).left

    # Progress

    @property
    def exists(self) -> bool:
        """Return True when a generation of this configuration is committed."""
        directory = self._find_directory()
        try:
            manifest = read_manifest(directory) if directory is not None else None
        except (IndexFormatError, OSError):
            return False
        return manifest is not None and manifest.configuration == self._configuration

    def status(self) -> SymbolIndexStatus:
        """Return the progress and size of the index, from the commits and the work in this process."""
        try:
            lexical = self._index.get_searcher().snapshot
            view = self.find_view()
            return self._describe(view, *self._count_done(view, lexical))
        except IndexFormatError as error:
            if self._thread is not None:  # where nobody asked for symbols, none are rebuilt
                self._report_damage(error)
        except (RepoError, OSError):  # whoever reads the lexical index next reports it
            pass
        return self._describe(None, 0, 0)

    def _describe(self, view: SymbolIndex | None, done: int, total: int) -> SymbolIndexStatus:
        """Return the status of a generation, or of none; `done` of `total` files have records.

        Raises IndexFormatError if the generation is damaged.
        """
        unparsed = self.unparsed.find()
        state = "missing" if view is None else "ready" if done >= total else "partial"
        state = "degraded" if self._fault else "building" if self._running.locked() else state
        entries = () if view is None else view.snapshot.manifest.segments
        statuses = {} if view is None else view.statuses
        return SymbolIndexStatus(
            state,
            None if view is None else view.snapshot.name,
            done,
            total,
            statuses.get(ParseStatus.PARTIAL, 0),
            statuses.get(ParseStatus.FAILED, 0),
            0 if view is None else view.symbol_count,
            len(entries),
            sum(entry.file_bytes for entry in entries),
            {} if view is None else view.languages,
            self._progress,
            (self._fault, *unparsed.warnings) if self._fault else unparsed.warnings,
            unparsed.file_count,
        )

    def warn(self) -> list[str]:
        """Return warnings for answers while not every file is parsed, as far as this process knows.

        Files missing from the lexical index are missing here too.
        """
        return [*self._warn_of_progress(), *self.unparsed.find().warnings]

    def _warn_of_progress(self) -> list[str]:
        searcher = self._index.find_searcher()
        told = [] if searcher is None else self._index.report.describe_progress(searcher.snapshot)
        reach = self._find_reach()
        return [*told, COMPARING] if reach is None else [*told, *self._describe_reach(*reach)]

    def _find_reach(self) -> tuple[int, int] | None:
        """Return the numbers of finished and wanted files, by the running round or the committed index.

        Returns None while a round is comparing many files.
        """
        progress = self._progress
        if progress is not None and progress.files_total:
            return progress.files_done, progress.files_total
        try:
            view = self.find_view()
            if view is None and self._thread is None:  # nobody asked for one
                return 0, 0
            lexical = self._index.get_searcher().snapshot
            if not self._index.generation.is_whole(lexical):  # another warning says so, and more
                return 0, 0
            return None if self._is_comparing(lexical) else self._count_done(view, lexical)
        except (IndexFormatError, RepoError, OSError):
            return 0, 0

    # Writing

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
        stop = self._stops_when(cancelled)
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
                self._phase.begin(self._stops_when(left.is_set))

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
