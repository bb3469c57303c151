"""The only use of msgpack: small records of plain values, of limited size.

Large data is never packed: columns and postings have layouts of their own.
"""

from __future__ import annotations

from typing import Any

import msgpack

from index_format.errors import CorruptIndex

MAX_PACKED_BYTES = 64 * 1024 * 1024  # a manifest with ten million tombstones has 40 MB


def pack(value: object) -> bytes:
    """Return a value packed: None, booleans, numbers, strings, bytes, lists, and dicts in their order."""
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def unpack(data: bytes, where: str) -> Any:
    """Return the value given to `pack`.

    Raises CorruptIndex, naming `where`, for oversized or malformed data and trailing bytes.
    """
    if len(data) > MAX_PACKED_BYTES:
        raise CorruptIndex(
            f"{where}: a packed record of {len(data)} bytes, at most {MAX_PACKED_BYTES} expected"
        )
    try:
        return msgpack.unpackb(data, raw=False, strict_map_key=True)
    except Exception as error:  # msgpack raises a dozen types, StackError and UnicodeDecodeError among them
        raise CorruptIndex(f"{where}: not a packed record ({type(error).__name__})") from error
