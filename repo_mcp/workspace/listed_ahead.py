"""Listings of directories that another process made before the first walk of a root."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple, Protocol


class Listing(NamedTuple):
    """The entries of a directory that has only plain files and directories."""

    files: str  # names, ascending, each followed by a slash
    directories: str  # likewise
    numbers: array[int]  # COLUMNS of each file


class ListedAhead(Protocol):
    """The directories that another process has listed so far."""

    def find(self, path: str) -> Listing | None:
        """Return what was listed of a directory, once; None for one that is to be listed by who asks."""

    def close(self) -> None:
        """End the process and forget what it sent."""


FindListed = Callable[[str], Listing | None]  # by the path of the directory


def find_nothing(_path: str) -> None:
    """Return None: nothing was listed."""
