"""Tells the C library's allocator what to do with freed blocks.

Memory that a server needs only briefly stays with glibc, some 40 MB of it: each allocating thread has a heap
of its own, in which free blocks lie between long-lived ones. So all threads of a server share one heap, and
while the process works its free pages go back to the system once a second. Mapping and unmapping large
blocks one by one, as glibc does by default, costs a query a millisecond or more of page faults.

A process that builds shards allocates the same arrays again and again, so it keeps what it freed, and gives
it back before it encodes a merge.

Left out on purpose: systems without glibc, where nothing is changed.
"""

from __future__ import annotations

import sys
import threading
import time

from repo_mcp.threads import start_daemon

TYPE_CHECKING = False  # a constant, because typing would have to be imported before a client is answered
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PAUSE_SECONDS = 1.0
WORK_SECONDS = 0.01  # processor time between two returns of memory; less work allocates little
KEPT_BYTES = 256 << 20  # bytes; more than a shard needs
_LARGEST_THRESHOLD = 32 << 20  # the largest that glibc accepts as its threshold for mapping a block by itself
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # parameters of mallopt(3)


def share_heap() -> bool:
    """Make all threads started later allocate from one heap. Returns False where that cannot be set."""
    library = _open_library()
    return library is not None and bool(library.mallopt(_M_ARENA_MAX, 1))


def return_free_memory() -> bool:
    """Start a thread that keeps giving free pages back. Returns False where that cannot be done."""
    library = _open_library()
    if library is None:
        return False
    trim = library.malloc_trim
    return start_daemon(threading.Thread(target=_trim_for_ever, args=(trim,), name="allocator"))


def keep_blocks() -> bool:
    """Keep up to KEPT_BYTES of freed blocks for reuse. Returns False where that cannot be set."""
    library = _open_library()
    options = ((_M_MMAP_THRESHOLD, _LARGEST_THRESHOLD), (_M_TRIM_THRESHOLD, KEPT_BYTES))
    return library is not None and all(library.mallopt(*option) for option in options)


def give_back_blocks() -> bool:
    """Give the system what `keep_blocks` has kept so far. Returns False where that cannot be done."""
    library = _open_library()
    if library is None:
        return False
    library.malloc_trim(0)
    return True


def _open_library() -> Any:
    """Return the C library with the calls above; None where it is not glibc."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        library = ctypes.CDLL(None)
        return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
    except (ImportError, OSError):
        return None


def _trim_for_ever(trim: Callable[[int], int]) -> None:
    trimmed_at = 0.0  # processor time at the last return
    while True:
        time.sleep(PAUSE_SECONDS)
        if time.process_time() - trimmed_at >= WORK_SECONDS:
            trim(0)
            trimmed_at = time.process_time()
