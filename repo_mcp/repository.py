"""One opened root: configuration, door, policy and index. What toolsets and the command line are given.

Reading never waits for indexing: a search answers from the last committed generation. Every method
may be called from several threads at a time.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from index_format import VERSION as FORMAT_VERSION
from index_format import (
    DiskDirectory,
    IndexFormatError,
    Snapshot,
    read_manifest,
)
from repo_mcp.adapters.languages import VERSION as LANGUAGES_VERSION
from repo_mcp.config import Config, find_cache_home
from repo_mcp.data_dir import prepare_data_dir
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ignore import GlobFilter, IgnoreRules
from repo_mcp.index.analysis import VERSION as ANALYSIS_VERSION
from repo_mcp.index.chunking import VERSION as CHUNKING_VERSION
from repo_mcp.index.freshness import SeenFiles, read_seen
from repo_mcp.index.indexer import Indexer, name_snapshot
from repo_mcp.index.query import parse_query
from repo_mcp.index.searcher import Searcher
from repo_mcp.index.shards import BuildSettings
from repo_mcp.index.snippets import show_hits
from repo_mcp.model import (
    CompactReport,
    FileListing,
    IndexProgress,
    IndexStatus,
    ListedFile,
    OpenedText,
    ProgressCallback,
    RefreshReport,
    SearchAnswer,
    SearchRequest,
    WalkReport,
)
from repo_mcp.policy import DenyPolicy
from repo_mcp.sandbox import Door
from repo_mcp.textfile import decode_source, split_lines
from repo_mcp.walk import walk

NANOSECONDS = 1_000_000_000
ADAPTERS = ("lexical",)
CLOSE_WAIT_SECONDS = 1.5  # for a running refresh to stop; the server must be gone within two
NOT_INDEXED_HINT = "Search again in a moment; repo.status tells how far it is. Files can be opened meanwhile."


class Repository:
    """One root and its index."""

    adapters = ADAPTERS

    def __init__(self, config: Config, *, report_warning: Callable[[str], None] | None = None) -> None:
        """Opens the door and the data directory. Never builds. Raises CONFIG_INVALID."""
        self.config = config
        self.root_name = os.path.basename(config.root)
        Door(config.root, _deny_nothing).close()  # a root that cannot be served makes no data directory
        data_dir = prepare_data_dir(config.root, config.data_dir, find_cache_home())
        self.warnings = data_dir.warnings
        for warning in data_dir.warnings:
            (report_warning or _ignore)(warning)
        self._policy = DenyPolicy(data_dir_parts=data_dir.inside_root)
        self._door = Door(config.root, self._policy.find_denial)
        self._configuration = self._compute_configuration()
        namespace = f"index-v{FORMAT_VERSION}-{self._configuration[:16]}"
        index_path = os.path.join(data_dir.path, namespace)
        self._directory = DiskDirectory(index_path, create=True)
        self._indexer = Indexer(
            self._directory,
            self._build_settings(index_path, data_dir.inside_root),
            self._configuration,
            config.chosen_workers(),
            self._walk,
        )
        self._lock = threading.Lock()  # guards the three below
        self._searcher: Searcher | None = None
        self._index_fault = ""
        self._seen: SeenFiles | None = None
        self._refreshing = threading.Lock()  # held while this process refreshes
        self._progress: IndexProgress | None = None
        self._background_fault = ""
        self._closed = threading.Event()

    def _compute_configuration(self) -> str:
        """Digest of all that decides what an index of this root holds."""
        facts = (
            self.config.fingerprint(self._policy.fingerprint()),
            FORMAT_VERSION,
            ANALYSIS_VERSION,
            CHUNKING_VERSION,
            LANGUAGES_VERSION,
        )
        return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    def _build_settings(self, index_path: str, data_dir_parts: tuple[str, ...] | None) -> BuildSettings:
        config = self.config
        return BuildSettings(
            config.root,
            index_path,
            data_dir_parts,
            config.chunk_lines,
            config.chunk_overlap_lines,
            config.limits.max_file_bytes,
            frozenset(config.include_extensions),
        )

    def _walk(self, cancelled: Callable[[], bool]) -> WalkReport:
        ignore = IgnoreRules(self.config.exclude_globs)
        return walk(self._door, self._policy.find_denial, ignore, cancelled=cancelled)

    # Reading files

    def list_files(self, glob: str | None, max_results: int, include_hidden: bool) -> FileListing:
        """The files of the live tree whose paths match, in path order. INVALID_ARGUMENT for a bad glob."""
        matches = GlobFilter(glob).matches if glob else None
        report = walk(
            self._door,
            self._policy.find_denial,
            IgnoreRules(self.config.exclude_globs),
            include_hidden=include_hidden,
        )
        found = [file for file in report.files if matches is None or matches(file.path)]
        return FileListing(
            tuple(
                ListedFile(file.path, file.stat.size, file.stat.mtime_ns / NANOSECONDS)
                for file in found[:max_results]
            ),
            total=len(found),
            truncated=len(found) > max_results,
            denied=report.skipped.get("denied", 0),
            warnings=report.warnings,
        )

    def open_file(self, path: str, start_line: int | None, end_line: int | None) -> OpenedText:
        """Lines of a live file, clamped to its end. Raises INVALID_ARGUMENT for lines that are not there."""
        limits = self.config.limits
        opened = self._door.read(path, limits.max_file_bytes)
        text = decode_source(opened.data)
        lines = split_lines(text.data)
        start = 1 if start_line is None else start_line
        end = start + limits.default_open_lines - 1 if end_line is None else end_line
        _check_lines(start, end, len(lines))
        last = min(end, start + limits.max_open_lines - 1, len(lines))
        warnings = list(text.warnings)
        if opened.changed_while_reading:
            warnings.append(
                "The file was being written while it was read; lines of two versions may be mixed."
            )
        return OpenedText(
            opened.path,
            start,
            last,
            len(lines),
            tuple(line.decode("utf-8", "replace") for line in lines[start - 1 : last]),
            truncated=last < min(end, len(lines)) or (end_line is None and last < len(lines)),
            warnings=tuple(warnings),
        )

    # Searching

    def index_exists(self) -> bool:
        """True when something was committed that can be searched."""
        return self._find_searcher() is not None

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Ranked chunks for a query. INVALID_ARGUMENT, INDEX_UNAVAILABLE when nothing is indexed yet."""
        if not request.query.strip():
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                "query is empty.",
                "Give a word, a name or a question.",
                {"argument": "query"},
            )
        searcher = self._find_searcher()
        if searcher is None:
            raise RepoError(ErrorCode.INDEX_UNAVAILABLE, self._explain_missing(), NOT_INDEXED_HINT)
        try:
            return self._search(searcher, request)
        except IndexFormatError as error:
            self._report_damage()
            raise RepoError(
                ErrorCode.INDEX_UNAVAILABLE, "The index is damaged; it is being built anew.", NOT_INDEXED_HINT
            ) from error

    def _search(self, searcher: Searcher, request: SearchRequest) -> SearchAnswer:
        query = parse_query(request.query, self.config.limits.max_query_words)
        ranking = searcher.rank(
            query,
            request.top_k,
            matches_path=GlobFilter(request.file_glob).matches if request.file_glob else None,
            filter_key=request.file_glob or "",
            language=request.language,
            include_tests=request.include_tests,
        )
        shown = show_hits(ranking.chunks, query.phrases, self._read_live)
        return SearchAnswer(
            shown.hits,
            ranking.total,
            truncated=ranking.total > len(ranking.chunks),
            snapshot=name_snapshot(searcher.snapshot.generation),
            warnings=(*query.warnings, *self._warn_of_state(), *shown.warnings),
        )

    def _read_live(self, path: str) -> bytes:
        return self._door.read_walked(path, self.config.limits.max_file_bytes).data

    def _find_searcher(self) -> Searcher | None:
        """The searcher of the committed generation, opened anew when there is a newer one."""
        try:
            manifest = read_manifest(self._directory)
            with self._lock:
                current = self._searcher
            if manifest is None or (
                current is not None and current.snapshot.generation == manifest.generation
            ):
                return current
            snapshot = Snapshot.open(self._directory)
            if snapshot is None or snapshot.manifest.configuration != self._configuration:
                return None
            searcher = Searcher(snapshot)
        except IndexFormatError:
            self._report_damage()
            return None
        except OSError:
            with self._lock:
                return self._searcher
        with self._lock:
            self._searcher, self._index_fault = searcher, ""
            return searcher

    def _report_damage(self) -> None:
        with self._lock:
            self._searcher = None
            self._index_fault = "The index could not be read; it is built anew."
        if not self._closed.is_set() and not self._refreshing.locked():
            self.start_background_refresh(force=True)

    # Status

    def status(self) -> IndexStatus:
        """The state of the index, from what is committed and what runs in this process."""
        searcher = self._find_searcher()
        with self._lock:
            fault = self._index_fault
        warnings = [text for text in (fault, self._background_fault) if text]
        progress = self._progress
        if searcher is None:
            state = "degraded" if fault else ("building" if self._refreshing.locked() else "missing")
            return IndexStatus(state, None, 0, 0, 0, 0, {}, None, None, progress, {}, tuple(warnings))
        manifest = searcher.snapshot.manifest
        seen = self._read_seen(manifest.generation)
        languages = _count_languages(searcher.snapshot)
        return IndexStatus(
            state="ready" if seen is not None else "partial",
            snapshot=name_snapshot(manifest.generation),
            generation=manifest.generation,
            indexed_files=searcher.snapshot.file_count,
            segments=len(manifest.segments),
            index_bytes=sum(entry.file_bytes for entry in manifest.segments),
            skipped=seen.count_reasons() if seen is not None else {},
            stale=None,
            last_refresh=seen.taken_at if seen is not None else None,
            progress=progress,
            languages=languages,
            warnings=tuple(warnings),
        )

    def _read_seen(self, generation: int) -> SeenFiles | None:
        """The record of the refresh that made a generation; None while one is under way."""
        with self._lock:
            if self._seen is not None and self._seen.generation == generation:
                return self._seen
        seen = read_seen(self._directory, generation)
        with self._lock:
            self._seen = seen
        return seen

    def _warn_of_state(self) -> list[str]:
        progress = self._progress
        if progress is None or progress.phase == "walk":
            return []
        if progress.phase == "index" and progress.files_total:
            return [
                f"The index is being refreshed: {progress.files_done} of {progress.files_total} files"
                " are done; the others may be missing here."
            ]
        return []

    def _explain_missing(self) -> str:
        progress = self._progress
        if progress is not None and progress.files_total:
            done = f"{progress.files_done} of {progress.files_total}"
            return f"Nothing is searchable yet: {done} files are indexed."
        return "There is no index yet."

    # Writing the index

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> RefreshReport:
        """Make the index say what the tree says. Raises BUSY, CANCELLED, INDEX_UNAVAILABLE."""
        if not self._refreshing.acquire(blocking=False):
            raise RepoError(
                ErrorCode.BUSY,
                "A refresh of this index is running already.",
                "Search works meanwhile; repo.status tells how far it is.",
            )
        try:
            return self._refresh(force, progress, cancelled)
        finally:
            self._progress = None
            self._refreshing.release()

    def _refresh(
        self, force: bool, progress: ProgressCallback | None, cancelled: Callable[[], bool] | None
    ) -> RefreshReport:
        def report(now: IndexProgress) -> None:
            self._progress = now
            if progress is not None:
                progress(now)

        def stop() -> bool:
            return self._closed.is_set() or (cancelled is not None and cancelled())

        done = self._indexer.refresh(force=force, progress=report, cancelled=stop)
        self._background_fault = ""
        return done

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does."""
        with self._refreshing:
            return self._indexer.compact(full=full)

    def start_background_refresh(self, *, force: bool = False) -> None:
        """Refresh in a thread of its own; a failure becomes a warning of `status`."""
        threading.Thread(target=self._refresh_quietly, args=(force,), name="refresh", daemon=True).start()

    def _refresh_quietly(self, force: bool) -> None:
        try:
            self.refresh(force=force)
        except RepoError as error:
            if error.code not in (ErrorCode.BUSY, ErrorCode.CANCELLED):
                self._background_fault = f"The last refresh failed: {error.message}"
        except Exception as error:  # a thread has nobody else to tell
            self._background_fault = f"The last refresh failed: {type(error).__name__}."

    def close(self) -> None:
        """Stop a running refresh and give everything back. The repository must not be used afterwards."""
        self._closed.set()
        with suppress(RuntimeError):
            if self._refreshing.acquire(timeout=CLOSE_WAIT_SECONDS):
                self._door.close()
        with self._lock:
            self._searcher = None


def _deny_nothing(_path: str) -> None:
    return None


def _ignore(_text: str) -> None:
    return None


def _check_lines(start: int, end: int, total: int) -> None:
    """Raises INVALID_ARGUMENT, naming the argument and its limits."""
    if start < 1 or (start > total and not (start == 1 and total == 0)):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"start_line is {start}; the file has {total} lines.",
            f"Give a start_line from 1 to {max(1, total)}.",
            {"argument": "start_line", "total_lines": total},
        )
    if end < start:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"end_line is {end}, before start_line {start}.",
            "Give an end_line that is not before start_line, or none.",
            {"argument": "end_line", "total_lines": total},
        )


def _count_languages(snapshot: Snapshot) -> dict[str, int]:
    """Live files by language, sorted by name."""
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        numbers = segment.reader.read_languages()[segment.live_file_mask]
        names = segment.reader.language_names
        for number, count in enumerate(np.bincount(numbers, minlength=len(names)).tolist()):
            counts[names[number]] += count
    return {name: count for name, count in sorted(counts.items()) if count}
