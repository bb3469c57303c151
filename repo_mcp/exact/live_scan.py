"""Exact search without an index: every file of the live tree is read, in path order.

It serves the first seconds on a fresh root, large changes that are still being indexed, and an index that
cannot be read. It finds the same as a search with an index; only TIME_LIMIT_SECONDS of
`repo_mcp.exact.search` may cut it short, and then the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.paths import PathFilter
from repo_mcp.exact.search import SNIPPETS, describe_too_large, search_files
from repo_mcp.model import ExactAnswer, ExactRequest, WalkReport

NO_SNAPSHOT = "none"  # no generation was used


def scan_tree(
    request: ExactRequest,
    matcher: LineMatcher,
    wanted: PathFilter,
    report: WalkReport,
    max_file_bytes: int,
    read_many: ReadMany,
    cancelled: Callable[[], bool],
) -> ExactAnswer:
    """Return the matches in the files of a walk. Raises RepoError with CANCELLED."""
    paths = (file.path for file in report.files if wanted.matches_unindexed(file.path))
    found = search_files(request, matcher, paths, read_many, cancelled)
    too_large = sum(file.stat.size > max_file_bytes for file in report.files)
    if too_large:
        found.warnings.append(describe_too_large(too_large))
    is_cut = request.detail == SNIPPETS and found.total > len(found.matches)
    return ExactAnswer(
        tuple(found.matches),
        tuple(found.files),
        found.total,
        total_is_lower_bound=found.is_partial,
        truncated=found.is_partial or is_cut,
        scanned=True,
        snapshot=NO_SNAPSHOT,
        warnings=tuple(found.warnings),
    )
