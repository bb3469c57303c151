"""How much of the whole size the deep suites run: all of it, or the percentage that DEEP_SHARE says."""

from __future__ import annotations

import os

SHARE = max(1, min(100, int(os.environ.get("DEEP_SHARE", "100"))))


def scale(whole: int) -> int:
    """That share of a number of rounds, one at least."""
    return max(1, whole * SHARE // 100)
