"""A few bits for each file of a segment, computed from its text in the background.

The index on disk knows only words, so everything else has to be read from the files. All of them are read
once, at half speed so that other work comes first. Half a megabyte is read at a time, which takes a dozen
megabytes of memory. Bits that are compressed well are kept on disk (kept_bitmaps.py), so that they are
computed once for a segment and not in each process.

The bits describe the version of a file that the segment holds: they are computed only from bytes with the
fingerprint recorded there. Any other file has every bit set, so it is always searched.
"""

from __future__ import annotations

import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from index_format import FINGERPRINT_BYTES, SIZE, FilesReader, IndexFormatError, compute_fingerprint
from repo_mcp.arrays import I64, Mask
from repo_mcp.threads import start_daemon

if TYPE_CHECKING:
    from repo_mcp.exact.kept_bitmaps import BitmapPlace

ReadMany = Callable[[Sequence[str]], list[bytes | None]]
MIN_FILES = 4_000  # fewer files are searched in a tenth of a second
MAX_FILES = 250_000  # most files in a segment that is marked
FILES_AT_ONCE = 32  # a multiple of eight
BYTES_AT_ONCE = 1 << 19  # bytes read and marked at a time, in about ten times as much memory
MAX_PAUSE_SECONDS = 0.1
# Byte order marks of encodings whose ASCII characters are not single bytes.
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


class FileBitmaps(ABC):
    """The marks of the files of one segment, once they are computed. Safe for several threads."""

    def __init__(self, files: FilesReader, marks: int, name: str, place: BitmapPlace | None = None) -> None:
        """Prepare `marks` bits for each file; `name` is that of the thread.

        They are read from a `place` when they are first asked for, and written there once they are computed.
        """
        self._files = files
        self._marks = marks
        self._name = name
        self._place = place
        self._is_read = place is None
        self._reading = threading.Lock()
        self._rows: list[bytes] | None = None  # one packed row per mark, one bit per file
        # Acquired by the thread that computes; released only if it could not be started.
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def mark(self, texts: Sequence[bytes]) -> Mask:
        """Return a row of marks for each raw text, whose bytes contain all ASCII of the normalised text."""

    @property
    def is_known(self) -> bool:
        """Return True if the marks have been computed."""
        return self._get_rows() is not None

    def _get_rows(self) -> list[bytes] | None:
        with self._reading:
            if not self._is_read and self._place is not None and self._is_worthwhile:
                self._rows = self._place.read(self._files.count, self._marks)
            self._is_read = True
            return self._rows

    @property
    def _is_worthwhile(self) -> bool:
        return MIN_FILES <= self._files.count <= MAX_FILES

    def find(self, marks: Sequence[int]) -> Mask | None:
        """Return a mask of the files that may have all of `marks` (at least one); None if not computed."""
        rows = self._get_rows()
        if rows is None:
            return None
        row_bytes = -(-self._files.count // 8)
        unpacked = [np.frombuffer(_unpack_row(rows[mark], row_bytes), dtype=np.uint8) for mark in marks]
        found = np.bitwise_and.reduce(unpacked, axis=0)
        return np.unpackbits(found, count=self._files.count, bitorder="little").astype(np.bool_)

    def start(self, read_many: ReadMany, stopped: Callable[[], bool]) -> bool:
        """Start computing in a thread.

        Return False if one was started before, or if none is needed, worthwhile or can be started.
        """
        if not self._is_worthwhile or self.is_known or not self._starting.acquire(blocking=False):
            return False
        thread = threading.Thread(target=self._compute_quietly, args=(read_many, stopped), name=self._name)
        if not start_daemon(thread):
            self._starting.release()  # the next search tries again
            return False
        self._thread = thread
        return True

    def join(self, seconds: float) -> bool:
        """Wait for the thread, which has been told to stop. Returns False when it is still running."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _compute_quietly(self, read_many: ReadMany, stopped: Callable[[], bool]) -> None:
        """Compute, ignoring errors: searches report a segment that cannot be read."""
        try:
            self.compute(read_many, stopped)
        except (IndexFormatError, OSError, ValueError):
            return

    def compute(self, read_many: ReadMany, stopped: Callable[[], bool], *, gently: bool = True) -> None:
        """Read and mark all files of the segment; store nothing when stopped. Raises CorruptIndex."""
        count = self._files.count
        paths, prints = self._files.read_path_bytes(), self._files.read_fingerprints()
        ends, sizes = self._files.path_ends, self._files.read_column(SIZE)
        rows = np.zeros((self._marks, -(-count // 8)), dtype=np.uint8)
        table = np.zeros((FILES_AT_ONCE, self._marks), dtype=np.bool_)
        for first in range(0, count, FILES_AT_ONCE):
            begun = time.monotonic()
            for files in _cut(range(first, min(count, first + FILES_AT_ONCE)), sizes):
                if stopped():
                    return
                raws = read_many(
                    [paths[ends[file - 1] if file else 0 : ends[file]].decode() for file in files]
                )
                wanted = [prints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES] for file in files]
                table[files.start - first : files.stop - first] = self.mark_versions(raws, wanted)
            packed = np.packbits(table[: files.stop - first], axis=0, bitorder="little")
            rows[:, first // 8 : first // 8 + len(packed)] = packed.T
            if gently:
                time.sleep(min(MAX_PAUSE_SECONDS, time.monotonic() - begun))
        packed_rows = [_pack_row(row.tobytes()) for row in rows]
        with self._reading:
            self._rows, self._is_read = packed_rows, True
        if self._place is not None:
            self._place.write(count, packed_rows)

    def mark_versions(self, raws: Sequence[bytes | None], prints: Sequence[bytes]) -> Mask:
        """Return a row of marks for each file, all set unless its fingerprint is that in `prints`."""
        is_known = [
            raw is not None and not raw.startswith(_WIDE) and compute_fingerprint(raw) == wanted
            for raw, wanted in zip(raws, prints, strict=True)
        ]
        table = self.mark(
            [raw if raw is not None and known else b"" for raw, known in zip(raws, is_known, strict=True)]
        )
        table[~np.array(is_known, dtype=np.bool_)] = True
        return table


def _pack_row(row: bytes) -> bytes:
    """Compress a row of bits, if that halves it: few files have most of the marks."""
    packed = zlib.compress(row, 1)
    return packed if 2 * len(packed) <= len(row) else row


def _unpack_row(packed: bytes, row_bytes: int) -> bytes:
    """Return the row of `row_bytes` that `_pack_row` was given."""
    return packed if len(packed) == row_bytes else zlib.decompress(packed)


def _cut(files: range, sizes: I64) -> Iterator[range]:
    """Yield the files in pieces of at most BYTES_AT_ONCE, or of one file."""
    start, total = files.start, 0
    for file in files:
        total += int(sizes[file])
        if total > BYTES_AT_ONCE and file > start:
            yield range(start, file)
            start, total = file, int(sizes[file])
    yield range(start, files.stop)
