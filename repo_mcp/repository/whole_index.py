"""Bring both indexes of one root up to date in one call: the index of words, then the symbol index.

If either is already being built, by this process in the background or by another one, the call waits for that
build as long as it makes progress, and reports the progress, because the caller needs an index in the end.

Left out on purpose: how each of them is built. See `repo_mcp.indexing.indexer` and
`repo_mcp.symbol_index.phase`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from index_format import MANIFEST, WritableFile
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import (
    IndexProgress,
    IndexStatus,
    ProgressCallback,
    RefreshReport,
    SymbolIndexReport,
    SymbolIndexStatus,
)
from repo_mcp.record_classes import dataclass
from repo_mcp.repository import Repository
from repo_mcp.storage.pack_keys import read_key
from repo_mcp.storage.packs import KINDS, write_pack

LOOK_SECONDS = 0.25  # time between checks of a build that another process runs
OTHER_SECONDS = 5.0  # how long to wait for another process without a commit: it may be stopped
OWN_SECONDS = 300.0  # how long to wait for this process without progress: a large merge is one step

Report = TypeVar("Report")
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class WholeReport:
    """The work done, and the resulting state."""

    refresh: RefreshReport
    structure: SymbolIndexReport
    index: IndexStatus
    symbols: SymbolIndexStatus


class _Watched(Protocol):
    """The status of an index that somebody is writing."""

    @property
    def progress(self) -> IndexProgress | None:
        """Return the progress of this process; None when it is not writing."""

    @property
    def snapshot(self) -> str | None:
        """Return the name of the committed generation."""


def pack_whole(repository: Repository, target: AbstractContextManager[WritableFile]) -> int:
    """Merge each existing index into one segment, write them all to a pack and return its bytes.

    Raises as compacting and `write_pack` do, and CONFIG_INVALID if names are served that are denied by
    default.
    """
    if repository.config.allow_paths:
        what = "An index with files that --allow-path serves is not packed."
        raise RepoError(ErrorCode.CONFIG_INVALID, what, "Make the pack without --allow-path.")
    key = read_key(repository.config.pack_key)
    key.check_signing()
    repository.compact(full=True)
    if repository.symbol_index.exists:
        repository.symbol_index.compact(full=True)
    indexes = [
        (name.partition("-")[0], directory)
        for name, directory in repository.namespaces.open().items()
        if name.partition("-")[0] in KINDS and MANIFEST in directory.list_names()
    ]
    return write_pack(target, indexes, key)


def index_whole(
    repository: Repository, *, force: bool, progress: ProgressCallback | None, cancelled: Cancelled
) -> WholeReport:
    """Bring both indexes up to date with the tree; with `force` read and parse every file again.

    Raises RepoError as `Repository.refresh` and `LiveSymbolIndex.build` do, BUSY once the writing process
    makes no progress. CANCELLED is raised within a moment and leaves both indexes intact.
    """
    done = retry_while_busy(
        lambda: repository.refresh(force=force, progress=progress, cancelled=cancelled),
        repository.status,
        progress,
        cancelled,
    )
    structure = retry_while_busy(
        lambda: repository.symbol_index.build(anew=force, progress=progress, cancelled=cancelled),
        repository.symbol_index.status,
        progress,
        cancelled,
    )
    return WholeReport(done, structure, repository.status(), repository.symbol_index.status())


def retry_while_busy(
    work: Callable[[], Report],
    look: Callable[[], _Watched],
    progress: ProgressCallback | None,
    cancelled: Cancelled,
) -> Report:
    """Return the result of `work`, repeated while it is BUSY and `look` shows progress.

    Raises RepoError with BUSY after OTHER_SECONDS without a commit, or OWN_SECONDS without progress where
    this process is writing, and with CANCELLED.
    """
    moved = 0.0  # time.monotonic of the last progress that was seen
    before: tuple[IndexProgress | None, str | None] | None = None
    while True:
        try:
            return work()
        except RepoError as error:
            if error.code is not ErrorCode.BUSY:
                raise
            now = look()
            if before != (now.progress, now.snapshot):
                moved = time.monotonic()
            before = (now.progress, now.snapshot)
            if time.monotonic() - moved >= (OTHER_SECONDS if now.progress is None else OWN_SECONDS):
                raise
        if cancelled():
            raise RepoError(ErrorCode.CANCELLED, "Indexing was cancelled.", "What was done so far is kept.")
        if now.progress is not None and progress is not None:
            progress(now.progress)
        time.sleep(LOOK_SECONDS)
