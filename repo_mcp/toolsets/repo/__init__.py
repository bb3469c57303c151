"""The `repo` toolset: search, read and list one repository, with every answer in one envelope.

Tools stand in the order in which clients see them. Each call checks its arguments strictly, makes one
call of the repository and renders one envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.config import Limits
from repo_mcp.tool_model import (
    Annotations,
    CallContext,
    JsonSchema,
    Tool,
    ToolAnswer,
    Toolset,
    check_schema,
    validate_arguments,
)
from repo_mcp.toolsets.repo import schemas, tools
from repo_mcp.toolsets.repo.envelope import Draft, answer_call

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

__all__ = ["build_toolset"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One tool before it has a repository."""

    name: str
    title: str
    description: str
    input_schema: Callable[[Limits], JsonSchema]
    output_schema: Callable[[Limits], JsonSchema]
    run: Callable[[Repository, Mapping[str, object], CallContext], Draft]
    read_only: bool = True
    free_text: frozenset[str] = frozenset()  # arguments that may hold NUL


_ENTRIES = (
    _Entry(
        "repo.status",
        schemas.STATUS_TITLE,
        schemas.STATUS_DESCRIPTION,
        schemas.status_input,
        schemas.status_output,
        tools.status,
    ),
    _Entry(
        "repo.list_files",
        schemas.LIST_TITLE,
        schemas.LIST_DESCRIPTION,
        schemas.list_files_input,
        schemas.list_files_output,
        tools.list_files,
    ),
    _Entry(
        "repo.open_file",
        schemas.OPEN_TITLE,
        schemas.OPEN_DESCRIPTION,
        schemas.open_file_input,
        schemas.open_file_output,
        tools.open_file,
    ),
    _Entry(
        "repo.search",
        schemas.SEARCH_TITLE,
        schemas.SEARCH_DESCRIPTION,
        schemas.search_input,
        schemas.search_output,
        tools.search,
        free_text=frozenset({"query"}),
    ),
    _Entry(
        "repo.refresh_index",
        schemas.REFRESH_TITLE,
        schemas.REFRESH_DESCRIPTION,
        schemas.refresh_input,
        schemas.refresh_output,
        tools.refresh_index,
        read_only=False,
    ),
)


def build_toolset(repository: Repository) -> Toolset:
    """The tools of `repository`, with its limits in their schemas."""
    return Toolset("repo", tuple(_bind(entry, repository) for entry in _ENTRIES), schemas.INSTRUCTIONS)


def _bind(entry: _Entry, repository: Repository) -> Tool:
    limits = repository.config.limits
    input_schema = entry.input_schema(limits)
    check_schema(input_schema, entry.name)

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        def run() -> Draft:
            validate_arguments(input_schema, arguments, entry.free_text)
            return entry.run(repository, arguments, context)

        return answer_call(entry.name, run, limits.max_total_bytes_per_response)

    return Tool(
        entry.name,
        entry.title,
        entry.description,
        input_schema,
        entry.output_schema(limits),
        Annotations(read_only=entry.read_only),
        call,
    )
