"""Bytes that are produced before they can be written: held in memory while few, else in a temporary file.

The dictionary of a segment follows its posting lists but is produced along with them. For a large tree it
takes hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from index_format.directory import Directory, WritableFile

SPOOL_BYTES = 16 * 1024 * 1024  # held in memory
READ_BYTES = 1024 * 1024


class Spool:
    """Pieces added one by one and read back once, in order. Always close it: that deletes the file."""

    def __init__(self, directory: Directory, name: str) -> None:
        """Name the file that is created if the pieces outgrow memory."""
        self._directory = directory
        self._name = name
        self._pieces: list[bytes] = []
        self._size = 0
        self._file: WritableFile | None = None

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append the next pieces. Raises OSError."""
        for piece in pieces:
            self._pieces.append(piece)
            self._size += len(piece)
        if self._size > SPOOL_BYTES:
            if self._file is None:
                self._file = self._directory.create(self._name)
            for piece in self._pieces:
                self._file.write(piece)
            self._pieces, self._size = [], 0

    def iter_pieces(self) -> Iterator[bytes]:
        """Yield all that was added. Raises OSError, and CorruptIndex when the file was truncated."""
        if self._file is not None:
            self._file.close()
            file = self._directory.open(self._name)
            try:
                for start in range(0, file.size, READ_BYTES):
                    yield file.read(start, min(READ_BYTES, file.size - start))
            finally:
                file.close()
        yield from self._pieces

    def close(self) -> None:
        """Drop the pieces and delete the file."""
        self._pieces = []
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                self._directory.delete(self._name)
