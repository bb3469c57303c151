"""Reads a file that the repository reader has opened: its bytes, and which version of it they are.

A file may be written to while it is read. Then its status differs afterwards, unless it was written to within
the granularity of the file system's clock: a file that changed so recently is read twice and compared.

Left out on purpose: paths, and opening anything (`repo_mcp.workspace.reader.repository_reader`).
"""

from __future__ import annotations

import os
import stat as modes
import sys
import time

from repo_mcp.file_stat import GRANULARITY_NS, FileStat
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.reader.bounds import PRIVATE_KEY, Bounds, has_private_key
from repo_mcp.workspace.reader.client_paths import explain_no_file, explain_refusal, explain_size

_MORE_BYTES = 64  # bytes asked for after a short read, which nearly always ended the file


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The bytes of one regular file, and which file was reached."""

    path: str  # the name reached, which differs from the one requested when links were resolved
    data: bytes
    stat: FileStat  # status of the open file before it was read
    changed_while_reading: bool  # it changed during both readings, so `data` may mix two versions


def file_stat(status: os.stat_result) -> FileStat:
    """Return the part of a status that distinguishes versions of a file.

    Without the inode on Windows, whose listings of directories do not have it.
    """
    inode = 0 if sys.platform == "win32" else status.st_ino
    return FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, inode)


def read_open_file(descriptor: int, path: str, max_bytes: int, bounds: Bounds) -> OpenedFile:
    """Return the bytes of an open file, read once more if it changed meanwhile.

    Raises RepoError if it is not a regular file, is refused or too large, and OSError.
    """
    before = os.fstat(descriptor)
    if not modes.S_ISREG(before.st_mode):
        raise explain_no_file(path)
    refusal = None if bounds.are_wide else bounds.find_refusal(before)
    if refusal is not None:
        raise explain_refusal(path, refusal)
    for _ in range(2):
        if before.st_size > max_bytes:
            raise explain_size(path, max_bytes)
        data = _read_bounded(descriptor, before.st_size, max_bytes)
        if len(data) > max_bytes:
            raise explain_size(path, max_bytes)
        if bounds.private_keys and has_private_key(data):
            raise explain_refusal(path, PRIVATE_KEY)
        is_whole = not _is_recent(before) or _is_read_again(descriptor, data, max_bytes)
        after = os.fstat(descriptor)
        stat = file_stat(before)
        if is_whole and _is_same(before, after):
            return OpenedFile(path, data, stat, changed_while_reading=False)
        os.lseek(descriptor, 0, os.SEEK_SET)
        before = after
    return OpenedFile(path, data, stat, changed_while_reading=True)


def _is_same(before: os.stat_result, after: os.stat_result) -> bool:
    """Return True when two looks at an open file found the same version of it."""
    return (
        before.st_size == after.st_size
        and before.st_mtime_ns == after.st_mtime_ns
        and before.st_ctime_ns == after.st_ctime_ns
    )


def _is_recent(status: os.stat_result) -> bool:
    """Return True when the file may be written again without a change of its times."""
    return max(status.st_mtime_ns, status.st_ctime_ns) > time.time_ns() - GRANULARITY_NS


def _is_read_again(descriptor: int, data: bytes, max_bytes: int) -> bool:
    """Return True when reading the file again gives the same bytes."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return _read_bounded(descriptor, len(data), max_bytes) == data


def _read_bounded(descriptor: int, expected_bytes: int, max_bytes: int) -> bytes:
    """Return everything to the end of the file, but at most `max_bytes` + 1 bytes."""
    pieces: list[bytes] = []
    count = 0
    # One byte more than expected: where that is missing, the file ends, and a typical one takes one call.
    wanted = min(expected_bytes, max_bytes) + 1
    while wanted > 0 and (piece := os.read(descriptor, wanted)):
        pieces.append(piece)
        count += len(piece)
        if count == expected_bytes:
            break
        likely = _MORE_BYTES if len(piece) < wanted else 1 << 20
        wanted = min(likely, max_bytes + 1 - count)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_at_once(descriptor: int, max_bytes: int, bounds: Bounds) -> bytes | None:
    """Return the bytes of an open file; None if it is not a regular one, is refused or too large.

    A file that nobody writes to takes one call. A change while it is read is not noticed.
    """
    status = os.fstat(descriptor)
    if not modes.S_ISREG(status.st_mode) or status.st_size > max_bytes or bounds.find_refusal(status):
        return None
    data = os.read(descriptor, status.st_size + 1)
    if len(data) != status.st_size:  # the file is growing, or was truncated
        data += _read_bounded(descriptor, max_bytes - len(data), max_bytes - len(data))
    refused = bounds.private_keys and has_private_key(data)
    return data if len(data) <= max_bytes and not refused else None
