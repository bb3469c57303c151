"""Runs of integers, for laying out many lists at a time."""

from __future__ import annotations

import numpy as np

from index_format.records import I64


def spread_runs(starts: I64, counts: I64) -> I64:
    """`counts` integers from each start on, run after run: (5, 9), (2, 3) -> 5 6 9 10 11."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: I64 = np.repeat(starts - (ends - counts), counts)
    places += np.arange(total, dtype=np.int64)
    return places
