"""Our own directories, for tests that give one to the parts that write to it."""

from __future__ import annotations

from pathlib import Path

from repo_mcp.storage.held_directory import HeldDirectory, OwnDirectory


def own(path: Path) -> OwnDirectory:
    """Return the directory of a path, whether it exists or not; the one above it does."""
    return OwnDirectory(HeldDirectory(str(path.parent)), path.name)
