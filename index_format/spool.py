"""Bytes that are written late and come early: kept in memory while they are few, else in a file of their own.

The dictionary of a segment stands behind its posting lists and is known together with them; that of a large
tree takes hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from index_format.directory import Directory, WritableFile

SPOOL_BYTES = 16 * 1024 * 1024  # kept in memory
READ_BYTES = 1024 * 1024


class Spool:
    """Pieces go in, and come out once, in order. Close it in any case: the file goes away."""

    def __init__(self, directory: Directory, name: str) -> None:
        """`name` is that of the file, if there has to be one."""
        self._directory = directory
        self._name = name
        self._pieces: list[bytes] = []
        self._size = 0
        self._file: WritableFile | None = None

    def add(self, pieces: Iterable[bytes]) -> None:
        """The next pieces. Raises OSError."""
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
        """All that went in. Raises OSError, CorruptIndex for a file that somebody cut."""
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
        """Forget everything."""
        self._pieces = []
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                self._directory.delete(self._name)
