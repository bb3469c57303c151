"""The interface of a measured engine. Each runs in a process of its own, which alone imports its package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from bench.peers.job import Job, Mark
from bench.peers.units import CutFile


class Answerer(Protocol):
    """An opened index."""

    def ask(self, text: str) -> int:
        """Return the number of hits, ten at most."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class Updater(Protocol):
    """An opened index that can be updated."""

    def update(self) -> float:
        """Take the files as they are now; when it returns, they can be searched. Returns the seconds."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class Engine(Protocol):
    """One engine in one configuration."""

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Index the tree from nothing into a new directory."""
        ...

    def open(self, job: Job, position: Path) -> Answerer:
        """Open what was built."""
        ...

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> Updater:
        """Open it for changes of these files."""
        ...
