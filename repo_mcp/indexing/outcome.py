"""The outcome of indexing: the reports of it, the record of a refresh, and errors of writing."""

from __future__ import annotations

import errno
import time
from collections.abc import Mapping, Sequence
from dataclasses import field

from index_format import SegmentEntry
from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.indexing.scan_state import RefreshEnd, SeenFiles, build_seen, renew_seen
from repo_mcp.indexing.scan_state_pages import BackgroundPages
from repo_mcp.indexing.shards.shards import ShardResult
from repo_mcp.model import CompactReport, RefreshReport, SkipReason, WalkedFile, WalkReport
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.reader.held_root import ROOT_MOVED


def build_compact_report(
    before: Sequence[SegmentEntry], after: Sequence[SegmentEntry], started: float, generation: int
) -> CompactReport:
    """Return the report of a compaction that began at `started`, a time of time.monotonic."""
    return CompactReport(
        len(before),
        len(after),
        sum(entry.file_bytes for entry in before),
        sum(entry.file_bytes for entry in after),
        count_milliseconds(started),
        generation,
    )


def count_milliseconds(started: float) -> int:
    """Return the milliseconds since `started`, a time of time.monotonic."""
    return round((time.monotonic() - started) * 1000)


def explain_write_error(error: OSError) -> RepoError:
    """Return the RepoError, with INDEX_UNAVAILABLE, for an index that cannot be written.

    Its code is UNREADABLE if the root is no longer the directory that was opened.
    """
    if error.errno == errno.ESTALE:
        return RepoError(ErrorCode.UNREADABLE, ROOT_MOVED, "Start the server again.")
    return RepoError(
        ErrorCode.INDEX_UNAVAILABLE,
        f"The index cannot be written ({error.strerror or type(error).__name__}).",
        CHECK_PLACE,
    )


@dataclass(slots=True)
class RefreshOutcome:
    """The fate of the files in one refresh, counted while it runs."""

    skipped: dict[str, SkipReason] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)  # files that the next refresh must read again
    gone: set[str] = field(default_factory=set)  # files that vanished before they were read
    added: int = 0
    updated: int = 0
    removed: int = 0

    def forget(self, paths: Sequence[str]) -> None:
        """Remove files from `skipped`."""
        for path in paths:
            self.skipped.pop(path, None)

    def note(self, result: ShardResult, updated: int) -> None:
        """Count the result of a shard, of whose files `updated` were indexed before."""
        self.updated += updated
        self.added += len(result.indexed) - updated
        self.unsettled.update(result.unsettled)
        self.gone.update(result.gone)
        self.forget((*result.indexed, *result.unchanged))
        self.skipped.update(result.skipped)

    def build_seen(
        self,
        generation: int,
        scan_started_ns: int,
        report: WalkReport,
        origin: str,
        pages: BackgroundPages | None,
    ) -> SeenFiles:
        """Return the record of a refresh that had none to compare with."""
        end = RefreshEnd(generation, scan_started_ns, time.time())
        return build_seen(end, report, self.skipped, self._list_unread(), origin, pages)

    def renew_seen(
        self,
        before: SeenFiles,
        generation: int,
        scan_started_ns: int,
        changed: Sequence[WalkedFile],
        missing: Sequence[str],
    ) -> SeenFiles:
        """Return the record of the refresh before, with what this one found changed or missing."""
        end = RefreshEnd(generation, scan_started_ns, time.time())
        return renew_seen(before, end, changed, missing, self.skipped, self._list_unread())

    def _list_unread(self) -> frozenset[str]:
        """Return the files that the next refresh reads, whatever their status."""
        return frozenset(self.unsettled | self.gone)

    def build_report(
        self,
        started: float,
        generation: int,
        left_out: Mapping[str, int],
        indexed: int,
        warnings: tuple[str, ...],
    ) -> RefreshReport:
        """Return the report of a refresh that began at `started` (time.monotonic).

        `left_out` counts what the walk left out, by reason; `indexed` is the number of live files.
        """
        skipped = dict(left_out)
        for reason in self.skipped.values():
            skipped[reason.value] = skipped.get(reason.value, 0) + 1
        return RefreshReport(
            added=self.added,
            updated=self.updated,
            removed=self.removed,
            unchanged=indexed - self.added - self.updated,
            skipped=dict(sorted(skipped.items())),
            duration_ms=count_milliseconds(started),
            timestamp=time.time(),
            generation=generation,
            warnings=warnings,
        )
