"""The clients that can be set up: where each keeps its servers, and what an entry looks like there.

    codex    [mcp_servers.repo]                       in ~/.codex/config.toml
    vscode   {"servers": {"repo": {...}}}             in .vscode/mcp.json
    others   {"mcpServers": {"repo": {...}}}

An entry holds what starts the server and nothing else: an absolute command, no shell, no `python -m`, which
would import what lies in the directory that the client is started in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from repo_mcp.config import find_client_home, find_config_home, find_home

Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class Server:
    """What a client has to start."""

    command: str  # absolute
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
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
    places: Mapping[str, Callable[[str], Place]]  # scope -> place for a project's root; the first is usual
    extra: Mapping[str, object] = field(default_factory=dict)  # of every entry, in front
    extra_after: Mapping[str, object] = field(default_factory=dict)  # the same, behind
    is_toml: bool = False
    note: str = ""  # what a person has to know of a file in a project

    def build_entry(self, server: Server) -> Entry:
        """The entry of a server, its keys in the order in which people write them."""
        entry: Entry = {**self.extra, "command": server.command, "args": list(server.arguments)}
        if server.environment:
            entry["env"] = dict(server.environment)
        return {**entry, **self.extra_after}


def _in_project(below: str) -> Callable[[str], Place]:
    return lambda root: Place(root, below, below, in_project=True)


def _at_home(below: str, variable: str = "", folder: str = "") -> Callable[[str], Place]:
    """A file below a folder of the home directory, which a variable may put elsewhere."""

    def find(_root: str) -> Place:
        base = find_client_home(variable, *filter(None, [folder]))
        is_elsewhere = base != os.path.join(find_home(), folder) and folder
        shown = "/".join(filter(None, [base if is_elsewhere else f"~/{folder}".rstrip("/"), below]))
        return Place(base, below, shown, in_project=False)

    return find


def _in_code_profile(_root: str) -> Place:
    """Where VS Code keeps a user's servers."""
    below = "Code/User/mcp.json"
    if sys.platform == "darwin":
        base = os.path.join(find_home(), "Library", "Application Support")
    elif sys.platform == "win32":
        base = find_client_home("APPDATA", "AppData", "Roaming")
    else:
        base = find_config_home()
    shown = os.path.join(base, below).replace(find_home(), "~", 1)
    return Place(base, below, shown, in_project=False)


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
            {"project": _in_project(".vscode/mcp.json"), "user": _in_code_profile},
            extra={"type": "stdio"},
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
            extra={"type": "local"},
            extra_after={"tools": ["*"]},
        ),
        Client(
            "claude",
            "Claude Code",
            "mcpServers",
            "2025-11-25",
            {"project": _in_project(".mcp.json"), "user": _at_home(".claude.json", "CLAUDE_CONFIG_DIR")},
            extra={"type": "stdio"},
            note="Claude Code asks once before it starts a project's servers.",
        ),
        Client("generic", "any other client", "mcpServers", "2025-06-18", {}),
    )
}
