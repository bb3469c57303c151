"""The live symbol index of one root as calls see it: the opened generation, its progress, and waits for it.

Queries are answered from what is committed while the index grows; `status` reports the progress, and `warn`
adds it to answers. What makes it grow is in `symbol_rounds.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from index_format import IndexForeign, IndexFormatError, Snapshot
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.derived_index import AWAITED
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import SymbolIndexStatus
from repo_mcp.symbol_index.named_files import NamedFiles
from repo_mcp.symbol_index.needed_files import find_needed
from repo_mcp.symbol_index.phase import SymbolPhase
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbol_index.symbol_rounds import SymbolRounds
from repo_mcp.symbol_index.unparsed import UnparsedFiles
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecord, SymbolRecordError, decode_symbol_record
from repo_mcp.threads import stops_when

NOT_BUILT_HINT = "Wait for the parser, or run repo-mcp index --structure. Search works meanwhile."
UNREADABLE_RECORD = "The symbol index could not be read, so it is being rebuilt."
FOREIGN_STRUCTURE = "The symbol index was not written with this user's key, so it is being rebuilt."
COMPARING = "The symbol index is being compared with the tree: symbols may be missing here."
NAMED_SECONDS = 20.0  # for files that a call names, which clients give up after 60
COMMIT_SECONDS = 0.5  # more for a call whose time is over, to commit what was parsed for it
ROUND_SECONDS = 0.25  # for the round after a saved file, which takes a third of it
HEALING_SECONDS = 10.0  # between two builds of an index that cannot be read


class LiveSymbolIndex(SymbolRounds):
    """The symbol index that navigation queries. Every method may be called from several threads at once."""

    def __init__(self, phase: SymbolPhase, index: LiveIndex, name_path: Callable[[str], str]) -> None:
        """`name_path` turns a client's path into a relative one, or raises RepoError."""
        super().__init__(phase, index)
        self.is_expected = False  # `start` is about to be called: a first call may come before it
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

        return self._open_view(directory, self._phase.storage.configuration, lexical, make)

    def has_parser(self, path: str, language: str) -> bool:
        """Return whether a parser that can run here reads a file of a language."""
        return self._phase.find_task(path, language) is not None

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
            ErrorCode.INDEX_UNAVAILABLE, "The symbol index is damaged and is being rebuilt.", NOT_BUILT_HINT
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
                stop = stops_when(self._closed, lambda: time.monotonic() >= deadline + COMMIT_SECONDS)
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
        lexical, stop = self._index.get_searcher().snapshot, stops_when(self._closed, cancelled)
        deadline = time.monotonic() + NAMED_SECONDS
        asked = self._asked.ask(lexical.manifest, missing, deadline, COMMIT_SECONDS, stop)
        if asked is not None and (asked.is_answered or stop() or time.monotonic() >= deadline):
            return asked.wanted
        return self.build(paths=paths, cancelled=cancelled).left

    # Progress

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
        if self._fault.endswith(AWAITED) or (not self._fault and self._running.locked()):
            state = "building"
        elif self._fault:
            state = "degraded"
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

    def is_partial(self) -> bool:
        """Return True if the index lacks symbols of files, by the last comparison with the tree.

        Results may depend on this. They must not depend on `warn`, which says more in the first moments of a
        server.
        """
        searcher = self._index.find_searcher()
        if searcher is None or not self._index.report.is_whole(searcher.snapshot):
            return True
        reach = self._find_reach()
        return reach is None or reach[0] < reach[1] or self.unparsed.find().file_count > 0

    def _warn_of_progress(self) -> list[str]:
        searcher = self._index.find_searcher()
        notes = [] if searcher is None else self._index.report.describe_progress(searcher.snapshot)
        reach = self._find_reach()
        return [*notes, COMPARING] if reach is None else [*notes, *self._describe_reach(*reach)]

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
