"""The options of the server, read with argparse alone, and the configuration that they make."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields

from repo_mcp.config.command_parser import CommandParser
from repo_mcp.config.server_config import (
    CALL_LIMITS,
    CALL_SECONDS,
    CALLS_PER_SECOND,
    DEFAULT_MEMORY_MB,
    REFUSALS,
    SYMBOL_WAIT_SECONDS,
    Config,
    Limits,
    load_config,
)
from repo_mcp.protocol.http.options import add_http_options
from repo_mcp.record_classes import replace

DESCRIPTION = """Serve one code repository, read-only, over MCP.

The client starts this program and talks to it over standard input and output.
It stops when its input ends. "repo-mcp init CLIENT" prints the entry for a
client's configuration."""
EXAMPLES = (
    "repo-mcp serve --repo-root auto",
    "repo-mcp serve --repo-root . --toolsets repo,graph --exclude-glob generated/",
    "repo-mcp serve --repo-root . --transport http --port 8765",
)
# The meaning of each limit, in the words of docs/configuration.md.
LIMITS = {
    "max_file_bytes": "larger files are neither opened nor indexed",
    "max_open_lines": "lines of one repo.open_file call",
    "default_open_lines": "lines if no end is given",
    "max_total_bytes_per_response": "bytes of one answer, serialised",
    "max_search_hits": "hits of one search",
    "default_search_hits": "hits if no top_k is given",
    "max_query_words": "words of a query that are used",
    "max_list_results": "files in one listing",
    "max_bundle_files": "files in one bundle",
    "max_bundle_lines": "lines in one bundle",
    "default_bundle_files": "files if no budget is given, or one per 50 requested lines if that is more",
    "default_bundle_lines": "lines if no budget is given",
    "max_line_chars": "longer lines are cut in answers",
}


def build_parser(
    program: str, description: str = DESCRIPTION, examples: Sequence[str] = EXAMPLES
) -> CommandParser:
    """Build the parser of the server's options, with one option for each limit, named after its key.

    Commands that take the same options give their own description and examples.
    """
    # Entries in clients' files may abbreviate options.
    parser = CommandParser(program, "[options]", description, examples, abbreviates=True)
    _add_served(parser)
    parser.add_argument(
        "--watch", action=argparse.BooleanOptionalAction, help="follow changes to files (default: yes)"
    )
    _add_files(parser)
    parser.add_argument(
        "--workers", type=int, metavar="N", help="indexing processes (default: one per processor, at most 4)"
    )
    parser.add_argument(
        "--memory-mb",
        type=int,
        metavar="N",
        help=f"memory for all indexing processes together (default: {DEFAULT_MEMORY_MB:,})",
    )
    _add_rates(parser)
    _add_switches(parser)
    add_http_options(parser)
    limits = parser.add_argument_group("limits")
    for field in fields(Limits):
        option = "--" + field.name.replace("_", "-")
        limits.add_argument(
            option, type=int, metavar="N", help=f"{LIMITS[field.name]} (default: {field.default:,})"
        )
    return parser


def _add_served(parser: CommandParser) -> None:
    """Add the options that say what is served, and where its index is."""
    parser.add_argument(
        "--repo-root",
        metavar="ROOT",
        help="directory to serve; auto: the client's roots, or the current repository",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="where the index is kept (default: ROOT/.repo_mcp)")
    parser.add_argument(
        "--toolsets", metavar="NAMES", help="toolsets to offer, separated by commas (default: repo)"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="file with docs_root and code_root for the toolset retrieval; the environment overrides it",
    )


_CHOSEN_FILES = {  # option -> (its value, what it does)
    "--include-extension": (
        "EXT",
        "index only files with this extension; repeatable (default: every text file)",
    ),
    "--exclude-glob": ("GLOB", "leave out files that match, as in .gitignore; repeatable"),
    "--allow-path": (
        "GLOB",
        "serve matching files even if their names are denied, such as secrets.py; repeatable",
    ),
}
_SWITCHES = {
    "--refuse-hard-links": "serve no file that has another name (a hard link), which may be denied or"
    " outside the root",
    "--one-file-system": "serve nothing that is mounted below the root, like find -xdev",
    "--refuse-private-keys": "serve no file that contains a private key (PEM)",
    "--any-root": "allow the file system's root and kernel directories such as /proc as the root",
    "--harden": "let the kernel deny files, programs and connections that the server does not need"
    " (Landlock, on Linux)",
    "--audit-queries": "keep the text of queries and prompts in the audit log"
    " (default: length and keyed digest)",
}


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose files by their names."""
    for option, (value, meaning) in _CHOSEN_FILES.items():
        parser.add_argument(option, action="append", metavar=value, help=meaning)


def _add_rates(parser: argparse.ArgumentParser) -> None:
    """Add the options about how often and how long."""
    parser.add_argument(
        "--max-calls-per-second",
        type=int,
        metavar="N",
        help="tool calls per second; calls beyond that fail with busy"
        f" (default: {CALLS_PER_SECOND}; 0: no limit)",
    )
    parser.add_argument(
        "--call-timeout-seconds",
        type=int,
        metavar="N",
        help=f"time limit of calls that read, in seconds (default: {CALL_SECONDS}; 0: no limit)",
    )
    parser.add_argument(
        "--symbol-wait-seconds",
        type=int,
        metavar="N",
        help="seconds that calls of graph and code_research wait while files are parsed"
        f" (default: {SYMBOL_WAIT_SECONDS}; 0: do not wait)",
    )


def _add_switches(parser: argparse.ArgumentParser) -> None:
    """Add the options about safety and what is recorded."""
    for option, meaning in _SWITCHES.items():
        parser.add_argument(option, action="store_true", default=None, help=meaning)
    parser.add_argument(
        "--last-bundle",
        action=argparse.BooleanOptionalAction,
        help="keep the last context bundle as last_bundle.json and .md in the data directory (default: yes)",
    )
    parser.add_argument(
        "--semantic-model",
        metavar="DIR",
        help="folder of an embedding model; makes semantic_weight of search_code work (default: none)",
    )
    _add_donors(parser)


def _add_donors(parser: argparse.ArgumentParser) -> None:
    """Add the options about the index that a first build may start from."""
    parser.add_argument(
        "--siblings",
        action=argparse.BooleanOptionalAction,
        help="start a first index from that of another work tree (default: yes)",
    )
    parser.add_argument(
        "--index-from", metavar="DIR", help="start a first index from that of the checkout DIR, if it has one"
    )
    parser.add_argument(
        "--index-pack",
        metavar="FILE",
        help="start a first index from the one in this pack file; see repo-mcp index",
    )
    parser.add_argument(
        "--pack-key",
        metavar="FILE",
        help="file with the key that the pack must be signed with, shared or Ed25519",
    )


def read_given(options: argparse.Namespace) -> Config:
    """Build the configuration from options alone, without any file. Raises RepoError with CONFIG_INVALID."""
    limits = {field.name: getattr(options, field.name) for field in fields(Limits)}
    toolsets = options.toolsets
    return load_config(
        options.repo_root,
        data_dir=options.data_dir,
        toolsets=None if toolsets is None else tuple(name.strip() for name in toolsets.split(",")),
        workers=options.workers,
        memory_mb=options.memory_mb,
        watch=options.watch,
        call_limits={name: value for name in CALL_LIMITS if (value := getattr(options, name)) is not None},
        refusals={name: value for name in REFUSALS if (value := getattr(options, name)) is not None},
        any_root=options.any_root,
        harden=options.harden,
        audit_queries=options.audit_queries,
        last_bundle=options.last_bundle,
        semantic_model=options.semantic_model,
        siblings=options.siblings,
        index_from=options.index_from,
        index_pack=options.index_pack,
        pack_key=options.pack_key,
        include_extensions=options.include_extension,
        exclude_globs=options.exclude_glob,
        allow_paths=options.allow_path,
        limits={name: value for name, value in limits.items() if value is not None},
    )


def read_config(options: argparse.Namespace) -> Config:
    """Build the configuration from options and files. Raises RepoError with CONFIG_INVALID."""
    config = read_given(options)
    if "retrieval" in config.toolsets:
        from repo_mcp.config.named_roots import load_named_roots

        config = replace(config, named_roots=load_named_roots(options.config))
    return config if options.watch is not None else replace(config, watch=True)
