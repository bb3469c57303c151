"""`impact`: what a diff changes and reaches, as a page of Markdown for reviewers, or as JSON.

The diff comes from a file or from standard input. Nothing is read of `.git`: `--since` says which command
gives the diff, since Git alone knows how a repository's attributes and filters make a diff of its history.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, warn
from repo_mcp.cli.console.opening import bring_up_to_date, load, opened, renew_symbol_index
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND

if TYPE_CHECKING:
    from repo_mcp.impact.records import Impact, ReachedFile

MAX_DIFF_BYTES = 64_000_000
DEFAULT_FILES = 20
STANDARD_INPUT = "-"


def build_impact_parser() -> CommandParser:
    """Build the parser of `impact`."""
    parser = CommandParser(
        "repo-mcp impact",
        "[options]",
        """Print what a unified diff changes, what depends on that, which tests to run
first, and what is not known, as Markdown. No history is read: the diff comes
from standard input or a file, for work that is done or proposed. The indexes
are brought up to date first.""",
        (
            "git diff main | repo-mcp impact",
            "repo-mcp impact --diff change.patch --json",
        ),
    )
    add = parser.add_argument
    add("--diff", metavar="FILE", default=STANDARD_INPUT, help="a unified diff (default: standard input)")
    add("--since", metavar="REV", help="print the command that gives the diff since a revision")
    add("--depth", metavar="N", type=int, help="edges to follow, 1 to 4 (default: 2)")
    meaning = f"files of each list (default: {DEFAULT_FILES})"
    add("--top-k", metavar="N", type=int, default=DEFAULT_FILES, help=meaning)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def print_impact(options: Namespace) -> int:
    """Print the impact of a diff. Raises RepoError."""
    # Imported here, as --help does not need it.
    from repo_mcp.graph.vocabulary import DEFAULT_IMPACT_DEPTH, MAX_IMPACT_DEPTH

    if options.since is not None:
        raise _explain_since(options.since)
    depth = DEFAULT_IMPACT_DEPTH if options.depth is None else options.depth
    if not 1 <= depth <= MAX_IMPACT_DEPTH:
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--depth must be 1 to {MAX_IMPACT_DEPTH}.")
    most = parameters.check_top_k(options.top_k)
    diff = _read_diff(options.diff)
    with opened(load(options)) as repository:
        bring_up_to_date(repository, quiet=options.json)
        renew_symbol_index(repository, quiet=options.json)
        impact = repository.engines.impact.find(diff, depth, lambda: False)
        warnings = repository.engines.graph.warn()
    if options.json:
        from repo_mcp.cli.console.plain import write_json

        write_json(build_document(impact, most))
    else:
        from repo_mcp.impact.page import render_page

        print(render_page(impact, most), end="")
    for message in warnings:
        warn(message)
    return EXIT_DONE if impact.files or impact.tests else EXIT_NOTHING_FOUND


def _explain_since(revision: str) -> RepoError:
    command = f"git diff {shlex.quote(revision)} | repo-mcp impact"
    return RepoError(
        ErrorCode.INVALID_ARGUMENT, "repo-mcp runs no Git and reads no history.", f"Run: {command}"
    )


def _read_diff(path: str) -> str:
    """Return the text of a diff. Raises RepoError."""
    try:
        if path == STANDARD_INPUT:
            if sys.stdin.isatty():
                raise RepoError(
                    ErrorCode.INVALID_ARGUMENT, "There is no diff.", "Run: git diff | repo-mcp impact"
                )
            data = sys.stdin.buffer.read(MAX_DIFF_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MAX_DIFF_BYTES + 1)
    except OSError as error:
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"The diff cannot be read: {error.strerror}.") from error
    if len(data) > MAX_DIFF_BYTES:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"The diff has more than {MAX_DIFF_BYTES:,} bytes.",
            "Give the diff of some paths: git diff REV -- PATH",
        )
    return data.decode("utf-8", "replace")


def build_document(impact: Impact, most_files: int) -> dict[str, object]:
    """Return an impact as one JSON document, with the first `most_files` files of each list."""
    return {
        "changed": [
            {
                "path": one.path,
                "name": one.name,
                "kind": one.kind,
                "start_line": one.start_line,
                "change": one.change.value,
                "new_signature": one.has_new_signature,
            }
            for one in impact.changed
        ],
        "files": [_describe(one) for one in impact.files[:most_files]],
        "files_total": len(impact.files),
        "tests": [_describe(one) for one in impact.tests[:most_files]],
        "tests_total": len(impact.tests),
        "left_out": [{"path": one.path, "reason": one.reason} for one in impact.left_out],
        "unresolved": impact.unresolved,
        "warnings": list(impact.notes),
    }


def _describe(file: ReachedFile) -> dict[str, object]:
    return {
        "path": file.path,
        "confidence": file.confidence.value,
        "symbols": [
            {
                "qualified_name": one.node.qualified_name,
                "kind": one.node.kind,
                "edge_type": one.edge_type.value,
                "confidence": one.confidence.value,
                "distance": one.distance,
                "via": ", ".join(one.via),
                "lines": list(one.lines),
            }
            for one in file.symbols
        ],
        "reasons": file.reasons,
    }


IMPACT = Command(build_impact_parser, print_impact)
