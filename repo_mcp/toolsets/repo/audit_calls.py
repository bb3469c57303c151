"""The log of calls as the `repo` toolset shows it: `repo.audit_log`, and what is amiss with the log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.answers import NOT_RECORDED, Draft, Part
from repo_mcp.toolsets.repo.schemas import DEFAULT_AUDIT_ENTRIES

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.audit.log_reader import LogReading
    from repo_mcp.repository import Repository


def audit_log(
    audit: AuditLog | None, repository: Repository, arguments: Mapping[str, object], context: CallContext
) -> Draft:
    """`repo.audit_log`. When the answer would be too long, the earliest entries go."""
    since = _parse_since(arguments.get("since"))
    limit = arguments.get("limit")
    if audit is None:
        return Draft(lambda _: Part({"entries": [], "truncated": False}, ("no log of calls is kept",)))
    reading = audit.read(since, limit if isinstance(limit, int) else DEFAULT_AUDIT_ENTRIES)
    return Draft(lambda rows: _render(reading, rows), len(reading.entries), "limit" not in arguments)


def _render(reading: LogReading, rows: int) -> Part:
    cut = len(reading.entries) - rows
    warnings = list(reading.warnings)
    if cut:
        warnings.append(f"cut to the last {rows} calls to keep the answer short; set limit or since")
    return Part({"entries": reading.entries[cut:], "truncated": reading.truncated or cut > 0}, warnings)


def tell_state(audit: AuditLog | None, draft: Draft) -> Draft:
    """The draft with warnings of what is amiss with the log."""
    if audit is None:
        return draft
    amiss = [*audit.warnings]
    if audit.failures:
        amiss.append(f"{NOT_RECORDED}: {audit.failures} calls could not be logged")

    def build(rows: int) -> Part:
        part = draft.build(rows)
        return replace(part, warnings=(*part.warnings, *amiss))

    return replace(draft, build=build) if amiss else draft


def _parse_since(value: object) -> float | None:
    """Seconds since the epoch. INVALID_ARGUMENT for what is no time."""
    if value is None:
        return None
    try:
        seconds = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        seconds = _parse_iso(str(value))
    if math.isfinite(seconds):
        return seconds
    raise RepoError(
        ErrorCode.INVALID_ARGUMENT,
        "argument since is no time",
        'Give since as ISO 8601 ("2026-01-31T12:00:00Z") or as seconds since 1970.',
        {"argument": "since"},
    )


def _parse_iso(text: str) -> float:
    """NaN for what is no ISO 8601 time; one without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan
