"""The options that several commands share, under their fixed names."""

from __future__ import annotations

import sys
from argparse import BooleanOptionalAction

from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError


def add_place(parser: CommandParser) -> None:
    """Add the options that say which repository is meant, and where its index is."""
    parser.add_argument("--repo-root", metavar="ROOT", help="the repository (default: the current one)")
    parser.add_argument("--data-dir", metavar="DIR", help="where the index is kept (default: ROOT/.repo_mcp)")
    parser.add_argument(
        "--allow-path",
        metavar="GLOB",
        action="append",
        help="serve matching files even if denied; repeatable",
    )


def add_json(parser: CommandParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def add_color(parser: CommandParser) -> None:
    """Add `--color`."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="auto, always or never (default: auto, on a terminal)",
    )


def add_tests(parser: CommandParser) -> None:
    """Add `--tests` and `--no-tests`."""
    parser.add_argument(
        "--tests", action=BooleanOptionalAction, default=True, help="include test files (default: yes)"
    )


def add_max_file_bytes(parser: CommandParser) -> None:
    """Add `--max-file-bytes`."""
    parser.add_argument(
        "--max-file-bytes", metavar="N", type=int, help="pass over larger files (default: 2,000,000)"
    )


def add_donors(parser: CommandParser) -> None:
    """Add the options about the index that a first one may begin with."""
    parser.add_argument(
        "--siblings",
        action=BooleanOptionalAction,
        help="start from the index of another work tree (default: yes)",
    )
    parser.add_argument("--index-from", metavar="DIR", help="start from the index of the checkout DIR")
    parser.add_argument("--from-pack", metavar="PACK", help="start from the index in a pack: a file or a URL")
    parser.add_argument("--pack", metavar="PACK", help="then write all indexes to a pack, for other machines")
    parser.add_argument(
        "--pack-key", metavar="FILE", help="file with the key that packs are signed with, shared or Ed25519"
    )


def add_cluster(parser: CommandParser) -> None:
    """Add the options about a cluster that builds the index."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="let the workers of a Dask cluster build the index"
    )
    parser.add_argument(
        "--scheduler-root",
        metavar="DIR",
        help="where the workers have the repository (default: the same path)",
    )


def add_semantic_model(parser: CommandParser) -> None:
    """Add `--semantic-model`."""
    parser.add_argument("--semantic-model", metavar="DIR", help="folder of an embedding model, for vectors")


def read_text(argument: str) -> str:
    """Return what an argument says, or standard input for "-"."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if argument == "-" else argument


def check_top_k(top_k: int) -> int:
    """Return what `--top-k` says. Raises RepoError with INVALID_ARGUMENT below 1."""
    if top_k < 1:
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--top-k is {top_k}.", "Give 1 or more.")
    return top_k
