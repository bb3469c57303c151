"""The tree of one root as it is now, without any index.

Left out on purpose: what `Repository` does itself with the same reader, such as opening a file.
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
        """The caller keeps ownership of `reader` and closes it."""
        self._reader = reader
        self._policy = policy
        self._exclude_globs = exclude_globs

    def check_root(self) -> None:
        """Raise RepoError with UNREADABLE when the root was moved, replaced or deleted since opening it."""
        self._reader.check_root()

    def list_directory(self, path: str) -> DirectoryListing:
        """Return the entries directly in one directory, in order of names. See `directory_listing`."""
        ignore = IgnoreRules(self._exclude_globs)
        return list_directory(self._reader, self._policy.find_denial, ignore, path)

    def reach_directory(self, path: str) -> str:
        """Return the path of the directory that a client's path leads to, "" for the root, links resolved.

        Raises RepoError with NOT_FOUND or NOT_A_DIRECTORY, and as reading a file does.
        """
        return reach_directory(self._reader, path)

    def find_real_path(self, path: str, max_bytes: int) -> str:
        """Return the path of the file that a path leads to, links resolved. Raises as reading it does."""
        return self._reader.read(path, max_bytes).path
