"""The C library's allocator, told to give back what is free.

What a query or a phase needed for a moment stays with glibc: in a heap of its own for each thread that
allocates, and there between the blocks of what lives long, some 40 MB of a server. So all threads share one
heap, and while the process works its free pages go back to the system once a second. Blocks that are
taken and given back one by one, which is glibc's own way for large ones, cost a query a millisecond and
more of page faults.

Left out on purpose: systems without glibc, which are left as they are.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

PAUSE_SECONDS = 1.0
WORK_SECONDS = 0.01  # of processor time in between; what worked less took little
_M_ARENA_MAX = -8  # of mallopt(3)


def return_free_memory() -> bool:
    """Have free pages given back from now on. False where that cannot be said."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        library = ctypes.CDLL(None)
        trim = library.malloc_trim
        library.mallopt(_M_ARENA_MAX, 1)
    except (ImportError, OSError, AttributeError):  # another C library
        return False
    threading.Thread(target=_trim_for_ever, args=(trim,), name="allocator", daemon=True).start()
    return True


def _trim_for_ever(trim: Callable[[int], int]) -> None:
    trimmed_at = 0.0  # of the processor time
    while True:
        time.sleep(PAUSE_SECONDS)
        if time.process_time() - trimmed_at >= WORK_SECONDS:
            trim(0)
            trimmed_at = time.process_time()
