"""The only use of xxhash: checksums of index bytes, fingerprints of source files.

xxh3 finds accidents, not hostility: who can write the index can also make the checksums agree.
"""

from __future__ import annotations

import xxhash

CHECKSUM_BYTES = 8
Buffer = bytes | bytearray | memoryview


def compute_checksum(data: Buffer) -> int:
    """The xxh3_64 of bytes, as an unsigned integer of CHECKSUM_BYTES."""
    return xxhash.xxh3_64_intdigest(data)


def compute_name(data: Buffer) -> str:
    """The xxh3_128 of bytes in 32 hexadecimal digits: a name for content."""
    return xxhash.xxh3_128_hexdigest(data)


def compute_fingerprint(data: Buffer) -> bytes:
    """The xxh3_128 of bytes, 16 bytes: identifies the content of a source file."""
    return xxhash.xxh3_128_digest(data)
