"""Open the repository for one command, and bring its index up to date before a search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from repo_mcp.cli.console.endings import warn
from repo_mcp.cli.console.progress import show_progress
from repo_mcp.config.server_config import Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import RefreshReport
from repo_mcp.repository import Repository


@contextmanager
def opened(config: Config) -> Iterator[Repository]:
    """Open the repository for one command; its warnings go to stderr. Raises RepoError."""
    with closing(Repository(config, report_warning=warn)) as repository:
        yield repository


def refresh(repository: Repository, *, force: bool, quiet: bool) -> RefreshReport:
    """Refresh the index, with a progress bar unless `quiet`. Raises RepoError like `Repository.refresh`."""
    with show_progress(quiet=quiet) as progress:
        return repository.refresh(force=force, progress=progress)


def bring_up_to_date(repository: Repository, *, quiet: bool) -> None:
    """Refresh the index; if another process is doing so, use the existing one. Raises RepoError."""
    try:
        refresh(repository, force=False, quiet=quiet)
    except RepoError as error:
        if error.code != ErrorCode.BUSY or not repository.index_exists:
            raise
        warn(f"{error.message} The answer comes from the index as it is.")
