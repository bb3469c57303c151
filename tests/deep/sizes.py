"""Choose how many rounds a run does: `make deep SHARE=100` does all, and `make deep` a tenth (DEEP_SHARE).

A check, which has no DEEP_SHARE, does a small part of tests that are long and seldom find anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

IS_DEEP = "DEEP_SHARE" in os.environ
SHARE = max(1, min(100, int(os.environ.get("DEEP_SHARE", "100"))))
T = TypeVar("T")
FEW = 10  # examples of a property in a check; the next check tries others


def scale(whole: int) -> int:
    """Return the share of a number of rounds that this run does, at least one."""
    return max(1, whole * SHARE // 100)


def take_share(values: Sequence[T]) -> Sequence[T]:
    """Return the share of some values that this run takes, spread evenly over them."""
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
