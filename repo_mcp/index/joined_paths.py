"""Many paths as one text: to take 80,000 of them apart takes longer than to compare them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

SEPARATOR = "\0"  # no path holds one


def join_paths(paths: Sequence[str]) -> bytes:
    """The text of paths. Raises UnicodeEncodeError for one that is no Unicode."""
    return paths.text if isinstance(paths, JoinedPaths) else SEPARATOR.join(paths).encode()


def split_paths(text: bytes) -> list[str]:
    """The paths of a text."""
    return text.decode().split(SEPARATOR) if text else []


class JoinedPaths(Sequence[str]):
    """Paths, of which each becomes an object when it is asked for."""

    def __init__(self, text: bytes) -> None:
        """Raises UnicodeDecodeError."""
        if not text.isascii():
            text.decode()
        self.text = text
        is_separator = np.frombuffer(text, dtype=np.uint8) == ord(SEPARATOR)
        self._count = int(np.count_nonzero(is_separator)) + bool(text)

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        found = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == ord(SEPARATOR))
        return np.append(found, len(self.text))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        at = range(self._count)[place]
        start = int(self._ends[at - 1]) + 1 if at else 0
        return self.text[start : int(self._ends[at])].decode()

    def __iter__(self) -> Iterator[str]:
        return iter(split_paths(self.text))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, JoinedPaths):
            return self.text == other.text
        if not isinstance(other, Sequence) or len(other) != self._count:
            return False
        return SEPARATOR.join(other).encode(errors="surrogatepass") == self.text

    __hash__ = None  # type: ignore[assignment]
