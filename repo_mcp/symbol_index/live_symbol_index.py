"""The structure index of one root as it is now: the opened generation, and the phase that renews it.

It follows the lexical index: nothing is parsed before somebody asks, `start` for a server whose tools need
it, `build` for a person. What is committed is answered from while it grows; how far it is stands in `status`
and, for answers, in `warn`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from index_format import DiskDirectory, IndexForeign, IndexFormatError, Snapshot, read_manifest
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived_plan import list_changed
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.purge_mark import PurgeMark
from repo_mcp.indexing.reports import name_snapshot
from repo_mcp.live.derived_index import DerivedIndex, DerivedIndexWording
from repo_mcp.live.live_index import NOT_WHOLE, LiveIndex
from repo_mcp.model import (
    CompactReport,
    IndexedPath,
    IndexProgress,
    ProgressCallback,
    SymbolIndexReport,
    SymbolIndexStatus,
)
from repo_mcp.symbol_index.named_files import Outcomes, find_name
from repo_mcp.symbol_index.phase import SymbolPhase
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecord, SymbolRecordError, decode_symbol_record

NOT_BUILT_HINT = "Files are being parsed, or repo-mcp index --structure does it now; search works meanwhile."
UNREADABLE_RECORD = "The structure index could not be read; it is built anew."
FOREIGN_STRUCTURE = "The structure index was not written with this user's key; it is built anew."
HURRY_SECONDS = 5.0  # for a round in the background to make room
ROOM_SECONDS = 0.02  # between looks whether that has been taken
HEALING_SECONDS = 10.0  # between two builds of an index that cannot be read
WORDS = DerivedIndexWording(
    "structure", "Files are being parsed in the background already.", "Parsing files failed"
)


class LiveSymbolIndex(DerivedIndex[SymbolIndex]):
    """What navigation asks. Every method may be called from several threads at a time."""

    def __init__(
        self,
        path: str,
        configuration: str,
        phase: SymbolPhase,
        index: LiveIndex,
        name_path: Callable[[str], str],
    ) -> None:
        """`path` is the directory of the structure index, which is made by whoever writes first; `name_path`
        gives the relative path of a client's one, or raises what is wrong with it.
        """
        super().__init__(index, phase.find_task, WORDS)
        self._name_path = name_path
        self._path = path
        self._configuration = configuration
        self._phase = phase
        index.note_purge_due = self._note_purge_due
        self._followed: Snapshot | None = None  # of the lexical index: done, but for what was left
        self._left: frozenset[str] = frozenset()
        self._hurried = threading.Event()  # somebody waits to have a few files parsed
        self._purged = 0  # the lexical index's purges that were followed
        self._next_healing = 0.0  # time.monotonic

    # Reading

    @contextmanager
    def view(self) -> Iterator[SymbolIndex]:
        """The committed generation, for one call. INDEX_UNAVAILABLE when there is none, or it is damaged.

        Damage is noticed here: the index is built anew in the background then.
        """
        try:
            found = self.find_view()
            if found is None:
                raise RepoError(ErrorCode.INDEX_UNAVAILABLE, self._explain_missing(), NOT_BUILT_HINT)
            yield found
        except IndexFormatError as error:
            raise self._report_damage(error) from error

    def find_view(self) -> SymbolIndex | None:
        """The committed generation, opened anew when there is a newer one, or a newer lexical one.

        Raises IndexFormatError, INDEX_UNAVAILABLE when there is no lexical index either.
        """
        lexical = self._index.get_searcher().snapshot
        directory = self._find_directory()
        if directory is None:
            return None

        def make(snapshot: Snapshot, before: SymbolIndex | None) -> SymbolIndex:
            return SymbolIndex(snapshot, KnownFiles(lexical).find_fingerprint, before)

        return self._open_view(directory, self._configuration, lexical, make)

    def open_finder(self) -> Callable[[str], SymbolRecord | None]:
        """Finds the structures of files in the committed generation: None for a file without one as it is
        indexed, and for every file while there is no index of them, or a damaged one."""
        try:
            view = self.find_view()
        except (IndexFormatError, OSError):
            view = None

        def find(path: str) -> SymbolRecord | None:
            try:
                record = None if view is None else view.find_record_bytes(path)
                return None if record is None else decode_symbol_record(record)
            except SymbolRecordError:  # of a writer that is not ours: as good as none
                return None
            except IndexFormatError as error:
                self._report_damage(error)
                return None

        return find

    def _find_directory(self) -> DiskDirectory | None:
        try:
            return DiskDirectory(self._path, make_tag=self._phase.make_tag)
        except OSError:
            return None

    def _explain_missing(self) -> str:
        progress = self._progress
        if progress is not None and progress.files_total:
            return f"No structure yet: {progress.files_done} of {progress.files_total} files are parsed."
        return "The structure of the files is not indexed yet."

    def _report_damage(self, error: IndexFormatError) -> RepoError:
        self._drop_view(FOREIGN_STRUCTURE if isinstance(error, IndexForeign) else UNREADABLE_RECORD)
        if time.monotonic() >= self._next_healing:
            self._next_healing = time.monotonic() + HEALING_SECONDS
            self.start()
        return RepoError(
            ErrorCode.INDEX_UNAVAILABLE,
            "The structure index is damaged; it is being built anew.",
            NOT_BUILT_HINT,
        )

    # How far it is

    @property
    def exists(self) -> bool:
        """True when something of this configuration was committed."""
        directory = self._find_directory()
        try:
            manifest = read_manifest(directory) if directory is not None else None
        except (IndexFormatError, OSError):
            return False
        return manifest is not None and manifest.configuration == self._configuration

    def status(self) -> SymbolIndexStatus:
        """What is done of what there is to do, by what is committed and what runs in this process."""
        warnings = (self._fault,) if self._fault else ()
        progress = self._progress
        building = self._running.locked()
        try:
            view = self.find_view()
            done, total = self._count_done(view, self._index.get_searcher().snapshot)
        except (IndexFormatError, RepoError, OSError):
            view, done, total = None, 0, 0
        if view is None:
            state = "building" if building else "degraded" if warnings else "missing"
            return SymbolIndexStatus(
                state, None, done, total, 0, 0, 0, 0, 0, progress=progress, warnings=warnings
            )
        manifest = view.snapshot.manifest
        state = "building" if building else "ready" if done >= total else "partial"
        return SymbolIndexStatus(
            state,
            name_snapshot(manifest.generation),
            done,
            total,
            view.statuses[ParseStatus.PARTIAL],
            view.statuses[ParseStatus.FAILED],
            view.symbol_count,
            len(manifest.segments),
            sum(entry.file_bytes for entry in manifest.segments),
            view.languages,
            progress,
            warnings,
        )

    def warn(self) -> list[str]:
        """A warning for answers given while not every file is parsed, as far as this process knows."""
        if self._fault:
            return [self._fault]
        done, total = self._find_reach()
        if done < total:
            return [
                f"Files are being parsed: {done} of {total} are done;"
                " what the others declare and use is missing here."
            ]
        searcher = self._index.find_searcher()  # files that the words do not know are not shown either
        told = [] if searcher is None else self._index.describe_progress(searcher.snapshot)
        return [warning for warning in told if warning == NOT_WHOLE]

    def _find_reach(self) -> tuple[int, int]:
        """Files done and files that should be: by the round that runs, else by what is committed."""
        progress = self._progress
        if progress is not None and progress.files_total:
            return progress.files_done, progress.files_total
        try:
            view = self.find_view()
            return (0, 0) if view is None else self._count_done(view, self._index.get_searcher().snapshot)
        except (IndexFormatError, RepoError, OSError):
            return 0, 0

    # Writing

    def note_refresh(self) -> None:
        """The lexical index has a new generation.

        Unless it was started nothing is parsed; but what may not be served any more is purged, here and now.
        """
        super().note_refresh()
        if self._thread is None and not self._anew:
            self._purge_if_due()

    def _note_purge_due(self, generation: int) -> None:
        """The next generation of the lexical index after this one lacks text that must not stay here either.

        Whoever writes next purges it, also where this process is killed before it could.
        """
        directory = self._find_directory()
        if directory is not None:
            PurgeMark(directory, self._phase.make_tag).set(generation)

    def _find_due(self, generation: int) -> int | None:
        """The mark of an earlier generation of the lexical index, where one is left."""
        directory = self._find_directory()
        mark = None if directory is None else PurgeMark(directory, self._phase.make_tag).read()
        return None if mark == generation else mark

    def _clear_purge(self, due: int) -> None:
        """Nothing is left to purge, unless there is another mark than that which was followed."""
        directory = self._find_directory()
        if directory is not None:
            mark = PurgeMark(directory, self._phase.make_tag)
            if mark.read() == due:
                mark.clear()

    def _purge_if_due(self) -> None:
        searcher = self._index.find_searcher()
        if searcher is None or self._find_due(searcher.snapshot.generation) is None:
            return
        if not self._running.acquire(blocking=False):
            return  # what runs purges
        try:
            self._run(searcher.snapshot, None, None, self._closed.is_set, parses=False)
        except RepoError:  # the mark stays: whoever writes next tries again
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
        """Parse what is new, here and now: of all files or of some; with `anew` everything.

        Raises as `SymbolPhase.run`, and BUSY while this process does it already.
        """
        stop = self._stops_when(cancelled)
        with self._run_alone(begun=self._begin_build(hurried=paths is not None)):
            self._anew |= anew
            return self._run(self._index.get_searcher().snapshot, paths, progress, stop)

    def _begin_build(self, *, hurried: bool) -> bool:
        """True when nobody else parses in this process. Who is `hurried` has the background make room."""
        if not hurried:
            return self._running.acquire(blocking=False)
        self._hurried.set()
        try:
            return self._running.acquire(timeout=HURRY_SECONDS)
        finally:
            self._hurried.clear()

    def index_files(
        self, paths: Sequence[str], cancelled: Callable[[], bool] | None = None
    ) -> tuple[IndexedPath, ...]:
        """Index these files now, their structure too, and say of each what became of it, in their order.

        What is wrong with a path is its outcome. Raises as `LiveIndex.refresh`, and INTERNAL when nothing can
        parse. A round in the background makes room; where it cannot, the structure is pending.
        """
        named = {path: find_name(path, self._name_path) for path in paths}
        good = sorted({one for one in named.values() if not isinstance(one, RepoError)})
        skipped = self._index.refresh_paths(good, cancelled) if good else {}
        pending = False
        try:
            if good:
                self.build(paths=good, cancelled=cancelled)
        except RepoError as error:
            if error.code is not ErrorCode.BUSY:
                raise
            pending = True
        with self.view() as view:
            lexical = KnownFiles(self._index.get_searcher().snapshot)
            outcomes = Outcomes(lexical, view, skipped, self._phase, pending=pending)
            return tuple(outcomes.tell(path, one) for path, one in named.items())

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `SymbolPhase.compact`."""
        with self._running:
            return self._phase.compact(full=full, cancelled=self._closed.is_set)

    def _run(
        self,
        lexical: Snapshot,
        paths: Sequence[str] | None,
        progress: ProgressCallback | None,
        stop: Callable[[], bool],
        *,
        in_background: bool = False,
        parses: bool = True,
    ) -> SymbolIndexReport:
        def report(now: IndexProgress) -> None:
            if paths is None:  # else it tells of some files alone
                self._progress = now
            if progress is not None:
                progress(now)

        purges = self._index.purges
        due = self._find_due(lexical.generation)

        def make(anew: bool) -> SymbolIndexReport:
            return self._phase.run(
                lexical,
                paths=paths,
                anew=anew,
                progress=report,
                cancelled=stop,
                yields=self._hurried.is_set if in_background else lambda: False,
                purges=due is not None or purges != self._purged,
                parses=parses,
            )

        done = self._renew(make)
        if done.complete and (paths is None or in_background):  # else files may be left that are gone
            self._purged = purges
            if due is not None and not self._index.is_purging:  # else more may be dead in a moment
                self._clear_purge(due)
        return done

    def _identify(self, lexical: Snapshot) -> tuple[object, ...]:
        return lexical.manifest, self._index.purges  # told of after the generation

    def _run_round(self, lexical: Snapshot) -> float | None:
        changed = self._list_changed(lexical)
        self._followed = None
        with self._running:
            done = self._run(lexical, changed, None, self._closed.is_set, in_background=True)
        if not done.complete:
            self._make_room()
            return 0.0
        self._followed, self._left = lexical, frozenset(done.left)
        return None  # what was left comes with the next generation, which it has to be in

    def _make_room(self) -> None:
        """Wait until whoever is in a hurry has begun."""
        while self._hurried.is_set() and not self._closed.wait(ROOM_SECONDS):
            pass

    def _list_changed(self, lexical: Snapshot) -> list[str] | None:
        """The files that changed since the last round, and what that left; None when all must be compared."""
        if self._followed is None or self._anew:
            return None
        try:
            changed = list_changed(self._followed, lexical)
        except (IndexFormatError, OSError):
            return None
        return None if changed is None else [*changed, *self._left]
