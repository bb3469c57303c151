"""Wait for what other threads and processes do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
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


def is_running(pid: int) -> bool:
    """Return whether a process runs; not if it has ended and nobody has asked how."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it has just ended, or there is no /proc
        return not os.path.isdir("/proc/self")
    return state.rpartition(")")[2].split()[0] != "Z"
