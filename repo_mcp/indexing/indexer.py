"""Refreshes and compacts the index of one root: opens the writer, runs one refresh, explains failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from index_format import IndexForeign, IndexFormatError, IndexLocked, IndexWriter, read_manifest
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.outcome import build_compact_report, explain_write_error
from repo_mcp.indexing.refresh import Refresh
from repo_mcp.indexing.refresh_inputs import RefreshHooks, RefreshResources, Walk
from repo_mcp.indexing.scan_state import read_seen, write_seen
from repo_mcp.indexing.shards.workers import make_merger
from repo_mcp.model import CompactReport, ProgressCallback, RefreshReport
from repo_mcp.record_classes import replace
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.path_changes import PathChanges

DAMAGED = "The index was damaged, so it was rebuilt."
FOREIGN = "The index was not written with this user's key, so it was rebuilt."
LOCK_WAIT_SECONDS = 5.0
LOCK_RETRY_SECONDS = 0.05


class Indexer:
    """The writing side of one root's index."""

    def __init__(
        self,
        resources: RefreshResources,
        configuration: str,
        walk: Walk,
        note_purge: Callable[[], None] = lambda: None,
    ) -> None:
        """`note_purge` is called when nothing is left of text that must not be served."""
        self._resources = resources
        self._directory = resources.directory
        self._configuration = configuration
        self._walk = walk
        self._note_purge = note_purge

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        committed: Callable[[], None] = lambda: None,
    ) -> RefreshReport:
        """Bring the index up to date with the tree. `committed` is called after each commit.

        With `force` every file is read, whatever its time stamps. Raises BUSY when another process writes,
        CANCELLED, INDEX_UNAVAILABLE when the index cannot be written.
        """
        hooks = RefreshHooks(progress, cancelled, committed)
        try:
            with self._open_writer() as writer:
                warnings = _explain_start(writer)
                try:
                    return self._run(writer, hooks, force, warnings)
                except IndexFormatError:
                    writer.discard_all()
                # What a cluster built may be what was damaged, so it is not asked again.
                return self._run(writer, hooks, True, (DAMAGED,), builds_here=True)
        except OSError as error:
            raise explain_write_error(error) from error

    def refresh_named(self, changes: PathChanges, cancelled: Callable[[], bool]) -> RefreshReport | None:
        """Bring a few files of the index up to date without a walk; None if a walk is needed.

        Raises as `refresh` does.
        """
        try:
            with self._open_writer() as writer:
                if writer.start_fault is not None:
                    return None
                refresh = Refresh(self._resources, writer, RefreshHooks(None, cancelled))
                with refresh.pool:
                    report = refresh.run_named(changes)
                self._finish_purge(refresh, report)
                return report
        except IndexFormatError:
            return None
        except OSError as error:
            raise explain_write_error(error) from error

    def _run(
        self,
        writer: IndexWriter,
        hooks: RefreshHooks,
        force: bool,
        warnings: Sequence[str] = (),
        *,
        builds_here: bool = False,
    ) -> RefreshReport:
        resources = self._resources
        if builds_here:
            resources = replace(resources, settings=replace(resources.settings, cluster=None))
        refresh = Refresh(resources, writer, hooks)
        refresh.warnings += warnings
        with refresh.pool:
            report = refresh.run(self._walk, force)
        self._finish_purge(refresh, report)
        return report

    def _finish_purge(self, refresh: Refresh, report: RefreshReport | None) -> None:
        if refresh.has_purged and report is not None:
            self._resources.mark.clear()
            self._note_purge()

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does.

        Also raises INDEX_UNAVAILABLE for a damaged index. Does not create an index.
        """
        started, settings = time.monotonic(), self._resources.settings
        try:
            with self._open_writer() as writer:
                if writer.start_fault is not None:
                    raise writer.start_fault
                if read_manifest(self._directory) is None:
                    return build_compact_report((), (), started, 0)
                before = writer.segments
                seen = read_seen(self._directory, writer.commit().generation, before)
                make_merger(writer, settings, self._resources.workers, lambda: False).merge(full=full)
                manifest = writer.commit()
                if seen is not None and seen.generation != manifest.generation:
                    renumbered = replace(seen, generation=manifest.generation)
                    write_seen(self._directory, renumbered, writer.segments)
                writer.delete_garbage()
                after = writer.segments
        except IndexFormatError as error:
            raise RepoError(
                ErrorCode.INDEX_UNAVAILABLE, "The index is damaged.", "Refresh the index to rebuild it."
            ) from error
        except OSError as error:
            raise explain_write_error(error) from error
        return build_compact_report(before, after, started, manifest.generation)

    def _open_writer(self) -> IndexWriter:
        """Return the writer, after a bounded wait for another one to finish."""
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            try:
                return IndexWriter(self._directory, self._configuration, FIELDS)
            except IndexLocked as error:
                if time.monotonic() >= deadline:
                    raise RepoError(
                        ErrorCode.BUSY,
                        "Another process is refreshing this index.",
                        "Search still works; try the refresh again later.",
                    ) from error
                time.sleep(LOCK_RETRY_SECONDS)


def _explain_start(writer: IndexWriter) -> tuple[str, ...]:
    """Return a warning if the existing index is not continued."""
    if writer.start_fault is None:
        return ()
    return (FOREIGN if isinstance(writer.start_fault, IndexForeign) else DAMAGED,)
