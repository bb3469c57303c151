"""The messages between a build and the workers of a cluster: a shard to build, and the outcome of its files.

A task is one packed record: the program's versions, the settings, and the shard's files. A reply is a list of
byte strings: a packed record, then the segments. Its record has the program's versions and, if they are those
of the task, a row for each file of the task: [outcome, changed while it was read, size, mtime_ns], the last
two as the worker saw them, or None for a file that it could not open.

A reply is input from elsewhere. No name in it is used: rows are in the order of the task's files; a segment
is named by its own bytes, and must hold the files that the rows say. A row is trusted if its file is in the
segment, or was in the index before, and if the worker saw it with the size and the time that the walk saw.
Any other file is read here and compared. So a worker that sees another tree, or an old state of this one, is
detected. One that lies about the words of a file is not.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from index_format import (
    FINGERPRINT_BYTES,
    VERSION,
    CorruptIndex,
    FileTable,
    MemoryDirectory,
    SegmentEntry,
    pack,
    read_foreign_segment,
    unpack,
)
from repo_mcp import __version__
from repo_mcp.indexing.shards.chunking import VERSION as CHUNKING_VERSION
from repo_mcp.indexing.shards.memory_budget import MemoryBudget
from repo_mcp.indexing.shards.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask
from repo_mcp.languages.patterns.landmarks import VERSION as LANGUAGES_VERSION
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import SkipReason
from repo_mcp.process.allocator import keep_blocks
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import VERSION as ANALYSIS_VERSION
from repo_mcp.text.schema import FIELDS, FLAG_REPLACED
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.reader.opened_file import OpenedFile

MOST_REPLY_BYTES = 1 << 28  # a shard of Linux, 8 MB of source, becomes 2 MB
INDEXED, UNCHANGED, GONE = "indexed", "unchanged", "gone"
_OUTCOMES = frozenset({INDEXED, UNCHANGED, GONE, *SkipReason})
_MAX_INTEGER = 1 << 63
Stat = tuple[int, int] | tuple[None, None]  # size in bytes and mtime_ns of a file, as a worker saw it
NOT_OPENED: Stat = (None, None)

# The claim that each file has this fingerprint, is skipped for this reason, or is gone (None).
Claims = Sequence[tuple[str, bytes | SkipReason | None]]


class OtherProgram(CorruptIndex):
    """The worker runs another version of the program, or of Python."""


@dataclass(frozen=True, slots=True)
class ReceivedShard:
    """The checked result of a shard, and its segments, which are not in the index's directory yet."""

    result: ShardResult
    segments: tuple[bytes, ...]  # one for each entry of the result


def encode_task(settings: BuildSettings, task: ShardTask) -> bytes:
    """Return the message that asks a worker to build a shard."""
    root = settings.root if isinstance(settings.root, str) else settings.root.path
    cluster = settings.cluster
    record = {
        "root": root if cluster is None or cluster.root is None else cluster.root,
        "data_dir_parts": settings.data_dir_parts,
        "chunk_lines": settings.chunk_lines,
        "overlap_lines": settings.overlap_lines,
        "max_file_bytes": settings.max_file_bytes,
        "include_extensions": sorted(settings.include_extensions),
        "languages": settings.languages,
        "memory_mb": settings.memory.megabytes,
        "refusals": astuple(settings.refusals),
        "allow_paths": settings.allow_paths,
    }
    return pack({"program": _list_versions(), "settings": record, "files": task.files, "bytes": task.bytes})


def build_shard(message: bytes) -> list[bytes]:
    """Build the shard of a task and return the reply: what a worker of a cluster runs.

    Raises CONFIG_INVALID if the worker has no such root, CorruptIndex for anything but a task.
    """
    record = unpack(message, "task")
    program = _list_versions()
    if record["program"] != program:
        return [pack({"program": program})]
    keep_blocks()  # Dask returns freed memory to the system at once, which doubled the time of a shard
    files = tuple((path, fingerprint) for path, fingerprint in record["files"])
    directory = MemoryDirectory()
    seen: dict[str, Stat] = {}
    settings = _read_settings(record["settings"])
    builder = ShardBuilder(settings, directory, lambda one: seen.update({one.path: _describe_stat(one)}))
    collects = gc.isenabled()
    gc.disable()  # as worker processes of this machine do
    try:
        result = builder.build(ShardTask("new", files, record["bytes"]))
    finally:
        builder.close()
        if collects:
            gc.enable()
    outcomes = {
        **dict.fromkeys(result.indexed, INDEXED),
        **dict.fromkeys(result.unchanged, UNCHANGED),
        **dict.fromkeys(result.gone, GONE),
        **{path: reason.value for path, reason in result.skipped.items()},
    }
    unsettled = frozenset(result.unsettled)
    rows = [(outcomes[path], path in unsettled, *seen.get(path, NOT_OPENED)) for path, _ in files]
    segments = [bytes(directory.files[entry.name]) for entry in result.entries]
    return [pack({"program": program, "files": rows}), *segments]


def read_reply(
    settings: BuildSettings, task: ShardTask, reply: object, are_true: Callable[[Claims], bool]
) -> ReceivedShard:
    """Return what a worker made of a shard, checked. `are_true` compares claims with the files here.

    Raises OtherProgram, CorruptIndex or another IndexFormatError for anything that a worker of ours, which
    sees this tree, would not have sent.
    """
    record, *segments = _check_shape(task, reply)
    outcomes, is_settled, stats = _read_rows(task, record)
    indexed = [path for (path, _), outcome in zip(task.files, outcomes, strict=True) if outcome == INDEXED]
    read = [read_foreign_segment(segment, FIELDS) for segment in segments]
    found = _read_files(settings, [files for _, files in read])
    if [path for path, _, _ in found] != indexed:
        raise CorruptIndex("reply: the segments hold other files than it says")
    sizes = {path: size for path, size, _ in found}
    prints = dict(task.files) | {path: fingerprint for path, _, fingerprint in found}
    doubted = [
        (path, _read_claim(outcome, prints[path]))
        for (path, _), outcome, settled, seen in zip(task.files, outcomes, is_settled, stats, strict=True)
        if outcome not in (INDEXED, UNCHANGED)
        or not settled
        or seen != task.stats.get(path)
        or sizes.get(path, seen[0]) != seen[0]
    ]
    if not are_true(doubted):
        raise CorruptIndex("reply: files differ from those here")
    return ReceivedShard(
        _build_result(task, outcomes, is_settled, [entry for entry, _ in read]), tuple(segments)
    )


def _read_claim(outcome: str, fingerprint: bytes | None) -> bytes | SkipReason | None:
    """Return the claim of an outcome about a file. See `Claims`."""
    if outcome in (INDEXED, UNCHANGED):
        return fingerprint
    return None if outcome == GONE else SkipReason(outcome)


def _build_result(
    task: ShardTask, outcomes: Sequence[str], is_settled: Sequence[bool], entries: Sequence[SegmentEntry]
) -> ShardResult:
    paths = [path for path, _ in task.files]

    def list_paths(wanted: str) -> tuple[str, ...]:
        return tuple(path for path, outcome in zip(paths, outcomes, strict=True) if outcome == wanted)

    reasons = frozenset(SkipReason)
    return ShardResult(
        task.temporary,
        tuple(entries),
        list_paths(INDEXED),
        list_paths(UNCHANGED),
        {
            path: SkipReason(outcome)
            for path, outcome in zip(paths, outcomes, strict=True)
            if outcome in reasons
        },
        list_paths(GONE),
        tuple(path for path, settled in zip(paths, is_settled, strict=True) if not settled),
        task.bytes,
    )


def _check_shape(task: ShardTask, reply: object) -> list[bytes]:
    """Return the byte strings of a reply. Raises CorruptIndex."""
    if not isinstance(reply, list | tuple) or not 1 <= len(reply) <= 1 + len(task.files):
        raise CorruptIndex("reply: it is not a list of a record and segments")
    if not all(isinstance(one, bytes) for one in reply) or sum(map(len, reply)) > MOST_REPLY_BYTES:
        raise CorruptIndex(f"reply: it is not of bytes, or of more than {MOST_REPLY_BYTES}")
    return list(reply)


def _read_rows(task: ShardTask, data: bytes) -> tuple[list[str], list[bool], list[Stat]]:
    """Return the outcomes of a task's files, whether each was stable, and its status on the worker.

    Raises OtherProgram, CorruptIndex.
    """
    record = unpack(data, "reply")
    try:
        if record["program"] != _list_versions():
            raise OtherProgram("reply: another version of the program, or of Python")
        rows = [(outcome, changed, (size, time)) for outcome, changed, size, time in record["files"]]
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndex(f"reply: a record that cannot be read ({type(error).__name__})") from error
    is_whole = len(rows) == len(task.files) and all(
        isinstance(outcome, str) and outcome in _OUTCOMES and (outcome != UNCHANGED or known is not None)
        for (outcome, _, _), (_, known) in zip(rows, task.files, strict=True)
    )
    if not is_whole:
        raise CorruptIndex("reply: outcomes that the files of the task cannot have")
    return [row[0] for row in rows], [row[1] is False for row in rows], [row[2] for row in rows]


def _read_files(settings: BuildSettings, tables: Sequence[FileTable]) -> list[tuple[str, int, bytes]]:
    """Return path, size in bytes and fingerprint of each file in some segments. Raises CorruptIndex."""
    overrides = dict(settings.languages)
    found: list[tuple[str, int, bytes]] = []
    for files in tables:
        if not files.paths or np.any((files.flags & ~FLAG_REPLACED) != 0):
            raise CorruptIndex("reply: a segment without files, or a file with unknown flags")
        names = [files.language_names[number] for number in files.languages.tolist()]
        for row, (path, size, name) in enumerate(zip(files.paths, files.sizes.tolist(), names, strict=True)):
            start = row * FINGERPRINT_BYTES
            one = path.decode("utf-8", "replace")
            if find_language(one, overrides).name != name or size > settings.max_file_bytes:
                raise CorruptIndex("reply: a file of another language, or too large")
            found.append((one, size, files.fingerprints[start : start + FINGERPRINT_BYTES]))
    return found


def _read_settings(record: dict[str, Any]) -> BuildSettings:
    """Return the settings of a task, for a worker, which has no directory of the index."""
    parts = record["data_dir_parts"]
    return BuildSettings(
        record["root"],
        "",
        None if parts is None else tuple(parts),
        record["chunk_lines"],
        record["overlap_lines"],
        record["max_file_bytes"],
        frozenset(record["include_extensions"]),
        tuple((extension, language) for extension, language in record["languages"]),
        memory=MemoryBudget(record["memory_mb"]),
        refusals=Refusals(*record["refusals"]),
        allow_paths=tuple(record["allow_paths"]),
    )


def _describe_stat(opened: OpenedFile) -> Stat:
    """Return the status with which a file was seen, unless no record can hold it."""
    fits = -_MAX_INTEGER <= opened.stat.mtime_ns < _MAX_INTEGER
    return (opened.stat.size, opened.stat.mtime_ns) if fits else NOT_OPENED


def _list_versions() -> list[object]:
    """Return the versions on which equal bytes depend, including Python's tables of characters."""
    return [
        __version__,
        VERSION,
        ANALYSIS_VERSION,
        CHUNKING_VERSION,
        LANGUAGES_VERSION,
        *sys.version_info[:2],
    ]
