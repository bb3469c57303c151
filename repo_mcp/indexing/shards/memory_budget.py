"""Derives from a build's memory limit the number of processes and the size of segments and windows.

The figures were measured on Linux with Python 3.11, counting pages that processes share once. A
segment is cut by the memory its words take, not only by its bytes, so that a text whose words never recur
takes no more than any other. Where segments begin depends on the budget and the text, never on the
number of processes.

A process that encodes a merge is counted as a new one. One that has built shards first gives back what it
kept for the next: a build of 136 MB takes 160 to 166 MB at a limit of 300, and took 179 to 194 without that.

Left out on purpose: memory of parser processes, which the system limits (`repo_mcp.process.parse_process`)
and this module only counts; and the memory that answering takes meanwhile.
"""

from __future__ import annotations

from repo_mcp.config.server_config import DEFAULT_MEMORY_MB
from repo_mcp.record_classes import dataclass

_MB = 1_000_000
_PROCESS = 60 * _MB  # Python with numpy and the tokeniser
_BATCH = 50 * _MB  # upper estimate for the words of one batch, before they are weighed
_PARENT = 80 * _MB
_PARENT_OF_FILE = 400  # bytes: its row in the walk, in the scan state, and among the known files
_MERGE = 60 * _MB  # extra in the process that writes a merge: waiting windows, and terms
_MERGE_OF_FILE = 700  # bytes, including its units, chunks and share of the dictionary's tables
_WINDOW_OF_FILE = 500  # bytes, in each process that encodes windows
_WINDOW_FACTOR = 48  # a window's work space, as a multiple of its bytes
_WINDOW_BYTES, _SMALL_WINDOW_BYTES = 3 * 1024 * 1024, 1024 * 1024
_BUILDERS = 4  # processes that the default budget has room for
_LEAST_SEGMENT, _MOST_SEGMENT = 64 * _MB, 300 * _MB
_SEGMENT_OF_ROW, _SEGMENT_OF_WORD = 100, 450  # bytes: per word in a unit and field, per distinct word
_PARSER = 260 * _MB  # a parsing process ends itself when it has taken that much


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The memory limit of a build, over all its processes."""

    megabytes: int = DEFAULT_MEMORY_MB

    @property
    def segment_bytes(self) -> int:
        """Return the bytes that the words of a segment under construction may take."""
        share = (self._total - 2 * _PARENT) // _BUILDERS - _PROCESS - _BATCH
        return max(_LEAST_SEGMENT, min(_MOST_SEGMENT, share))

    @property
    def window_bytes(self) -> int:
        """Return the size of a merge window, in bytes."""
        return _WINDOW_BYTES if self.megabytes >= DEFAULT_MEMORY_MB // 2 else _SMALL_WINDOW_BYTES

    def count_builders(self, wanted: int) -> int:
        """Return the number of builder processes; 0: build in this one. Called before files are counted."""
        return self._count(wanted, _PARENT, _PROCESS + _BATCH + self.segment_bytes)

    def count_mergers(self, wanted: int, files: int, merged: int) -> int:
        """Return the number of processes that merge `merged` of `files` files; 0: encode in this one."""
        each = _PROCESS + _WINDOW_FACTOR * self.window_bytes + merged * _WINDOW_OF_FILE
        parent = _PARENT + _MERGE + files * _PARENT_OF_FILE + merged * _MERGE_OF_FILE
        return self._count(wanted, parent, each)

    def count_parsers(self, wanted: int) -> int:
        """Return the number of parser processes, at least one: repository text is parsed nowhere else."""
        return max(1, self._count(wanted, 2 * _PARENT, _PARSER))

    @property
    def _total(self) -> int:
        return self.megabytes * _MB

    def _count(self, wanted: int, parent: int, each: int) -> int:
        return max(0, min(wanted, (self._total - parent) // each))


def weigh_words(rows: int, distinct: int) -> int:
    """Return the bytes that building takes for `rows` (word, unit, field) rows and `distinct` words."""
    return rows * _SEGMENT_OF_ROW + distinct * _SEGMENT_OF_WORD
