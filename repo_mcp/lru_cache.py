"""The one cache of the program: what was used last, up to a total weight."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Values by key, the least recently used of which goes first. Safe for several threads.

    The newest value stays however much it weighs, so that a value is never made twice in a row.
    """

    def __init__(self, limit: int, weigh: Callable[[V], int] = lambda _value: 1) -> None:
        """Hold values of `limit` in all, each weighed by `weigh`: without it, so many values."""
        self._limit = limit
        self._weigh = weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()  # for what changes; a look-up is one step of C at a time

    def __len__(self) -> int:
        return len(self._values)

    def find(self, key: K) -> V | None:
        """Return the value of a key; None when it is not held."""
        try:
            self._values.move_to_end(key)
            return self._values[key]
        except KeyError:  # another thread may have let it go between the two
            return None

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made by `make` when it is not held. Raises what `make` raises."""
        try:
            self._values.move_to_end(key)
            return self._values[key]
        except KeyError:
            pass
        return self.put(key, make())

    def put(self, key: K, value: V) -> V:
        """Hold a value, in place of another of its key, and return it."""
        with self._lock:
            if key in self._values:
                self._weight -= self._weigh(self._values.pop(key))
            self._values[key] = value
            self._weight += self._weigh(value)
            while self._weight > self._limit and len(self._values) > 1:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
        return value
