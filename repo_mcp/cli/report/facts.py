"""Collect the facts of the report: the index, its files, segments and symbols, and the calls of its log.

Facts come from what is committed, from the live tree by name and size, and from log lines with the user's
tag. No contents of files are read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from repo_mcp import __version__
from repo_mcp.audit.log import open_audit_log
from repo_mcp.model import IndexStatus, ListedFile, SegmentFacts, SymbolIndexStatus
from repo_mcp.record_classes import dataclass
from repo_mcp.repository import Repository

MOST_CALLS = 20_000  # read from the log
SLOWEST = 15
LARGEST = 15
MOST_BLOCKED = 40
_MOST_FILES = 1_000_000


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """The calls of one tool."""

    name: str
    calls: int
    failed: int
    blocked: int
    median_ms: int
    slowest_ms: int


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call of the log."""

    timestamp: str
    tool: str
    arguments: Mapping[str, object]
    outcome: str  # "ok", or the code of the error
    duration_ms: int


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The calls that the log records."""

    calls: int
    since: str  # time of the oldest call that was read; empty for none
    tools: tuple[ToolFacts, ...]  # most calls first
    slowest: tuple[CallFacts, ...]
    blocked: tuple[CallFacts, ...]  # newest first
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """Everything on the page."""

    root_name: str
    version: str
    index: IndexStatus
    symbol_index: SymbolIndexStatus
    segments: tuple[SegmentFacts, ...]
    places: Mapping[str, int]  # file or folder of the data directory -> bytes
    largest: tuple[ListedFile, ...]  # the largest files of the tree that may be indexed
    too_large: tuple[ListedFile, ...]
    max_file_bytes: int
    log: LogFacts


def collect_facts(repository: Repository) -> ReportFacts:
    """Collect the current facts of an opened repository."""
    most = repository.config.limits.max_file_bytes
    files = repository.list_files(None, _MOST_FILES, False).files
    by_size = sorted(files, key=lambda file: (-file.size, file.path))
    return ReportFacts(
        repository.root_name,
        __version__,
        repository.status(),
        repository.symbol_index.status(),
        repository.indexes.lexical.report.list_segments(),
        _measure_positions(repository.data_dir.path),
        tuple([file for file in by_size if file.size <= most][:LARGEST]),
        tuple([file for file in by_size if file.size > most][:LARGEST]),
        most,
        _read_log(repository),
    )


def _measure_positions(data_dir: str) -> dict[str, int]:
    """Measure the bytes of each file and folder of the data directory."""
    sizes = {}
    for entry in sorted(os.scandir(data_dir), key=lambda one: one.name):
        if entry.is_dir(follow_symlinks=False):
            inner = os.scandir(entry.path)
            sizes[f"{entry.name}/"] = sum(one.stat(follow_symlinks=False).st_size for one in inner)
        else:
            sizes[entry.name] = entry.stat(follow_symlinks=False).st_size
    return sizes


def _read_log(repository: Repository) -> LogFacts:
    reading = open_audit_log(repository.data_dir.directory, repository.config.root).read(None, MOST_CALLS)
    calls = [_build_call(entry) for entry in reading.entries]
    blocked = [call for call, entry in zip(calls, reading.entries, strict=True) if entry["blocked"]]
    tools = sorted({call.tool for call in calls})
    facts = [_describe_tool(tool, calls, blocked) for tool in tools]
    return LogFacts(
        len(calls),
        calls[0].timestamp if calls else "",
        tuple(sorted(facts, key=lambda one: (-one.calls, one.name))),
        tuple(sorted(calls, key=lambda call: (-call.duration_ms, call.timestamp))[:SLOWEST]),
        tuple(blocked[: -MOST_BLOCKED - 1 : -1]),
        tuple(reading.warnings),
    )


def _build_call(entry: Mapping[str, object]) -> CallFacts:
    arguments = entry["arguments"]
    duration = entry["duration_ms"]
    return CallFacts(
        str(entry["timestamp"]),
        str(entry["tool"]),
        arguments if isinstance(arguments, Mapping) else {},
        "ok" if entry["ok"] else str(entry["error_code"]),
        duration if isinstance(duration, int) else 0,
    )


def _describe_tool(tool: str, calls: list[CallFacts], blocked: list[CallFacts]) -> ToolFacts:
    durations = sorted(call.duration_ms for call in calls if call.tool == tool)
    return ToolFacts(
        tool,
        len(durations),
        sum(call.tool == tool and call.outcome != "ok" for call in calls),
        sum(call.tool == tool for call in blocked),
        durations[len(durations) // 2],
        durations[-1],
    )
