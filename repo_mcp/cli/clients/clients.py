"""The known clients: where each keeps its servers, and what an entry looks like there.

    codex    [mcp_servers.repo]                       in ~/.codex/config.toml
    vscode   {"servers": {"repo": {...}}}             in .vscode/mcp.json
    others   {"mcpServers": {"repo": {...}}}

An entry holds only what starts the server: an absolute command, no shell, no `python -m`, which would import
modules from the directory that the client is started in. In a file of a project the command is the program's
name, so that everybody can use the file, but not on Windows, where a program of that name in the project
would be started. Clients in which our entries were never tested are not set up; `doctor` only reads their
files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import field

from repo_mcp.config.environment import find_client_home, find_config_home
from repo_mcp.config.found_root import AUTO
from repo_mcp.config.home import find_home
from repo_mcp.record_classes import dataclass

Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class Server:
    """The command that a client has to start."""

    command: str  # absolute
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    name: str = ""  # a name by which PATH leads to the same command; empty if none does

    @property
    def finds_root(self) -> bool:
        """Return True when the server is to find out which repository it serves."""
        return ("--repo-root", AUTO) in zip(self.arguments, self.arguments[1:], strict=False)


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A file of a client."""

    base: str  # absolute: the user's own directory, or the root of the project
    below: str  # POSIX, relative to `base`
    shown: str  # the path that people are shown
    in_project: bool  # comes with the repository, so it is not to be trusted

    @property
    def path(self) -> str:
        """Return the absolute path of the file."""
        return os.path.join(self.base, *self.below.split("/"))


@dataclass(frozen=True, slots=True)
class Client:
    """One client."""

    name: str
    title: str
    section: str  # the table of servers in its file
    protocol: str  # protocol version with which it opens a session
    # Scope -> finder of the file for a project's root; the first scope is the default.
    places: Mapping[str, Callable[[str], FileLocation]]
    type: str = ""  # type of every entry, if the client requires one
    user_type: str = ""  # type in a file of the user, if different
    user_extra: Mapping[str, object] = field(default_factory=dict)  # keys of an entry in a file of the user
    is_toml: bool = False
    note: str = ""  # what a person has to know about a file in a project
    folder: str = ""  # what the client replaces by the project's directory in a file of the project
    is_set_up: bool = True  # False: its files are only read

    def build_entry(self, server: Server, place: FileLocation | None) -> Entry:
        """Build the entry of a server in a file, its keys in the order in which people write them."""
        is_users = place is None or not place.in_project
        kind = self.user_type if is_users and self.user_type else self.type
        entry: Entry = {"type": kind} if kind else {}
        command, arguments = server.command, list(server.arguments)
        if not is_users:
            command = server.name or command
            if self.folder and server.finds_root:
                arguments[arguments.index(AUTO)] = self.folder
        entry |= {"command": command, "args": arguments}
        if server.environment:
            entry["env"] = dict(server.environment)
        return {**entry, **self.user_extra} if is_users else entry


def _in_project(below: str) -> Callable[[str], FileLocation]:
    return lambda root: FileLocation(root, below, below, in_project=True)


def _at_home(below: str, variable: str, folder: str = "") -> Callable[[str], FileLocation]:
    """Return a finder for a file below a folder of the home directory, or below a variable's directory."""

    def find(_root: str) -> FileLocation:
        base = find_client_home(variable, *filter(None, [folder]))
        is_elsewhere = base != find_client_home("", *filter(None, [folder]))
        shown = "/".join([base if is_elsewhere else f"~/{folder}".rstrip("/"), below])
        return FileLocation(base, below, shown, in_project=False)

    return find


def _in_applications(below: str) -> Callable[[str], FileLocation]:
    """Return a finder for a file in the directory where desktop programs keep a user's settings."""

    def find(_root: str) -> FileLocation:
        if sys.platform == "darwin":
            base = os.path.join(find_home(), "Library", "Application Support")
        elif sys.platform == "win32":
            base = find_client_home("APPDATA", "AppData", "Roaming")
        else:
            base = find_config_home()
        shown = os.path.join(base, below).replace(find_home(), "~", 1)
        return FileLocation(base, below, shown, in_project=False)

    return find


def _only_looked_at(name: str, title: str, *places: Callable[[str], FileLocation]) -> Client:
    scopes = dict(zip(("user", "project"), places, strict=False))
    return Client(name, title, "mcpServers", "2025-06-18", scopes, is_set_up=False)


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "codex",
            "Codex CLI, and Codex in editors",
            "mcp_servers",
            "2025-06-18",
            {
                "user": _at_home("config.toml", "CODEX_HOME", ".codex"),
                "project": _in_project(".codex/config.toml"),
            },
            is_toml=True,
            note="Codex reads a project's file only if it trusts the project.",
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            "2025-11-25",
            {"project": _in_project(".vscode/mcp.json"), "user": _in_applications("Code/User/mcp.json")},
            type="stdio",
            folder="${workspaceFolder}",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "mcpServers",
            "2025-06-18",
            {
                "user": _at_home("settings.json", "", ".gemini"),
                "project": _in_project(".gemini/settings.json"),
            },
            note="Gemini connects only in a trusted folder.",
        ),
        Client(
            "copilot",
            "GitHub Copilot CLI",
            "mcpServers",
            "2025-11-25",
            {
                "user": _at_home("mcp-config.json", "COPILOT_HOME", ".copilot"),
                "project": _in_project(".mcp.json"),
            },
            # As `copilot mcp add` writes it. Claude Code reads the same project file and skips other types.
            type="stdio",
            user_type="local",
            user_extra={"tools": ["*"]},
            note="Copilot reads a project's file only in a trusted folder.",
        ),
        Client(
            "claude",
            "Claude Code",
            "mcpServers",
            "2025-11-25",
            {"user": _at_home(".claude.json", "CLAUDE_CONFIG_DIR"), "project": _in_project(".mcp.json")},
            type="stdio",
            note="Claude Code asks once before it starts a project's servers.",
        ),
        Client("generic", "any other client", "mcpServers", "2025-06-18", {}),
        _only_looked_at(
            "claude-desktop", "Claude Desktop", _in_applications("Claude/claude_desktop_config.json")
        ),
        _only_looked_at(
            "cursor", "Cursor", _at_home("mcp.json", "", ".cursor"), _in_project(".cursor/mcp.json")
        ),
        _only_looked_at("windsurf", "Windsurf", _at_home("mcp_config.json", "", ".codeium/windsurf")),
    )
}
