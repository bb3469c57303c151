"""Reads the log of tool calls from its end, within bounds, trusting only lines that carry our tag.

A log is `audit.jsonl` and its older parts `audit.jsonl.1` and so on. Anybody may have written there. So a
line without a valid tag is counted and otherwise ignored, and a line met twice counts once (a file can be
renamed while it is read, a line can be copied). At most MAX_READ_BYTES are read.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError
from repo_mcp.record_classes import dataclass

LOG_FILE = "audit.jsonl"
LOCK_FILE = "audit.lock"
KEPT_FILES = 3  # older parts
TAG_CHARS = 32
MAX_READ_BYTES = 32 * 1024 * 1024  # twice what the log and its older parts may hold
_BLOCK_BYTES = 65_536
_TAIL_CHARS = len(',"tag":""}') + TAG_CHARS

_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "timestamp": str,
    "request_id": str,
    "tool": str,
    "arguments": dict,
    "ok": bool,
    "blocked": bool,
    "error_code": (str, type(None)),
    "duration_ms": int,
}

Tag = Callable[[bytes], bytes]


@dataclass(slots=True)
class LogReading:
    """Calls of the log, oldest first, and counts of what was left out."""

    entries: list[Mapping[str, object]] = field(default_factory=list)
    truncated: bool = False  # more entries match than the limit
    foreign: int = 0  # lines without our tag
    torn: int = 0  # lines that are not entries at all
    is_lost: bool = False  # the request before which the entries were asked for is not in the log
    warnings: list[str] = field(default_factory=list)


def name_file(number: int) -> str:
    """Return the name of the log for 0, and of its older parts from 1 on."""
    return f"{LOG_FILE}.{number}" if number else LOG_FILE


def read_log(
    directory: str | DirectoryHolder, tag: Tag, since: float | None, limit: int, before: str | None = None
) -> LogReading:
    """Return the last `limit` entries not older than `since` (epoch seconds), oldest first. Never raises.

    With `before`, the id of a request, only entries that were written before that of this request.
    """
    reading = LogReading(is_lost=before is not None)
    seen: set[tuple[object, object]] = set()
    for line in _iter_lines(directory, reading):
        entry = _parse(line, tag, reading)
        if entry is None or (entry.get("session"), entry.get("seq")) in seen:
            continue
        seen.add((entry.get("session"), entry.get("seq")))
        if reading.is_lost:
            reading.is_lost = entry["request_id"] != before
            continue
        if since is not None and _seconds(entry) < since:
            continue
        if len(reading.entries) == limit:
            reading.truncated = True
            break
        reading.entries.append({name: entry[name] for name in _FIELDS})
    reading.entries.reverse()
    if reading.foreign:
        reading.warnings.append(
            f"Log lines were skipped because they were not written with this key: {reading.foreign}."
        )
    if reading.torn:
        reading.warnings.append(
            f"Log lines were skipped because they are incomplete or not entries: {reading.torn}."
        )
    return reading


def _iter_lines(directory: str | DirectoryHolder, reading: LogReading) -> Iterator[bytes]:
    """Yield the lines of the log and its older parts, the last one first."""
    left = MAX_READ_BYTES
    for number in range(KEPT_FILES + 1):
        try:
            file = DiskDirectory(directory).open(name_file(number))
        except FileNotFoundError:
            continue
        except (OSError, IndexFormatError):
            reading.warnings.append(f"{name_file(number)} cannot be read.")
            continue
        try:
            end, rest = file.size, b""
            while end > 0 and left > 0:
                size = min(_BLOCK_BYTES, end, left)
                end, left = end - size, left - size
                rest, *lines = (file.read(end, size) + rest).split(b"\n")
                if len(rest) > _BLOCK_BYTES:  # Longer than any line of ours; each block would copy it again
                    rest = b"!"
                yield from reversed(lines)
            yield rest if end == 0 else b""
        except (OSError, IndexFormatError):
            reading.warnings.append(f"{name_file(number)} changed while it was read.")
        finally:
            file.close()
        if end > 0:
            reading.warnings.append(f"Only the last {MAX_READ_BYTES:,} bytes of the log were read.")
            return


def _parse(line: bytes, tag: Tag, reading: LogReading) -> Mapping[str, object] | None:
    """Return the entry of a line that carries our tag; other lines are counted."""
    if not line:
        return None
    if not (line.startswith(b"{") and line.endswith(b"}")):
        reading.torn += 1
        return None
    body = line[:-_TAIL_CHARS] + b"}"
    if not hmac.compare_digest(line, body[:-1] + b',"tag":"' + tag(body) + b'"}'):
        reading.foreign += 1
        return None
    try:
        entry = json.loads(body)
        _seconds(entry)
    except (ValueError, RecursionError, TypeError, KeyError):
        entry = None
    if isinstance(entry, dict) and all(isinstance(entry.get(name), kind) for name, kind in _FIELDS.items()):
        return entry
    reading.torn += 1
    return None


def _seconds(entry: Mapping[str, object]) -> float:
    return datetime.fromisoformat(str(entry["timestamp"])).timestamp()
