"""The clients that we know: where each keeps its servers, and what an entry looks like there.

    codex    [mcp_servers.repo]                       in ~/.codex/config.toml
    vscode   {"servers": {"repo": {...}}}             in .vscode/mcp.json
    others   {"mcpServers": {"repo": {...}}}

An entry holds what starts the server and nothing else: an absolute command, no shell, no `python -m`, which
would import what lies in the directory that the client is started in. Clients that were never run with what
would be written for them are not set up; `doctor` looks into their files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from repo_mcp.config.server_config import find_client_home, find_config_home, find_home

Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class Server:
    """What a client has to start."""

    command: str  # absolute
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A file of a client."""

    base: str  # absolute: the user's own directory, or the root of the project
    below: str  # POSIX, relative to it
    shown: str  # as people write it
    in_project: bool  # comes with the repository: not to be trusted

    @property
    def path(self) -> str:
        return os.path.join(self.base, *self.below.split("/"))


@dataclass(frozen=True, slots=True)
class Client:
    """One client."""

    name: str
    title: str
    section: str  # of its file: the table of servers
    protocol: str  # that it opens with
    places: Mapping[
        str, Callable[[str], FileLocation]
    ]  # scope -> place for a project's root; the first is usual
    type: str = ""  # of every entry, where the client wants one
    user_type: str = ""  # the same in a file of the user's, where that differs
    user_extra: Mapping[str, object] = field(default_factory=dict)  # of an entry in a file of the user's
    is_toml: bool = False
    note: str = ""  # what a person has to know of a file in a project
    is_set_up: bool = True  # False: only looked at

    def build_entry(self, server: Server, place: FileLocation | None) -> Entry:
        """The entry of a server in a file, its keys in the order in which people write them."""
        is_users = place is None or not place.in_project
        kind = self.user_type if is_users and self.user_type else self.type
        entry: Entry = {"type": kind} if kind else {}
        entry |= {"command": server.command, "args": list(server.arguments)}
        if server.environment:
            entry["env"] = dict(server.environment)
        return {**entry, **self.user_extra} if is_users else entry


def _in_project(below: str) -> Callable[[str], FileLocation]:
    return lambda root: FileLocation(root, below, below, in_project=True)


def _at_home(below: str, variable: str = "", folder: str = "") -> Callable[[str], FileLocation]:
    """A file below a folder of the home directory, which a variable may put elsewhere."""

    def find(_root: str) -> FileLocation:
        base = find_client_home(variable, *filter(None, [folder]))
        is_elsewhere = base != find_client_home("", *filter(None, [folder]))
        shown = "/".join([base if is_elsewhere else f"~/{folder}".rstrip("/"), below])
        return FileLocation(base, below, shown, in_project=False)

    return find


def _in_applications(below: str) -> Callable[[str], FileLocation]:
    """A file where programs with windows keep what is a user's."""

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
            note="Codex reads a project's file only where it trusts the project.",
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            "2025-11-25",
            {"project": _in_project(".vscode/mcp.json"), "user": _in_applications("Code/User/mcp.json")},
            type="stdio",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "mcpServers",
            "2025-06-18",
            {
                "project": _in_project(".gemini/settings.json"),
                "user": _at_home("settings.json", "", ".gemini"),
            },
            note="Gemini connects only in a folder that it trusts.",
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
            # As `copilot mcp add` writes it; a project's file is Claude Code's, too, which skips other types.
            type="stdio",
            user_type="local",
            user_extra={"tools": ["*"]},
            note="Copilot reads a project's file only in a folder that it trusts.",
        ),
        Client(
            "claude",
            "Claude Code",
            "mcpServers",
            "2025-11-25",
            {"project": _in_project(".mcp.json"), "user": _at_home(".claude.json", "CLAUDE_CONFIG_DIR")},
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
