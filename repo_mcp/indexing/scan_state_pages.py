"""The files of a walk in pages that are packed separately: a few are found without unpacking the others.

A page holds the paths and the numbers of PAGE_FILES neighbours in path order, and has a fingerprint. A later
walk is cut at the same paths, and a page with an equal fingerprint is not unpacked. Paths compress to an
eighth, and numbers, with bytes of equal significance side by side, to less than half: with pages of 256
files, 80,000 files take 0.9 MB instead of 71 bytes each.
"""

from __future__ import annotations

import threading
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np

from index_format import FINGERPRINT_BYTES, CorruptIndex, compute_fingerprint
from repo_mcp.threads import start_daemon
from repo_mcp.workspace.walked_files import COLUMNS, WalkedFiles

PAGE_FILES = 256
MAX_TEXT_BYTES = 1 << 30  # most bytes that are unpacked at once
SEPARATOR = "\0"  # a character that no path contains
LEVEL = 4  # Compression level; 1 gives 12 % more bytes and reads slower, 6 takes twice as long for 1 % less
_NUMBER_BYTES = 8 * COLUMNS  # bytes of the numbers of a file


def find_place(paths: Sequence[str], path: str) -> int | None:
    """Return the position of a path among ascending ones, or None."""
    position = bisect_left(paths, path)
    return position if position < len(paths) and paths[position] == path else None


class SeenPages:
    """Files in path order, each once. Safe for several threads."""

    def __init__(self, count: int, firsts: Sequence[str], prints: bytes, packed: Sequence[bytes]) -> None:
        """`count` files; of each page the first path, the fingerprint, and the packed content.

        Raises ValueError when the pages do not fit the count, or do not ascend.
        """
        pages = max(1, -(-count // PAGE_FILES))
        if (len(firsts), len(prints), len(packed)) != (pages, FINGERPRINT_BYTES * pages, pages):
            raise ValueError("not the number of pages that these files need")
        if any(one >= other for one, other in pairwise(firsts)):
            raise ValueError("pages that do not ascend")
        self.count = count
        self.firsts = firsts
        self.prints = prints
        self.packed = packed
        self._last: tuple[int, WalkedFiles] | None = None  # the number and content of the page unpacked last

    def find_page(self, path: str) -> int:
        """Return the page that holds a path, or would hold it."""
        return max(0, bisect_right(self.firsts, path) - 1)

    def find(self, path: str) -> list[int] | None:
        """Return the size, times and inode of a file, or None. Raises CorruptIndex."""
        files = self.read(self.find_page(path))
        position = find_place(files.paths, path)
        return None if position is None else files.stats[position].tolist()

    def read(self, page: int) -> WalkedFiles:
        """Return the files of a page. Raises CorruptIndex."""
        last = self._last
        if last is None or last[0] != page:
            last = self._last = page, self._unpack(page)
        return last[1]

    def _unpack(self, page: int) -> WalkedFiles:
        rows = min(PAGE_FILES, self.count - PAGE_FILES * page)
        try:
            data = expand(self.packed[page])
            numbers = np.frombuffer(data, dtype=np.uint8, count=_NUMBER_BYTES * rows)
            paths = split_paths(data[_NUMBER_BYTES * rows :])
        except (ValueError, zlib.error) as error:
            raise CorruptIndex("seen: a page that cannot be unpacked") from error
        if len(paths) != rows:
            raise CorruptIndex(f"seen: a page of {len(paths)} files, {rows} expected")
        by_file = np.ascontiguousarray(numbers.reshape(_NUMBER_BYTES, rows).T)
        return WalkedFiles(paths, by_file.view("<i8").reshape(rows, COLUMNS))

    def cut(self, paths: Sequence[str]) -> list[int]:
        """Return the positions where each page begins in ascending paths, and the end of the last one."""
        return [0, *(bisect_left(paths, first) for first in self.firsts[1:]), len(paths)]

    def find_other(self, files: WalkedFiles, edges: Sequence[int]) -> list[int]:
        """Return the pages that differ from the files of a walk, cut at `edges`."""
        prints, size = self.prints, FINGERPRINT_BYTES
        return [
            page
            for page, (start, stop) in enumerate(pairwise(edges))
            if _print(files, start, stop) != prints[size * page : size * (page + 1)]
        ]


def build_pages(files: WalkedFiles) -> SeenPages:
    """Return the pages of a walk's files. Raises UnicodeEncodeError for a path that is not Unicode."""
    count = len(files)
    starts = range(0, max(1, count), PAGE_FILES)
    spans = [(start, min(count, start + PAGE_FILES)) for start in starts]
    return SeenPages(
        count,
        [files.paths[start] if count else "" for start, _ in spans],
        b"".join(_print(files, *span) for span in spans),
        [_pack(files, *span) for span in spans],
    )


class BackgroundPages:
    """The pages of a walk, made in a thread: two thirds of that is compression, outside the interpreter."""

    def __init__(self, files: WalkedFiles) -> None:
        self._files = files
        self._pages: SeenPages | None = None
        self._thread = threading.Thread(target=self._make, name="pages")
        start_daemon(self._thread)  # without a thread, `get` makes the pages

    def _make(self) -> None:
        with suppress(Exception):  # `get` tries again, and raises the error where it can be reported
            self._pages = build_pages(self._files)

    def get(self) -> SeenPages:
        """Return the pages, as `build_pages` does and raising what it raises."""
        if self._thread.is_alive():
            self._thread.join()
        return build_pages(self._files) if self._pages is None else self._pages


def _print(files: WalkedFiles, start: int, stop: int) -> bytes:
    return compute_fingerprint(join_paths(files.paths[start:stop]) + files.stats[start:stop].tobytes())


def _pack(files: WalkedFiles, start: int, stop: int) -> bytes:
    numbers = np.ascontiguousarray(files.stats[start:stop], dtype="<i8").view(np.uint8)
    return pack_text(numbers.T.tobytes() + join_paths(files.paths[start:stop]))


def join_paths(paths: Sequence[str]) -> bytes:
    """Return paths joined to one text. Raises UnicodeEncodeError for a path that is not Unicode."""
    return SEPARATOR.join(paths).encode()


def split_paths(text: bytes) -> list[str]:
    """Return the paths of a joined text. Raises UnicodeDecodeError."""
    return text.decode().split(SEPARATOR) if text else []


def pack_text(data: bytes) -> bytes:
    """Compress a text. See `expand`."""
    return zlib.compress(data, LEVEL)


def expand(data: bytes) -> bytes:
    """Return what `pack_text` compressed. Raises ValueError or zlib.error if damaged or too large."""
    expander = zlib.decompressobj()
    found = expander.decompress(data, MAX_TEXT_BYTES)
    if not expander.eof or expander.unused_data:
        raise ValueError("cut, or too large")
    return found
