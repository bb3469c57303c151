"""Choose the server that a client is to start: its program and options.

Options are those of `serve`, read by its own parser and checked like the server checks them. The result is
written out in full: absolute paths, no abbreviations, no defaults. A root that is not named is `auto`.

Left out on purpose: HTTP, because a client's entry starts its own server; and faults that only a start can
find, such as a data directory of another user: `init --check` starts it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence

from repo_mcp.cli.clients.clients import Server
from repo_mcp.config.environment import find_cache_home
from repo_mcp.config.found_root import AUTO
from repo_mcp.config.server_config import NAMED_ROOT_TOOLSETS, Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.serving.server_options import build_parser, read_given

PROGRAM = "repo-mcp init"
SCRIPT = "repo-mcp-server"
_NOT_WRITTEN = frozenset({"transport", "host", "port", "token_file", "allow_host", "allow_origin"})


def find_command() -> str:
    """Return the absolute path of the server, this installation's first. Raises RepoError: CONFIG_INVALID."""
    scripts = sysconfig.get_path("scripts")
    found = shutil.which(SCRIPT, path=scripts) or shutil.which(SCRIPT)
    if found is None:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"{SCRIPT} is not installed next to this program.",
            "Install the package with pip, pipx or uv tool install, or give --command.",
        )
    return os.path.abspath(found)


def is_passing(command: str) -> bool:
    """Return True when the program is in a cache that its tool may empty."""
    return os.path.realpath(command).startswith(os.path.join(os.path.realpath(find_cache_home()), ""))


def build_server(
    given: Sequence[str], *, command: str | None, docs_root: str | None, code_root: str | None
) -> Server:
    """Build the server for these options of `serve`.

    Raises RepoError with CONFIG_INVALID for what the server would refuse, SystemExit for an unknown option.
    """
    options = build_parser(PROGRAM).parse_args(given)
    if options.transport != "stdio" or any(
        getattr(options, key) is not None for key in _NOT_WRITTEN - {"transport"}
    ):
        message = "An entry starts a server over stdio."
        raise RepoError(
            ErrorCode.CONFIG_INVALID, message, "Leave out --transport and the other HTTP options."
        )
    config = read_given(options)
    _check_places(options, config)
    named = {"DOCS_ROOT": docs_root, "CODE_ROOT": code_root}
    environment = {
        variable: _check_directory(os.path.abspath(value), f"--{variable.lower().replace('_', '-')}")
        for variable, value in named.items()
        if value is not None
    }
    _check_named_roots(options, config, len(environment))
    chosen = _choose_command(command)
    arguments = tuple(_iter_arguments(options, config))
    return Server(chosen, arguments, environment, _name_on_path(chosen) if command is None else "")


def _check_named_roots(options: argparse.Namespace, config: Config, named: int) -> None:
    """Raise RepoError with CONFIG_INVALID for roots that no toolset serves, or a toolset without its roots.

    What the environment says here does not count: few clients pass it on to a server.
    """
    is_served = not NAMED_ROOT_TOOLSETS.isdisjoint(config.toolsets)
    if (named or options.config is not None) and not is_served:
        message = "--docs-root, --code-root and --config are for the toolset retrieval."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, "Give --toolsets retrieval as well.")
    if is_served and named < 2 and options.config is None:
        message = "The toolset retrieval serves two roots, and does not start without them."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, "Give --docs-root and --code-root, or --config.")


def _check_places(options: argparse.Namespace, config: Config) -> None:
    """Raise RepoError with CONFIG_INVALID for a path that the server would not find."""
    if not _is_rootless(config) and not config.finds_root:
        _check_directory(config.root, "--root")
    if config.semantic_model is not None:
        _check_directory(config.semantic_model, "--semantic-model")
    if config.index_from is not None:
        _check_directory(config.index_from, "--index-from")
    if config.data_dir is not None and os.path.lexists(config.data_dir):
        _check_directory(config.data_dir, "--data-dir")
    if options.config is not None and not os.path.isfile(options.config):
        raise RepoError(ErrorCode.CONFIG_INVALID, "--config is not a file.", "Give an existing one.")


def _is_rootless(config: Config) -> bool:
    return not set(config.toolsets) - NAMED_ROOT_TOOLSETS


def _iter_arguments(options: argparse.Namespace, config: Config) -> Iterator[str]:
    """Yield the server's options, in the order of its help."""
    places = {
        "repo_root": None if _is_rootless(config) else AUTO if config.finds_root else config.root,
        "data_dir": config.data_dir,
        "toolsets": ",".join(config.toolsets) if config.toolsets != ("repo",) else None,
        "config": None if options.config is None else os.path.abspath(options.config),
        "semantic_model": config.semantic_model,
        "index_from": config.index_from,
        "index_pack": config.index_pack,
        "pack_key": config.pack_key,
    }
    for key, given in vars(options).items():
        value = places.get(key, given)
        option = "--" + key.replace("_", "-")
        if key in _NOT_WRITTEN or value is None:
            continue
        if isinstance(value, bool):
            yield option if value else option.replace("--", "--no-", 1)
            continue
        for one in value if isinstance(value, list) else [value]:
            text = str(one)
            yield from (f"{option}={text}",) if text.startswith("-") else (option, text)


def _choose_command(given: str | None) -> str:
    if given is None:
        return find_command()
    command = os.path.abspath(given)
    if not (os.path.isfile(command) and os.access(command, os.X_OK)):
        raise RepoError(
            ErrorCode.CONFIG_INVALID, "--command is not a program.", f"Give the path of {SCRIPT}."
        )
    return command


def _name_on_path(command: str) -> str:
    """Return the program's name if PATH leads to this very program; "" if it does not, or on Windows."""
    found = None if sys.platform == "win32" else shutil.which(SCRIPT)
    is_same = found is not None and os.path.isabs(found) and os.path.samefile(found, command)
    return SCRIPT if is_same else ""


def _check_directory(path: str, option: str) -> str:
    if not os.path.isdir(path):
        raise RepoError(ErrorCode.CONFIG_INVALID, f"{option} is not a directory.", "Give an existing one.")
    return path
