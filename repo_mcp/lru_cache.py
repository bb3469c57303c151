"""A dictionary for what can be found again: when it is full, it starts anew."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """Holds no more than `most` entries. What was put in last is there until the next is put in."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._most and key not in self:
            self.clear()
        super().__setitem__(key, value)
