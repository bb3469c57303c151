"""How time grows with the size, which is the same on every machine, where seconds are not.

A test that something is not slow does it at one size and at eight times that size, in one run: linear work
takes about eight times as long, n log n ten times, quadratic work sixty-four times. Where that cannot be
asked (a process of its own, a wait), `HANG_SECONDS` says when a test gives up, and asserts nothing else.
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
FAST_SECONDS = 0.004  # of one measurement at least, in all its turns: less is noise
# A shorter run counts as this long. What copies a text and returns takes microseconds, and its ratio tells
# caches and page faults: 8 as a rule, and 80 on a machine where the larger text no longer fits.
LEAST_SECONDS = 0.0001
# The processor time of a thread is counted in ticks of 16 ms on Windows.
CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time
HANG_SECONDS = 120.0  # then a test hangs: twenty times the longest that was ever seen


def time_once(run: Callable[[Prepared], object], prepared: Prepared, turns: int) -> float:
    """Return the seconds of the processor, in this thread, that `turns` runs took, on average."""
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
    """Return how many times as long `run` takes where `prepare` makes what is `factor` times as large.

    The best of several tries each, but none after the ratio is below the bound: what disturbs a run makes
    it longer. What takes too little to be measured is run more than once.
    """
    small, large = prepare(size), prepare(factor * size)
    run(small)  # imports, and what is made at the first call
    turns, turns_large = (
        round(1 + FAST_SECONDS / max(time_once(run, one, 1), 1e-7)) for one in (small, large)
    )
    was_on = gc.isenabled()
    gc.disable()
    try:
        shorter = longer = float("inf")
        for _ in range(TRIES):
            shorter = min(shorter, max(LEAST_SECONDS, time_once(run, small, turns)))
            longer = min(longer, time_once(run, large, turns_large))
            if longer < bound * shorter:
                break
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
