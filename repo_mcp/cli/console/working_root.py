"""The repository that a command works on, and how a person in the working directory writes paths of it.

Without `--repo-root`, or with `auto`, it is the repository around the working directory, or else that
directory. Paths are then read and shown from the working directory, as in `git grep` or ripgrep:
`../docs/limits.md`. Where the root was named, paths are relative to the root. JSON and context bundles
always have paths relative to the root, which mean the same everywhere.
"""

from __future__ import annotations

import os
import posixpath

from repo_mcp.config.found_root import AUTO, explain_refusal, find_root, find_working_directory
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class WorkingRoot:
    """A root, and the current directory within it."""

    root: str
    below: str  # POSIX path from the root to the working directory; "" for the root, and for a named root

    def show(self, path: str) -> str:
        """Return a path of the root as it is written in the working directory."""
        return posixpath.relpath(path, self.below) if self.below else path

    def read(self, path: str) -> str:
        """Return a path written in the working directory relative to the root; an absolute one as it is."""
        return posixpath.normpath(posixpath.join(self.below, path)) if self.below and path else path

    def read_inside(self, path: str) -> str:
        """Return a path as `read` does, and also an absolute path below the root relative to the root."""
        base, wanted = os.path.abspath(self.root), os.path.normpath(path)
        if os.path.isabs(path) and f"{wanted}{os.sep}".startswith(f"{base}{os.sep}"):
            return os.path.relpath(wanted, base).replace(os.sep, "/")
        return self.read(path)


def find_working_root(named_root: str | None, *, may_be_home: bool = False) -> WorkingRoot:
    """Return the root and directory of a command, whose `--repo-root` may be None.

    `may_be_home`: nothing in the directory is read. Raises RepoError with CONFIG_INVALID.
    """
    if named_root is not None and named_root != AUTO:
        return WorkingRoot(named_root, "")
    here = find_working_directory()
    root = find_root(here)
    if root is not None:
        below = os.path.relpath(here, root).replace(os.sep, "/")
        return WorkingRoot(root, "" if below == "." else below)
    refusal = explain_refusal(here)
    if refusal and not may_be_home:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"The working directory is not in a repository and {refusal}.",
            "Go to a repository, or name a directory with --repo-root.",
        )
    return WorkingRoot(here, "")
