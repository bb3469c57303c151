"""The files of a walk in columns: a record for each of 80,000 files costs as much as finding them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from operator import lt
from typing import overload

import numpy as np
import numpy.typing as npt

from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile

I64 = npt.NDArray[np.int64]
COLUMNS = 4  # of the numbers: size, mtime_ns, ctime_ns, inode
SIZE_COLUMN = 0
_RANGE = 1 << 64


class WalkedFiles(Sequence[WalkedFile]):
    """Files in path order. Records are made as they are asked for."""

    __slots__ = ("paths", "stats")

    def __init__(self, paths: list[str], stats: I64) -> None:
        """`stats` has a row for each path: size, mtime_ns, ctime_ns, inode."""
        self.paths = paths
        self.stats = stats

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, place: int) -> WalkedFile: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[WalkedFile, ...]: ...
    def __getitem__(self, place: int | slice) -> WalkedFile | tuple[WalkedFile, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        return WalkedFile(self.paths[place], FileStat(*self.stats[place].tolist()))

    def take(self, places: Sequence[int]) -> WalkedFiles:
        """The files at ascending places."""
        if len(places) == len(self):
            return self
        return WalkedFiles([self.paths[place] for place in places], self.stats[places])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


class FileColumns:
    """Files as the walk meets them, in any order."""

    __slots__ = ("_numbers", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._numbers = array("q")

    def add(self, path: str, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> None:
        """Numbers beyond 64 bits are wrapped: they only tell versions of a file apart."""
        try:
            self._numbers.extend((size, mtime_ns, ctime_ns, inode))
        except OverflowError:
            del self._numbers[COLUMNS * len(self.paths) :]  # what was taken before the one too large
            self._numbers.extend(map(_wrap, (size, mtime_ns, ctime_ns, inode)))
        self.paths.append(path)

    def sort(self, order: I64 | None) -> tuple[WalkedFiles, I64]:
        """The files in path order, and the order. `order` is one that may fit: that of the last walk."""
        if order is not None and len(order) == len(self.paths):
            paths = list(map(self.paths.__getitem__, order.tolist()))
        else:
            order, paths = None, []
        if order is None or not all(map(lt, paths, islice(paths, 1, None))):
            places = sorted(range(len(self.paths)), key=self.paths.__getitem__)
            order = np.array(places, dtype=np.int64)
            paths = list(map(self.paths.__getitem__, places))
        numbers = np.frombuffer(self._numbers, dtype=np.int64).reshape(-1, COLUMNS)
        return WalkedFiles(paths, numbers[order]), order


def _wrap(number: int) -> int:
    return (number + _RANGE // 2) % _RANGE - _RANGE // 2


def build_walked_files(files: Sequence[WalkedFile]) -> WalkedFiles:
    """The columns of files that are in path order."""
    if isinstance(files, WalkedFiles):
        return files
    columns = FileColumns()
    for file in files:
        columns.add(file.path, file.stat.size, file.stat.mtime_ns, file.stat.ctime_ns, file.stat.inode)
    return columns.sort(None)[0]
