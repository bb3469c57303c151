"""Reads the live files of ranked chunks: what of a chunk is still there, and its lines.

The index only says where to look. A chunk whose file has changed since is looked for in its current text, and
left out when what matched is gone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import overload

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.arrays import I64, U8
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.enclosing import Declarations, find_declarations, find_near
from repo_mcp.languages.patterns.language_registry import get_language
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import decode_source

ReadLive = Callable[[str], bytes]  # reads a file through the repository reader; raises RepoError


LINE_FEED = ord("\n")
BLOCK_BYTES = 4096  # whose line ends are counted together; a multiple of 64
LEAST_COUNTED = 1 << 16  # bytes of a text whose line ends are counted; those of a smaller one are all found
FEW_SEARCHED = 16  # lines that are searched one by one, 5 us each; for more of a text of at most
MOST_FOUND = 1 << 20  # so many bytes, all are found as well


class TextLines(Sequence[bytes]):
    """Equals `split_lines` of normalised text, but cuts each line only on request.

    Lines are not even counted before one is asked for: of most files a search only wants to know whether
    they hold a name.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._raw = np.frombuffer(data, dtype=np.uint8)
        self._starts = {0: 0}  # of the lines asked for: most of them twice

    def __len__(self) -> int:
        return self.line_count

    @cached_property
    def line_count(self) -> int:
        """Return the number of lines."""
        count = len(self._ends) if len(self._data) < LEAST_COUNTED else self._passed[-1]
        return count + (self._data[-1:] not in (b"", b"\n"))

    @cached_property
    def _ends(self) -> I64:
        """Return the offset of each line end."""
        ends: I64 = (self._raw == LINE_FEED).nonzero()[0]
        return ends

    @cached_property
    def _passed(self) -> list[int]:
        """Return the number of line ends before each block, and in all of the text."""
        return _count_ends(self._raw)

    def find_start(self, line: int) -> int:
        """Return the offset, in bytes, of a line counted from 0; the end of the text beyond the last line."""
        start = self._starts.get(line)
        if start is None:
            start = self._starts[line] = self._search(line)
        return start

    def _search(self, line: int) -> int:
        """Return the offset behind as many line ends, at least one, or the end of the text."""
        size = len(self._data)
        if size < LEAST_COUNTED or (size <= MOST_FOUND and len(self._starts) > FEW_SEARCHED):
            return int(self._ends[line - 1]) + 1 if line <= len(self._ends) else size
        if line > self._passed[-1]:
            return size
        block = bisect_left(self._passed, line) - 1
        first = block * BLOCK_BYTES
        ends = (self._raw[first : first + BLOCK_BYTES] == LINE_FEED).nonzero()[0]
        return first + int(ends[line - self._passed[block] - 1]) + 1

    @overload
    def __getitem__(self, position: int) -> bytes: ...
    @overload
    def __getitem__(self, position: slice) -> list[bytes]: ...
    def __getitem__(self, position: int | slice) -> bytes | list[bytes]:
        if isinstance(position, slice):
            first, stop, step = position.indices(self.line_count)
            assert step == 1
            return self.cut(first, stop).split(b"\n") if first < stop else []
        at = range(self.line_count)[position]
        return self.cut(at, at + 1)

    def cut(self, first: int, stop: int) -> bytes:
        """Return the lines [first, stop), counted from 0, as one text without its last line end."""
        return self._data[self.find_start(first) : self.find_start(stop)].removesuffix(b"\n")


def _count_ends(raw: U8) -> list[int]:
    """Return the number of line ends before each block, and in the whole text.

    Of 7.5 MB that takes 0.9 ms, and counting them one by one 2.7.
    """
    is_end = raw == LINE_FEED
    whole = len(raw) // BLOCK_BYTES * BLOCK_BYTES
    bits = np.packbits(is_end[:whole]).view(np.uint64).reshape(-1, BLOCK_BYTES // 64)
    counts = np.bitwise_count(bits).sum(axis=1, dtype=np.uint16).tolist()
    return [*accumulate([*counts, int(np.count_nonzero(is_end[whole:]))], initial=0)]


@dataclass(frozen=True, slots=True)
class LiveChunk:
    """One chunk of a ranking within the current text of its file."""

    ranked: RankedChunk
    data: bytes  # the whole file, normalised
    lines: TextLines  # of `data`
    start_line: int  # lines to search for the best window: the best unit,
    end_line: int  # or the whole chunk when the file has changed
    fingerprint: bytes  # of the file as it is now
    is_changed: bool = False  # the file differs from what was indexed

    def find_declarations(self) -> Declarations:
        """Return the declarations of the file as it is now."""
        return find_declarations(get_language(self.ranked.language), self.data, self.fingerprint)

    def find_near(self, first: int, last: int) -> Declarations:
        """Return the declarations around or in the lines from `first` to `last`, and perhaps others."""
        offsets = self.lines.find_start(first - 1), self.lines.find_start(max(first, last))
        language = get_language(self.ranked.language)
        return find_near(language, self.data, self.fingerprint, (first, last), offsets)


@dataclass(frozen=True, slots=True)
class LiveChunks:
    """Chunks in ranking order, and warnings about those that could not be shown as indexed."""

    chunks: tuple[LiveChunk, ...]
    warnings: tuple[str, ...]


class ChunkReader:
    """Reads chunks of a ranking one by one, on request."""

    def __init__(self, phrases: Sequence[str], read_live: ReadLive) -> None:
        self._phrases = phrases
        self._read_live = read_live
        self._changed = self._left_out = 0

    def iter(self, ranked: Iterable[RankedChunk]) -> Iterator[LiveChunk]:
        """Yield the chunks whose file still holds what matched and all phrases."""
        for chunk in ranked:
            try:
                raw = self._read_live(chunk.path)
                data = decode_source(raw).data
            except RepoError:
                self._changed += 1
                self._left_out += 1
                continue
            fingerprint = compute_fingerprint(raw)
            self._changed += fingerprint != chunk.fingerprint
            live = _find_live(chunk, self._phrases, data, fingerprint)
            if live is not None:
                yield live
            elif not self._phrases:  # that words stand apart is no loss
                self._left_out += 1

    def list_warnings(self) -> tuple[str, ...]:
        """Return warnings about the chunks read so far that could not be shown as indexed."""
        warnings = []
        if self._changed:
            warnings.append(f"{self._changed} of the files found changed after indexing: refresh the index.")
        if self._left_out:
            warnings.append(f"Hits left out because their text is gone: {self._left_out}.")
        return tuple(warnings)


def read_chunks(
    ranked: Iterable[RankedChunk], phrases: Sequence[str], read_live: ReadLive, most: int | None = None
) -> LiveChunks:
    """Return the first `most` (or all) chunks whose file still holds what matched and all `phrases`."""
    reader = ChunkReader(phrases, read_live)
    chunks = tuple(islice(reader.iter(ranked), most))
    return LiveChunks(chunks, reader.list_warnings())


def _find_live(
    ranked: RankedChunk, phrases: Sequence[str], data: bytes, fingerprint: bytes
) -> LiveChunk | None:
    """Return the chunk in a file's normalised text; None when the match is no longer there."""
    changed = fingerprint != ranked.fingerprint
    raw = TextLines(data)
    chunk_start, chunk_end = ranked.chunk.start_line, ranked.chunk.end_line
    if changed:
        chunk_end = min(chunk_end, raw.line_count)
    if changed and not any(find_line_terms(decode_lines(raw, chunk_start, chunk_end), ranked.matched_terms)):
        return None
    if phrases and not _holds(" ".join(decode_lines(raw, chunk_start, chunk_end)), phrases):
        return None
    if changed:  # the unit's lines may have moved within the chunk
        return LiveChunk(ranked, data, raw, chunk_start, chunk_end, fingerprint, is_changed=True)
    return LiveChunk(ranked, data, raw, ranked.unit_start, ranked.unit_end, fingerprint)


def decode_lines(raw: TextLines, first: int, last: int) -> list[str]:
    """Return the lines from `first` to `last`, counted from 1, both included."""
    return raw.cut(first - 1, last).decode("utf-8", "replace").split("\n") if first <= last else []


def _holds(text: str, phrases: Sequence[str]) -> bool:
    folded = " ".join(text.lower().split())
    return all(phrase.lower() in folded for phrase in phrases)
