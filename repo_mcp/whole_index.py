"""Both indexes of one root brought up to date in one call: that of its words, then that of its structure.

Where one of them is being made already, in the background of this process or by another one, that is waited
for, and its progress told: whoever asks for an index is to have one in the end.

Left out on purpose: how each of them is made. That is `repo_mcp.indexing.indexer` and
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

LOOK_SECONDS = 0.25  # between looks at work that somebody else does
PATIENCE_SECONDS = 60.0  # that another process may take without anything being known of it

Report = TypeVar("Report")
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class WholeReport:
    """What was done, and what there is now."""

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
    """Make both indexes say what the tree says; with `force` all is read and parsed anew.

    Raises as `Repository.refresh` and `LiveSymbolIndex.build` do: CANCELLED within a moment, and then both
    indexes are whole, as they were or further.
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
    """What `work` gives, made again while it is BUSY. `look` tells how far the other is, None when unknown.

    BUSY when nothing was known of the other for PATIENCE_SECONDS, CANCELLED.
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
