"""Plan the setup of a client: the entry, its location, and the resulting file; or remove a server from it.

Only `remove_server` writes. An existing file changes in one entry and nowhere else: the new text is read
again, and compared with the old contents plus or without the entry, before anybody may write it.

An existing entry of the same name is taken over only if it starts this server on the same directory, or if it
names the directory in which we are, and the new one finds it. It is refused if not, or if a project's file
holds more than we would write (an `env` chosen by the repository would decide what runs). Then `--name` or
`--replace` is needed.

An entry that starts something else is not ours to remove.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from repo_mcp.cli.clients import json_edit, toml_edit
from repo_mcp.cli.clients.clients import Client, Entry, FileLocation, Server
from repo_mcp.cli.clients.files import BYTE_ORDER_MARK, ClientFile, read_client_file, write_client_file
from repo_mcp.cli.clients.server_choice import SCRIPT
from repo_mcp.cli.console.endings import note
from repo_mcp.cli.console.text import visible
from repo_mcp.config.found_root import AUTO
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text

_PROGRAMS = frozenset({SCRIPT, f"{SCRIPT}.exe"})
SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Setup:
    """One client, one server and one file, before and after."""

    client: Client
    name: str
    server: Server
    place: FileLocation | None  # None for a client without a file of its own
    file: ClientFile | None
    text: str  # text of the file with the entry in it
    entry: Entry  # the entry as the file then holds it

    @property
    def is_done(self) -> bool:
        """Return True when the file already holds the entry."""
        return self.file is not None and self.file.text == self.text

    @property
    def names_machine(self) -> bool:
        """Return True when the entry holds a path of this machine."""
        words = [self.entry["command"], *self.server.environment.values()]
        words += [word for one in self.server.arguments for word in (one, one.partition("=")[2])]
        return any(os.path.isabs(str(word)) for word in words)

    def render_diff(self) -> str:
        """Render the change to the file as a unified diff; "" for no change."""
        rows = [] if self.file is None else render_change(self.file, self.text, f"with {self.name}")
        return "".join(f"{row}\n" for row in rows)


def render_change(file: ClientFile, text: str, how: str) -> list[str]:
    """Return the lines of a unified diff from a file's contents to a text; `how` says what is new."""
    before = (file.text or "").splitlines()
    return list(
        difflib.unified_diff(before, text.splitlines(), file.shown, f"{file.shown} ({how})", lineterm="")
    )


def choose_place(client: Client, scope: str | None, root: str) -> FileLocation | None:
    """Return the file for a scope, by default the usual one. Raises RepoError with CONFIG_INVALID."""
    if not client.places:
        return None
    scope = next(iter(client.places)) if scope is None else scope
    if scope not in client.places:
        hint = f"Its scopes: {', '.join(client.places)}."
        raise RepoError(ErrorCode.CONFIG_INVALID, f"{client.title} has no scope '{scope}'.", hint)
    return client.places[scope](os.path.abspath(root))


def plan_setup(
    client: Client, server: Server, name: str, place: FileLocation | None, *, here: str, replace: bool = False
) -> Setup:
    """Plan the setup of a client; `here` is the repository in which that is done.

    Raises RepoError with CONFIG_INVALID for a bad name or an unusable file.
    """
    if not SERVER_NAME.fullmatch(name):
        hint = "Use at most 64 letters, digits, _ and -."
        raise RepoError(ErrorCode.CONFIG_INVALID, "--name is not a valid server name.", hint)
    entry = client.build_entry(server, place)
    if place is None:
        return Setup(client, name, server, None, None, render_alone(client, name, entry), entry)
    file = read_client_file(place)
    try:
        take = None if replace else partial(_take_over, entry=entry, name=name, place=place, here=here)
        text, entry = _merge(file.text or "", client, name, entry, take)
    except (ValueError, IndexError) as fault:  # an index error means that scanning and parsing disagree
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"{place.shown} cannot be changed: {fault}.",
            "Nothing was changed. Repair it, or run it without --write and add the printed entry by hand.",
        ) from None
    return Setup(client, name, server, place, file, text, entry)


def render_alone(client: Client, name: str, entry: Entry) -> str:
    """Render a file of the client that holds only the entry."""
    if client.is_toml:
        return toml_edit.render_table(client.section, name, entry)
    return json_edit.render_new(client.section, name, entry)


def read_document(client: Client, text: str) -> dict[str, Any]:
    """Read the document in a client's file. Raises ValueError with the fault."""
    if not text.strip():
        return {}
    return toml_edit.read_toml(text) if client.is_toml else json_edit.read_json(text)


def _merge(
    text: str, client: Client, name: str, entry: Entry, take: Callable[[object], Entry] | None
) -> tuple[str, Entry]:
    """Return the file's text with the entry, and the entry as it then is. Raises ValueError and RepoError.

    `take` returns what an entry of that name becomes; None replaces it.
    """
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    body = text.removeprefix(mark)
    before = read_document(client, body)
    servers = before.get(client.section, {})
    if not isinstance(servers, dict):
        raise ValueError(f"{client.section} is not a table of servers")
    there = servers.get(name)
    merged = entry if take is None or name not in servers else take(there)
    if there == merged:
        return text, merged
    after = _edit(body, client, name, merged, is_there=name in servers)
    wanted = before | {client.section: servers | {name: merged}}
    if read_document(client, after) != wanted:
        raise ValueError("its layout cannot be edited safely")
    return mark + after, merged


def _edit(text: str, client: Client, name: str, entry: Entry, *, is_there: bool) -> str:
    if not client.is_toml:
        if not text.strip():
            return json_edit.render_new(client.section, name, entry)
        return json_edit.set_member(text, client.section, name, entry)
    if is_there:
        return toml_edit.change_table(text, client.section, name, entry)
    return toml_edit.append_table(text, client.section, name, entry)


def _take_over(there: object, entry: Entry, name: str, place: FileLocation, here: str) -> Entry:
    """Update an existing entry. Raises RepoError with CONFIG_INVALID unless it is ours and trustworthy."""
    if not isinstance(there, dict) or not is_program(there.get("command")):
        message = f"{place.shown} already has a server {name} that starts something else."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, "Give another --name, or --replace.")
    if not _serves_the_same(_find_root(there.get("args")), _find_root(entry["args"]), here):
        message = f"{place.shown} already has a server {name} that serves another directory."
        hint = "Give --replace to change that, or another --name for one more server."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, hint)
    more = sorted(set(there) - set(entry))
    if more and place.in_project:
        kept = escape_text(", ".join(more)[:200])
        message = f"The server {name} in {place.shown} has {kept}, which comes with the repository."
        hint = "Check it, then give --replace or another --name."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, hint)
    return {**{key: entry.get(key, value) for key, value in there.items()}, **entry}


def is_program(command: object) -> bool:
    """Return True when the command of an entry is this server's."""
    program = command.replace("\\", "/").rpartition("/")[2] if isinstance(command, str) else ""
    return program in _PROGRAMS


def _serves_the_same(before: object, after: object, here: str) -> bool:
    """Return True for equal roots, and for the directory `here` where the new root is found by the server."""
    is_found = after == AUTO or (isinstance(after, str) and after.startswith("${"))
    return before == after or (is_found and before in (AUTO, here))


def _find_root(arguments: object) -> object:
    if isinstance(arguments, list) and "--repo-root" in arguments[:-1]:
        return arguments[arguments.index("--repo-root") + 1]
    return None


def remove_server(client: Client, name: str, place: FileLocation | None, *, write: bool) -> int:
    """Remove a server from a client's file, or only show that. Returns the exit code; 1: there is none.

    Raises RepoError with CONFIG_INVALID for an entry or a file that cannot be changed safely; OSError.
    """
    if place is None:
        message = "This client has no file of its own."
        raise RepoError(
            ErrorCode.CONFIG_INVALID, message, "Remove the server from your client's list by hand."
        )
    file = read_client_file(place)
    try:
        text = _cut(file.text or "", client, name, place)
    except (ValueError, IndexError) as fault:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"{place.shown} cannot be changed: {fault}.",
            "Nothing was changed. Repair the file, or remove the entry by hand.",
        ) from None
    if text is None:
        note(f"{place.shown} has no server {name}.")
        return EXIT_NOTHING_FOUND
    if not write:
        sys.stdout.write("".join(f"{visible(row)}\n" for row in render_change(file, text, f"without {name}")))
        note(f"--write removes it from {place.shown}.")
        return EXIT_DONE
    backup = write_client_file(file, text)
    note(f"Removed {name} from {place.shown}; the previous version is in {backup}.")
    return EXIT_DONE


def _cut(text: str, client: Client, name: str, place: FileLocation) -> str | None:
    """Return the text without the entry; None where there is none. Raises ValueError and RepoError."""
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    body = text.removeprefix(mark)
    before = read_document(client, body)
    servers = before.get(client.section, {})
    if not isinstance(servers, dict) or name not in servers:
        return None
    there = servers[name]
    if not isinstance(there, dict) or not is_program(there.get("command")):
        message = f"The server {name} in {place.shown} starts something else."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, "Give the --name of one that starts this program.")
    edit = toml_edit.remove_table if client.is_toml else json_edit.remove_member
    after = edit(body, client.section, name)
    kept = {other: entry for other, entry in servers.items() if other != name}
    wanted = before | {client.section: kept}
    found = read_document(client, after)
    if found | {client.section: found.get(client.section, {})} != wanted:
        raise ValueError("its layout cannot be edited safely")
    return mark + after
