"""Files that change, and the least that any program must do to notice."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

CHANGED_FILES = 20


def walk_plainly(root: Path) -> int:
    """List every directory and stat every file, the least that finding changed files takes."""
    return sum(
        os.lstat(os.path.join(directory, name)).st_size
        for directory, _, names in os.walk(root)
        for name in names
    )


def time_plain_walk(root: Path) -> float:
    """Return the seconds of a plain walk, the median of five."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        walk_plainly(root)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def time_plain_reading(root: Path) -> float:
    """Return the seconds it takes to read every file once, one after the other, from the page cache."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(root) for name in names]
    started = time.perf_counter()
    for path in paths:
        if os.path.isfile(path):
            Path(path).read_bytes()
    return time.perf_counter() - started


def choose_edited(paths: Sequence[str]) -> list[str]:
    """Return CHANGED_FILES of the paths, evenly spaced; all of them when there are fewer."""
    return list(paths[:: max(1, len(paths) // CHANGED_FILES)][:CHANGED_FILES])


class Edits:
    """Changes the same files repeatedly, and restores them."""

    def __init__(self, root: Path, paths: list[str]) -> None:
        self._files = [root / path for path in paths]
        self._before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in self._files]
        self._edits = 0

    def edit(self) -> None:
        """Append one more line to each file."""
        self._edits += 1
        for file, (text, _) in zip(self._files, self._before, strict=True):
            file.write_bytes(text + b"\nedited_%d = bench_marker\n" % self._edits)

    def undo(self) -> None:
        """Restore the files' bytes and times."""
        for file, (text, mtime_ns) in zip(self._files, self._before, strict=True):
            file.write_bytes(text)
            os.utime(file, ns=(mtime_ns, mtime_ns))
