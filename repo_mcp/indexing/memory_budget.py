"""What the memory that a build may take allows: how many processes, how large segments and windows.

The figures are what was measured on Linux with Python 3.11, pages that processes share counted once. A
segment is cut by what its words take, not by its bytes alone, so that a text of words that never come again
takes no more than any other; and where segments begin depends on the budget and the text, never on the
number of processes.

Left out on purpose: the parser's processes, which the system limits (`repo_mcp.process.parse_process`)
and this module only counts; what answering takes meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_mcp.config.server_config import DEFAULT_MEMORY_MB

_MB = 1_000_000
_PROCESS = 60 * _MB  # Python with numpy and the tokeniser
_BATCH = 50 * _MB  # what the words of the files that are taken together may add before they are weighed
_PARENT = 80 * _MB
_PARENT_OF_FILE = 400  # bytes: its row in the walk, in the record of seen files, and among the known ones
_MERGE = 60 * _MB  # more in the process that writes a merge: windows that wait, and terms
_MERGE_OF_FILE = 700  # bytes, its units, chunks and share of the dictionary's tables included
_WINDOW_OF_FILE = 500  # bytes in each process that encodes windows
_WINDOW_FACTOR = 48  # a window's work space, by its bytes
_WINDOW_BYTES, _SMALL_WINDOW_BYTES = 3 * 1024 * 1024, 1024 * 1024
_BUILDERS = 4  # processes that the default budget has room for
_LEAST_SEGMENT, _MOST_SEGMENT = 64 * _MB, 300 * _MB
_SEGMENT_OF_ROW, _SEGMENT_OF_WORD = 100, 450  # bytes: of a word in a unit and field, of a distinct word
_PARSER = 260 * _MB  # a parsing process ends itself when it has taken as much


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The most that a build may take, all its processes together."""

    megabytes: int = DEFAULT_MEMORY_MB

    @property
    def segment_bytes(self) -> int:
        """What the words of a segment being built may take."""
        share = (self._total - 2 * _PARENT) // _BUILDERS - _PROCESS - _BATCH
        return max(_LEAST_SEGMENT, min(_MOST_SEGMENT, share))

    @property
    def window_bytes(self) -> int:
        """The windows of a merge."""
        return _WINDOW_BYTES if self.megabytes >= DEFAULT_MEMORY_MB // 2 else _SMALL_WINDOW_BYTES

    def count_builders(self, wanted: int) -> int:
        """Processes that build segments; 0: this one has to. They start before the files are counted."""
        return self._count(wanted, _PARENT, _PROCESS + _BATCH + self.segment_bytes)

    def count_mergers(self, wanted: int, files: int, merged: int) -> int:
        """Processes that encode windows where `merged` of all files are merged; 0: this one has to."""
        each = _PROCESS + _WINDOW_FACTOR * self.window_bytes + merged * _WINDOW_OF_FILE
        parent = _PARENT + _MERGE + files * _PARENT_OF_FILE + merged * _MERGE_OF_FILE
        return self._count(wanted, parent, each)

    def count_parsers(self, wanted: int) -> int:
        """Processes that parse, at least one: repository text is parsed nowhere else."""
        return max(1, self._count(wanted, 2 * _PARENT, _PARSER))

    @property
    def _total(self) -> int:
        return self.megabytes * _MB

    def _count(self, wanted: int, parent: int, each: int) -> int:
        return max(0, min(wanted, (self._total - parent) // each))


def weigh_words(rows: int, distinct: int) -> int:
    """Bytes that building a segment takes of so many words in units, of which so many differ."""
    return rows * _SEGMENT_OF_ROW + distinct * _SEGMENT_OF_WORD
