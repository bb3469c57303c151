"""Take a server out of a client's file again: `repo-mcp init CLIENT --remove`.

The file changes in one entry and nowhere else: the new text is read again, and compared with the old contents
without the entry, before it is written. An entry that starts something else is not ours to remove.
"""

from __future__ import annotations

import sys

from repo_mcp.cli.clients import json_edit, toml_edit
from repo_mcp.cli.clients.clients import Client, FileLocation
from repo_mcp.cli.clients.files import BYTE_ORDER_MARK, read_client_file, write_client_file
from repo_mcp.cli.clients.setup_plan import is_program, read_document, render_change
from repo_mcp.cli.console.endings import EXIT_DONE, EXIT_NOTHING_FOUND, note
from repo_mcp.cli.console.terminal import visible
from repo_mcp.errors import ErrorCode, RepoError


def remove_server(client: Client, name: str, place: FileLocation | None, *, write: bool) -> int:
    """Remove a server from a client's file, or only show that. Returns the exit code; 1: there is none.

    Raises RepoError with CONFIG_INVALID for an entry or a file that cannot be changed safely; OSError.
    """
    if place is None:
        message = "This client has no file of its own."
        raise RepoError(
            ErrorCode.CONFIG_INVALID, message, "Take the server out of your client's list by hand."
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
