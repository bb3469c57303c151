"""The tensors of a .safetensors file: a JSON header, followed by plain numbers.

    u64 bytes of the header | header | data

The header maps each name to its type, its shape and its position in the data, as [start, end). Nothing in
such a file is code. Tensors are copied out as float32; everything the header says is checked against the
size of the file before any memory is allocated for it. The format: huggingface/safetensors, README.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from repo_mcp.record_classes import dataclass

F32 = npt.NDArray[np.float32]
LENGTH = struct.Struct("<Q")
MAX_HEADER_BYTES = 1024 * 1024
MAX_TENSORS = 4_096
_TYPES: Mapping[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
_OWN_FACTS = "__metadata__"  # remarks of the file's author; not a tensor


class NotSafetensors(Exception):
    """The bytes are not such a file, or not the expected one; the text says why in a few words."""


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: str
    shape: tuple[int, ...]
    start: int
    end: int


class Tensors:
    """The tensors in the bytes of one file."""

    def __init__(self, data: bytes, file_bytes: int | None = None) -> None:
        """Read the header. `data` may end after it, if the file has `file_bytes`. Raises NotSafetensors."""
        self._data = data
        if len(data) < LENGTH.size:
            raise NotSafetensors("it is too short")
        size = LENGTH.unpack_from(data)[0]
        if size > min(MAX_HEADER_BYTES, len(data) - LENGTH.size):
            raise NotSafetensors("its header is too long")
        self._first = LENGTH.size + size
        file_bytes = len(data) if file_bytes is None else file_bytes
        self._entries = _parse_header(data[LENGTH.size : self._first], file_bytes - self._first)

    def check(self, name: str, *shape: int) -> None:
        """Raise NotSafetensors unless there is a readable tensor with this name and shape."""
        entry = self._entries.get(name)
        if entry is None:
            raise NotSafetensors(f"it has no tensor {name}")
        if entry.shape != shape:
            raise NotSafetensors(f"{name} has the shape {list(entry.shape)}, not {list(shape)}")
        if entry.kind not in _TYPES:
            raise NotSafetensors(f"{name} is neither F32 nor F16")
        if entry.end - entry.start != _TYPES[entry.kind].itemsize * math.prod(shape):
            raise NotSafetensors(f"{name} has a size that does not fit its shape")

    def read(self, name: str, *shape: int) -> F32:
        """Return a tensor of this shape as float32. Raises NotSafetensors, also if it is not all finite.

        The array shares the bytes of the file where possible, and must not be written to.
        """
        self.check(name, *shape)
        entry = self._entries[name]
        kind = _TYPES[entry.kind]
        values = np.frombuffer(self._data, kind, math.prod(shape), self._first + entry.start)
        if not np.isfinite(values).all():
            raise NotSafetensors(f"{name} has values that are not numbers")
        return np.require(values.reshape(shape), np.float32, "A")


def _parse_header(text: bytes, data_bytes: int) -> Mapping[str, _Entry]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotSafetensors("its header is not JSON") from error
    if not isinstance(header, dict) or len(header) > MAX_TENSORS:
        raise NotSafetensors("its header is not a table of tensors")
    return {name: _parse_entry(row, data_bytes) for name, row in header.items() if name != _OWN_FACTS}


def _parse_entry(row: object, data_bytes: int) -> _Entry:
    if not isinstance(row, dict):
        raise NotSafetensors("its header is not a table of tensors")
    kind, shape, span = row.get("dtype"), row.get("shape"), row.get("data_offsets")
    if not isinstance(kind, str) or not _is_sizes(shape) or not _is_sizes(span) or len(span) != 2:
        raise NotSafetensors("its header is not a table of tensors")
    if not span[0] <= span[1] <= data_bytes:
        raise NotSafetensors("a tensor is outside the file")
    return _Entry(kind, tuple(shape), span[0], span[1])


def _is_sizes(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and len(value) <= 8 and all(type(one) is int and one >= 0 for one in value)
