"""What to merge: a pure choice, the same for any order, and never many segments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from index_format import SegmentEntry
from index_format.merge_policy import (
    DEAD_SHARE,
    FAN_IN,
    GROWTH,
    UNMERGED,
    choose_early_merge,
    choose_full_merge,
    choose_merge,
    find_fan_in,
)

Choose = Callable[[Sequence[SegmentEntry]], tuple[SegmentEntry, ...]]
SHAPES = st.tuples(st.integers(1, 50), st.integers(0, 3000), st.integers(0, 49))
ENTRIES = st.lists(SHAPES, max_size=12).map(
    lambda shapes: [make(number, *shape) for number, shape in enumerate(shapes)]
)


def make(number: int, files: int, units: int, dead: int = 0) -> SegmentEntry:
    return SegmentEntry(f"{number:032x}.seg", 1, files, units, tuple(range(min(dead, files - 1))))


def weigh(entry: SegmentEntry) -> int:
    if not entry.units:
        return entry.live_files
    return max(1, entry.units * entry.live_files // entry.files)


def settle(entries: list[SegmentEntry], number: int) -> tuple[list[SegmentEntry], int]:
    """Merge until nothing is chosen. Returns what is left and how many merges it took."""
    merges = 0
    while chosen := choose_merge(entries):
        merges += 1
        files = sum(entry.live_files for entry in chosen)
        units = sum(entry.units * entry.live_files // entry.files for entry in chosen)
        merged = make(number + merges, files, units)
        entries = [*[entry for entry in entries if entry not in chosen], merged]
    return entries, merges


@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_segments_does_not_matter(entries: list[SegmentEntry], random: object) -> None:
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose_merge(shuffled) == choose_merge(entries)
    assert set(choose_full_merge(shuffled)) == set(choose_full_merge(entries))


@given(ENTRIES)
def test_what_is_left_alone_grows_by_steps(entries: list[SegmentEntry]) -> None:
    left, _ = settle(entries, 1000)
    weights = sorted(map(weigh, left))
    for position, weight in enumerate(weights):
        assert weight >= GROWTH * sum(weights[:position])
    assert all(len(entry.dead_files) <= DEAD_SHARE * entry.files for entry in left)


@given(st.lists(SHAPES, max_size=60), st.data())
def test_a_history_never_has_many_segments(shapes: list[tuple[int, int, int]], data: st.DataObject) -> None:
    entries: list[SegmentEntry] = []
    for number, (files, units, dead) in enumerate(shapes):
        if entries and dead % 3 == 0:
            position = data.draw(st.integers(0, len(entries) - 1))
            count = min(entries[position].files - 1, len(entries[position].dead_files) + dead)
            entries[position] = entries[position]._replace(dead_files=tuple(range(count)))
        before = len(entries) + 1
        entries, merges = settle([*entries, make(1000 * number, files, units)], 1000 * number)
        assert merges <= 2 * before
        total = sum(map(weigh, entries))
        assert len(entries) <= 1 + math.log(total, GROWTH + 1) + 1e-9


def test_segments_without_units_do_not_pile_up() -> None:
    entries: list[SegmentEntry] = []
    for number in range(50):
        entries, _ = settle([*entries, make(1000 * number, 1, 0)], 1000 * number)
        assert len(entries) <= 1 + math.log(number + 1, GROWTH + 1)


def test_choices_by_hand() -> None:
    small, middle, large = make(1, 1, 10), make(2, 1, 39), make(3, 1, 4000)
    assert choose_merge([large, middle, small]) == (small, middle)
    assert choose_merge([large, make(2, 1, 40), small]) == ()
    assert choose_merge([]) == ()
    assert choose_merge([make(4, 4, 100, 1)]) == ()
    assert choose_merge([make(4, 4, 100, 2)]) == (make(4, 4, 100, 2),)


def test_a_full_merge_takes_all() -> None:
    assert choose_full_merge([]) == ()
    assert choose_full_merge([make(1, 3, 9)]) == ()
    assert choose_full_merge([make(1, 3, 9, 1)]) == (make(1, 3, 9, 1),)
    assert choose_full_merge([make(1, 3, 9), make(2, 1, 9000)]) == (make(1, 3, 9), make(2, 1, 9000))


@given(st.integers(1, 6 * FAN_IN), st.sampled_from([choose_full_merge, choose_merge]))
def test_of_many_the_smallest_are_merged_first(count: int, choose: Choose) -> None:
    """Never more than FAN_IN at once, and in the end as many as can be."""
    entries = [make(number, 1, 100 + number % 7) for number in range(count)]
    taken = []
    while chosen := choose(entries):
        left = [entry for entry in entries if entry not in chosen]
        assert max(map(weigh, chosen)) <= min(map(weigh, left), default=math.inf)
        taken.append(len(chosen))
        entries = [*left, make(1000 + len(taken), 1, sum(map(weigh, chosen)))]
    assert len(entries) == 1
    assert all(size <= FAN_IN for size in taken)
    assert len(taken) == -(-(count - 1) // (FAN_IN - 1))
    assert count <= FAN_IN or taken[-1] == FAN_IN


def test_a_gigabyte_of_source_is_merged_at_once() -> None:
    """Merged in two steps, the smallest of the kernel's 141 shards would be written twice."""
    shards = [make(number, 500, 5_000 + number % 7) for number in range(141)]
    assert find_fan_in(1024) == FAN_IN  # so many descriptors a process has by default
    assert sorted(choose_full_merge(shards)) == shards


def test_where_there_are_files_alone_a_small_segment_does_not_move_a_large_one() -> None:
    large, small = make(1, 50_000, 0), make(2, 3, 0)
    assert choose_merge([large, small]) == ()
    assert choose_merge([large, small, make(3, 1, 0)]) == (make(3, 1, 0), small)


def test_a_build_merges_early_only_what_is_small_and_only_when_there_is_much() -> None:
    few = [make(number, 1, 10) for number in range(UNMERGED * FAN_IN - 1)]
    assert choose_early_merge(few) == ()
    merged = make(1000, FAN_IN, 10 * FAN_IN)
    assert choose_early_merge([merged, *few]) == tuple(few[:FAN_IN])


def test_who_may_open_few_files_merges_few_at_once() -> None:
    assert [find_fan_in(limit) for limit in (0, 64, 256, 1024, 1 << 20)] == [3, 5, 37, FAN_IN, FAN_IN]
    many = [make(number, 1, 10) for number in range(20)]
    assert len(choose_full_merge(many, 5)) == 5
    assert len(choose_full_merge(many[:7], 5)) == 3  # five are left for the last merge
    assert len(choose_merge(many, 5)) == 5
