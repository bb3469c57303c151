"""Pairs of adjacent punctuation in each file of a segment, for patterns without a word such as `=~=`.

There is a bit for each pair of 32 ASCII characters, counting a space and a tab as the same one. That is 128
bytes a file, 10 MB for the kernel, where `{{` is in 293 of 78,204 files; 1.2 MB compressed. Two blanks are in
nearly all files, and are no pair. The bits are computed in the background after the first search that could
use them, or the second of any kind: the kernel's in 5 s of processor time. They are kept on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from index_format import FilesReader
from repo_mcp.arrays import Mask
from repo_mcp.exact.file_bitmaps import FileBitmaps
from repo_mcp.exact.kept_bitmaps import BitmapPlace

PUNCTUATION = " !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
PUNCTUATION_BITS = 5
_NONE = 0xFF  # the class of every other byte
_NUMBERS = {char: number for number, char in enumerate(PUNCTUATION)} | {"\t": 0}
_CLASSES = bytes(_NUMBERS.get(chr(byte), _NONE) for byte in range(256))


def list_bigrams(literals: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of all pairs of adjacent punctuation in the texts, ascending."""
    return tuple(
        sorted(
            {
                _NUMBERS[one] << PUNCTUATION_BITS | _NUMBERS[other]
                for text in literals
                for one, other in pairwise(text)
                if one in _NUMBERS and other in _NUMBERS and (_NUMBERS[one] or _NUMBERS[other])
            }
        )
    )


class PunctuationBigrams(FileBitmaps):
    """The punctuation pairs of the files of one segment, numbered by `list_bigrams`."""

    def __init__(self, files: FilesReader, place: BitmapPlace | None = None) -> None:
        super().__init__(files, 1 << 2 * PUNCTUATION_BITS, "sign pairs", place)

    def mark(self, texts: Sequence[bytes]) -> Mask:
        """Return a row of pairs for each text."""
        table = np.zeros((len(texts), 1 << 2 * PUNCTUATION_BITS), dtype=np.bool_)
        classes = np.frombuffer(b"\n".join(texts).translate(_CLASSES), dtype=np.uint8)
        is_sign = classes != _NONE
        is_pair = is_sign[:-1] & is_sign[1:]
        is_pair &= (classes[:-1] | classes[1:]) != 0  # two blanks are no pair
        positions = np.flatnonzero(is_pair)
        pairs = classes[positions].astype(np.uint32) << PUNCTUATION_BITS | classes[positions + 1]
        bounds = np.cumsum([len(text) + 1 for text in texts])
        table[np.searchsorted(bounds, positions, side="right"), pairs] = True
        return table
