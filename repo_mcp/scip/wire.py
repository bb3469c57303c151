"""The wire format of Protocol Buffers, as far as SCIP needs it: varints, and fields with a length.

    field = varint(number << 3 | wire type) | value        wire type 0: a varint
                                                            wire type 2: varint(length) | that many bytes

A message is its fields, one after the other, in any order. Fields of 4 and 8 bytes (wire types 5 and 1), of
which SCIP has none, are skipped; groups (3 and 4), which nothing has written for twenty years, are refused.

Nothing here recurses, and nothing allocates by a length that was read before the bytes are there: a message
is a `bytes` that somebody holds already.

Left out on purpose: the fields of SCIP (`repo_mcp/scip/messages.py`), and everything else that Protocol
Buffers have. The library `protobuf` reads a whole message at once, which for an index is the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED = {FIXED64: 8, FIXED32: 4}
_MORE, _LOW = 0x80, 0x7F
MAX_VARINT_BYTES = 10  # of 64 bits
MAX_NUMBER = (1 << 29) - 1  # of a field


class WireError(ValueError):
    """Bytes that are not a message."""


def encode_varint(value: int) -> bytes:
    """Return a number from 0 on as a varint."""
    parts = bytearray()
    while value > _LOW:
        parts.append(value & _LOW | _MORE)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def encode_message(number: int, data: bytes) -> bytes:
    """Return a field of a message, which may be empty."""
    return encode_varint(number << 3 | BYTES) + encode_varint(len(data)) + data


def encode_bytes(number: int, value: bytes | str) -> bytes:
    """Return a field of bytes or a text; nothing where it is empty, which is the default."""
    data = value.encode("utf-8", "replace") if isinstance(value, str) else value
    return encode_message(number, data) if data else b""


def encode_number(number: int, value: int) -> bytes:
    """Return a field of a number from 0 on; nothing where it is 0, which is the default."""
    return encode_varint(number << 3 | VARINT) + encode_varint(value) if value else b""


def encode_packed(number: int, values: Iterable[int]) -> bytes:
    """Return a repeated field of numbers from 0 on."""
    return encode_bytes(number, b"".join(map(encode_varint, values)))


def decode_varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the 64-bit number at a position, and the position after it. Raises WireError."""
    value = shift = 0
    for place in range(position, min(position + MAX_VARINT_BYTES, len(data))):
        byte = data[place]
        value |= (byte & _LOW) << shift
        if byte < _MORE:
            if value >> 64:
                raise WireError("a number of more than 64 bits")
            return value, place + 1
        shift += 7
    raise WireError("a number that does not end")


def iter_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field of a message, in the order of its bytes.

    Raises WireError if the bytes are not a message; what was yielded before may be nonsense, too.
    """
    position, end = 0, len(data)
    while position < end:
        tag, position = decode_varint(data, position)
        number, kind = tag >> 3, tag & 7
        if not 0 < number <= MAX_NUMBER:
            raise WireError("a field with a number that cannot be")
        if kind == VARINT:
            value, position = decode_varint(data, position)
            yield number, value
            continue
        if kind == BYTES:
            size, position = decode_varint(data, position)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise WireError("a field of a kind that cannot be")
        if size > end - position:
            raise WireError("a field that ends after its message")
        if kind == BYTES:
            yield number, data[position : position + size]
        position += size


def decode_numbers(value: int | bytes, most: int) -> list[int]:
    """Return the numbers of a repeated field, packed or one. Raises WireError for more than `most`."""
    if isinstance(value, int):
        return [value]
    numbers: list[int] = []
    position = 0
    while position < len(value):
        if len(numbers) == most:
            raise WireError(f"more than {most} numbers")
        number, position = decode_varint(value, position)
        numbers.append(number)
    return numbers
