"""`export`: the graph of the repository for other programs, in SCIP."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, note, warn
from repo_mcp.cli.console.opening import bring_up_to_date, load, opened, renew_symbol_index
from repo_mcp.cli.console.plain import write_json
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE

if TYPE_CHECKING:
    from repo_mcp.scip.export import ExportReport

STANDARD_OUTPUT = "-"


def build_export_parser() -> CommandParser:
    """Build the parser of `export`."""
    parser = CommandParser(
        "repo-mcp export",
        "[options]",
        """Write the repository's declarations, and every reference that is certain, as a
SCIP index for Sourcegraph and others. The indexes are brought up to date first.
Equal trees give equal bytes; the file names no directory of this machine.""",
        ("repo-mcp export --scip index.scip", "repo-mcp export --scip index.scip --json"),
    )
    parser.add_argument("--scip", metavar="FILE", required=True, help="the file to write; - prints it")
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def export(options: Namespace) -> int:
    """Write the SCIP index. Raises RepoError."""
    from repo_mcp.scip.export import ScipExport  # imported here, as --help does not need it

    if options.scip == STANDARD_OUTPUT and options.json:
        message = "--scip - and --json cannot be combined: both print to standard output."
        raise RepoError(ErrorCode.INVALID_ARGUMENT, message, "Give a file to --scip.")
    with opened(load(options)) as repository:
        bring_up_to_date(repository, quiet=options.json)
        renew_symbol_index(repository, quiet=options.json)
        with repository.engines.graph.open() as graph:
            exporter = ScipExport(graph.scan)
            _write(options.scip, exporter.iter_bytes())
        warnings = repository.engines.graph.warn()
    if options.json:
        write_json(asdict(exporter.report))
    elif options.scip == STANDARD_OUTPUT:
        note(describe(exporter.report))
    else:
        print(describe(exporter.report))
    for message in warnings:
        warn(message)
    return EXIT_DONE


def _write(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file whole, or leave the one that is there; or print it. Raises RepoError."""
    if path == STANDARD_OUTPUT:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        return
    from index_format import DiskDirectory, IndexFormatError, new_file

    above, name = os.path.split(os.path.abspath(path))
    try:
        with new_file(DiskDirectory(above), name, f"{name}.tmp") as file:
            for piece in pieces:
                file.write(piece)
    except (OSError, ValueError) as error:
        if isinstance(error, IndexFormatError):  # an error of our own index, whose message says more
            raise
        reason = getattr(error, "strerror", None) or "it is not a path"
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"The file of --scip cannot be written ({reason}).",
            "Give a file in an existing directory.",
        ) from None


def describe(report: ExportReport) -> str:
    """Return what was written and what was left out, in one line."""
    counts = f"{report.documents:,} files, {report.symbols:,} symbols and {report.references:,} references."
    left_out = (
        (report.not_exact, "references that are not certain"),
        (report.without_place, "references whose name is not in their line"),
        (report.changed, "files that changed or could not be read"),
    )
    parts = [f"{count:,} {what}" for count, what in left_out if count]
    return f"{counts} Left out: {', '.join(parts)}." if parts else counts


EXPORT = Command(build_export_parser, export)
