"""The second and third phase on the command line: when `index` runs them, and how far they are in words."""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.cli.console.progress import show_progress
from repo_mcp.cli.console.terminal import show_size
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SymbolIndexStatus
from repo_mcp.repository import Repository


def renew_symbol_index(
    repository: Repository,
    wanted: bool | None,
    *,
    force: bool,
    quiet: bool,
    warn: Callable[[str], None],
) -> None:
    """Bring the structure index up to date: where it is wanted, and one that is there unless it is not.

    Where another process is at it, that is said and enough.
    """
    if wanted is False or (wanted is None and not repository.symbol_index.exists):
        return
    try:
        with show_progress(quiet=quiet) as progress:
            done = repository.symbol_index.build(anew=force, progress=progress)
    except RepoError as error:
        if error.code is not ErrorCode.BUSY:
            raise
        warn(f"{error.message} {error.hint}")
        return
    if done.left:
        warn(f"{len(done.left)} files changed while they were indexed; the next run parses them.")


def renew_vectors(
    repository: Repository, *, force: bool, quiet: bool, warn: Callable[[str], None]
) -> dict[str, str]:
    """Bring the vectors up to date where a model is named. Returns what to show of them: a row or none."""
    if repository.vectors is None:
        return {}
    try:
        with show_progress(quiet=quiet) as progress:
            done = repository.vectors.build(anew=force, progress=progress)
    except RepoError as error:
        if error.code is not ErrorCode.BUSY:
            raise
        warn(f"{error.message} {error.hint}")
    else:
        if done.left:
            warn(f"{len(done.left)} files changed while they were embedded; the next run does them.")
    return describe_vectors(repository)


def describe_vectors(repository: Repository) -> dict[str, str]:
    """One row where a model is named: how many files, of how many."""
    if repository.vectors is None:
        return {}
    state = repository.vectors.status()
    told = f"{state.files_done:,} of {state.files_total:,} files, {state.chunks:,} chunks"
    return {"vectors": f"{told}; {show_size(state.index_bytes)}"}


def describe_symbol_index(state: SymbolIndexStatus) -> str:
    """One row: how many files, of how many."""
    if state.state == "missing" and not state.files_done:
        return "none (repo-mcp index --structure; a server builds what its tools need)"
    told = f"{state.files_done:,} of {state.files_total:,} files, {state.symbols:,} symbols"
    for count, what in ((state.partial, "in part"), (state.failed, "not")):
        if count:
            told += f"; {count:,} understood {what}"
    return f"{told}; {show_size(state.index_bytes)}"
