"""Open the repository for one command, and bring its indexes up to date before it is asked.

The progress is one line on standard error, rewritten in place, on a terminal alone:

    Indexing  ███████░░░░░░░░░░░░░  30,112 of 78,239 files  412 MB  0:09  0:15 left
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from repo_mcp.cli.console.endings import warn
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.server_config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError

if TYPE_CHECKING:
    from repo_mcp.indexing.shards.shards import Cluster
    from repo_mcp.model import IndexProgress, ProgressCallback, RefreshReport, SymbolIndexReport
    from repo_mcp.repository import Repository
    from repo_mcp.semantic.vector_phase import VectorReport
    from repo_mcp.storage.packs import ListPacked

_NAMES = {
    "walk": "Looking at files",
    "index": "Indexing",
    "structure": "Parsing",
    "vectors": "Embedding",
    "merge": "Merging",
    "commit": "Writing",
}
BAR_CELLS = 20
REDRAW_SECONDS = 0.1
ESTIMATE_SECONDS = 2.0  # seconds of a phase after which the time left is estimated from the pace so far
_CLEAR = "\r\x1b[K"


def load(options: Namespace, **more: Any) -> Config:
    """Return the configuration of a command with the options of `add_place`, and more. Raises RepoError."""
    limits = {"max_file_bytes": getattr(options, "max_file_bytes", None)}
    return load_config(
        find_working_root(options.repo_root).root,
        data_dir=options.data_dir,
        allow_paths=options.allow_path,
        limits={name: value for name, value in limits.items() if value is not None},
        **more,
    )


@contextmanager
def opened(
    config: Config, list_packed: ListPacked | None = None, cluster: Cluster | None = None
) -> Iterator[Repository]:
    """Open the repository for one command; its warnings go to stderr. Raises RepoError.

    `list_packed` gives the indexes of a pack that a first one may begin with; `cluster` builds the shards.
    """
    from repo_mcp.process.lean_imports import lean_imports  # imported here, as completion does not need it

    with lean_imports():
        from repo_mcp.repository import Repository  # imported here, as --help does not need it
    with closing(
        Repository(config, report_warning=warn, list_packed=list_packed, cluster=cluster)
    ) as repository:
        yield repository


def refresh(repository: Repository, *, force: bool, quiet: bool) -> RefreshReport:
    """Refresh the index, with a progress line unless `quiet`. Raises RepoError like `Repository.refresh`."""
    with show_progress(quiet=quiet) as progress:
        return repository.refresh(force=force, progress=progress)


def _refresh_for_an_answer(repository: Repository, *, quiet: bool) -> None:
    with show_progress(quiet=quiet) as progress:
        repository.refresh(progress=progress, is_last=True)


def bring_up_to_date(repository: Repository, *, quiet: bool) -> None:
    """Refresh the index; if another process is doing so or the disk is full, use the existing one.

    Raises RepoError.
    """
    try:
        _refresh_for_an_answer(repository, quiet=quiet)
    except RepoError as error:
        may_go_on = error.code in (ErrorCode.BUSY, ErrorCode.INDEX_UNAVAILABLE)
        if not may_go_on or not repository.index_exists:
            raise
        warn(f"{error.message} The answer comes from the existing index.")


def renew_symbol_index(repository: Repository, *, quiet: bool) -> None:
    """Bring the symbol index up to date for an answer; if another process is doing so, only warn.

    Raises RepoError.
    """
    try:
        with show_progress(quiet=quiet) as progress:
            done = repository.symbol_index.build(progress=progress)
    except RepoError as error:
        if error.code is not ErrorCode.BUSY:
            raise
        warn(f"{error.message} {error.hint}")
    else:
        _warn_of_left(done, "parsed", "parses")


def build_symbol_index(repository: Repository, *, force: bool, quiet: bool) -> None:
    """Build the symbol index or bring it up to date; another process at it is waited for while it commits.

    Raises RepoError, with BUSY if that process does not end.
    """
    from repo_mcp.repository.whole_index import retry_while_busy

    symbols = repository.symbol_index
    with show_progress(quiet=quiet) as progress:
        build = partial(symbols.build, anew=force, progress=progress)
        try:
            done = build()
        except RepoError as error:
            if error.code is not ErrorCode.BUSY:
                raise
            warn(f"{error.message} This command waits for it.")
            done = retry_while_busy(build, symbols.status, progress, lambda: False)
    _warn_of_left(done, "parsed", "parses")


def build_vectors(repository: Repository, *, force: bool, quiet: bool) -> None:
    """Bring the vectors up to date if a model is given. Raises RepoError, with BUSY for another process."""
    if repository.vectors is not None:
        with show_progress(quiet=quiet) as progress:
            done = repository.vectors.build(anew=force, progress=progress)
        _warn_of_left(done, "embedded", "embeds")


def _warn_of_left(done: SymbolIndexReport | VectorReport, made: str, makes: str) -> None:
    if done.left:
        warn(
            f"{len(done.left)} of the files changed while they were being {made}; the next run {makes} them."
        )


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[ProgressCallback | None]:
    """Yield a callback that draws the line, or None without a terminal. The line is removed at the end."""
    if quiet or not sys.stderr.isatty():  # whatever FORCE_COLOR says: a pipe keeps what is drawn
        yield None
        return
    line = ProgressLine(time.monotonic())
    try:
        yield lambda progress: line.draw(progress, time.monotonic())
    finally:
        _write(_CLEAR)


class ProgressLine:
    """The line of one refresh."""

    def __init__(self, started: float) -> None:
        """`started` and all later times are seconds of one clock."""
        self._started = started
        self._drawn = started - REDRAW_SECONDS
        self._phase = ""
        self._phase_started = started

    def draw(self, progress: IndexProgress, now: float) -> None:
        """Draw the line, unless it was drawn a moment ago."""
        text = self.render(progress, now)
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            _write(_CLEAR + text[: _find_width() - 1])

    def render(self, progress: IndexProgress, now: float) -> str:
        """Return the line: phase, bar, files, megabytes, time so far, and time left of the phase if known."""
        if progress.phase != self._phase:
            self._phase, self._phase_started = progress.phase, now
        parts = [_NAMES.get(progress.phase, progress.phase)]
        done, total = progress.files_done, progress.files_total
        if total:
            cells = min(done, total) * BAR_CELLS // total
            parts.append("█" * cells + "░" * (BAR_CELLS - cells))
        parts.append(f"{done:,} of {total:,} files" if total else f"{done:,} files")
        if progress.bytes_done:
            parts.append(f"{progress.bytes_done / 1e6:,.0f} MB")
        parts.append(_show_time(now - self._started))
        passed = now - self._phase_started
        if passed >= ESTIMATE_SECONDS and 0 < done <= total:
            parts.append(f"{_show_time(passed * (total - done) / done)} left")
        return "  ".join(parts)


def _show_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _find_width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
