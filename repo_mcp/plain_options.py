"""The ordinary command line of a server, read in a moment: what need not be checked before the handshake.

The options are read in full by `repo_mcp.server` with argparse, whose import and that of the configuration
take longer than answering a client's first frame. A command line that is plain here is valid there too,
and its root can be opened: so an error of configuration still comes instead of a handshake, never after.
Left out on purpose: what any option means.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SWITCHES = frozenset({"--watch", "--no-watch", "--audit-queries", "--last-bundle", "--no-last-bundle"})
PLACES = frozenset({"--repo-root", "--data-dir"})


def is_plain(arguments: Sequence[str]) -> bool:
    """True for a root that can be served and options that cannot be wrong; False for all the rest."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        option, joined, value = rest.pop(0).partition("=")
        if option in SWITCHES and not joined:
            continue
        if option == "--toolsets" or option in PLACES:
            given[option] = value if joined else (rest.pop(0) if rest else "")
            continue
        return False
    places = [value for option, value in given.items() if option in PLACES]
    if given.get("--toolsets", "repo") != "repo" or not all(map(_can_be_a_place, places)):
        return False
    return _can_be_served(given.get("--repo-root", ""))


def _can_be_a_place(path: str) -> bool:
    return path != "" and path[0] != "-" and "\0" not in path and _is_utf8(path)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _can_be_served(root: str) -> bool:
    """True when the root is a directory that may be listed and entered."""
    return os.path.isdir(root) and os.access(root, os.R_OK | os.X_OK)
