"""A fixed loop of what the engine spends its time with: Python objects and numpy arrays.

It does not change with the project: a time divided by this one's means something on another machine.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

TEXT_REPEATS = 4_000
NUMBERS = 1_000_000


def calibrate() -> int:
    """Some 20 ms of work, half of it in numpy."""
    text = "def read_file(path, size): return cache.get(path) or open_file(path).read(size)\n" * TEXT_REPEATS
    words = Counter(word.lower() for word in re.findall(r"\w+", text))
    numbers = np.arange(NUMBERS, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers.sort()
    distinct = np.flatnonzero(np.diff(numbers >> np.uint64(44)))
    return len(words) + len(distinct)


def test_calibration(benchmark: BenchmarkFixture) -> None:
    assert benchmark(calibrate) > NUMBERS // 4
