"""Repositories of written files, and calls of the toolset `repo` on them in this process."""

from __future__ import annotations

import json
from typing import Any

from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset


def get_tool(repository: Repository, name: str) -> Tool:
    return next(tool for tool in build_toolset(repository).tools if tool.name == name)


def call(repository: Repository, name: str, **arguments: object) -> Any:
    """Return the whole answer of a tool."""
    return json.loads(get_tool(repository, name).call(arguments, CallContext(lambda: False)).text)
