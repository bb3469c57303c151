"""Opens the directory that is served, once, before anything in it is looked at.

Left out on purpose: reading it, which is up to `repo_mcp.workspace.reader.repository_reader`.
"""

from __future__ import annotations

import errno

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.storage.held_directory import HeldDirectory

ROOT_MOVED = "The root was moved, replaced or deleted."


def hold_root(path: str) -> HeldDirectory:
    """Return the root, open. Raises RepoError with CONFIG_INVALID when it cannot be opened."""
    try:
        return HeldDirectory(path)
    except (OSError, ValueError) as error:
        raise explain_unusable_root(error) from None


def explain_unusable_root(error: OSError | ValueError) -> RepoError:
    """Return the RepoError, with CONFIG_INVALID, for a root that cannot be opened."""
    what = "cannot be read"
    if isinstance(error, FileNotFoundError | ValueError):
        what = "does not exist"
    elif isinstance(error, NotADirectoryError):
        what = "is not a directory"
    elif error.errno == errno.ESTALE:
        what = "was moved, replaced or deleted"
    return RepoError(ErrorCode.CONFIG_INVALID, f"The root {what}.", "Give --repo-root a readable directory.")
