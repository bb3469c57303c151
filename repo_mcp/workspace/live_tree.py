"""The tree of one root as it is now, without any index.

Left out on purpose: what `Repository` does itself with the same door, such as opening a file.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.model import DirectoryListing
from repo_mcp.workspace.directory_listing import list_directory
from repo_mcp.workspace.ignore import IgnoreRules
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.repository_reader import RepositoryReader, reach_directory


class LiveTree:
    """One root's directories and files. Methods may be called from several threads at a time."""

    def __init__(self, reader: RepositoryReader, policy: DenyPolicy, exclude_globs: Sequence[str]) -> None:
        """The door stays its opener's, who closes it."""
        self._reader = reader
        self._policy = policy
        self._exclude_globs = exclude_globs

    def check_root(self) -> None:
        """UNREADABLE when the root is no longer what was opened: moved, replaced or deleted."""
        self._reader.check_root()

    def list_directory(self, path: str) -> DirectoryListing:
        """What lies directly in one directory, in order of names. See `directory_listing`."""
        ignore = IgnoreRules(self._exclude_globs)
        return list_directory(self._reader, self._policy.find_denial, ignore, path)

    def reach_directory(self, path: str) -> str:
        """The path of the directory that a client's path leads to, "" for the root: through links inside it.

        NOT_FOUND, NOT_A_DIRECTORY; refuses as reading does.
        """
        return reach_directory(self._reader, path)

    def find_real_path(self, path: str, max_bytes: int) -> str:
        """The path of the file that one leads to, through links inside the root. Fails as reading it does."""
        return self._reader.read(path, max_bytes).path
