"""The progress of a refresh: one line on standard error, rewritten in place, on a terminal alone.

Indexing  ███████░░░░░░░░░░░░░  30,112 of 78,239 files  412 MB  0:09  0:15 left
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_mcp.model import IndexProgress, ProgressCallback

_NAMES = {
    "walk": "Looking at files",
    "index": "Indexing",
    "structure": "Parsing",
    "vectors": "Embedding",
    "merge": "Merging",
    "commit": "Writing",
}
BAR_CELLS = 20
REDRAW_SECONDS = 0.1
ESTIMATE_SECONDS = 2.0  # of a phase, before what is left of it can be told from what is done
_CLEAR = "\r\x1b[K"


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[ProgressCallback | None]:
    """Yield a callback that draws the line, or None without a terminal. The line is removed at the end."""
    if quiet or not sys.stderr.isatty():  # whatever FORCE_COLOR says: a pipe keeps what is drawn
        yield None
        return
    line = ProgressLine(time.monotonic())
    try:
        yield lambda progress: line.draw(progress, time.monotonic())
    finally:
        _write(_CLEAR)


class ProgressLine:
    """The line of one refresh."""

    def __init__(self, started: float) -> None:
        """`started` and all later times are seconds of one clock."""
        self._started = started
        self._drawn = started - REDRAW_SECONDS
        self._phase = ""
        self._phase_started = started

    def draw(self, progress: IndexProgress, now: float) -> None:
        """Draw the line, unless it was drawn a moment ago."""
        text = self.render(progress, now)
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            _write(_CLEAR + text[: _find_width() - 1])

    def render(self, progress: IndexProgress, now: float) -> str:
        """Return the line: phase, bar, files, megabytes, time so far, and time left of the phase if known."""
        if progress.phase != self._phase:
            self._phase, self._phase_started = progress.phase, now
        parts = [_NAMES.get(progress.phase, progress.phase)]
        done, total = progress.files_done, progress.files_total
        if total:
            cells = min(done, total) * BAR_CELLS // total
            parts.append("█" * cells + "░" * (BAR_CELLS - cells))
        parts.append(f"{done:,} of {total:,} files" if total else f"{done:,} files")
        if progress.bytes_done:
            parts.append(f"{progress.bytes_done / 1e6:,.0f} MB")
        parts.append(_show_time(now - self._started))
        passed = now - self._phase_started
        if passed >= ESTIMATE_SECONDS and 0 < done <= total:
            parts.append(f"{_show_time(passed * (total - done) / done)} left")
        return "  ".join(parts)


def _show_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _find_width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
