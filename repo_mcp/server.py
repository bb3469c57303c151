"""`repo-mcp-server`: a repository, or two, served over stdio, and the only place where the SDK's server runs.

Importing this module is cheap: the SDK and the engine are imported once a server is really started.
Options are read with argparse alone. The current directory is never served by default and is left before
anything of the repository is touched, so that nothing later can depend on it.

Exit codes: 0 the client is done or asked to stop, 2 usage or configuration, 3 the repository cannot be
opened, 130 interrupted. Configuration errors are one line on stderr.
"""

from __future__ import annotations

import argparse
import dataclasses
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from repo_mcp.config import Config, Limits, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.tool_model import Toolset, escape_text
from repo_mcp.version import find_version
from repo_mcp.wire import StopReason, Wire, take_standard_streams

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog
    from repo_mcp.repository import Repository

EXIT_USAGE = 2
EXIT_REPOSITORY = 3
WORKERS_GRACE_SECONDS = 0.2
REFRESH_DELAY_SECONDS = (
    0.1  # the client's handshake comes first: beside a walk of a large tree it took twice as long
)
PROGRAM = "repo-mcp-server"


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line: the usage is under --help."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized"):  # a directory, as like as not
            message += "; the directory to serve is given with --repo-root"
        self.exit(EXIT_USAGE, f"{self.prog}: {message}\n")


def build_parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The options of the server: every limit is one, named as its configuration key."""
    parser = _Parser(prog=program, description="Serve one code repository, read-only, over MCP on stdio.")
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
        help="look for changed files while serving, now and then, when a tool is used (default: yes)",
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
    limits = parser.add_argument_group("limits")
    for field in dataclasses.fields(Limits):
        option = "--" + field.name.replace("_", "-")
        limits.add_argument(option, type=int, metavar="N", help=f"default {field.default:,}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the server with the options of `argv`; returns the exit code."""
    try:
        options = build_parser().parse_args(argv)
        config = read_config(options)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else EXIT_USAGE
    except RepoError as error:
        return _complain(_render_error(error), EXIT_USAGE)
    return serve(config)


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
        audit_queries=options.audit_queries,
        last_bundle=options.last_bundle,
        include_extensions=options.include_extension,
        exclude_globs=options.exclude_glob,
        limits={name: value for name, value in limits.items() if value is not None},
    )
    if "retrieval" in config.toolsets:
        from repo_mcp.named_roots import load_named_roots

        config = dataclasses.replace(config, named_roots=load_named_roots(options.config))
    return config if options.watch is not None else dataclasses.replace(config, watch=True)


def serve(config: Config) -> int:
    """Serve `config` on standard input and output until the client ends it; returns the exit code.

    Never returns later than two seconds after that: the process is ended if something hangs.
    """
    try:
        wire = Wire(take_standard_streams(), leave=_leave)
    except OSError:
        return _complain("standard input or output is closed", EXIT_USAGE)
    _stop_on_signals(wire)
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # its records quote requests and results
    logging.getLogger("mcp").propagate = False
    try:
        repositories, toolsets = _open(config)
    except RepoError as error:
        usage = error.code in (ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT)
        return _complain(_render_error(error), EXIT_USAGE if usage else EXIT_REPOSITORY)
    except OSError as error:
        return _complain(f"the repository cannot be opened: {error.strerror}", EXIT_REPOSITORY)
    try:
        return _run(wire, repositories, toolsets).exit_code
    finally:
        _close(repositories)


def _open(config: Config) -> tuple[tuple[Repository, ...], tuple[Toolset, ...]]:
    """Everything that is served, and the toolsets in their order."""
    os.chdir(os.path.abspath(os.sep))
    openers = [_find_opener(name) for name in config.toolsets]
    opened = [open_one(config) for open_one in openers]
    return tuple(one for repositories, _ in opened for one in repositories), tuple(one for _, one in opened)


def _find_opener(name: str) -> Callable[[Config], tuple[Iterable[Repository], Toolset]]:
    openers = {"repo": _open_repo, "retrieval": _open_retrieval}
    if name not in openers:
        message = f"--toolsets: {name} is not in this version; there are: {', '.join(openers)}."
        raise RepoError(ErrorCode.CONFIG_INVALID, message)
    return openers[name]


def _open_repo(config: Config) -> tuple[Iterable[Repository], Toolset]:
    from repo_mcp.repository import Repository
    from repo_mcp.toolsets.repo import build_toolset

    repository = Repository(config, report_warning=_warn)
    audit = _open_audit_log(config, repository.data_dir.path, config.root)
    return (repository,), build_toolset(repository, audit)


def _open_retrieval(config: Config) -> tuple[Iterable[Repository], Toolset]:
    from repo_mcp.toolsets.retrieval import build_toolset, open_roots

    roots = open_roots(config, _warn)
    audit = _open_audit_log(config, roots.path, *(root.path for root in config.named_roots))
    return roots.repositories.values(), build_toolset(roots, audit)


def _open_audit_log(config: Config, path: str, *roots: str) -> AuditLog:
    from repo_mcp.audit import open_audit_log

    audit = open_audit_log(path, *roots, keep_text=config.audit_queries)
    for warning in audit.warnings:
        _warn(warning)
    return audit


def _run(wire: Wire, repositories: tuple[Repository, ...], toolsets: tuple[Toolset, ...]) -> StopReason:
    import anyio

    from repo_mcp.sdk_server import build_sdk_server

    sdk_server = build_sdk_server(toolsets, find_version())
    options = sdk_server.create_initialization_options()
    for repository in repositories:
        refresh = threading.Timer(REFRESH_DELAY_SECONDS, repository.start_background_refresh)
        refresh.daemon = True
        refresh.start()
    return anyio.run(wire.serve, lambda inbound, outbound: sdk_server.run(inbound, outbound, options))


def _stop_on_signals(wire: Wire) -> None:
    """From here on the signals that end a server end the wire, whatever the process is doing."""
    reasons = {
        "SIGINT": StopReason.INTERRUPTED,
        "SIGTERM": StopReason.TERMINATED,
        "SIGHUP": StopReason.TERMINATED,
    }
    for name, reason in reasons.items():
        if hasattr(signal, name):  # there is no SIGHUP on Windows
            signal.signal(getattr(signal, name), partial(_stop, wire, reason))


def _stop(wire: Wire, reason: StopReason, number: int, frame: object) -> None:
    wire.stop(reason)


def _close(repositories: Iterable[Repository]) -> None:
    """Close what is served; processes that still index a moment after it has said stop are killed."""
    killer = threading.Timer(WORKERS_GRACE_SECONDS, _kill_workers)
    killer.daemon = True
    killer.start()
    closing = [threading.Thread(target=repository.close) for repository in repositories]
    for one in closing:  # each waits a little for its refresh to stop
        one.start()
    for one in closing:
        one.join()


def _kill_workers() -> None:
    """End the processes that index. What they did is not committed, and a shard can take them seconds."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            child.kill()


def _leave(exit_code: int) -> None:
    """End the process now: something did not end in time."""
    _kill_workers()
    os._exit(exit_code)


def _warn(message: str) -> None:
    _say(f"warning: {message}")


def _say(message: str) -> None:
    with suppress(OSError):  # by descriptor: there is no sys.stderr where it was closed
        os.write(2, f"{PROGRAM}: {escape_text(message)}\n".encode())


def _render_error(error: RepoError) -> str:
    return f"{error.message} {error.hint}".rstrip()


def _complain(message: str, exit_code: int) -> int:
    _say(message)
    return exit_code
