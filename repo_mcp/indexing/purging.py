"""Purging: text that may no longer be served is removed from the segments, not only marked dead.

A deleted file may remain in a dead row until a merge. A file that is still in the tree but is now ignored,
or was given a name that is denied, may not: the segments that hold it are rewritten before the refresh ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from index_format import IndexWriter
from repo_mcp.indexing.purge_mark import PurgeMark
from repo_mcp.indexing.scan_state import SeenFiles

MAX_LOOKED_AT = 2_000  # checked one by one, in 20 ms; when more files left the index all are purged
INODE_COLUMN = 3  # of the numbers of a file


class TreeProbe(Protocol):
    """Finds out where a file is that the walk did not meet."""

    def is_there(self, path: str) -> bool:
        """Return True when something is at the path and its name is not denied."""

    def find_below_denied(self, inodes: frozenset[int]) -> frozenset[int] | None:
        """Return the inodes found below denied directories; None when there are too many to search."""


class HeldFiles(Protocol):
    """Knows which segments hold which files."""

    def list_segments(self, paths: Sequence[str]) -> list[str]:
        """Return the names of the segments that hold any version of the files."""


class _NoProbe:
    """A probe without a tree: every file that is gone was deleted."""

    def is_there(self, _path: str) -> bool:
        return False

    def find_below_denied(self, _inodes: frozenset[int]) -> frozenset[int] | None:
        return frozenset()


NO_PROBE: TreeProbe = _NoProbe()


class Purge:
    """The purging of one refresh, and the segments that hold text which must go."""

    def __init__(
        self,
        probe: TreeProbe,
        mark: PurgeMark,
        note_due: Callable[[int], None],
        writer: IndexWriter,
        generation: int,
    ) -> None:
        """`note_due` is called with the committed `generation`, before text that must go is marked dead."""
        self._probe = probe
        self._mark = mark
        self._note_due = note_due
        self._generation = generation
        self._is_marked = False
        self.segments: set[str] = set()  # that hold such text
        if mark.read() is not None:  # a process was killed: any segment with dead files may hold some
            self.segments |= {entry.name for entry in writer.segments if entry.dead_files}
            if not self.segments:
                mark.clear()

    def add(self, paths: Sequence[str], known: HeldFiles) -> None:
        """Purge the indexed versions of files, which the caller then marks dead."""
        if paths and not self._is_marked:
            self._is_marked = True
            self._mark.set(self._generation)
            self._note_due(self._generation)
        self.segments.update(known.list_segments(paths))

    def add_there(self, paths: Iterable[str], known: HeldFiles) -> None:
        """Purge those of the files that are in the tree all the same, now ignored or with a denied name."""
        self.add([path for path in paths if self._probe.is_there(path)], known)

    def find_left_out(
        self, gone: Sequence[str], denied_inodes: frozenset[int], seen: SeenFiles | None
    ) -> Sequence[str]:
        """Return the files that are still in the tree, now ignored or with a name that is denied.

        Returns all files when that is unknown or slow to find out: most segments would be rewritten anyway.
        """
        if seen is None or len(gone) > MAX_LOOKED_AT:
            return gone
        there: list[str] = []
        elsewhere: list[str] = []
        for path in gone:
            is_known = self._probe.is_there(path) or find_inode(seen, path) in denied_inodes
            (there if is_known else elsewhere).append(path)
        return [*there, *self.find_moved(elsewhere, seen)]

    def find_moved(self, paths: Sequence[str], seen: SeenFiles | None) -> Sequence[str]:
        """Return the files that are now below a denied directory; all of them when that is unknown."""
        inodes = {path: inode for path in paths if (inode := find_inode(seen, path))}
        found = self._probe.find_below_denied(frozenset(inodes.values())) if inodes else frozenset()
        return [path for path, inode in inodes.items() if found is None or inode in found]


def find_inode(seen: SeenFiles | None, path: str) -> int | None:
    """Return the inode that a file had when it was last seen, or None."""
    numbers = seen.find(path) if seen is not None else None
    return numbers[INODE_COLUMN] if numbers is not None else None
