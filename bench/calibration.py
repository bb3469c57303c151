"""A fixed loop of what the engine spends its time with: Python objects and numpy arrays.

The loop never changes with the project, so times divided by its time can be compared between machines, and on
one machine while other programs use it.
"""

from __future__ import annotations

import re
import time
from collections import Counter

import numpy as np

TEXT_REPEATS = 4_000
NUMBERS = 1_000_000
TIMED = 3  # runs of the loop beside each benchmark, before it and after it; the best counts


def calibrate() -> int:
    """Run some 20 ms of work, half of it in numpy, and return a number that depends on all of it."""
    text = "def read_file(path, size): return cache.get(path) or open_file(path).read(size)\n" * TEXT_REPEATS
    words = Counter(word.lower() for word in re.findall(r"\w+", text))
    numbers = np.arange(NUMBERS, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers.sort()
    distinct = np.flatnonzero(np.diff(numbers >> np.uint64(44)))
    return len(words) + len(distinct)


def time_calibration() -> float:
    """Return the seconds that the loop takes, the best of TIMED."""
    best = float("inf")
    for _ in range(TIMED):
        started = time.perf_counter()
        calibrate()
        best = min(best, time.perf_counter() - started)
    return best
