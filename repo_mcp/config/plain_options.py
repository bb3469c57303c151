"""Recognises the ordinary command lines of a server quickly, so that the handshake need not wait.

`repo_mcp.server` reads the options in full with argparse later: importing that and the configuration takes
longer than answering a client's first frame. A command line that is plain here is valid there too, and its
root can be opened, so a configuration error still comes instead of a handshake, never after it.

Left out on purpose: what any option means.
"""

from __future__ import annotations

import os

from repo_mcp.config.found_root import AUTO, hold_found_root
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.system_places import is_system_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The toolsets that serve one root. Errors in the settings of others (DOCS_ROOT) must precede the handshake.
TOOLSETS = frozenset({"repo", "graph", "research"})
SWITCHES = frozenset({"--watch", "--no-watch", "--audit-queries", "--last-bundle", "--no-last-bundle"})
PLACES = frozenset({"--repo-root", "--data-dir"})
REPOSITORY_FILE = "repo_mcp.toml"  # read by `repo_mcp.config.repository_file`


class PlainOptions:
    """The effect of a plain command line."""

    __slots__ = ("finds_root", "has_default_limits", "held_root", "toolsets")

    def __init__(
        self,
        toolsets: tuple[str, ...],
        held_root: HeldDirectory | None,
        *,
        finds_root: bool = False,
        has_default_limits: bool,
    ) -> None:
        """`has_default_limits`: the repository has no file that may narrow them, or is not known yet."""
        self.toolsets = toolsets
        self.held_root = held_root  # the root, opened before the first answer; None if none was found
        # The held root is the one around the working directory, and gives way to roots that the client names.
        self.finds_root = finds_root
        self.has_default_limits = has_default_limits


def read_plain(arguments: Sequence[str]) -> PlainOptions | None:
    """Return the options if plainly valid, with a root that can be served; None in all other cases."""
    root = data_dir = ""
    toolsets: tuple[str, ...] = ("repo",)
    rest = list(arguments)
    while rest:
        option, joined, value = rest.pop(0).partition("=")
        if option in SWITCHES and not joined:
            continue
        if not joined:
            value = rest.pop(0) if rest else ""
        if option in PLACES and _can_be_a_place(value):
            root, data_dir = (value, data_dir) if option == "--repo-root" else (root, value)
        elif option == "--toolsets" and _are_toolsets(value.split(",")):
            toolsets = tuple(value.split(","))
        else:
            return None
    if root == AUTO:
        if data_dir and not _can_be_written(data_dir):
            return None
        return PlainOptions(toolsets, hold_found_root(), finds_root=True, has_default_limits=True)
    if not root or not _can_be_served(root) or not _can_be_written(data_dir or root):
        return None
    try:
        held_root = HeldDirectory(os.path.abspath(root))
    except OSError:
        return None
    is_limited = os.path.lexists(os.path.join(root, REPOSITORY_FILE))
    return PlainOptions(toolsets, held_root, has_default_limits=not is_limited)


def _are_toolsets(names: list[str]) -> bool:
    return TOOLSETS.issuperset(names) and len(set(names)) == len(names)


def _can_be_a_place(path: str) -> bool:
    return path != "" and path[0] != "-" and "\0" not in path and _is_utf8(path)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _can_be_written(place: str) -> bool:
    """Return True when the data directory, or its parent if it is missing, is a writable directory."""
    existing = place if os.path.lexists(place) else os.path.dirname(os.path.abspath(place))
    return os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK)


def _can_be_served(root: str) -> bool:
    """Return True when the root is a directory that can be listed and entered, and may be a repository."""
    return os.path.isdir(root) and os.access(root, os.R_OK | os.X_OK) and not is_system_place(root)
