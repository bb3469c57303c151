"""Exact search without an index: every file of the live tree is read, in path order.

For the first seconds on a fresh root, while a large change is being indexed, and for an index that cannot be
read. What is found is what a search with an index finds; only TIME_LIMIT_SECONDS of `repo_mcp.exact.search`
may cut it short, and then the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.paths import PathFilter
from repo_mcp.exact.search import SNIPPETS, describe_too_large, search_files
from repo_mcp.model import ExactAnswer, ExactRequest, WalkReport

NO_SNAPSHOT = "none"  # no generation answered


def scan_tree(
    request: ExactRequest,
    matcher: LineMatcher,
    wanted: PathFilter,
    report: WalkReport,
    max_file_bytes: int,
    read_many: ReadMany,
    cancelled: Callable[[], bool],
) -> ExactAnswer:
    """The matches in the files of a walk. CANCELLED."""
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
