"""Stores the marks of a segment's files beside the segment on disk, for the next process.

A record is a side file with our seal. It is named after its segment, and deleted with it. Any process that
computed the marks writes it, without the writer's lock. So after writing it checks that the segment still
exists, and deletes the record if not: nothing else would.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from index_format import SIDE_SUFFIX, CorruptIndex, Directory, IndexFormatError, read_manifest
from repo_mcp.indexing.side_files import read_side_file, write_side_file
from repo_mcp.record_classes import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class BitmapPlace:
    """The place of one kind of marks of one segment."""

    directory: Directory  # directory of the index
    segment: str  # file name of the segment
    kind: str

    @property
    def name(self) -> str:
        """Return the name of the side file."""
        return f"{self.segment.partition('.')[0]}.{self.kind}{SIDE_SUFFIX}"

    def read(self, files: int, marks: int) -> list[bytes] | None:
        """Return a packed row of each of the `marks`, of a bit for each of the `files`; None without them."""
        try:
            found = read_side_file(self.directory, self.name, VERSION)
            rows = [] if found is None or found[1]["files"] != files else list(found[1]["rows"])
        except (CorruptIndex, OSError, KeyError, TypeError, ValueError):
            return None
        return rows if len(rows) == marks else None

    def write(self, files: int, rows: Sequence[bytes]) -> None:
        """Write packed rows, unless the segment is gone. Where that fails, the next process computes them."""
        with suppress(OSError, IndexFormatError):
            write_side_file(self.directory, self.name, VERSION, {"files": files, "rows": list(rows)})
            manifest = read_manifest(self.directory)
            if manifest is None or all(one.name != self.segment for one in manifest.segments):
                self.directory.delete(self.name)
