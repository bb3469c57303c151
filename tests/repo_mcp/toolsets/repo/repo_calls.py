"""Repositories of written files, and calls of the toolset `repo` on them in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from tests.written_trees import write_tree


@contextmanager
def open_written(place: Path, files: Mapping[str, str]) -> Iterator[Repository]:
    """Write the files below a new directory, and yield the repository with its index."""
    with closing(Repository(load_config(str(write_tree(place / "root", files))))) as repository:
        repository.refresh()
        yield repository


def get_tool(repository: Repository, name: str) -> Tool:
    return next(tool for tool in build_toolset(repository).tools if tool.name == name)


def call(repository: Repository, name: str, **arguments: object) -> Any:
    """Return the whole answer of a tool."""
    return json.loads(get_tool(repository, name).call(arguments, CallContext(lambda: False)).text)
