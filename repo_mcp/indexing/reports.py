"""The reports of indexing: counts and times, and errors of writing."""

from __future__ import annotations

import errno
import time
from collections.abc import Sequence

from index_format import SegmentEntry
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import CompactReport
from repo_mcp.workspace.held_root import ROOT_MOVED


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
        "Check space and permissions of the data directory; the previous index still answers.",
    )
