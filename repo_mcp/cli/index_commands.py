"""`index`, `compact`, `status` and `report`: build an index, keep it small, describe it."""

from __future__ import annotations

import time
from argparse import BooleanOptionalAction, Namespace
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command
from repo_mcp.cli.console.opening import build_symbol_index, build_vectors, load, opened, refresh
from repo_mcp.cli.console.plain import to_plain, write_json
from repo_mcp.cli.console.text import open_console, show_size
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND

if TYPE_CHECKING:
    from index_format import WritableFile
    from repo_mcp.indexing.shards.shards import Cluster
    from repo_mcp.model import RefreshReport, SymbolIndexStatus
    from repo_mcp.repository import Repository
    from repo_mcp.scip.intake import IntakeReport
    from repo_mcp.storage.packs import ListPacked


def describe_vectors(repository: Repository) -> dict[str, str]:
    """Describe the vectors in one row, or in none without a model."""
    if repository.vectors is None:
        return {}
    state = repository.vectors.status()
    counts = f"{state.files_done:,} of {state.files_total:,} files, {state.chunks:,} chunks"
    return {"vectors": f"{counts}; {show_size(state.index_bytes)}"}


def describe_symbol_index(state: SymbolIndexStatus) -> str:
    """Describe the symbol index in one line."""
    if state.state == "missing" and not state.files_done:
        return "none (repo-mcp index --structure builds it; so does a server that needs it)"
    counts = f"{state.files_done:,} of {state.files_total:,} files, {state.symbols:,} symbols"
    for count, what in ((state.partial, "partly parsed"), (state.failed, "not parsed")):
        if count:
            counts += f"; {count:,} {what}"
    return f"{counts}; {show_size(state.index_bytes)}"


def build_index_parser() -> CommandParser:
    """Build the parser of `index`."""
    parser = CommandParser(
        "repo-mcp index",
        "[options]",
        """Build the index or bring it up to date, and the symbol index if there is one.

If another process is writing one of them, this one waits for it. If it is
killed at any moment, the next run finds the old index or the new one.""",
        (
            "repo-mcp index",
            "repo-mcp index --structure --workers 2",
            "repo-mcp index --scip index.scip",
            "repo-mcp index --force --json",
            "repo-mcp index --structure --pack main.pack",
        ),
    )
    add = parser.add_argument
    add("--force", action="store_true", help="rebuild from scratch")
    add("--structure", action=BooleanOptionalAction, help="the symbol index too (default: if there is one)")
    add("--scip", metavar="FILE", help="import a SCIP index; its edges take precedence over ours")
    add("--workers", metavar="N", type=int, help="processes (default: one per processor, at most 4)")
    add("--memory-mb", metavar="N", type=int, help="memory of all processes together (default: 1,000)")
    parameters.add_max_file_bytes(parser)
    parameters.add_semantic_model(parser)
    parameters.add_donors(parser)
    parameters.add_cluster(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def index(options: Namespace) -> int:
    """Build the indexes, or bring them up to date. Raises RepoError."""
    config = load(
        options,
        workers=options.workers,
        memory_mb=options.memory_mb,
        semantic_model=options.semantic_model,
        siblings=options.siblings,
        index_from=options.index_from,
        pack_key=options.pack_key,
    )
    begun = time.monotonic()
    with ExitStack() as stack:
        list_packed, target = _find_packs(options, config.pack_key, stack)
        repository = stack.enter_context(opened(config, list_packed, _choose_cluster(options)))
        done = _build_all(repository, options)
        taken = None
        if options.scip is not None:
            taken = repository.engines.scip.take(options.scip, anew=options.force)
        build_vectors(repository, force=options.force, quiet=options.json)
        pack_bytes = None if target is None else _write_pack(repository, target)
        if options.json:
            _write_document(repository, done, taken, pack_bytes)
        else:
            _print_phases(repository, done, taken, pack_bytes, time.monotonic() - begun)
    return EXIT_DONE


def _build_all(repository: Repository, options: Namespace) -> RefreshReport:
    """Build the index and, if it is wanted, the symbol index; forget what was imported if all begins anew."""
    force, quiet, is_first = options.force, options.json, not repository.index_exists
    makes_symbols = _wants_symbols(options, repository, is_first=is_first)
    begins = makes_symbols and is_first and not force
    with repository.symbol_index.adopting() if begins else nullcontext():
        done = refresh(repository, force=force, quiet=quiet)
    if makes_symbols:
        build_symbol_index(repository, force=force, quiet=quiet)
    if force:
        repository.indexes.precise.forget()
    return done


def _write_document(
    repository: Repository, done: RefreshReport, taken: IntakeReport | None, pack_bytes: int | None
) -> None:
    state = repository.symbol_index.status()
    document = {**to_plain(done), "structure": to_plain(state), **show_vectors(repository)}
    if taken is not None:
        document["scip"] = taken.to_document()
    if pack_bytes is not None:
        document["pack_bytes"] = pack_bytes
    write_json(document)


def _print_phases(
    repository: Repository,
    done: RefreshReport,
    taken: IntakeReport | None,
    pack_bytes: int | None,
    seconds: float,
) -> None:
    from repo_mcp.cli.console.render import Renderer

    state = repository.symbol_index.status()
    phases = {"symbol index": describe_symbol_index(state), **describe_vectors(repository)}
    if taken is not None:
        phases["SCIP"] = taken.describe()
    if pack_bytes is not None:
        phases["pack"] = show_size(pack_bytes)
    Renderer().refreshed(done, repository.status(), phases, seconds)


def _choose_cluster(options: Namespace) -> Cluster | None:
    """Return the cluster that is to build the index. Raises RepoError."""
    if options.scheduler is None and options.scheduler_root is None:
        return None
    from repo_mcp.indexing.cluster.cluster import choose_cluster

    return choose_cluster(options.scheduler, options.scheduler_root)


def _find_packs(
    options: Namespace, key_path: str | None, stack: ExitStack
) -> tuple[ListPacked | None, AbstractContextManager[WritableFile] | None]:
    """Return the source of a pack to start from, and the target of one to write; None for one not named.

    Raises RepoError for what cannot be used, before any work is done.
    """
    if options.from_pack is None and options.pack is None:
        return None, None
    from repo_mcp.cli.pack_stores import choose_target, find_pack
    from repo_mcp.storage.pack_keys import read_key

    key = read_key(key_path)
    target = None
    if options.pack is not None:
        key.check_signing()
        target = choose_target(options.pack)
    return None if options.from_pack is None else find_pack(options.from_pack, key, stack), target


def _write_pack(repository: Repository, target: AbstractContextManager[WritableFile]) -> int:
    """Write all indexes to a pack and return its bytes. Raises RepoError."""
    from repo_mcp.repository.whole_index import pack_whole

    return pack_whole(repository, target)


def _wants_symbols(options: Namespace, repository: Repository, *, is_first: bool) -> bool:
    """Return True if the symbol index is asked for or needed, or if there is one, here or in a first pack."""
    if options.scip is not None:
        return True
    if options.structure is not None:
        return bool(options.structure)
    begins = is_first and not options.force
    return repository.symbol_index.exists or (
        begins and "structure" in repository.indexes.list_packed_kinds()
    )


def show_vectors(repository: Repository) -> dict[str, object]:
    """Return the entry of the vectors in a JSON document; empty without a model."""
    return {} if repository.vectors is None else {"vectors": to_plain(repository.vectors.status())}


def build_compact_parser() -> CommandParser:
    """Build the parser of `compact`."""
    parser = CommandParser(
        "repo-mcp compact",
        "[options]",
        "Merge the segments of the index, and those of the symbol index.",
        ("repo-mcp compact", "repo-mcp compact --full"),
    )
    parser.add_argument("--full", action="store_true", help="merge everything into one segment")
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def compact(options: Namespace) -> int:
    """Merge segments. Raises RepoError."""
    from repo_mcp.cli.console.render import Renderer

    with opened(load(options)) as repository:
        done = repository.compact(full=options.full)
        has_symbols = repository.symbol_index.exists
        symbols = repository.symbol_index.compact(full=options.full) if has_symbols else None
    if options.json:
        write_json({**to_plain(done), "structure": None if symbols is None else to_plain(symbols)})
    else:
        Renderer().compacted("index", done)
        if symbols is not None:
            Renderer().compacted("symbol index", symbols)
    return EXIT_DONE


def build_status_parser() -> CommandParser:
    """Build the parser of `status`."""
    parser = CommandParser(
        "repo-mcp status",
        "[options]",
        """Say whether the index is healthy, what it contains, what was left out and how
old it is.

The first line is the verdict: healthy, behind, incomplete, missing or damaged.
Exit code: 0, or 1 if there is no index.""",
        ("repo-mcp status", "repo-mcp status --json"),
    )
    parameters.add_semantic_model(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def status(options: Namespace) -> int:
    """Describe the index; EXIT_NOTHING_FOUND if there is none. Raises RepoError."""
    from repo_mcp import __version__
    from repo_mcp.cli.console.status_page import StatusPage, judge

    with opened(load(options, semantic_model=options.semantic_model)) as repository:
        state = repository.status()
        symbols = repository.symbol_index.status()
        vectors, shown = describe_vectors(repository), show_vectors(repository)
        adapters = repository.outliner.describe_installed()
        root_name = repository.root_name
        allowed = list(repository.config.allow_paths)
        scip_files = repository.engines.scip.count_files()
    health = judge(state)
    if options.json:
        document = {"root": root_name, "version": __version__, "health": health.word}
        write_json(
            document
            | to_plain(state)
            | {"allow_paths": allowed, "structure": to_plain(symbols), "scip_files": scip_files}
            | shown
        )
    else:
        lists = {"adapters": adapters, "allowed names": allowed}
        rows = {name: ", ".join(values) for name, values in lists.items() if values}
        scip = {"SCIP": f"{scip_files:,} files, by --scip"} if scip_files else {}
        phases = {"symbol index": describe_symbol_index(symbols), **scip, **vectors, **rows}
        StatusPage(open_console()).show(root_name, state, symbols, phases)
    return EXIT_NOTHING_FOUND if state.snapshot is None else EXIT_DONE


def build_report_parser() -> CommandParser:
    """Build the parser of `report`."""
    parser = CommandParser(
        "repo-mcp report",
        "[options]",
        """Write a page about the index and its use: one HTML file that loads nothing else.

It shows what is indexed by language, what was left out and why, the segments
and their sizes, and the slowest and the refused calls of the log. An existing
file is replaced only if it is such a report.""",
        ("repo-mcp report", "repo-mcp report --output /tmp/report.html"),
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file to write; - prints it (default: DATA_DIR/report.html)"
    )
    parameters.add_place(parser)
    return parser


def report(options: Namespace) -> int:
    """Write the report, and print where it is. Raises RepoError."""
    from repo_mcp.cli.report.facts import collect_facts
    from repo_mcp.cli.report.file import write_report
    from repo_mcp.cli.report.page import render_report

    with opened(load(options)) as repository:
        page = render_report(collect_facts(repository))
        if options.output == "-":
            print(page, end="")
            return EXIT_DONE
        place = write_report(page, options.output, repository.data_dir.directory)
    print(place)
    return EXIT_DONE


INDEX = Command(build_index_parser, index)
COMPACT = Command(build_compact_parser, compact)
STATUS = Command(build_status_parser, status)
REPORT = Command(build_report_parser, report)
