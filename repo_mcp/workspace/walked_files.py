"""The files of a walk in columns: a record for each of 80,000 files would cost as much as finding them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import overload

import numpy as np

from repo_mcp.arrays import I64
from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile

FileRow = tuple[str, tuple[int, int, int, int]]  # path; size, mtime_ns, ctime_ns, inode
COLUMNS = 4  # size, mtime_ns, ctime_ns, inode
SIZE_COLUMN, MTIME_COLUMN, INODE_COLUMN = 0, 1, 3
_RANGE = 1 << 64
_UNPACKED = 1 << 14  # most numbers that are not packed: half a megabyte


class WalkedFiles(Sequence[WalkedFile]):
    """Files in path order. Records are created on access."""

    __slots__ = ("paths", "stats")

    def __init__(self, paths: list[str], stats: I64) -> None:
        """`stats` is int64 with a row for each path: size in bytes, mtime_ns, ctime_ns, inode."""
        self.paths = paths
        self.stats = stats

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, position: int) -> WalkedFile: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[WalkedFile, ...]: ...
    def __getitem__(self, position: int | slice) -> WalkedFile | tuple[WalkedFile, ...]:
        if isinstance(position, slice):
            return tuple(self[one] for one in range(*position.indices(len(self))))
        return WalkedFile(self.paths[position], FileStat(*self.stats[position].tolist()))

    def cut(self, start: int) -> WalkedFiles:
        """Return the files from position `start` on."""
        return WalkedFiles(self.paths[start:], self.stats[start:])

    def take(self, positions: Sequence[int]) -> WalkedFiles:
        """Return the files at ascending positions."""
        if len(positions) == len(self):
            return self
        return self.arrange(positions)

    def arrange(self, positions: Sequence[int]) -> WalkedFiles:
        """Return the files at these positions, in their order, which need not be that of the paths."""
        return WalkedFiles([self.paths[position] for position in positions], self.stats[positions])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


class FileColumns:
    """Files in path order, as the walk meets them."""

    __slots__ = ("_numbers", "_packed", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._packed = array("q")
        self._numbers: list[int] = []  # numbers not packed yet: packing them one by one takes twice as long

    def extend(self, rows: Sequence[FileRow]) -> None:
        """Add files. Numbers beyond 64 bits wrap around: they only distinguish versions of a file."""
        if rows:
            paths, numbers = zip(*rows, strict=True)
            self.add(paths, list(chain.from_iterable(numbers)))

    def add(self, paths: Sequence[str], numbers: Sequence[int]) -> None:
        """Add files by columns: `numbers` has COLUMNS for each path. See `extend`."""
        self.paths += paths
        self._numbers += numbers
        if len(self._numbers) > _UNPACKED:
            self._pack()

    def _pack(self) -> None:
        numbers, self._numbers = self._numbers, []
        try:
            packed = np.fromiter(numbers, dtype=np.int64, count=len(numbers))
        except OverflowError:
            packed = np.fromiter(map(_wrap, numbers), dtype=np.int64, count=len(numbers))
        self._packed.frombytes(packed.tobytes())

    def cut(self, start: int) -> WalkedFiles:
        """Return the files met so far, from position `start` on."""
        self._pack()
        numbers = np.array(self._packed[COLUMNS * start :], dtype=np.int64)
        return WalkedFiles(self.paths[start:], numbers.reshape(-1, COLUMNS))

    def finish(self) -> WalkedFiles:
        """Return all files. No more may be added afterwards."""
        self._pack()
        return WalkedFiles(self.paths, np.frombuffer(self._packed, dtype=np.int64).reshape(-1, COLUMNS))


def _wrap(number: int) -> int:
    return (number + _RANGE // 2) % _RANGE - _RANGE // 2


def build_walked_files(files: Sequence[WalkedFile]) -> WalkedFiles:
    """Return the columns of files that are in path order."""
    if isinstance(files, WalkedFiles):
        return files
    columns = FileColumns()
    columns.extend(
        [(one.path, (one.stat.size, one.stat.mtime_ns, one.stat.ctime_ns, one.stat.inode)) for one in files]
    )
    return columns.finish()
