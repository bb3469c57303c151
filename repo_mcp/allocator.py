"""The C library's allocator, told which freed blocks to give back to the system.

glibc takes a large block from the system by itself, and gives it back when it is freed; but what is large
grows with every such block, to 32 MB. A server's arrays soon are smaller than that, and lie in heaps among
what lives long, so that half of what a query needed for a moment stays. A process that builds shards takes
the same arrays again and again, and each page that it gave back costs a fault: it had better keep them.
"""

from __future__ import annotations

import sys

LARGE_BYTES = 1 << 20  # 512 KB saved little more, and 128 KB made queries half as slow again
KEPT_BYTES = 256 << 20  # more than a shard takes
_LARGEST_THRESHOLD = 32 << 20  # that glibc accepts for what it takes from the system by itself
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)


def return_large_blocks() -> bool:
    """Have blocks of LARGE_BYTES and more given back when they are freed. False where that cannot be said."""
    return _set_options((_M_MMAP_THRESHOLD, LARGE_BYTES))


def keep_blocks() -> bool:
    """Have up to KEPT_BYTES of freed blocks kept for the next ones. False where that cannot be said."""
    return _set_options((_M_MMAP_THRESHOLD, _LARGEST_THRESHOLD), (_M_TRIM_THRESHOLD, KEPT_BYTES))


def _set_options(*options: tuple[int, int]) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        library = ctypes.CDLL(None)
        return all(library.mallopt(option, value) for option, value in options)
    except (ImportError, OSError, AttributeError):  # another C library
        return False
