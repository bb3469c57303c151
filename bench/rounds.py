"""Run the rounds of one benchmark, with type annotations, which pytest-benchmark lacks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

Answer = TypeVar("Answer")
Query = TypeVar("Query")
PASSES = 4  # over the queries of a class
Arguments = tuple[tuple[Any, ...], Mapping[str, Any]]


def run_rounds(
    benchmark: BenchmarkFixture,
    target: Callable[..., Answer],
    *,
    rounds: int,
    warmup_rounds: int = 0,
    setup: Callable[[], Arguments | None] | None = None,
    teardown: Callable[..., None] | None = None,
) -> Answer:
    """Time `rounds` calls of `target` with the arguments from `setup`; return the last result.

    `teardown` gets the same arguments. Neither `setup` nor `teardown` is timed.
    """
    answer: Answer = benchmark.pedantic(  # type: ignore[no-untyped-call]
        target, setup=setup, teardown=teardown, rounds=rounds, warmup_rounds=warmup_rounds
    )
    return answer


def find_median(benchmark: BenchmarkFixture) -> float | None:
    """Return the seconds of the middle round; None when nothing is timed (--benchmark-disable)."""
    return float(benchmark.stats.stats.median) if benchmark.stats is not None else None


def add_rate(benchmark: BenchmarkFixture, text_bytes: int) -> None:
    """Put the megabytes of text in a second beside the time."""
    seconds = find_median(benchmark)
    if seconds:
        benchmark.extra_info["mb_per_s"] = round(text_bytes / 1e6 / seconds, 1)


def measure_queries(
    benchmark: BenchmarkFixture, queries: Sequence[Query], ask: Callable[[Query], object]
) -> None:
    """Time one round for each query, PASSES times over, after one pass that is not counted."""
    if not queries:
        pytest.skip("the tree is too small to give such queries")
    in_turn = itertools.cycle(queries)
    run_rounds(
        benchmark,
        ask,
        setup=lambda: ((next(in_turn),), {}),
        rounds=PASSES * len(queries),
        warmup_rounds=len(queries),
    )
    benchmark.extra_info["queries"] = len(queries)
