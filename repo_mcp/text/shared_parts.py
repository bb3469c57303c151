"""Compare names and paths by their parts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile


def count_shared(one: Iterable[str], other: Iterable[str]) -> int:
    """Return the number of first parts that two names or paths share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
