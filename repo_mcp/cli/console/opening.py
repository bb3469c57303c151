"""The repository of one command: opened for its length, and brought up to date where it is searched."""

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
    """The repository for the length of one command; its warnings go to stderr."""
    with closing(Repository(config, report_warning=warn)) as repository:
        yield repository


def refresh(repository: Repository, *, force: bool, quiet: bool) -> RefreshReport:
    with show_progress(quiet=quiet) as progress:
        return repository.refresh(force=force, progress=progress)


def bring_up_to_date(repository: Repository, *, quiet: bool) -> None:
    """Refresh; where another process is at it, the index that is there has to do."""
    try:
        refresh(repository, force=False, quiet=quiet)
    except RepoError as error:
        if error.code != ErrorCode.BUSY or not repository.index_exists:
            raise
        warn(f"{error.message} The answer is from the index as it is.")
