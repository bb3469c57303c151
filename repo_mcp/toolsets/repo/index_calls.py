"""The calls of the `repo` toolset about the index: its state, and its refresh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_mcp import __version__
from repo_mcp.protocol.tool_model import CallContext, Progress
from repo_mcp.text.lines import escape_text, escape_texts
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result

if TYPE_CHECKING:
    from repo_mcp.model import IndexProgress
    from repo_mcp.repository import Repository


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


def _render_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))
