"""The relevance of a hit, in percent: one scale for every search that reports it.

A hit's share is its score divided by the best score that anything could reach with its query. It is at most
1, orders hits as their scores do, and means the same for every query: how much of what was asked is there.
The percentage is 100 times its square root, which spreads out the low end, where most hits lie.
"""

from __future__ import annotations

import math


def rate_percent(share: float) -> float:
    """Return 0 to 100 for a share from 0 to 1, rounded to two decimals."""
    return round(100.0 * math.sqrt(min(1.0, max(0.0, share))), 2)
