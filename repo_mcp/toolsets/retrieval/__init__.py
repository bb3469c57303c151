"""The `retrieval` toolset: exact search and reading in the two repositories `docs` and `code`.

Tools stand in the order in which clients see them. Each call checks its arguments strictly, asks the engine,
renders one envelope and, however it ended, writes one line of the log of calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp import icons, instructions
from repo_mcp.call_recorder import DROPPED, CallOutcome, CallRecorder
from repo_mcp.config import Limits
from repo_mcp.errors import RepoError
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
from repo_mcp.toolsets.retrieval import schemas, tools
from repo_mcp.toolsets.retrieval.envelope import Draft, answer_call
from repo_mcp.toolsets.retrieval.failures import explain_argument
from repo_mcp.toolsets.retrieval.roots import Roots, open_roots, prepare_place, raise_limits

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog

__all__ = ["Roots", "bind_toolset", "build_toolset", "open_roots", "prepare_place", "raise_limits"]

CANCELLED = "CANCELLED"  # nobody is told this code: the client did not wait for the answer


@dataclass(frozen=True, slots=True)
class _Entry:
    """One tool before it has its roots."""

    name: str
    title: str
    description: str
    input_schema: Callable[[Limits], JsonSchema]
    output_schema: Callable[[Limits], JsonSchema]
    run: Callable[[Roots, Mapping[str, object], CallContext], Draft]
    repos: tuple[str, ...] = schemas.REPOS  # what `repo` may be
    default_repo: str | None = None


_ENTRIES = (
    _Entry(
        "search",
        schemas.SEARCH_TITLE,
        schemas.SEARCH_DESCRIPTION,
        schemas.search_input,
        schemas.search_output,
        tools.search,
        (*schemas.REPOS, schemas.BOTH),
        schemas.BOTH,
    ),
    _Entry(
        "open_file",
        schemas.OPEN_TITLE,
        schemas.OPEN_DESCRIPTION,
        schemas.open_file_input,
        schemas.lines_output,
        tools.open_file,
    ),
    _Entry(
        "get_snippet",
        schemas.SNIPPET_TITLE,
        schemas.SNIPPET_DESCRIPTION,
        schemas.get_snippet_input,
        schemas.lines_output,
        tools.get_snippet,
    ),
    _Entry(
        "list_dir",
        schemas.LIST_TITLE,
        schemas.LIST_DESCRIPTION,
        schemas.list_dir_input,
        schemas.list_dir_output,
        tools.list_dir,
    ),
)


Opened = Callable[[], "tuple[Roots, AuditLog | None]"]  # may wait; always gives the same


def build_toolset(roots: Roots, audit: AuditLog | None = None) -> Toolset:
    """The tools over `roots`, with their limits in their schemas; each call is written to `audit`."""
    return bind_toolset(roots.limits, lambda: (roots, audit))


def bind_toolset(limits: Limits, opened: Opened) -> Toolset:
    """The tools over the roots that `opened` gives when one is called, with `limits` in their schemas."""
    return Toolset(
        "retrieval", tuple(_bind(entry, limits, opened) for entry in _ENTRIES), instructions.RETRIEVAL
    )


def _bind(entry: _Entry, limits: Limits, opened: Opened) -> Tool:
    input_schema = entry.input_schema(limits)
    check_schema(input_schema, entry.name)

    def find_record(
        arguments: Mapping[str, object], context: CallContext
    ) -> Callable[[CallOutcome], bool] | None:
        roots, audit = opened()
        if audit is None:
            return None
        named = arguments if entry.default_repo is None else {"repo": entry.default_repo, **arguments}
        name_path = partial(roots.name_path, arguments.get("repo"))
        recorder = CallRecorder(audit, entry.name, input_schema, name_path, cancelled_code=CANCELLED)
        return partial(recorder.record, named, context, os.urandom(16).hex())

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        roots, _ = opened()

        def run() -> Draft:
            try:
                validate_arguments(input_schema, arguments)
            except RepoError as error:
                raise explain_argument(entry.name, error) from error
            return entry.run(roots, arguments, context)

        named = arguments.get("repo", entry.default_repo)
        repo = named if isinstance(named, str) and named in entry.repos else None
        record = find_record(arguments, context)
        return answer_call(entry.name, repo, run, roots.find_answer_bytes(repo), record)

    def drop(arguments: Mapping[str, object], context: CallContext) -> None:
        record = find_record(arguments, context)
        if record is not None:
            record(DROPPED)

    return Tool(
        entry.name,
        entry.title,
        entry.description,
        input_schema,
        entry.output_schema(limits),
        Annotations(read_only=True),
        call,
        drop,
        icons.RETRIEVAL,
    )
