"""What look-ups of runs gave that took long, for the next pattern that has one of them. Safe for threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from repo_mcp.exact.required_terms import Run

KEPT_RUNS = 64
Kept = TypeVar("Kept")


class KeptRuns(Generic[Kept]):
    """The last KEPT_RUNS that were asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Run, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, run: Run) -> Kept | None:
        """What was kept for a run."""
        with self._lock:
            found = self._kept.get(run)
            if found is not None:
                self._kept.move_to_end(run)
            return found

    def keep(self, run: Run, found: Kept) -> None:
        """Keep what was found; what was not asked for the longest goes."""
        with self._lock:
            self._kept[run] = found
            if len(self._kept) > KEPT_RUNS:
                self._kept.popitem(last=False)
