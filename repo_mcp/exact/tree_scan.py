"""Exact search of a tree without an index: every file that is wanted is listed and read.

This serves the first seconds on a fresh root, large changes that are still being indexed, and an index that
cannot be read. It finds what a search with an index finds, unless TIME_LIMIT_SECONDS cut it short. These are
seconds of the whole call. A tree that is not listed in half of them is searched as far as it is listed then,
so that no time is spent on listing alone; the answer says how many files were searched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from repo_mcp.exact import search as exact_search
from repo_mcp.exact.search import FileSearch, search_files, warn_of_too_large
from repo_mcp.model import ExactAnswer, WalkReport
from repo_mcp.text.roles import order_by_role
from repo_mcp.workspace.walked_files import SIZE_COLUMN, FileColumns, WalkedFiles, build_walked_files

NO_SNAPSHOT = "none"  # the snapshot of an answer for which no generation was used
LISTING_SHARE = 0.5  # of the time; mostly a third of what reading the files takes
STOPPED = (
    "The search stopped after {:.0f} seconds (files searched: {:,}{}): the others may match."
    " Ask for fewer files, or again once the index is built."
)
Walk = Callable[[Callable[[FileColumns], None]], WalkReport]  # given a function that is told of files so far


class _ListingEnded(Exception):
    """The time for listing is over; `files` were found."""

    def __init__(self, files: WalkedFiles) -> None:
        super().__init__()
        self.files = files


def scan_tree(search: FileSearch, walk: Walk, max_file_bytes: int) -> ExactAnswer:
    """Return the matches in the files of a walk. Raises RepoError with CANCELLED and as the walk does."""
    limit = exact_search.TIME_LIMIT_SECONDS
    started, wanted = time.monotonic(), search.wanted
    files, is_whole = _list_files(walk, started + LISTING_SHARE * limit)
    paths: Iterator[str] = filter(wanted.matches_unindexed, files.paths)
    by_role = search.request.by_role
    found = search_files(search, order_by_role(paths) if by_role else paths, started + limit)
    if found.is_late or not (is_whole or found.is_partial):
        found.is_partial = True
        more = "; more were still to be listed"
        if is_whole:
            more = f" of {sum(map(wanted.matches_unindexed, files.paths)):,}"
        found.warnings.append(STOPPED.format(time.monotonic() - started, found.searched, more))
    too_large = np.flatnonzero(files.stats[:, SIZE_COLUMN] > max_file_bytes).tolist()
    found.warnings += warn_of_too_large((files.paths[one] for one in too_large), wanted)
    return found.build_answer(search.request, NO_SNAPSHOT, scanned=True)


def _list_files(walk: Walk, deadline: float) -> tuple[WalkedFiles, bool]:
    """Return the files of a walk, and whether these are all or those found until `deadline`."""

    def meet(files: FileColumns) -> None:
        if time.monotonic() > deadline:
            raise _ListingEnded(files.cut(0))

    try:
        return build_walked_files(walk(meet).files), True
    except _ListingEnded as ended:
        return ended.files, False
