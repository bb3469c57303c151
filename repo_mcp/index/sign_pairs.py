"""Which signs stand side by side in each file of a segment: for patterns such as `=~=`, which hold no word.

A bit for each pair of the 32 ASCII signs, a space being one of them and a tab the same: 128 bytes a file,
10 MB for the kernel, where `{{` is in 293 of 78,204 files. They are kept in memory only, and computed in the
background behind the first search that could use them: the kernel's in 4.5 s of processor time, half as fast
as it could be so that others come first.

A row counts for the version of a file that the segment holds: it is made of bytes with the fingerprint that
is recorded there. Any other file has every bit, and is searched.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from index_format import FINGERPRINT_BYTES, FilesReader, IndexFormatError, compute_fingerprint

U8 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
ReadMany = Callable[[Sequence[str]], list[bytes | None]]
SIGNS = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
SIGN_BITS = 5
MIN_FILES = 4_000  # fewer are searched in a tenth of a second
MAX_FILES = 250_000  # of a segment: 32 MB
FILES_AT_ONCE = 32  # a multiple of eight
MAX_PAUSE_SECONDS = 0.1
_NONE = 0xFF  # the class of every other byte
_NUMBERS = {char: number for number, char in enumerate(SIGNS)} | {"\t": 0}
_CLASSES = bytes(_NUMBERS.get(chr(byte), _NONE) for byte in range(256))
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # text in which a sign is no single byte


def list_pairs(literals: Iterable[str]) -> tuple[int, ...]:
    """The pairs of signs in texts, as numbers, ascending."""
    return tuple(
        sorted(
            {
                _NUMBERS[one] << SIGN_BITS | _NUMBERS[other]
                for text in literals
                for one, other in pairwise(text)
                if one in _NUMBERS and other in _NUMBERS
            }
        )
    )


class SignPairs:
    """The pairs of the files of one segment, once they are computed. Safe for several threads."""

    def __init__(self, files: FilesReader) -> None:
        self._files = files
        self._rows: U8 | None = None  # row: pair; bit: file
        self._starting = threading.Lock()  # held for good by whoever computes them
        self._thread: threading.Thread | None = None

    def find(self, pairs: Sequence[int]) -> Bools | None:
        """Which files may hold all of the pairs, one at least; None when it is not known."""
        if self._rows is None:
            return None
        found = np.bitwise_and.reduce(self._rows[list(pairs)], axis=0)
        return np.unpackbits(found, count=self._files.count, bitorder="little").astype(np.bool_)

    def start(self, read_many: ReadMany, stopped: Callable[[], bool]) -> bool:
        """Begin to compute them; False when that was begun before or is not worth it."""
        if not MIN_FILES <= self._files.count <= MAX_FILES or not self._starting.acquire(blocking=False):
            return False
        self._thread = threading.Thread(
            target=self._compute_quietly, args=(read_many, stopped), name="sign pairs", daemon=True
        )
        self._thread.start()
        return True

    def join(self, seconds: float) -> bool:
        """Wait for the thread to end, which was told to stop. False when it goes on."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _compute_quietly(self, read_many: ReadMany, stopped: Callable[[], bool]) -> None:
        """A segment that cannot be read is noticed by those who search in it."""
        try:
            self.compute(read_many, stopped)
        except (IndexFormatError, OSError, ValueError):
            return

    def compute(self, read_many: ReadMany, stopped: Callable[[], bool], *, gently: bool = True) -> None:
        """Read all files of the segment and note their pairs; nothing is kept when it is to stop."""
        count = self._files.count
        paths, prints = self._files.read_path_bytes(), self._files.read_fingerprints()
        ends = self._files.path_ends.tolist()
        starts = [0, *ends]
        rows = np.zeros((1 << 2 * SIGN_BITS, -(-count // 8)), dtype=np.uint8)
        for first in range(0, count, FILES_AT_ONCE):
            if stopped():
                return
            begun = time.monotonic()
            files = range(first, min(count, first + FILES_AT_ONCE))
            raws = read_many([paths[starts[file] : ends[file]].decode() for file in files])
            wanted = [prints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES] for file in files]
            packed = np.packbits(_mark_pairs(raws, wanted), axis=0, bitorder="little")
            rows[:, first // 8 : first // 8 + len(packed)] = packed.T
            if gently:
                time.sleep(min(MAX_PAUSE_SECONDS, time.monotonic() - begun))
        self._rows = rows


def _mark_pairs(raws: Sequence[bytes | None], prints: Sequence[bytes]) -> Bools:
    """A row of pairs for each file. Raw bytes will do: they hold every sign of the normalised text."""
    is_known = [
        raw is not None and not raw.startswith(_WIDE) and compute_fingerprint(raw) == wanted
        for raw, wanted in zip(raws, prints, strict=True)
    ]
    texts = [raw if raw is not None and known else b"" for raw, known in zip(raws, is_known, strict=True)]
    table = np.zeros((len(raws), 1 << 2 * SIGN_BITS), dtype=np.bool_)
    classes = np.frombuffer(b"\n".join(texts).translate(_CLASSES), dtype=np.uint8)
    is_sign = classes != _NONE
    places = np.flatnonzero(is_sign[:-1] & is_sign[1:])
    pairs = classes[places].astype(np.uint32) << SIGN_BITS | classes[places + 1]
    bounds = np.cumsum([len(text) + 1 for text in texts])
    table[np.searchsorted(bounds, places, side="right"), pairs] = True
    table[~np.array(is_known, dtype=np.bool_)] = True  # not the version that the segment holds
    return table
