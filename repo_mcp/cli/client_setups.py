"""Clients' own files in the user's home, as far as they start this program: read, never changed.

Looked for are entries whose command or arguments name it. What is said is what keeps such an entry from
working, or lets the repository that is worked in decide what runs: a relative command, `python -m`, a runner
that reads files of the project. A file that is reached through a link is left alone, and said.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping

from index_format import DiskDirectory, IndexFormatError
from repo_mcp.cli.checks import Finding, State
from repo_mcp.config import NAMED_ROOT_TOOLSETS

MAX_FILE_BYTES = 4 * 1024 * 1024
PROGRAMS = ("repo-mcp", "repo-mcp-server", "repo_mcp")
# client -> its file below the home directory, and the table of servers in it
CLIENTS: Mapping[str, tuple[str, str]] = {
    "Codex": (".codex/config.toml", "mcp_servers"),
    "Claude Code": (".claude.json", "mcpServers"),
    "Claude Desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "Claude Desktop (macOS)": ("Library/Application Support/Claude/claude_desktop_config.json", "mcpServers"),
    "Cursor": (".cursor/mcp.json", "mcpServers"),
    "VS Code": (".config/Code/User/mcp.json", "servers"),
    "VS Code (macOS)": ("Library/Application Support/Code/User/mcp.json", "servers"),
    "Gemini CLI": (".gemini/settings.json", "mcpServers"),
    "Copilot CLI": (".copilot/mcp-config.json", "mcpServers"),
    "Windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
}
_RUNNERS = frozenset({"uv", "uvx", "npx", "poetry", "pipx", "hatch", "rye"})
_SHELLS = frozenset({"sh", "bash", "zsh", "fish", "cmd", "powershell", "pwsh"})


def iter_client_findings(home: str) -> Iterator[Finding]:
    """What there is to say of each client's file that is there and starts this program."""
    for client, (path, table) in CLIENTS.items():
        subject = f"client {client}"
        try:
            servers = _read_servers(home, path, table)
        except FileNotFoundError:
            continue
        except (OSError, IndexFormatError):
            message = f"~/{path} is a link, or cannot be read; it was not looked at."
            yield Finding(subject, State.NOTE, message)
            continue
        except (ValueError, RecursionError):
            message = f"~/{path} has comments, or is not valid; it was not looked at."
            yield Finding(subject, State.NOTE, message)
            continue
        for name, entry in servers.items():
            if isinstance(entry, Mapping) and _is_ours(entry):
                yield from _judge(subject, str(name), entry)


def _read_servers(home: str, path: str, table: str) -> Mapping[str, object]:
    """The servers of a client's file. FileNotFoundError when it is not there."""
    above, name = os.path.split(os.path.join(home, path))
    file = DiskDirectory(above).open(name)
    try:
        if file.size > MAX_FILE_BYTES:
            raise ValueError
        text = file.read(0, file.size).decode()
    finally:
        file.close()
    document = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    servers = document.get(table) if isinstance(document, Mapping) else None
    return servers if isinstance(servers, Mapping) else {}


def _list_arguments(entry: Mapping[str, object]) -> list[str]:
    arguments = entry.get("args")
    return [one for one in arguments if isinstance(one, str)] if isinstance(arguments, list) else []


def _is_ours(entry: Mapping[str, object]) -> bool:
    command = entry.get("command")
    words = [command if isinstance(command, str) else "", *_list_arguments(entry)]
    return any(word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") in PROGRAMS for word in words)


def _judge(subject: str, name: str, entry: Mapping[str, object]) -> Iterator[Finding]:
    """What is wrong with an entry; one finding that all is well when nothing is."""
    command = str(entry.get("command", ""))
    arguments = _list_arguments(entry)
    faults = [*_list_command_faults(command, arguments), *_list_root_faults(arguments)]
    for state, message, hint in faults:
        yield Finding(subject, state, f"Server {name!r}: {message}", hint)
    if not faults:
        yield Finding(subject, State.OK, f"Server {name!r} is set up.")


_Fault = tuple[State, str, str]
_ABSOLUTE = "Give the absolute path of repo-mcp-server, as `command -v repo-mcp-server` prints it."


def _list_command_faults(command: str, arguments: list[str]) -> list[_Fault]:
    program = os.path.basename(command).removesuffix(".exe")
    if program in _RUNNERS:
        return [(State.WARNING, f"{program} reads files of the directory that it is started in.", _ABSOLUTE)]
    if program in _SHELLS:
        return [(State.WARNING, "it is started through a shell.", _ABSOLUTE)]
    if program.startswith("python") and "-m" in arguments and not {"-P", "-I"} & set(arguments):
        message = "python -m imports modules of the directory that it is started in."
        return [(State.WARNING, message, _ABSOLUTE)]
    if not os.path.isabs(command):
        found = shutil.which(command) is not None
        state = State.WARNING if found else State.PROBLEM
        what = "is found through PATH, which may differ in the client" if found else "is not found"
        return [(state, f"its command {what}.", _ABSOLUTE)]
    if not (os.path.isfile(command) and os.access(command, os.X_OK)):
        return [(State.PROBLEM, "its command is not there, or cannot be run.", _ABSOLUTE)]
    return []


def _list_root_faults(arguments: list[str]) -> list[_Fault]:
    options = dict(zip(arguments, [*arguments[1:], ""], strict=True))
    options |= dict(one.split("=", 1) for one in arguments if one.startswith("--") and "=" in one)
    toolsets = {name.strip() for name in options.get("--toolsets", "repo").split(",")}
    root = options.get("--repo-root")
    if root is None:
        if toolsets <= NAMED_ROOT_TOOLSETS:
            return []
        return [
            (State.PROBLEM, "it names no --repo-root.", "Add --repo-root and the repository's directory.")
        ]
    if "${" in root:  # the client puts something in its place
        return []
    if not os.path.isabs(root):
        hint = "Give an absolute path: the client's current directory may be any."
        return [(State.WARNING, "its --repo-root is relative.", hint)]
    if not os.path.isdir(root):
        return [(State.PROBLEM, "its --repo-root is no directory.", "Give --repo-root one that is there.")]
    return []
