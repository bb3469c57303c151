"""The only use of xxhash: checksums of index bytes, fingerprints of source files.

xxh3 finds accidents, not attacks: whoever can write the index can also make the checksums agree.
"""

from __future__ import annotations

from collections.abc import Callable

import xxhash

CHECKSUM_BYTES = 8
Buffer = bytes | bytearray | memoryview


def compute_name(data: Buffer) -> str:
    """Return the xxh3_128 of `data` as 32 hexadecimal digits: a name derived from the content."""
    return xxhash.xxh3_128_hexdigest(data)


# The xxh3_64 of some data as an unsigned integer of CHECKSUM_BYTES. To name a snapshot of 80,000 files by a
# function of our own around it would take 4 ms more.
compute_checksum: Callable[[Buffer], int] = xxhash.xxh3_64_intdigest

# The xxh3_128 of some data as 16 bytes, which identify the content of a source file.
compute_fingerprint: Callable[[Buffer], bytes] = xxhash.xxh3_128_digest
