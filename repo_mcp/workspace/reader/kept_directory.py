"""Keep the directory of the last file that was read open for a moment, for the files beside it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from repo_mcp.record_classes import dataclass

KEPT_SECONDS = 0.25  # a directory that is replaced while it is open is noticed after this time at the latest


@dataclass(slots=True)
class OpenDirectory:
    """A directory that one thread reads from."""

    path: str
    descriptor: int
    opened_at: float  # time.monotonic


class KeptDirectory:
    """Keeps at most one open directory. Safe for use from several threads."""

    def __init__(self, open_directory: Callable[[str], int], close_directory: Callable[[int], None]) -> None:
        """Take functions that open a directory by its path, and close it by its descriptor."""
        self._open = open_directory
        self._close = close_directory
        self._kept: OpenDirectory | None = None
        self._lock = threading.Lock()

    def take(self, path: str) -> OpenDirectory:
        """Return the directory at `path`, for this thread alone until `give_back`. Raises OSError."""
        now = time.monotonic()
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            if kept.path == path and now - kept.opened_at < KEPT_SECONDS:
                return kept
            self._close(kept.descriptor)
        return OpenDirectory(path, self._open(path), now)

    def give_back(self, directory: OpenDirectory) -> None:
        """Keep the directory for the next call, unless another thread's is being kept.

        Not on Windows, where nobody could rename or delete it meanwhile.
        """
        if sys.platform != "win32":
            with self._lock:
                if self._kept is None:
                    self._kept = directory
                    return
        self._close(directory.descriptor)

    def close(self) -> None:
        """Close the directory that is kept, if there is one."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            self._close(kept.descriptor)
