"""Open the repository of a root with its index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from repo_mcp.config.server_config import load_config
from repo_mcp.repository import Repository
from tests.written_trees import write_tree


@contextmanager
def open_indexed(
    root: Path, files: Mapping[str, str | bytes] | None = None, **options: Any
) -> Iterator[Repository]:
    """Write the files below the root, and yield its repository, whose index is up to date."""
    write_tree(root, files or {})
    with closing(Repository(load_config(str(root), **options))) as repository:
        repository.refresh()
        yield repository
