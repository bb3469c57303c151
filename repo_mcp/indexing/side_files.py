"""A side file: a record beside an index, valid on this machine only, that may be deleted at any time.

It begins with a mark: the tag of its owner, over its name and bytes, or a fingerprint where the owner of the
directory has no tag. A record that is damaged, not the owner's or of another version is ignored.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from index_format import (
    FINGERPRINT_BYTES,
    CorruptIndex,
    Directory,
    compute_fingerprint,
    new_file,
    pack,
    unpack,
)

MARK_BYTES = FINGERPRINT_BYTES
MAX_SIDE_FILE_BYTES = 1 << 30


def write_side_file(directory: Directory, name: str, version: int, fields: Mapping[str, Any]) -> bytes:
    """Write a record and return its mark. For the holder of the index's writer. Raises OSError."""
    record = pack({"version": version, **fields})
    mark = _mark(directory, name, record)
    with new_file(directory, name, f"{name}.tmp") as file:
        file.write(mark)
        file.write(record)
    return mark


def read_side_file(directory: Directory, name: str, version: int) -> tuple[bytes, Mapping[str, Any]] | None:
    """Return the mark and the fields of a record; None when there is none of this version that is ours.

    Raises CorruptIndex or OSError, and KeyError or TypeError if what the owner wrote is not a record.
    """
    try:
        file = directory.open(name)
    except (OSError, CorruptIndex):
        return None
    try:
        if not MARK_BYTES < file.size <= MAX_SIDE_FILE_BYTES:
            return None
        data = file.read(0, file.size)
    finally:
        file.close()
    if not hmac.compare_digest(_mark(directory, name, data[MARK_BYTES:]), data[:MARK_BYTES]):
        return None
    record = unpack(data[MARK_BYTES:], name)
    return (data[:MARK_BYTES], record) if record["version"] == version else None


def read_mark(directory: Directory, name: str) -> bytes | None:
    """Return the mark of the record on disk, whoever wrote it; None without one."""
    try:
        file = directory.open(name)
    except (OSError, CorruptIndex):
        return None
    try:
        return file.read(0, MARK_BYTES)
    except (OSError, CorruptIndex):
        return None
    finally:
        file.close()


def _mark(directory: Directory, name: str, record: bytes) -> bytes:
    if directory.make_tag is None:
        return compute_fingerprint(record)
    return directory.make_tag(name.encode() + b"\n" + record)[:MARK_BYTES]
