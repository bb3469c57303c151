"""The only cache of the program: the most recently used values, up to a total weight.

Where values weigh very differently, and take about as long to make, `SizeAdjustedCache` keeps more of them.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import accumulate
from operator import mul
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache that drops the least recently used values first. Safe for use from several threads.

    The newest value stays, however much it weighs, so that a value is never made twice in a row.
    """

    def __init__(self, limit: int, weigh: Callable[[V], int] = lambda _value: 1) -> None:
        """Hold values up to a total weight of `limit`; without `weigh`, each value weighs 1."""
        self._limit = limit
        self._weigh = weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()  # for changes; each step of a look-up is atomic in C

    def __len__(self) -> int:
        return len(self._values)

    def find(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        try:
            self._values.move_to_end(key)
            return self._values[key]
        except KeyError:  # another thread may have dropped it between the two
            return None

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made by `make` when it is not held. Raises what `make` raises."""
        try:
            self._values.move_to_end(key)
            return self._values[key]
        except KeyError:
            pass
        return self.put(key, make())

    def get_all(self, keys: Iterable[K], make: Callable[[K], V]) -> list[V]:
        """Return the values of several keys as `get` does one, in their order."""
        found = []
        for key in keys:
            try:
                self._values.move_to_end(key)
                found.append(self._values[key])
            except KeyError:
                found.append(self.put(key, make(key)))
        return found

    def put(self, key: K, value: V) -> V:
        """Store a value, replacing the previous one of its key, and return it."""
        with self._lock:
            if key in self._values:
                self._weight -= self._weigh(self._values.pop(key))
            self._values[key] = value
            self._weight += self._weigh(value)
            if self._weight > self._limit:
                self._drop()
        return value

    def _drop(self) -> None:
        """Drop the least recently used values until the others fit, or only the newest is left."""
        while self._weight > self._limit and len(self._values) > 1:
            self._weight -= self._weigh(self._values.popitem(last=False)[1])


class SizeAdjustedCache(LruCache[K, V]):
    """A cache that drops first what weighs most for how lately it was used.

    That is the value with the largest product of its weight and the number of values used since. When more
    is asked for again and again than fits, the others stay, while the least recently used value always is the
    one that is asked for next. Aggarwal, Wolf and Yu, "Caching on the World Wide Web", 1999.
    """

    def __init__(
        self, limit: int, weigh: Callable[[V], int] = lambda _value: 1, recent_share: float = 0.0
    ) -> None:
        """Hold values as `LruCache` does.

        Those used last stay, up to this share of the limit: where a value that weighs much also takes long to
        make, and is asked for several times in a row.
        """
        super().__init__(limit, weigh)
        self._recent = limit * recent_share

    def _drop(self) -> None:
        """Drop values until a 32nd of the limit is free, or only those used last are left, one at least.

        Looking at all values takes .2 us for each, so it is not done for every small one.
        """
        keys = list(self._values)  # in one step: threads that find values move their keys
        weights = [self._weigh(self._values[key]) for key in keys]
        older = len(keys) - max(1, bisect_right([*accumulate(reversed(weights))], self._recent))
        products = list(map(mul, range(len(keys) - 1, len(keys) - 1 - older, -1), weights))
        for at in sorted(range(older), key=products.__getitem__, reverse=True):
            if self._weight <= self._limit - self._limit // 32:
                break
            self._weight -= weights[at]
            del self._values[keys[at]]
