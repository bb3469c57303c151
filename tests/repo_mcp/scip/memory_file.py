"""A file in memory with positioned reads."""

from __future__ import annotations


class MemoryFile:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.largest = 0  # bytes that were asked for at once

    @property
    def size(self) -> int:
        return len(self._data)

    def read(self, offset: int, size: int) -> bytes:
        assert offset >= 0
        assert offset + size <= len(self._data)
        self.largest = max(self.largest, size)
        return self._data[offset : offset + size]
