"""Exact search over one root in its current state: by the index if there is one, else through every file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from index_format import IndexFormatError, Snapshot
from repo_mcp.config.server_config import Config
from repo_mcp.errors import ErrorCode, RepoError, describe_failed_read
from repo_mcp.exact.candidate_files import ExactSearcher, PathFilter
from repo_mcp.exact.engines import load_engine
from repo_mcp.exact.killable_matcher import KillableMatcher, start_matcher_process
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.search import CHANGES_UNKNOWN, FileSearch, check_request, run_exact
from repo_mcp.exact.tree_scan import scan_tree
from repo_mcp.live.index_report import describe_age
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.record_classes import replace
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.live_tree import LiveTree

WAIT_SECONDS = 1.0  # how long `close` waits for background work, which looks every few ms whether to stop


class LiveExactSearch:
    """Exact search in one opened root. Safe for several threads."""

    def __init__(self, config: Config, tree: LiveTree, index: LiveIndex, closed: Callable[[], bool]) -> None:
        self._config = config
        self._tree = tree
        self._index = index
        self._closed = closed
        self._searcher: ExactSearcher | None = None
        self._starting = threading.Lock()
        self._process: ParseWorker | None = None  # matches patterns where RE2 is not installed

    def search(
        self, request: ExactRequest, cancelled: Callable[[], bool] | None = None, *, scan: bool = False
    ) -> ExactAnswer:
        """Return the matches of a literal or an expression in the live files, by path, then line.

        Until an index has every file, the existing index answers, or INDEX_UNAVAILABLE is raised if there is
        none; with `scan` every file is read instead. Raises INVALID_ARGUMENT for an invalid pattern, saying
        what is wrong and where, and CANCELLED.
        """
        check_request(request)
        config = self._config
        glob = GlobFilter(request.file_glob) if request.file_glob else None
        matches, folder = (None, "") if glob is None else (glob.matches, glob.folder)
        wanted = PathFilter(request, matches, dict(config.extensions), config.include_extensions, folder)
        stop = self._closed if cancelled is None else cancelled
        files = FileSearch(request, self._open_matcher(request), wanted, self._tree.read_many, stop)
        try:
            return self._search_index(files, complete=scan)
        except RepoError as error:
            if not scan or error.code is not ErrorCode.INDEX_UNAVAILABLE:
                raise
        walk = partial(self._tree.walk, stop, inside=wanted.prefix.rstrip("/"))
        return scan_tree(files, walk, config.limits.max_file_bytes)

    def _open_matcher(self, request: ExactRequest) -> LineMatcher:
        """Return the matcher of a pattern, in this process or in one that can be killed."""
        engine = load_engine()
        if engine.is_bounded:
            return LineMatcher(request, engine)
        with self._starting:
            self._process = self._process or start_matcher_process()
            return KillableMatcher(request, self._process)

    def _search_index(self, files: FileSearch, *, complete: bool) -> ExactAnswer:
        """Search by the index.

        Raises INDEX_UNAVAILABLE without one that can be read; with `complete` also if files may be missing.
        """
        searcher = self._index.get_searcher(waits=not complete)  # the caller then reads all files instead
        try:
            changed = self._index.look.find_changed(searcher.snapshot.generation)
            if changed is None and complete:
                raise RepoError(ErrorCode.INDEX_UNAVAILABLE, CHANGES_UNKNOWN)
            answer = run_exact(self._open(searcher.snapshot), files, changed)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        except OSError as error:
            raise describe_failed_read(error) from error
        if changed is None:
            said = self._index.report.describe_progress(searcher.snapshot)
        else:  # files that are not indexed yet were read
            said = [describe_age(changed.age)] if changed.age else []
        return replace(answer, warnings=(*said, *answer.warnings))

    def _open(self, snapshot: Snapshot) -> ExactSearcher:
        """Return the searcher of a snapshot. Knowledge about terms of a segment outlives the snapshot."""
        current = self._searcher
        if current is None or current.snapshot is not snapshot:
            current = self._searcher = ExactSearcher(
                snapshot, current, self._closed, self._index.generation.directory
            )
        return current

    def close(self) -> bool:
        """Wait for background work. Returns False when it has not stopped in WAIT_SECONDS."""
        with self._starting:
            if self._process is not None:
                self._process.close()
        return self._searcher is None or self._searcher.join(WAIT_SECONDS)
