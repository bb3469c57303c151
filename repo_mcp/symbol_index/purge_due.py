"""The symbol index's own mark that it holds text which may no longer be served.

It follows the lexical index at its own pace, so a purge there leaves a mark here, which the next writer
follows even if this process is killed before.
"""

from __future__ import annotations

from collections.abc import Callable

from index_format import DiskDirectory, MakeTag
from repo_mcp.indexing.purging import PurgeMark


class PurgeDue:
    """The mark in the directory of the symbol index, if there is a directory yet."""

    def __init__(self, find_directory: Callable[[], DiskDirectory | None], make_tag: MakeTag | None) -> None:
        self._find_directory = find_directory
        self._make_tag = make_tag

    def note(self, generation: int) -> None:
        """Mark that text which the lexical index drops after this generation must be purged here too."""
        mark = self._find_mark()
        if mark is not None:
            mark.set(generation)

    def find(self, generation: int) -> int | None:
        """Return the mark left by an earlier generation of the lexical index, or None."""
        mark = self._find_mark()
        noted = None if mark is None else mark.read()
        return None if noted == generation else noted

    def clear(self, due: int) -> None:
        """Remove the mark that was followed; a newer mark stays."""
        mark = self._find_mark()
        if mark is not None and mark.read() == due:
            mark.clear()

    def _find_mark(self) -> PurgeMark | None:
        directory = self._find_directory()
        return None if directory is None else PurgeMark(directory, self._make_tag)
