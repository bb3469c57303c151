"""Bring both indexes of one root up to date in one call: the index of words, then the symbol index.

If either is already being built, by this process in the background or by another one, that build is waited
for and its progress reported, because the caller needs an index in the end.

Left out on purpose: how each of them is built. See `repo_mcp.indexing.indexer` and
`repo_mcp.symbol_index.phase`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import (
    IndexProgress,
    IndexStatus,
    ProgressCallback,
    RefreshReport,
    SymbolIndexReport,
    SymbolIndexStatus,
)
from repo_mcp.repository import Repository

LOOK_SECONDS = 0.25  # between checks on a build that another runs
PATIENCE_SECONDS = 60.0  # that another process may take without reporting progress

Report = TypeVar("Report")
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class WholeReport:
    """The work done, and the resulting state."""

    refresh: RefreshReport
    structure: SymbolIndexReport
    index: IndexStatus
    symbols: SymbolIndexStatus


def index_whole(
    repository: Repository,
    *,
    force: bool = False,
    progress: ProgressCallback | None = None,
    cancelled: Cancelled = lambda: False,
) -> WholeReport:
    """Bring both indexes up to date with the tree; with `force` read and parse every file again.

    Raises RepoError as `Repository.refresh` and `LiveSymbolIndex.build` do. CANCELLED comes within a moment
    and leaves both indexes whole.
    """
    done = _insist(
        lambda: repository.refresh(force=force, progress=progress, cancelled=cancelled),
        lambda: repository.status().progress,
        progress,
        cancelled,
    )
    structure = _insist(
        lambda: repository.symbol_index.build(anew=force, progress=progress, cancelled=cancelled),
        lambda: repository.symbol_index.status().progress,
        progress,
        cancelled,
    )
    return WholeReport(done, structure, repository.status(), repository.symbol_index.status())


def _insist(
    work: Callable[[], Report],
    look: Callable[[], IndexProgress | None],
    progress: ProgressCallback | None,
    cancelled: Cancelled,
) -> Report:
    """Return the result of `work`, repeated while it is BUSY. `look` returns the other's progress, if known.

    Raises RepoError with BUSY when nothing was known of the other for PATIENCE_SECONDS, and with CANCELLED.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return work()
        except RepoError as error:
            if error.code is not ErrorCode.BUSY or time.monotonic() >= deadline:
                raise
        if cancelled():
            raise RepoError(ErrorCode.CANCELLED, "Indexing was cancelled.", "What was done so far is kept.")
        now = look()
        if now is not None:
            deadline = time.monotonic() + PATIENCE_SECONDS
            if progress is not None:
                progress(now)
        time.sleep(LOOK_SECONDS)
