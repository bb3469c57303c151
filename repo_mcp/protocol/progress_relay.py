"""The progress of one call on its way to the client, from whichever thread tells of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from repo_mcp.protocol.answers import encode_progress
from repo_mcp.protocol.tool_model import Progress

if TYPE_CHECKING:
    from repo_mcp.protocol.frames import JsonObject, RequestId

PROGRESS_SECONDS = 0.2  # between two notifications of one call


class ProgressRelay:
    """The progress of one call on its way to the client: a few times a second, never falling, then ended."""

    def __init__(
        self, say: Callable[[bytes], object], token: RequestId, meta: JsonObject | None = None
    ) -> None:
        self._say = say
        self._token = token
        self._meta = meta
        self._lock = threading.Lock()  # reports may come from several threads
        self._sent = -1.0
        self._latest: Progress | None = None
        self._next = 0.0  # time.monotonic
        self._closed = False

    def put(self, progress: Progress) -> None:
        """Take a report."""
        with self._lock:
            if self._latest is None or progress.done > self._latest.done:
                self._latest = progress
            if time.monotonic() >= self._next:
                self._send_latest()

    def finish(self) -> None:
        """Send the last report; nothing is sent from then on."""
        with self._lock:
            self._send_latest()
            self._closed = True

    def close(self) -> None:
        """Send nothing from now on. Does not wait for what is being sent."""
        self._closed = True

    def _send_latest(self) -> None:
        latest = self._latest
        if latest is None or latest.done <= self._sent or self._closed:
            return
        self._sent, self._next = latest.done, time.monotonic() + PROGRESS_SECONDS
        try:
            self._say(encode_progress(self._token, latest.done, latest.total, latest.message, self._meta))
        except ValueError:  # a lone surrogate, or no number
            pass
