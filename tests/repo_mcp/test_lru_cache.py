"""The cache: what was used last stays, up to a weight."""

from __future__ import annotations

import threading

import pytest

from repo_mcp.lru_cache import LruCache, SizeAdjustedCache


def test_the_least_recently_used_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.find("a") == 1
    cache.put("c", 3)
    assert [cache.find(key) for key in "abc"] == [1, None, 3]
    assert len(cache) == 2


def test_a_value_is_made_once_while_it_is_held() -> None:
    made: list[str] = []
    cache: LruCache[str, str | None] = LruCache(2)

    def make(key: str) -> None:
        made.append(key)

    for key in "aabab":
        assert cache.get(key, lambda key=key: make(key)) is None  # type: ignore[misc]
    assert made == ["a", "b"]


def test_values_weigh_as_much_as_is_said_and_the_newest_always_stays() -> None:
    cache: LruCache[int, bytes] = LruCache(10, len)
    for number in range(5):
        cache.put(number, bytes(4))
    assert len(cache) == 2
    cache.put(9, bytes(100))
    assert (len(cache), cache.find(9)) == (1, bytes(100))
    cache.put(9, b"")
    cache.put(1, bytes(10))
    assert len(cache) == 2


def test_what_cannot_be_made_is_not_held() -> None:
    cache: LruCache[int, int] = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get(1, lambda: 1 // 0)
    assert cache.get(1, lambda: 7) == 7


def test_what_is_large_for_how_lately_it_was_used_goes_first() -> None:
    cache: SizeAdjustedCache[str, bytes] = SizeAdjustedCache(10, len)
    for key, size in (("old", 1), ("large", 6), ("new", 4)):
        cache.put(key, bytes(size))
    assert [cache.find(key) is not None for key in ("old", "large", "new")] == [True, False, True]
    cache.put("newest", bytes(100))
    assert (len(cache), cache.find("newest")) == (1, bytes(100))


@pytest.mark.parametrize("recent_share", [0.0, 0.75])
def test_what_was_used_last_stays_up_to_a_share_of_the_limit(recent_share: float) -> None:
    cache: SizeAdjustedCache[str, bytes] = SizeAdjustedCache(100, len, recent_share)
    for number in range(10):
        cache.put(f"small {number}", bytes(3))
    cache.put("large", bytes(45))
    cache.put("new", bytes(30))
    assert (cache.find("large") is not None) == (recent_share > 0)
    assert (cache.find("small 0") is not None) == (recent_share == 0)
    assert cache.find("new") is not None
    cache.put("larger than the share", bytes(80))
    assert cache.find("larger than the share") is not None


def test_of_more_than_fits_some_stay_while_all_are_asked_for_in_turn() -> None:
    made = {LruCache: 0, SizeAdjustedCache: 0}
    for kind in made:
        cache: LruCache[int, bytes] = kind(100, len)

        def make(key: int, kind: type = kind) -> bytes:
            made[kind] += 1
            return bytes(1 + key % 10)

        for key in [*range(21)] * 10:  # 111 bytes
            assert len(cache.get(key, lambda key=key, make=make: make(key))) == 1 + key % 10  # type: ignore[misc]
    assert made[LruCache] > 3 * made[SizeAdjustedCache]


def test_many_small_values_are_seldom_looked_at() -> None:
    weighed = 0

    def weigh(value: int) -> int:
        nonlocal weighed
        weighed += 1
        return value

    cache: SizeAdjustedCache[int, int] = SizeAdjustedCache(3_200, weigh)
    for key in range(4_000):
        cache.put(key, 1)
    assert weighed < 4_000 + 9 * 3_201
    assert len(cache) >= 3_100


@pytest.mark.parametrize("kind", [LruCache, SizeAdjustedCache])
def test_threads_may_use_it_together(kind: type[LruCache[int, int]]) -> None:
    cache = kind(3)
    wrong: list[int] = []

    def use(start: int) -> None:
        for number in range(start, start + 4_000):
            key = number % 7
            if cache.get(key, lambda key=key: key * 2) != key * 2:  # type: ignore[misc]
                wrong.append(key)

    threads = [threading.Thread(target=use, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(cache) == 3
