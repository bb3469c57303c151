"""How much of the whole size a run does: `make deep` all of it, or the percentage that DEEP_SHARE says.

A check, which has no DEEP_SHARE, does a small part of what is long and seldom finds anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

IS_DEEP = "DEEP_SHARE" in os.environ
SHARE = max(1, min(100, int(os.environ.get("DEEP_SHARE", "100"))))
T = TypeVar("T")
FEW = 15  # examples of a property in a check; another fifteen in the next


def scale(whole: int) -> int:
    """Return that share of a number of rounds, one at least."""
    return max(1, whole * SHARE // 100)


def take_share(values: Sequence[T]) -> Sequence[T]:
    """Return that share of the values, spread evenly over them."""
    return values[:: 100 // SHARE]


def choose(few: int, whole: int) -> int:
    """Return the rounds of a test with the mark `sized`: few in a check, and in a deep run that share of all
    of them, but no fewer than in a check.
    """
    return max(min(few, whole), scale(whole)) if IS_DEEP else few


def examples(whole: int) -> int:
    """Return how many examples of a property to try. A test that has more in a deep run is run there, too."""
    return choose(min(FEW, whole), whole)


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """Return parameters of which a check tries the first `count`, and `make deep` all."""
    return [
        value if number < count else pytest.param(value, marks=pytest.mark.deep)
        for number, value in enumerate(values)
    ]
