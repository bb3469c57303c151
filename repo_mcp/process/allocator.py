"""The C library's allocator, told what becomes of freed blocks.

What a query or a phase of a server needed for a moment stays with glibc: in a heap of its own for each thread
that allocates, and there between the blocks of what lives long, some 40 MB. So all threads of a server share
one heap, and while the process works its free pages go back to the system once a second. Blocks that are
taken and given back one by one, which is glibc's own way for large ones, cost a query a millisecond and
more of page faults.

A process that builds shards takes the same arrays again and again: it keeps what it freed.

Left out on purpose: systems without glibc, which are left as they are.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PAUSE_SECONDS = 1.0
WORK_SECONDS = 0.01  # of processor time in between; what worked less took little
KEPT_BYTES = 256 << 20  # more than a shard takes
_LARGEST_THRESHOLD = 32 << 20  # that glibc accepts for what it takes from the system by itself
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of mallopt(3)


def share_heap() -> bool:
    """Have all threads to come take blocks from one heap. False where that cannot be said."""
    library = _open_library()
    return library is not None and bool(library.mallopt(_M_ARENA_MAX, 1))


def return_free_memory() -> bool:
    """Have free pages given back from now on, by a thread of its own. False where that cannot be said."""
    library = _open_library()
    if library is None:
        return False
    trim = library.malloc_trim
    threading.Thread(target=_trim_for_ever, args=(trim,), name="allocator", daemon=True).start()
    return True


def keep_blocks() -> bool:
    """Have up to KEPT_BYTES of freed blocks kept for the next ones. False where that cannot be said."""
    library = _open_library()
    options = ((_M_MMAP_THRESHOLD, _LARGEST_THRESHOLD), (_M_TRIM_THRESHOLD, KEPT_BYTES))
    return library is not None and all(library.mallopt(*option) for option in options)


def _open_library() -> Any:
    """The C library with the calls above; None where it is another."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        library = ctypes.CDLL(None)
        return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
    except (ImportError, OSError):
        return None


def _trim_for_ever(trim: Callable[[int], int]) -> None:
    trimmed_at = 0.0  # of the processor time
    while True:
        time.sleep(PAUSE_SECONDS)
        if time.process_time() - trimmed_at >= WORK_SECONDS:
            trim(0)
            trimmed_at = time.process_time()
