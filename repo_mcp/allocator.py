"""The C library's allocator, told to give large blocks back to the system.

glibc takes a large block from the system by itself, and gives it back when it is freed; but what is large
grows with every such block, to 32 MB. A server's arrays soon are smaller than that, and lie in heaps among
what lives long, so that half of what a query needed for a moment stays.
"""

from __future__ import annotations

import sys

LARGE_BYTES = 1 << 20  # 512 KB saved little more, and 128 KB made queries half as slow again
_M_MMAP_THRESHOLD = -3  # of mallopt(3)


def return_large_blocks() -> bool:
    """Have blocks of LARGE_BYTES and more given back when they are freed. False where that cannot be said."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES))
    except (ImportError, OSError, AttributeError):  # another C library
        return False
