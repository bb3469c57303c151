"""The entries of clients' own files that start this program: what each would serve here, and what is wrong.

The files are read, never changed. An entry is ours when its command or arguments name this program, in the
user's files or in those of the project. A finding says which repository a client that is opened here would
get, what keeps such an entry from working, or what lets the repository being worked on decide what runs: a
relative command, `python -m`, a runner that reads files of the project.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping

from repo_mcp.cli.clients.clients import CLIENTS, Client, FileLocation
from repo_mcp.cli.clients.files import BYTE_ORDER_MARK, read_client_file
from repo_mcp.cli.clients.setup_plan import SERVER_NAME, read_document
from repo_mcp.cli.doctor.checks import Finding, State
from repo_mcp.config.found_root import AUTO, MARKS, find_root
from repo_mcp.config.server_config import NAMED_ROOT_TOOLSETS
from repo_mcp.errors import RepoError
from repo_mcp.storage.data_dir import name_canonically

PROGRAMS = ("repo-mcp", "repo-mcp-server", "repo_mcp")
_RUNNERS = frozenset({"uv", "uvx", "npx", "poetry", "pipx", "hatch", "rye"})
_SHELLS = frozenset({"sh", "bash", "zsh", "fish", "cmd", "powershell", "pwsh"})
_MARKS = f"Repositories are found by {', '.join(MARKS)}."
_Fault = tuple[State, str, str]
_ABSOLUTE = "Give the absolute path of repo-mcp-server, as printed by `command -v repo-mcp-server`."


def iter_client_findings(root: str) -> Iterator[Finding]:
    """Yield the findings about the existing files of each client that start this program.

    `root` is the repository here, or else the directory: an absolute path.
    """
    count = 0
    for client in CLIENTS.values():
        places = {place.path: place for place in (find(root) for find in client.places.values())}
        for place in places.values():
            for finding in _look_at(client, place, root):
                count += 1
                yield finding
    if not count:
        hint = "repo-mcp init CLIENT --write sets one up, for every repository."
        yield Finding("clients", State.NOTE, "No known client is set up to answer here.", hint)


def _look_at(client: Client, place: FileLocation, root: str) -> Iterator[Finding]:
    subject = f"client {client.title}"
    try:
        servers = _read_servers(client, place)
    except RepoError as error:
        yield Finding(subject, State.NOTE, f"{error.message} It was not checked.")
        return
    except (ValueError, RecursionError):
        yield Finding(subject, State.NOTE, f"{place.shown} is not valid; it was not checked.")
        return
    for name, entry in servers.items():
        if isinstance(entry, Mapping) and _is_ours(entry):
            remedy = _render_remedy(client, name, place)
            yield from _judge(subject, f"Server {name!r} in {place.shown}", entry, place, root, remedy)


def _read_servers(client: Client, place: FileLocation) -> Mapping[str, object]:
    """Return the servers in a client's file; none when it does not exist. Raises RepoError and ValueError."""
    text = read_client_file(place).text or ""
    document = read_document(client, text.removeprefix(BYTE_ORDER_MARK))
    servers = document.get(client.section)
    return servers if isinstance(servers, Mapping) else {}


def _list_arguments(entry: Mapping[str, object]) -> list[str]:
    arguments = entry.get("args")
    return [one for one in arguments if isinstance(one, str)] if isinstance(arguments, list) else []


def _is_ours(entry: Mapping[str, object]) -> bool:
    command = entry.get("command")
    words = [command if isinstance(command, str) else "", *_list_arguments(entry)]
    return any(word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") in PROGRAMS for word in words)


def _judge(
    subject: str, server: str, entry: Mapping[str, object], place: FileLocation, root: str, remedy: str
) -> Iterator[Finding]:
    """Yield the faults of an entry, or one finding on what it would serve here."""
    command = str(entry.get("command", ""))
    arguments = _list_arguments(entry)
    faults = [
        *_list_command_faults(command, arguments, is_shared=place.in_project),
        *_list_root_faults(arguments),
    ]
    for state, message, hint in faults:
        yield Finding(subject, state, f"{server}: {message}", hint)
    if not faults:
        state, message, hint = _describe_root(_find_root(arguments), root, remedy)
        yield Finding(subject, state, f"{server} {message}", hint)


def _render_remedy(client: Client, name: str, place: FileLocation) -> str:
    """Return what makes an entry serve the repository that the client is opened in."""
    if not client.is_set_up or not SERVER_NAME.fullmatch(name):
        return "Write auto as its --repo-root."
    scope = "project" if place.in_project else "user"
    command = f"repo-mcp init {client.name} --scope {scope} --name {name} --replace --write"
    return f"Write auto as its --repo-root, or replace the whole entry with its options: {command}"


def _describe_root(named: str | None, root: str, remedy: str) -> _Fault:
    """Return what a server would serve for a client opened in `root`, and whether that is right."""
    here = os.path.basename(root) or root
    if named is None:
        return State.OK, "would answer here, and serve DOCS_ROOT and CODE_ROOT.", ""
    if named == AUTO and find_root(root) is None:
        return State.NOTE, "would serve nothing here, unless the client names a root.", _MARKS
    if named == AUTO or "${" in named or name_canonically(named) == name_canonically(root):
        return State.OK, f"would answer here, and serve {here!r}.", ""
    other = os.path.basename(named) or named
    return State.WARNING, f"would answer here, but serve another directory, {other!r}.", remedy


def _list_command_faults(command: str, arguments: list[str], *, is_shared: bool) -> list[_Fault]:
    """Return the faults of a command. In a file that is shared, the program's name is right."""
    program = os.path.basename(command).removesuffix(".exe")
    if program in _RUNNERS:
        return [(State.WARNING, f"{program} reads files of the directory it is started in.", _ABSOLUTE)]
    if program in _SHELLS:
        return [(State.WARNING, "it is started through a shell.", _ABSOLUTE)]
    if program.startswith("python") and "-m" in arguments and not {"-P", "-I"} & set(arguments):
        message = "python -m imports modules from the directory it is started in."
        return [(State.WARNING, message, _ABSOLUTE)]
    if not os.path.isabs(command):
        found = shutil.which(command) is not None
        if is_shared and found and command in PROGRAMS and sys.platform != "win32":
            return []
        state = State.WARNING if found else State.PROBLEM
        what = "is found through PATH, which may differ in the client" if found else "is not found"
        return [(state, f"its command {what}.", _ABSOLUTE)]
    if not (os.path.isfile(command) and os.access(command, os.X_OK)):
        return [(State.PROBLEM, "its command does not exist or cannot be run.", _ABSOLUTE)]
    return []


def _read_options(arguments: list[str]) -> dict[str, str]:
    options = dict(zip(arguments, [*arguments[1:], ""], strict=False))
    return options | dict(one.split("=", 1) for one in arguments if one.startswith("--") and "=" in one)


def _find_root(arguments: list[str]) -> str | None:
    return _read_options(arguments).get("--repo-root")


def _list_root_faults(arguments: list[str]) -> list[_Fault]:
    toolsets = {name.strip() for name in _read_options(arguments).get("--toolsets", "repo").split(",")}
    root = _find_root(arguments)
    if root is None:
        if toolsets <= NAMED_ROOT_TOOLSETS:
            return []
        return [(State.PROBLEM, "it has no --repo-root.", "Add --repo-root auto.")]
    if root == AUTO or "${" in root:  # found by the server, or replaced by the client
        return []
    if not os.path.isabs(root):
        hint = "Give auto or an absolute path: the client may start it in any directory."
        return [(State.WARNING, "its --repo-root is relative.", hint)]
    if not os.path.isdir(root):
        return [
            (
                State.PROBLEM,
                "its --repo-root is not a directory.",
                "Give an existing directory as --repo-root.",
            )
        ]
    return []
