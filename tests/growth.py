"""Measure how time grows with size, which is the same on every machine, while seconds are not.

A test that something is not slow does it at one size and at eight times that size, in one run: linear work
takes about eight times as long, n log n ten times, quadratic work sixty-four times. Where that cannot be
measured (in another process, in a wait), a test gives up after `HANG_SECONDS`, and asserts nothing else about
time.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import TypeVar

Prepared = TypeVar("Prepared")

FACTOR = 8
BOUND = 24.0  # three times linear; quadratic work is at 64
TRIES = 6
FAST_SECONDS = 0.004  # the least for all turns of a measurement: less is noise
# A shorter run counts as this long. A function that only copies a text takes microseconds, and its ratio
# shows caches and page faults: 8 as a rule, but 80 where the larger text does not fit into the cache.
LEAST_SECONDS = 0.0001
# The processor time of a thread is counted in ticks of 16 ms on Windows.
CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time
HANG_SECONDS = 120.0  # after which a test counts as hanging: twenty times the longest wait ever seen


def time_once(run: Callable[[Prepared], object], prepared: Prepared, turns: int) -> float:
    """Return the average processor time of `turns` runs in this thread, in seconds."""
    started = CLOCK()
    for _ in range(turns):
        run(prepared)
    return (CLOCK() - started) / turns


def measure_growth(
    prepare: Callable[[int], Prepared],
    run: Callable[[Prepared], object],
    size: int,
    *,
    factor: int = FACTOR,
    bound: float = BOUND,
) -> float:
    """Return how many times as long `run` takes when `prepare` makes something `factor` times as large.

    The best of several tries counts, because disturbances make a run longer; no more are made once the ratio
    is below the bound. Work that is too short to be measured is repeated.
    """
    small, large = prepare(size), prepare(factor * size)
    run(small)  # imports, and what is made at the first call
    was_on = gc.isenabled()
    gc.disable()
    try:
        once, longer = time_once(run, small, 1), time_once(run, large, 1)
        turns, turns_large = (round(1 + FAST_SECONDS / max(one, 1e-7)) for one in (once, longer))
        shorter = max(LEAST_SECONDS, time_once(run, small, turns))
        if turns_large > 1:
            longer = time_once(run, large, turns_large)
        for _ in range(TRIES - 1):
            if longer < bound * shorter:
                break
            shorter = min(shorter, max(LEAST_SECONDS, time_once(run, small, turns)))
            longer = min(longer, time_once(run, large, turns_large))
    finally:
        if was_on:
            gc.enable()
    return longer / shorter


def assert_linear(
    prepare: Callable[[int], Prepared],
    run: Callable[[Prepared], object],
    size: int,
    *,
    factor: int = FACTOR,
    bound: float = BOUND,
) -> None:
    """Fail when `run` takes more than `bound` times as long on a text `factor` times as large."""
    growth = measure_growth(prepare, run, size, factor=factor, bound=bound)
    assert growth < bound, f"{factor} times the size took {growth:.0f} times as long, which is not linear"
