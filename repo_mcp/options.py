"""The options of the server, read with argparse alone, and the configuration that they make."""

from __future__ import annotations

import argparse
import dataclasses
from typing import NoReturn

from repo_mcp.config import Config, Limits, load_config
from repo_mcp.http_options import add_http_options

EXIT_USAGE = 2


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line: the usage is under --help."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized"):  # a directory, as like as not
            message += "; the directory to serve is given with --repo-root"
        self.exit(EXIT_USAGE, f"{self.prog}: {message}\n")


def build_parser(program: str) -> argparse.ArgumentParser:
    """The options of the server: every limit is one, named as its configuration key."""
    parser = _Parser(prog=program, description="Serve one code repository, read-only, over MCP.")
    parser.add_argument("--repo-root", metavar="ROOT", help="directory to serve (not with retrieval alone)")
    parser.add_argument("--data-dir", metavar="DIR", help="where the index is kept (default: ROOT/.repo_mcp)")
    parser.add_argument(
        "--toolsets", metavar="NAMES", help="toolsets to offer, separated by commas (default: repo)"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="file with docs_root and code_root for the toolset retrieval; the environment is stronger",
    )
    parser.add_argument(
        "--watch",
        action=argparse.BooleanOptionalAction,
        help="keep up with changed files while serving (default: yes)",
    )
    parser.add_argument(
        "--include-extension",
        action="append",
        metavar="EXT",
        help="index only files with this extension; may be given several times (default: every text file)",
    )
    parser.add_argument(
        "--exclude-glob",
        action="append",
        metavar="GLOB",
        help="leave out files that match, in the syntax of .gitignore; may be given several times",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes that index (default: one a processor, at most 4)"
    )
    _add_switches(parser)
    add_http_options(parser)
    limits = parser.add_argument_group("limits")
    for field in dataclasses.fields(Limits):
        option = "--" + field.name.replace("_", "-")
        limits.add_argument(option, type=int, metavar="N", help=f"default {field.default:,}")
    return parser


def _add_switches(parser: argparse.ArgumentParser) -> None:
    """What may be served, what is forbidden, and what is kept."""
    parser.add_argument(
        "--any-root",
        action="store_true",
        default=None,
        help="serve even the root of the file system, or a directory of the kernel's such as /proc",
    )
    parser.add_argument(
        "--harden",
        action="store_true",
        default=None,
        help="have the system forbid the server all that it does not need (Landlock, on Linux)",
    )
    parser.add_argument(
        "--audit-queries",
        action="store_true",
        default=None,
        help="keep the text of queries and prompts in the audit log (default: length and keyed digest)",
    )
    parser.add_argument(
        "--last-bundle",
        action=argparse.BooleanOptionalAction,
        help="keep the last context bundle as last_bundle.json and .md in the data directory (default: yes)",
    )
    parser.add_argument(
        "--semantic-model",
        metavar="DIR",
        help="folder with an embedding model for search_code: semantic_weight counts then (default: none)",
    )


def read_config(options: argparse.Namespace) -> Config:
    """The configuration of parsed options. CONFIG_INVALID names the first that cannot be used."""
    limits = {field.name: getattr(options, field.name) for field in dataclasses.fields(Limits)}
    toolsets = options.toolsets
    config = load_config(
        options.repo_root,
        data_dir=options.data_dir,
        toolsets=None if toolsets is None else tuple(name.strip() for name in toolsets.split(",")),
        workers=options.workers,
        watch=options.watch,
        any_root=options.any_root,
        harden=options.harden,
        audit_queries=options.audit_queries,
        last_bundle=options.last_bundle,
        semantic_model=options.semantic_model,
        include_extensions=options.include_extension,
        exclude_globs=options.exclude_glob,
        limits={name: value for name, value in limits.items() if value is not None},
    )
    if "retrieval" in config.toolsets:
        from repo_mcp.named_roots import load_named_roots

        config = dataclasses.replace(config, named_roots=load_named_roots(options.config))
    return config if options.watch is not None else dataclasses.replace(config, watch=True)
