"""Listings of directories that another process made before the first walk of a root."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple, Protocol


class Listing(NamedTuple):
    """The entries of a directory that has only plain files and directories."""

    files: str  # names, ascending, each followed by a slash
    directories: str  # names of directories, in the same form
    numbers: array[int]  # COLUMNS numbers for each file


class ListedAhead(Protocol):
    """The directories that another process has listed so far."""

    def find(self, path: str) -> Listing | None:
        """Return the listing of a directory, once. None: the caller has to list it."""

    def close(self) -> None:
        """End the process and forget what it sent."""


FindListed = Callable[[str], Listing | None]  # the listing of a directory, by its path


def find_nothing(_path: str) -> None:
    """Return None: nothing was listed."""
