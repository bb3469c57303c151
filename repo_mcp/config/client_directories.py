"""The directories that a client names as its roots: which of them are served, under which names.

    file:///home/me/ledger          served as "ledger"
    file:///home/me/old/ledger      served as "old/ledger", and the first as "me/ledger"
    file:///home/me                 refused: it is the home directory

What a client names is not trusted. Only a `file` URI of this machine counts. Its directory is opened under
its canonical name and stays the one that is served. It must be readable; a system directory, the user's home
and the directories above it are refused, whatever links lead there. The directory itself is served, not the
repository around it: roots are limits that a client sets.

Left out on purpose: how roots are asked for (`repo_mcp.protocol.client_roots`), and what is in them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from repo_mcp.config.found_root import explain_refusal
from repo_mcp.errors import RepoError
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import name_canonically
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.reader.held_root import hold_root

MAX_ROOTS = 8  # most roots served at a time: each has an index, a watcher and processes of its own
_MAX_URI_CHARS = 16_384  # PATH_MAX of Linux, with every byte escaped
_NAME_CHARS = 64
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class ClientDirectories:
    """The directories that a client has named."""

    served: tuple[HeldDirectory, ...]  # opened directories, each once, in the client's order
    refused: tuple[str, ...]  # why the others are not opened; names no path


def open_directories(uris: Sequence[str]) -> ClientDirectories:
    """Open what may be served of the roots that a client names."""
    served: dict[str, HeldDirectory] = {}
    refused = []
    for uri in uris:
        try:
            path = name_canonically(read_file_uri(uri))
            if path in served:
                continue
            if len(served) >= MAX_ROOTS:
                refused.append(f"only the first {MAX_ROOTS} are served")
                break
            served[path] = _open(path)
        except (ValueError, OSError) as fault:
            refused.append(str(fault) if isinstance(fault, ValueError) else "one of them cannot be read")
    return ClientDirectories(tuple(served.values()), tuple(dict.fromkeys(refused)))


def read_file_uri(uri: str) -> str:
    """Return the absolute path that a `file` URI names. Raises ValueError with what is wrong.

    A `#` or `?` is part of the path: clients are known to put paths into URIs as they are.
    """
    scheme, _, rest = uri[: _MAX_URI_CHARS + 1].partition(":")
    host, slash, path = rest.removeprefix("//").partition("/")
    if scheme.lower() != "file" or not rest.startswith("//") or not slash or len(uri) > _MAX_URI_CHARS:
        raise ValueError("one of them is not a file:// URI")
    if host.lower() not in ("", "localhost"):
        raise ValueError("one of them is on another machine")
    try:
        decoded = _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), path.encode()).decode()
    except UnicodeError:
        raise ValueError("one of them is not valid UTF-8") from None
    if "\0" in decoded:
        raise ValueError("one of them is not a file:// URI")
    decoded = decoded.lstrip("/")
    return os.path.abspath(f"/{decoded}" if os.name == "posix" else decoded)


def name_directories(paths: Iterable[str]) -> dict[str, str]:
    """Return each path by its name: the last of its parts, and as many more as distinguish it."""
    split = {path: [part for part in path.replace("\\", "/").split("/") if part] for path in paths}
    names: dict[str, str] = {}
    for path, parts in split.items():
        others = [theirs for other, theirs in split.items() if other != path]
        count = 1
        while count < len(parts) and any(theirs[-count:] == parts[-count:] for theirs in others):
            count += 1
        names[_make_unique(_clean("/".join(parts[-count:])), names)] = path
    return names


def _open(path: str) -> HeldDirectory:
    """Return the directory, open. Raises ValueError with the reason if it is not served, and OSError."""
    name = _clean(os.path.basename(path))
    try:
        held = hold_root(path)
    except RepoError as error:
        raise ValueError(f'"{name}" {error.message.removeprefix("The root ").rstrip(".")}') from None
    refusal = explain_refusal(path)
    if refusal:
        raise ValueError(f'"{name}" {refusal}')
    held.enter()  # what was judged is what was opened
    return held


def _clean(name: str) -> str:
    return "".join(filter(str.isprintable, name))[-_NAME_CHARS:]


def _make_unique(name: str, taken: dict[str, str]) -> str:
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return unique
