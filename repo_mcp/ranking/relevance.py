"""How relevant a hit is, in percent: one scale for every search that has it.

A hit's share is its score by the best score that anything could reach with its query: so it is at most 1,
orders hits as their scores do, and says the same from query to query: that much of what was asked is there.
Percent are 100 times its square root, which spreads the low end, where most hits lie.
"""

from __future__ import annotations

import math


def rate_percent(share: float) -> float:
    """0 to 100 for a share from 0 to 1."""
    return round(100.0 * math.sqrt(min(1.0, max(0.0, share))), 2)
