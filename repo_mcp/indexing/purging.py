"""Purging: text that may no longer be served is removed from the segments, not only marked dead.

A deleted file may remain in a dead row until a merge. A file that is still in the tree, but is now ignored or
has a denied name, may not: the segments that contain it are rewritten before the refresh ends.

A mark says that an index still holds text that may no longer be served, and must be purged. It is written
before the commit that makes such text dead, and removed after the commit that leaves nothing of it. A process
killed in between leaves the mark, and the next one that writes finishes the work. It holds the last
generation of the lexical index in which the text was alive. The symbol index has a mark of its own, since it
follows at its own pace. A mark without our seal is ignored.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from index_format import TAG_BYTES, Directory, IndexFormatError, IndexWriter, MakeTag, new_file
from repo_mcp.indexing.scan_state import SeenFiles, find_inode

MAX_LOOKED_AT = 2_000  # files checked one by one (20 ms); if more have left the index, all are purged
MARK_FILE = "purge"
_TEMPORARY = "purge.tmp"
_MAX_DIGITS = 20


class PurgeMark:
    """The mark in the directory of one index; unsealed without `make_tag`."""

    def __init__(self, directory: Directory, make_tag: MakeTag | None) -> None:
        self._directory = directory
        self._make_tag = make_tag

    def set(self, generation: int) -> None:
        """Write the mark. An OSError is ignored: where this fails, the commit fails too."""
        data = str(generation).encode()
        with suppress(OSError), new_file(self._directory, MARK_FILE, _TEMPORARY) as file:
            file.write(self._tag(data) + data)

    def read(self) -> int | None:
        """Return the generation of a valid mark; None when there is none."""
        try:
            file = self._directory.open(MARK_FILE)
        except (OSError, IndexFormatError):
            return None
        try:
            tag_bytes = TAG_BYTES if self._make_tag is not None else 0
            if file.size > tag_bytes + _MAX_DIGITS:
                return None
            data = file.read(0, file.size)
        except (OSError, IndexFormatError):
            return None
        finally:
            file.close()
        tag, digits = data[:tag_bytes], data[tag_bytes:]
        if not hmac.compare_digest(self._tag(digits), tag) or not digits.isdigit():
            return None
        return int(digits)

    def clear(self) -> None:
        """Remove the mark."""
        with suppress(OSError, IndexFormatError):
            self._directory.delete(MARK_FILE)

    def _tag(self, data: bytes) -> bytes:
        return b"" if self._make_tag is None else self._make_tag(data)


class TreeProbe(Protocol):
    """Looks in the tree for files that a walk did not find."""

    def is_there(self, path: str) -> bool:
        """Return True when something is at the path and its name is not denied."""

    def find_below_denied(self, inodes: frozenset[int]) -> frozenset[int] | None:
        """Return the inodes found below denied directories; None when there are too many to search."""


class HeldFiles(Protocol):
    """Finds the segments that contain a file."""

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
        self.segments: set[str] = set()  # names of the segments that hold such text
        if mark.read() is not None:  # A purge was interrupted: any segment with dead files may hold text
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
        """Purge those of the files that are still in the tree, although the walk left them out."""
        self.add([path for path in paths if self._probe.is_there(path)], known)

    def find_left_out(
        self, gone: Sequence[str], denied_inodes: frozenset[int], seen: SeenFiles | None
    ) -> Sequence[str]:
        """Return those files of `gone` that are still in the tree, but now ignored or with a denied name.

        Returns all of them when that is unknown, or there are so many that most segments are rewritten
        anyway.
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
