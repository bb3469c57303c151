"""`index`, `compact`, `status` and `report`: build an index, keep it small, describe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from repo_mcp.cli.console.endings import EXIT_DONE, warn
from repo_mcp.cli.console.opening import opened, refresh
from repo_mcp.cli.console.parameters import (
    AllowPath,
    AsJson,
    DataDir,
    MaxFileBytes,
    Root,
    SemanticModel,
    chosen_limits,
)
from repo_mcp.cli.console.place import find_place
from repo_mcp.cli.console.plain import to_plain, write_json
from repo_mcp.cli.console.progress import show_progress
from repo_mcp.cli.console.render import Renderer
from repo_mcp.cli.console.status_page import StatusPage, judge
from repo_mcp.cli.console.terminal import open_console, show_size
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SymbolIndexStatus
from repo_mcp.repository import Repository
from repo_mcp.version import find_version


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
        warn(f"{len(done.left)} files changed while they were being parsed; the next run parses them.")


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
            warn(f"{len(done.left)} files changed while they were being embedded; the next run embeds them.")
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
        return "none (repo-mcp index --structure builds it; so does a server that needs it)"
    told = f"{state.files_done:,} of {state.files_total:,} files, {state.symbols:,} symbols"
    for count, what in ((state.partial, "partly parsed"), (state.failed, "not parsed")):
        if count:
            told += f"; {count:,} {what}"
    return f"{told}; {show_size(state.index_bytes)}"


def index(
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Processes to use (0: chosen for you).")
    ] = None,
    memory_mb: Annotated[
        int | None,
        typer.Option("--memory-mb", metavar="N", help="Memory for all processes together (1,000)."),
    ] = None,
    max_file_bytes: MaxFileBytes = None,
    force: Annotated[bool, typer.Option("--force", help="Rebuild from scratch.")] = False,
    structure: Annotated[
        bool | None,
        typer.Option("--structure/--no-structure", help="Also update the symbol index (if it exists)."),
    ] = None,
    semantic_model: SemanticModel = None,
    as_json: AsJson = False,
) -> int:
    """Build the index, or bring it up to date; then the structure of the files, where that is wanted.

    Killed at any moment, the next run finds the old index or the new one.

    \b
    Examples:
      repo-mcp index
      repo-mcp index --structure --workers 2
      repo-mcp index --force --json
    """
    config = load_config(
        find_place(repo_root).root,
        data_dir=data_dir,
        allow_paths=allow_path,
        workers=workers,
        memory_mb=memory_mb,
        semantic_model=semantic_model,
        limits=chosen_limits(max_file_bytes=max_file_bytes),
    )
    with opened(config) as repository:
        done = refresh(repository, force=force, quiet=as_json)
        renew_symbol_index(repository, structure, force=force, quiet=as_json, warn=warn)
        vectors = renew_vectors(repository, force=force, quiet=as_json, warn=warn)
        state = repository.symbol_index.status()
        if as_json:
            write_json({**to_plain(done), "structure": to_plain(state), **show_vectors(repository)})
        else:
            phases = {"symbol index": describe_symbol_index(state), **vectors}
            Renderer().refreshed(done, repository.status(), phases)
    return EXIT_DONE


def show_vectors(repository: Repository) -> dict[str, object]:
    """Return the entry of the vectors in a JSON document; empty without a model."""
    return {} if repository.vectors is None else {"vectors": to_plain(repository.vectors.status())}


def compact(
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    full: Annotated[bool, typer.Option("--full", help="Merge everything into one segment.")] = False,
    as_json: AsJson = False,
) -> int:
    """Merge the segments of the index, and those of the symbol index.

    \b
    Examples:
      repo-mcp compact
      repo-mcp compact --full
    """
    root = find_place(repo_root).root
    with opened(load_config(root, data_dir=data_dir, allow_paths=allow_path)) as repository:
        done = repository.compact(full=full)
        structure = repository.symbol_index.compact(full=full) if repository.symbol_index.exists else None
    if as_json:
        write_json({**to_plain(done), "structure": None if structure is None else to_plain(structure)})
    else:
        Renderer().compacted(done)
        if structure is not None:
            Renderer().compacted(structure)
    return EXIT_DONE


def status(
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    semantic_model: SemanticModel = None,
    as_json: AsJson = False,
) -> int:
    """Say whether the index is healthy, what it holds, what was left out and how old it is.

    The first line is the verdict: healthy, behind, incomplete, missing or damaged.

    \b
    Examples:
      repo-mcp status
      repo-mcp status --json
    """
    root = find_place(repo_root).root
    with opened(
        load_config(root, data_dir=data_dir, allow_paths=allow_path, semantic_model=semantic_model)
    ) as repository:
        state = repository.status()
        structure = repository.symbol_index.status()
        vectors, shown = describe_vectors(repository), show_vectors(repository)
        adapters = repository.installed_adapters
        root_name = repository.root_name
        allowed = list(repository.config.allow_paths)
    if as_json:
        document = {"root": root_name, "version": find_version(), "health": judge(state).word}
        write_json(
            document | to_plain(state) | {"allow_paths": allowed, "structure": to_plain(structure)} | shown
        )
    else:
        lists = {"adapters": adapters, "allowed names": allowed}
        rows = {name: ", ".join(values) for name, values in lists.items() if values}
        phases = {"symbol index": describe_symbol_index(structure), **vectors, **rows}
        StatusPage(open_console()).show(root_name, state, structure, phases)
    return EXIT_DONE


def report(
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write; - prints it (DATA_DIR/report.html)."
        ),
    ] = None,
) -> int:
    """Write a page about the index and its use: one HTML file that loads nothing else.

    It shows what is indexed by language, what was left out and why, the segments and their sizes, and the
    slowest and the refused calls of the log. An existing file is replaced only if it is such a report.

    \b
    Examples:
      repo-mcp report
      repo-mcp report --output /tmp/report.html
    """
    from repo_mcp.cli.report.facts import collect_facts
    from repo_mcp.cli.report.file import write_report
    from repo_mcp.cli.report.page import render_report

    root = find_place(repo_root).root
    with opened(load_config(root, data_dir=data_dir, allow_paths=allow_path)) as repository:
        page = render_report(collect_facts(repository))
        if output == "-":
            print(page, end="")
            return EXIT_DONE
        place = write_report(page, output, repository.data_dir.directory)
    print(place)
    return EXIT_DONE
