"""The order in which the files of a tree are indexed: those that are asked for most come first.

Code comes before tests, documents, data, and third-party or generated files; within each group, files near
the root come before deep ones. Directories of one depth come in an order that has nothing to do with their
names, so that the files indexed at any time are a fair sample. Files of one directory stay together, as they
are read together. Files changed last, long after most of the tree was written, come before all others.

The finished index does not depend on any of this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.text.roles import FileRole, choose_role, find_directory_role, find_name_role
from repo_mcp.workspace.walked_files import MTIME_COLUMN, WalkedFiles

MAX_CHANGED_LAST = 200  # most files that count as changed last: a day's work, and less than a shard
LATER_NS = 3600 * 10**9  # how much later than the median they changed: a checkout takes minutes
_RANKS = {
    role: rank
    for rank, role in enumerate(
        (FileRole.CODE, FileRole.TEST, FileRole.DOCS, FileRole.CONFIG, FileRole.STYLE, FileRole.FOREIGN)
    )
}
Rank = tuple[int, int, bytes]  # number of its role, depth, and a digest that sorts directories at random


def order_likely(files: WalkedFiles) -> list[int]:
    """Return the positions of files given in path order, the most likely ones to be asked for first."""
    changed_last, rank = _find_changed_last(files), make_ranker()
    keys = [(position not in changed_last, rank(path)) for position, path in enumerate(files.paths)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def make_ranker() -> Callable[[str], Rank]:
    """Return a function that ranks paths, fastest in path order; equal ranks mean the same directory."""
    read_directory = lru_cache(maxsize=1)(_read_directory)

    def rank(path: str) -> Rank:
        directory, _, name = path.rpartition("/")
        role, depth, mixed = read_directory(directory)
        return _RANKS[choose_role(role, find_name_role(name))], depth, mixed

    return rank


def _read_directory(path: str) -> tuple[FileRole, int, bytes]:
    """Return a directory's role, its depth, and bytes that identify it and sort directories at random."""
    return find_directory_role(path), path.count("/") + bool(path), compute_fingerprint(path.encode())


def _find_changed_last(files: WalkedFiles) -> frozenset[int]:
    """Return the positions of the files changed last; none if all changed at about the same time."""
    if not len(files):
        return frozenset()
    times = files.stats[:, MTIME_COLUMN]
    later = np.flatnonzero(times > int(np.median(times)) + LATER_NS)
    return frozenset(later[np.argsort(-times[later], kind="stable")][:MAX_CHANGED_LAST].tolist())
