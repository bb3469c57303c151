"""The second and third phase on the command line: when `index` runs them, and their state in words."""

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
    """Bring the symbol index up to date if `wanted` says so or, when it is None, if there is one.

    When another process is doing so, only a warning is printed. Raises RepoError.
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
    """Bring the vectors up to date if a model is given. Return a row to show, or none. Raises RepoError."""
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
    """Describe the vectors in one row, or in none without a model."""
    if repository.vectors is None:
        return {}
    state = repository.vectors.status()
    told = f"{state.files_done:,} of {state.files_total:,} files, {state.chunks:,} chunks"
    return {"vectors": f"{told}; {show_size(state.index_bytes)}"}


def describe_symbol_index(state: SymbolIndexStatus) -> str:
    """Describe the symbol index in one line."""
    if state.state == "missing" and not state.files_done:
        return "none (repo-mcp index --structure; a server builds what its tools need)"
    told = f"{state.files_done:,} of {state.files_total:,} files, {state.symbols:,} symbols"
    for count, what in ((state.partial, "in part"), (state.failed, "not")):
        if count:
            told += f"; {count:,} understood {what}"
    return f"{told}; {show_size(state.index_bytes)}"
