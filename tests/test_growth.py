"""The measure of growth: linear work passes, quadratic work fails, and so does no work at all pass."""

from __future__ import annotations

import gc

import pytest

from tests.growth import assert_linear, measure_growth


def count_pairs(size: int) -> int:
    return sum(1 for one in range(size) for other in range(size) if one == other)


def test_linear_work_passes() -> None:
    assert_linear(lambda size: list(range(size)), sum, 20_000)


def test_work_that_does_not_grow_passes() -> None:
    assert_linear(lambda size: size, lambda size: None, 10)


def test_what_takes_microseconds_passes_at_any_ratio() -> None:
    assert_linear(lambda size: size, count_pairs, 8)


def test_quadratic_work_does_not() -> None:
    with pytest.raises(AssertionError, match="8 times the size took"):
        assert_linear(lambda size: size, count_pairs, 100)


def test_growth_is_a_ratio_and_the_collector_is_as_it_was() -> None:
    assert gc.isenabled()
    assert 3 < measure_growth(lambda size: size, count_pairs, 100, factor=4, bound=1.0) < 40
    assert gc.isenabled()
