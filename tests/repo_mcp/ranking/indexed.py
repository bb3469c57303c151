"""A small tree of given files, indexed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from repo_mcp.config.server_config import load_config
from repo_mcp.repository import Repository
from tests.written_trees import write_tree


@contextmanager
def indexed(root: Path, files: Mapping[str, str]) -> Iterator[Repository]:
    """Write the files below a new folder, and yield its repository with an index."""
    write_tree(root, files)
    with closing(Repository(load_config(str(root)))) as repository:
        repository.refresh()
        yield repository
