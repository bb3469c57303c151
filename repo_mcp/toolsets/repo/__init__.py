"""The `repo` toolset: search, read and list one repository, with every answer in one envelope.

Tools stand in the order in which clients see them. Each call checks its arguments strictly, makes one
call of the repository, renders one envelope and, however it ended, writes one line of the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp import icons, instructions
from repo_mcp.call_recorder import DROPPED, CallRecorder, new_request_id
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
from repo_mcp.toolsets.repo import audit_calls, bundle_calls, outline_calls, schemas, search_calls, tools
from repo_mcp.toolsets.repo.envelope import Draft, answer_call

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog
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
    tells_log_state: bool = False  # its warnings say what is amiss with the audit log


_ENTRIES = (
    _Entry(
        "repo.status",
        schemas.STATUS_TITLE,
        schemas.STATUS_DESCRIPTION,
        schemas.status_input,
        schemas.status_output,
        tools.status,
        tells_log_state=True,
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
        "repo.outline",
        schemas.OUTLINE_TITLE,
        schemas.OUTLINE_DESCRIPTION,
        schemas.outline_input,
        schemas.outline_output,
        outline_calls.outline,
    ),
    _Entry(
        "repo.search",
        schemas.SEARCH_TITLE,
        schemas.SEARCH_DESCRIPTION,
        schemas.search_input,
        schemas.search_output,
        search_calls.search,
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
    _Entry(
        "repo.build_context_bundle",
        schemas.BUNDLE_TITLE,
        schemas.BUNDLE_DESCRIPTION,
        schemas.bundle_input,
        schemas.bundle_output,
        bundle_calls.build_context_bundle,
        free_text=frozenset({"prompt"}),
    ),
)


Opened = Callable[[], "tuple[Repository, AuditLog | None]"]  # may wait; always gives the same


def build_toolset(repository: Repository, audit: AuditLog | None = None) -> Toolset:
    """The tools of `repository`, with its limits in their schemas; each call is written to `audit`."""
    return bind_toolset(repository.config.limits, lambda: (repository, audit))


def bind_toolset(limits: Limits, opened: Opened) -> Toolset:
    """The tools of the repository that `opened` gives when one is called, with `limits` in their schemas."""
    audit_entry = _Entry(
        "repo.audit_log",
        schemas.AUDIT_TITLE,
        schemas.AUDIT_DESCRIPTION,
        schemas.audit_input,
        schemas.audit_output,
        lambda repository, arguments, context: audit_calls.audit_log(
            opened()[1], repository, arguments, context
        ),
        tells_log_state=True,
    )
    entries = (*_ENTRIES, audit_entry)
    return Toolset("repo", tuple(_bind(entry, limits, opened) for entry in entries), instructions.REPO)


def _bind(entry: _Entry, limits: Limits, opened: Opened) -> Tool:
    input_schema = entry.input_schema(limits)
    check_schema(input_schema, entry.name)

    def find_recorder() -> CallRecorder | None:
        repository, audit = opened()
        return None if audit is None else CallRecorder(audit, entry.name, input_schema, repository.name_path)

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        repository, audit = opened()
        recorder = find_recorder()

        def run() -> Draft:
            validate_arguments(input_schema, arguments, entry.free_text)
            draft = entry.run(repository, arguments, context)
            return audit_calls.tell_state(audit, draft) if entry.tells_log_state else draft

        record = None if recorder is None else partial(recorder.record, arguments, context)
        return answer_call(entry.name, run, limits.max_total_bytes_per_response, record)

    def drop(arguments: Mapping[str, object], context: CallContext) -> None:
        recorder = find_recorder()
        if recorder is not None:
            recorder.record(arguments, context, new_request_id(), DROPPED)

    return Tool(
        entry.name,
        entry.title,
        entry.description,
        input_schema,
        entry.output_schema(limits),
        Annotations(read_only=entry.read_only),
        call,
        drop,
        icons.REPO,
    )
