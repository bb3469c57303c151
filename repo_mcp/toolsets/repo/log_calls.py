"""The call of `repo.audit_log`, and the warnings of a log that is amiss."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.answers import NOT_RECORDED, Arguments, Draft, Part, Result, find_integer, warn_beside
from repo_mcp.toolsets.pages import decode_cursor, encode_cursor, refuse_stale
from repo_mcp.toolsets.repo.schemas import DEFAULT_AUDIT_ENTRIES

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.audit.log_reader import LogReading
    from repo_mcp.repository import Repository


_AUDIT_LOG = "repo.audit_log"


def audit_log(
    audit: AuditLog | None, repository: Repository, arguments: Arguments, context: CallContext
) -> Draft:
    """Answer `repo.audit_log`. An answer that is too long loses its earliest entries.

    The log grows with every call, so a cursor names the earliest call returned, not a number of rows.
    """
    since = _parse_since(arguments.get("since"))
    before = decode_cursor(_AUDIT_LOG, arguments)
    limit = find_integer(arguments, "limit") or DEFAULT_AUDIT_ENTRIES
    if audit is None:
        return Draft(lambda _: Part({"entries": [], "truncated": False}, ("No log of calls is kept.",)))
    reading = audit.read(since, limit, None if before is None else before.decode("utf-8", "replace"))
    if reading.is_lost:
        raise refuse_stale()
    return Draft(
        lambda rows: _render_log(reading, rows, arguments), len(reading.entries), "limit" not in arguments
    )


def _render_log(reading: LogReading, rows: int, arguments: Arguments) -> Part:
    cut = len(reading.entries) - rows
    warnings = list(reading.warnings)
    if cut:
        warnings.append(
            f"The answer was cut to the last {rows} calls to keep it short; continue with cursor,"
            " or set since."
        )
    result: Result = {"entries": reading.entries[cut:], "truncated": reading.truncated or cut > 0}
    if result["truncated"] and rows:
        earliest = str(reading.entries[cut]["request_id"])
        result["cursor"] = encode_cursor(_AUDIT_LOG, arguments, earliest.encode())
    return Part(result, warnings)


def add_log_warnings(audit: AuditLog | None, draft: Draft) -> Draft:
    """Return the draft with warnings about problems with the log, if there are any."""
    if audit is None:
        return draft
    amiss = [*audit.warnings]
    if audit.failures:
        amiss.append(f"{NOT_RECORDED}: {audit.failures} calls could not be logged.")
    return warn_beside(draft, amiss) if amiss else draft


def _parse_since(value: object) -> float | None:
    """Return seconds since the epoch. Raises RepoError with INVALID_ARGUMENT for anything but a time."""
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
        "Argument since is not a time",
        'Give since as ISO 8601 ("2026-01-31T12:00:00Z") or as seconds since 1970.',
        {"argument": "since"},
    )


def _parse_iso(text: str) -> float:
    """Return seconds since the epoch, NaN for anything but an ISO 8601 time. A time without a zone is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan
