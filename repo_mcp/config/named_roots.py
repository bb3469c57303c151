"""The roots `docs` and `code`: where they are configured, and whether they can be served.

Each comes from its environment variable (DOCS_ROOT, CODE_ROOT) or else from the configuration file:

    docs_root = "/home/me/handbook"
    code_root = "../upstream"        # relative to this file

The file is the one that `--config` names, or `repo-mcp/retrieval.toml` in the user's configuration
directory, where it may be missing. It is the operator's own and trusted like options. The current
directory and the roots are never searched for one. A server starts only when both roots are readable
directories: all faults are reported at once, each with a code of the toolset and the variable's name.

Left out on purpose: everything else that can be configured, which takes options.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping

from repo_mcp.config.environment import find_config_home
from repo_mcp.config.server_config import NamedRoot, find_root_in_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, deny_nothing

# In the order in which answers have the roots.
VARIABLES: Mapping[str, str] = {"docs": "DOCS_ROOT", "code": "CODE_ROOT"}
CONFIG_OPTION = "--config"
CONFIG_FILE = os.path.join("repo-mcp", "retrieval.toml")
MAX_CONFIG_BYTES = 64 * 1024
ENVIRONMENT = "environment"
FILE = "configuration file"
MISSING = "CONFIG_MISSING"
INVALID = "CONFIG_INVALID"
_HINT = (
    "Set DOCS_ROOT and CODE_ROOT to readable directories, or docs_root and code_root in the file of --config."
)


class _Fault(Exception):
    """A fault of one root or of the file, in words that name no path."""


def load_named_roots(config_file: str | None) -> tuple[NamedRoot, ...]:
    """Return both roots, docs first. Raises RepoError with CONFIG_INVALID, which lists all faults.

    `config_file` is the operator's; None looks for the default one.
    """
    roots, faults = find_named_roots(config_file)
    faults += [fault for root in roots if (fault := _find_fault(root))]
    if faults:
        raise RepoError(ErrorCode.CONFIG_INVALID, " ".join(faults), _HINT)
    return roots


def find_named_roots(config_file: str | None) -> tuple[tuple[NamedRoot, ...], list[str]]:
    """Return the roots as configured, existing or not, and a fault for each one unset or invalid."""
    try:
        in_file = _read_config_file(config_file)
    except _Fault as fault:
        return (), [f"{INVALID}: {fault}."]
    roots, faults = [], []
    for name, variable in VARIABLES.items():
        try:
            given = find_root_in_environment(variable)
        except RepoError as error:
            faults.append(f"{INVALID}: {error.message}.")
            continue
        path, source = (given, ENVIRONMENT) if given is not None else (in_file.get(name), FILE)
        if path is None:
            faults.append(f"{MISSING}: {variable} is not set.")
        else:
            roots.append(NamedRoot(name, path, source))
    return tuple(roots), faults


def _find_fault(root: NamedRoot) -> str:
    """Return why a root cannot be served, with its code; empty when it can."""
    what = VARIABLES[root.name] if root.source == ENVIRONMENT else f"{root.name}_root of the {FILE}"
    try:
        reader = RepositoryReader(root.path, deny_nothing)
    except RepoError as error:
        return f"{INVALID}: {what} {error.message.removeprefix('The root ')}"
    try:
        directory = reader.open_directory("")
        try:
            reader.scan(directory)
        finally:
            reader.close_directory(directory)
    except (RepoError, OSError):
        return f"{INVALID}: {what} cannot be read."
    finally:
        reader.close()
    return ""


def _read_config_file(config_file: str | None) -> dict[str, str]:
    """Return absolute roots by name, as far as the file sets them. Raises `_Fault`."""
    path = config_file or os.path.join(find_config_home(), CONFIG_FILE)
    where = CONFIG_OPTION if config_file is not None else "the user's retrieval.toml"
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        if config_file is None:
            return {}
        raise _Fault(f"{where} names a file that does not exist") from None
    except (OSError, ValueError):
        raise _Fault(f"{where} cannot be read") from None
    if len(text) > MAX_CONFIG_BYTES:
        raise _Fault(f"{where} has more than {MAX_CONFIG_BYTES:,} bytes")
    try:
        table = tomllib.loads(text.decode())
    except (ValueError, RecursionError):  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise _Fault(f"{where} is not valid TOML") from None
    return _check_table(table, where, os.path.dirname(os.path.abspath(path)))


def _check_table(table: Mapping[str, object], where: str, directory: str) -> dict[str, str]:
    """Return absolute roots by name; relative ones start from the file's directory. Raises `_Fault`."""
    keys = {f"{name}_root": name for name in VARIABLES}
    roots = {}
    for key, value in table.items():
        if key not in keys:
            raise _Fault(f"{where} has an unknown key, {key[:80]!a}; keys: {', '.join(keys)}")
        if not isinstance(value, str) or not value or "\0" in value:
            raise _Fault(f"{key} of {where} must be a directory name")
        roots[keys[key]] = os.path.abspath(os.path.join(directory, value))
    return roots
