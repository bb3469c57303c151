"""Four calls of the `repo` toolset: arguments in, one call of the repository, one draft out.

Nothing is decided about the repository here. These functions only follow the specification's form: arguments,
results, and what a cut answer says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_mcp import __version__
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext, Progress
from repo_mcp.text.lines import escape_text, escape_texts
from repo_mcp.toolsets.answers import (
    NOT_RECORDED,
    Arguments,
    Draft,
    Page,
    Part,
    Result,
    decode_cursor,
    encode_cursor,
    find_integer,
    find_text,
    plain_number,
    refuse_stale,
    warn_beside,
    warn_of_escapes,
)
from repo_mcp.toolsets.repo.schemas import DEFAULT_AUDIT_ENTRIES, DEFAULT_LIST_RESULTS

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.audit.log_reader import LogReading
    from repo_mcp.model import FileListing, IndexProgress, ListedFile
    from repo_mcp.repository import Repository


_AUDIT_LOG = "repo.audit_log"

# Share of a whole refresh, in percent, at which each phase begins.
_PHASE_STARTS = {"walk": 0, "index": 5, "merge": 90, "commit": 98}
_PHASE_SIZES = {"walk": 5, "index": 85, "merge": 8, "commit": 2}


def status(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.status`."""
    from repo_mcp.process.hardening import describe_hardening

    # Before the status, which then knows which adapters could not be loaded.
    adapters = list(repository.outliner.adapters.names)
    now = repository.status()
    config = repository.config
    result: Result = {
        "repo_root": escape_text(config.root),
        "state": now.state,
        "snapshot": now.snapshot,
        "generation": now.generation,
        "indexed_files": now.indexed_files,
        "segments": now.segments,
        "index_bytes": now.index_bytes,
        "coverage": {"indexed": now.indexed_files, "skipped": _sorted(now.skipped)},
        "stale": now.stale,
        "last_refresh": None if now.last_refresh is None else _render_time(now.last_refresh),
        "progress": None if now.progress is None else asdict(now.progress),
        "languages": _sorted(now.languages),
        "adapters": adapters,
        "limits": asdict(config.limits),
        "toolsets": list(config.toolsets),
        "hardening": describe_hardening(),
        "version": __version__,
    }
    if now.origin:
        result["origin"] = now.origin
    if config.allow_paths:
        result["allow_paths"] = escape_texts(config.allow_paths)
    warnings = tuple(dict.fromkeys((*repository.warnings, *now.warnings)))
    return Draft(lambda _: Part(result, warnings))


def list_files(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.list_files`."""
    default = min(DEFAULT_LIST_RESULTS, repository.config.limits.max_list_results)
    page = Page("repo.list_files", arguments)
    listing = repository.list_files(
        find_text(arguments, "glob"),
        page.start + (find_integer(arguments, "max_results") or default),
        arguments.get("include_hidden") is True,
    )
    keys = [file.path for file in listing.files]
    page.check(keys)
    return Draft(
        lambda rows: _list_rows(listing, page, keys, rows, has_glob=bool(arguments.get("glob"))),
        len(keys) - page.start,
        "max_results" not in arguments,
    )


def _list_rows(listing: FileListing, page: Page, keys: Sequence[str], rows: int, *, has_glob: bool) -> Part:
    files = listing.files[page.start : page.start + rows]
    is_cut = page.start + rows < listing.total
    warnings = list(listing.warnings)
    if listing.denied and (not listing.total or not has_glob):  # they may all be elsewhere
        names = "name of the repository is" if listing.denied == 1 else "names of the repository are"
        warnings.append(f"{listing.denied} denied {names} not listed")
    if page.start + rows < len(listing.files):
        warnings.append(f"cut to {rows} files to keep the answer short; continue with cursor, or narrow glob")
    warn_of_escapes(warnings, (file.path for file in files))
    result = {
        "files": [_render_row(file) for file in files],
        "total": listing.total,
        "truncated": is_cut,
        **page.follow(keys, rows, is_cut),
    }
    return Part(result, warnings)


def _render_row(file: ListedFile) -> Result:
    return {"path": escape_text(file.path), "size": file.size, "mtime": plain_number(round(file.mtime, 3))}


def refresh_index(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.refresh_index`."""
    report = context.report
    done = repository.refresh(
        force=arguments.get("force") is True,
        progress=None if report is None else lambda progress: report(_render_progress(progress)),
        cancelled=context.cancelled,
    )
    result: Result = {
        "added": done.added,
        "updated": done.updated,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "skipped": _sorted(done.skipped),
        "duration_ms": done.duration_ms,
        "timestamp": _render_time(done.timestamp),
        "snapshot": done.snapshot,
    }
    return Draft(lambda _: Part(result, done.warnings))


def _render_progress(progress: IndexProgress) -> Progress:
    """Return the progress as a percentage of the whole refresh, which never falls from phase to phase."""
    share = progress.files_done / progress.files_total if progress.files_total > 0 else 0.0
    begin, size = _PHASE_STARTS.get(progress.phase, 0), _PHASE_SIZES.get(progress.phase, 0)
    message = f"{progress.phase}: {progress.count_files()}"
    return Progress(round(begin + size * min(share, 1.0), 1), 100.0, message)


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
        return Draft(lambda _: Part({"entries": [], "truncated": False}, ("no log of calls is kept",)))
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
            f"cut to the last {rows} calls to keep the answer short; continue with cursor, or set since"
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
        amiss.append(f"{NOT_RECORDED}: {audit.failures} calls could not be logged")
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
        "argument since is not a time",
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


def _render_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))
