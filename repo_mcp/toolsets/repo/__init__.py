"""The `repo` toolset: search, read and list one repository, with every answer in one envelope.

Tools are in the order in which clients see them. Each call checks its arguments strictly, makes one
call of the repository, renders one envelope and, however it ended, writes one line of the audit log.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import CallContext, Toolset
from repo_mcp.record_classes import replace
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import Arguments, Draft, answer_call
from repo_mcp.toolsets.binding import Binding, Entry, Opened, find_plain_writer
from repo_mcp.toolsets.repo import (
    bundle_calls,
    bundle_schemas,
    index_calls,
    listing_calls,
    log_calls,
    open_calls,
    outline_calls,
    reading_schemas,
    schemas,
    search_calls,
    search_schemas,
)
from repo_mcp.toolsets.repo.answers import FORM

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.repository import Repository

__all__ = ["bind_toolset", "build_toolset"]

_TELL_LOG_STATE = frozenset({"repo.status", "repo.audit_log"})


_ENTRIES = (
    Entry(
        "repo.status",
        schemas.STATUS_TITLE,
        schemas.STATUS_DESCRIPTION,
        schemas.status_input(),
        schemas.status_output,
        index_calls.status,
    ),
    Entry(
        "repo.list_files",
        schemas.LIST_TITLE,
        schemas.LIST_DESCRIPTION,
        schemas.list_files_input,
        schemas.list_files_output(),
        listing_calls.list_files,
    ),
    Entry(
        "repo.open_file",
        reading_schemas.OPEN_TITLE,
        reading_schemas.OPEN_DESCRIPTION,
        reading_schemas.open_file_input,
        reading_schemas.open_file_output(),
        open_calls.open_file,
        is_beginning=True,
    ),
    Entry(
        "repo.outline",
        reading_schemas.OUTLINE_TITLE,
        reading_schemas.OUTLINE_DESCRIPTION,
        reading_schemas.outline_input(),
        reading_schemas.outline_output(),
        outline_calls.outline,
    ),
    Entry(
        "repo.search",
        search_schemas.SEARCH_TITLE,
        search_schemas.SEARCH_DESCRIPTION,
        search_schemas.search_input,
        search_schemas.search_output(),
        search_calls.search,
        free_text=frozenset({"query"}),
        is_beginning=True,
    ),
    Entry(
        "repo.refresh_index",
        schemas.REFRESH_TITLE,
        schemas.REFRESH_DESCRIPTION,
        schemas.refresh_input(),
        schemas.refresh_output(),
        index_calls.refresh_index,
        read_only=False,
    ),
    Entry(
        "repo.build_context_bundle",
        bundle_schemas.BUNDLE_TITLE,
        bundle_schemas.BUNDLE_DESCRIPTION,
        bundle_schemas.bundle_input,
        bundle_schemas.bundle_output(),
        bundle_calls.build_context_bundle,
        free_text=frozenset({"prompt"}),
    ),
)


def build_toolset(repository: Repository, audit: AuditLog | None = None) -> Toolset:
    """Return the tools of `repository`, with the limits in their schemas. `audit` logs each call."""
    return bind_toolset(repository.config.limits, lambda: (repository, audit))


def bind_toolset(
    limits: Limits, opened: Opened[Repository], guard: CallGuard = UNGUARDED, roots: Sequence[str] = ()
) -> Toolset:
    """Return the tools of the repository that `opened` gives when one is called; `limits` go into schemas."""

    def read_log(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
        return log_calls.audit_log(opened()[1], repository, arguments, context)

    audit_entry = Entry(
        "repo.audit_log",
        schemas.AUDIT_TITLE,
        schemas.AUDIT_DESCRIPTION,
        schemas.audit_input(),
        schemas.audit_output(),
        read_log,
    )
    entries = (_describe_log_state(entry, opened) for entry in (*_ENTRIES, audit_entry))
    answer = partial(answer_call, FORM, max_bytes=limits.max_total_bytes_per_response)
    binding = Binding(limits, opened, answer, find_plain_writer, icons.REPO, guard=guard, roots=roots)
    return Toolset("repo", binding.bind(entries), instructions.REPO)


def _describe_log_state(entry: Entry[Repository], opened: Opened[Repository]) -> Entry[Repository]:
    """Return the entry; if it is about the log, its warnings say what is wrong with the log."""
    if entry.name not in _TELL_LOG_STATE:
        return entry

    def run(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
        return log_calls.add_log_warnings(opened()[1], entry.run(repository, arguments, context))

    return replace(entry, run=run)
