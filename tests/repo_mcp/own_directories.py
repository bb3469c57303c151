"""Directories of the program itself, for tests of the parts that write to one."""

from __future__ import annotations

from pathlib import Path

from repo_mcp.storage.held_directory import HeldDirectory, OwnDirectory


def own(path: Path) -> OwnDirectory:
    """Return the directory of a path, which need not exist; its parent must."""
    return OwnDirectory(HeldDirectory(str(path.parent)), path.name)
