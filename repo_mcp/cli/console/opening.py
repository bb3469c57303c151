"""Open the repository for one command, and bring its indexes up to date before it is asked."""

from __future__ import annotations

import gc
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from repo_mcp.cli.console.endings import warn
from repo_mcp.cli.console.place import find_place
from repo_mcp.cli.console.progress import show_progress
from repo_mcp.config.server_config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError

if TYPE_CHECKING:
    from repo_mcp.indexing.shards import Cluster
    from repo_mcp.model import RefreshReport, SymbolIndexReport
    from repo_mcp.repository import Repository
    from repo_mcp.semantic.vector_phase import VectorReport
    from repo_mcp.storage.packs import ListPacked


def load(options: Namespace, **more: Any) -> Config:
    """Return the configuration of a command with the options of `add_place`, and more. Raises RepoError."""
    limits = {"max_file_bytes": getattr(options, "max_file_bytes", None)}
    return load_config(
        find_place(options.repo_root).root,
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
    with _lean_imports():
        from repo_mcp.repository import Repository  # not for --help
    with closing(
        Repository(config, report_warning=warn, list_packed=list_packed, cluster=cluster)
    ) as repository:
        yield repository


@contextmanager
def _lean_imports() -> Iterator[None]:
    """Import the engine in nine tenths of the time. Nothing else runs in this process meanwhile.

    Imports leave no cycles to be collected. And whoosh.compat asks urllib.request for a function that nobody
    calls, which would bring http, ssl and email.
    """
    gc.disable()
    name = "urllib.request"
    if name not in sys.modules:
        sys.modules[name] = stand_in = ModuleType(name)
        stand_in.__dict__["urlretrieve"] = None
        import whoosh.compat  # noqa: F401

        del sys.modules[name]
    try:
        yield
    finally:
        gc.enable()


def refresh(repository: Repository, *, force: bool, quiet: bool) -> RefreshReport:
    """Refresh the index, with a progress line unless `quiet`. Raises RepoError like `Repository.refresh`."""
    with show_progress(quiet=quiet) as progress:
        return repository.refresh(force=force, progress=progress)


def bring_up_to_date(repository: Repository, *, quiet: bool) -> None:
    """Refresh the index; if another process is doing so, use the existing one. Raises RepoError."""
    try:
        refresh(repository, force=False, quiet=quiet)
    except RepoError as error:
        if error.code != ErrorCode.BUSY or not repository.index_exists:
            raise
        warn(f"{error.message} The answer comes from the existing index.")


def renew_symbol_index(repository: Repository, *, force: bool, quiet: bool) -> None:
    """Bring the symbol index up to date; if another process is doing so, only warn. Raises RepoError."""
    _renew(repository.symbol_index.build, "parsed", "parses", force=force, quiet=quiet)


def renew_vectors(repository: Repository, *, force: bool, quiet: bool) -> None:
    """Bring the vectors up to date if a model is given, as `renew_symbol_index` does. Raises RepoError."""
    if repository.vectors is not None:
        _renew(repository.vectors.build, "embedded", "embeds", force=force, quiet=quiet)


def _renew(
    build: Callable[..., SymbolIndexReport | VectorReport], made: str, makes: str, *, force: bool, quiet: bool
) -> None:
    try:
        with show_progress(quiet=quiet) as progress:
            done = build(anew=force, progress=progress)
    except RepoError as error:
        if error.code is not ErrorCode.BUSY:
            raise
        warn(f"{error.message} {error.hint}")
        return
    if done.left:
        warn(f"{len(done.left)} files changed while they were being {made}; the next run {makes} them.")
