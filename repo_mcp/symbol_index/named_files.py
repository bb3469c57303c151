"""Indexing of files that a call names: at once, their symbols included.

While the lexical index is built, the build takes these files first, and the call waits for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import IndexedPath, SkipReason
from repo_mcp.symbol_index.phase import ReadFile, SymbolPhase
from repo_mcp.symbol_index.symbol_index import SymbolIndex

JOIN_SECONDS = 20.0  # for a build to take up a few files: clients give up after 60
LOOK_SECONDS = 0.25  # between two looks at whether it has
PENDING = "pending"  # what is said of the symbols of a file that was not parsed in the call
LEFT_OUT = "excluded"  # ignored, hidden or denied because of its name


class NamedFiles:
    """Indexes the files that calls name. Every method may be called from several threads at once."""

    def __init__(
        self,
        index: LiveIndex,
        phase: SymbolPhase,
        name_path: Callable[[str], str],
        *,
        parse: Callable[[Sequence[str], Callable[[], bool] | None], Collection[str]],
        view: Callable[[], AbstractContextManager[SymbolIndex]],
        closed: threading.Event,
    ) -> None:
        """`view` and `closed` are those of the symbol index. `parse` returns files that it did not parse.

        `name_path` turns a client's path into a relative one, or raises RepoError.
        """
        self._index = index
        self._phase = phase
        self._name_path = name_path
        self._parse = parse
        self._view = view
        self._closed = closed

    def index(
        self, paths: Sequence[str], cancelled: Callable[[], bool] | None = None
    ) -> tuple[IndexedPath, ...]:
        """Index these files now, symbols included, and return the outcome of each, in order.

        A bad path is reported as its outcome, and so is BUSY for a file of which the index still has another
        version. While the index is built, these files come first. Raises as `LiveIndex.refresh` does except
        for BUSY, and RepoError with INTERNAL when no parser can run. A background round parses them first or
        makes room; if it cannot, the symbols are reported as pending.
        """
        named = {path: find_name(path, self._name_path) for path in paths}
        good = sorted({one for one in named.values() if not isinstance(one, RepoError)})
        skipped, is_refreshed = self._refresh_paths(good, cancelled) if good else ({}, True)
        pending: Collection[str] = ()
        try:
            if good:
                pending = self._parse(good, cancelled)
        except RepoError as error:
            if error.code is not ErrorCode.BUSY:
                raise
            pending = good
        with self._view() as view:
            lexical = KnownFiles(self._index.get_searcher().snapshot)
            outcomes = Outcomes(
                lexical, view, skipped, self._phase, is_refreshed=is_refreshed, pending=pending
            )
            return tuple(outcomes.describe(path, one) for path, one in named.items())

    def _refresh_paths(
        self, paths: Sequence[str], cancelled: Callable[[], bool] | None
    ) -> tuple[Mapping[str, SkipReason], bool]:
        """Index files in the lexical index, through the refresh that is building it if there is one.

        Returns the files left out, with reasons, and False if others may not be indexed because another
        process is writing.
        """
        if not self._join_build(paths, cancelled):
            try:
                return self._index.refresh_paths(paths, cancelled), True
            except RepoError as error:
                if error.code is not ErrorCode.BUSY:
                    raise
        return self._index.find_left_out(paths), False

    def _join_build(self, paths: Sequence[str], cancelled: Callable[[], bool] | None) -> bool:
        """Wait while the index is built, until it has the current state of these files.

        Waits at most JOIN_SECONDS, and not for files that no build indexes. Returns False when no build is
        running. Raises CANCELLED.
        """
        deadline = time.monotonic() + JOIN_SECONDS
        while self._index.is_being_built():
            if self._closed.is_set() or (cancelled is not None and cancelled()):
                raise RepoError(ErrorCode.CANCELLED, "Indexing was cancelled.", "The build continues.")
            self._index.refresher.remaining.index_first(paths, LOOK_SECONDS)
            searcher, left_out = self._index.find_searcher(), self._index.find_left_out(paths)
            known = KnownFiles(None if searcher is None else searcher.snapshot)
            is_done = all(map(partial(is_current, self._phase.read, known, left_out), paths))
            if is_done or time.monotonic() >= deadline:
                return True
            self._closed.wait(LOOK_SECONDS)
        return False


def find_name(path: str, name_path: Callable[[str], str]) -> str | RepoError:
    """Return the relative path for a client's path, or the error that explains the fault."""
    try:
        named = name_path(path)
    except RepoError as error:
        return error
    return named or RepoError(ErrorCode.NOT_A_FILE, "The path names a directory.")


def is_current(read: ReadFile, lexical: KnownFiles, left_out: Collection[str], path: str) -> bool:
    """Return True if the index has the current state of a file, or lacks one that is gone or `left_out`."""
    try:
        data = None if path in left_out else read(path).data
    except RepoError:
        data = None
    if data is None:
        return lexical.find(path) is None
    return compute_fingerprint(data) == lexical.find_fingerprint(path)


class Outcomes:
    """The outcomes for files, judged by the current index."""

    def __init__(
        self,
        lexical: KnownFiles,
        view: SymbolIndex,
        skipped: Mapping[str, SkipReason],
        phase: SymbolPhase,
        *,
        is_refreshed: bool,
        pending: Collection[str],
    ) -> None:
        """`skipped` maps files that are not indexed to the reason; `pending` were not parsed in this call.

        Unless `is_refreshed`, another process is writing, so only the index shows what happened to a file.
        """
        self._lexical = lexical
        self._view = view
        self._skipped = skipped
        self._is_refreshed = is_refreshed
        self._phase = phase
        self._pending = pending

    def describe(self, path: str, named: str | RepoError) -> IndexedPath:
        """Return the outcome for one path; `named` is the result of `find_name`."""
        if isinstance(named, RepoError):
            return IndexedPath(path, named.code.value)
        if not self._is_refreshed and not is_current(self._phase.read, self._lexical, self._skipped, named):
            return IndexedPath(path, ErrorCode.BUSY.value)
        if self._lexical.find(named) is not None:
            return IndexedPath(path, "indexed", self._describe_parsing(named))
        reason = self._skipped.get(named)
        if reason not in (None, SkipReason.EXCLUDED):  # a link, for example, has a reason of its own
            return IndexedPath(path, reason.value)
        try:
            self._phase.read(named)
        except RepoError as error:
            return IndexedPath(path, error.code.value)
        return IndexedPath(path, LEFT_OUT)

    def _describe_parsing(self, path: str) -> str:
        status = self._view.find_status(path)
        if status is not None:
            return status.name.lower()
        return PENDING if path in self._pending else ""
