"""The cache that forgets everything when it is full."""

from __future__ import annotations

from repo_mcp.lru_cache import BoundedCache


def test_it_never_holds_more_than_it_may() -> None:
    cache: BoundedCache[int, int] = BoundedCache(3)
    for number in range(10):
        cache[number] = number
        assert cache[number] == number
        assert len(cache) <= 3


def test_what_is_there_may_be_replaced_when_it_is_full() -> None:
    cache: BoundedCache[int, int] = BoundedCache(2)
    cache[1] = cache[2] = 0
    cache[1] = 5
    assert cache == {1: 5, 2: 0}
