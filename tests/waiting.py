"""Wait for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tests.growth import HANG_SECONDS

Found = TypeVar("Found")
MOMENT_SECONDS = 0.02


def wait_until(condition: Callable[[], Found], seconds: float = HANG_SECONDS) -> Found:
    """Return what a condition gives as soon as that is true. Raises AssertionError if it never is."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "what was waited for did not come"
        time.sleep(MOMENT_SECONDS)
    return found
