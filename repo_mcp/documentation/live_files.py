"""Read the files of a ranking as they are now, with the lines in which the index found the query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ranking.bm25f import I64
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.ranking.segment_search import SegmentSearch
from repo_mcp.text.lines import decode_source

ReadLive = Callable[[str], bytes]  # the bytes of a file through the repository reader; raises RepoError
Span = tuple[int, int]  # first and last line
MAX_CHANGED_LINES = 5_000  # examined in a file that differs from what was indexed
MAX_BYTES = 8 * 1024 * 1024  # of files read for one ranking; the last one may exceed it


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A live file of the ranking."""

    path: str
    language: str
    data: bytes  # normalised text
    lines: tuple[str, ...]  # without line ends
    wanted: tuple[Span, ...]  # the lines to examine, ascending
    is_changed: bool  # since it was indexed


class LiveDocuments:
    """Reads the files of one ranking, best first, and counts those that changed or were skipped."""

    def __init__(self, searcher: Searcher, read_live: ReadLive, cancelled: Callable[[], bool]) -> None:
        self._searcher = searcher
        self._read_live = read_live
        self._cancelled = cancelled
        self._room = MAX_BYTES
        self.changed = 0  # files that changed or disappeared
        self.left_out = 0  # files skipped because MAX_BYTES was used up

    def read(self, part: SegmentSearch, file: int, units: I64) -> LiveDocument | None:
        """Read a file with the lines of some units, if possible. Raises RepoError with CANCELLED."""
        if self._cancelled():
            raise RepoError(ErrorCode.CANCELLED, "The search was cancelled.", "Search again.")
        if self._room <= 0:
            self.left_out += 1
            return None
        path = self._searcher.read_path(part.position, file)
        try:
            raw = self._read_live(path)
            data = decode_source(raw).data
        except RepoError:
            self.changed += 1
            return None
        self._room -= len(raw)
        is_changed = compute_fingerprint(raw) != part.reader.files.take_fingerprints(np.array([file]))[0]
        self.changed += is_changed
        lines = tuple(data.decode("utf-8", "replace").removesuffix("\n").split("\n")) if data else ()
        wanted = ((1, min(len(lines), MAX_CHANGED_LINES)),) if is_changed else _find_lines(part, file, units)
        return LiveDocument(
            path, part.reader.take_languages(np.array([file]))[0], data, lines, wanted, is_changed
        )


def describe_reading(read: Sequence[LiveDocuments]) -> tuple[str, ...]:
    """Return warnings about files that changed or were skipped."""
    changed, left_out = (
        sum(counts) for counts in zip(*((one.changed, one.left_out) for one in read), strict=True)
    )
    notes = []
    if changed:
        notes.append(f"Of the files found, {changed} changed after indexing: refresh the index.")
    if left_out:
        notes.append(
            f"{left_out} of the files found were not read, because those before them are very large."
        )
    return tuple(notes)


def _find_lines(part: SegmentSearch, file: int, units: I64) -> tuple[Span, ...]:
    """Return the line spans of ascending units of one file, with adjacent units joined."""
    if not len(units):
        return ()
    first = int(part.first_units[file])
    lines = part.reader.chunks.read_units(first, int(units[-1]) + 1).lines
    ends = np.cumsum(lines)
    spans: list[Span] = []
    for position in (units - first).tolist():
        start, end = int(ends[position] - lines[position]) + 1, int(ends[position])
        if spans and spans[-1][1] + 1 == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)


def overlaps(spans: Iterable[Span], start: int, end: int) -> bool:
    """Return True when one of the spans shares a line with `start` to `end`."""
    return any(first <= end and start <= last for first, last in spans)
