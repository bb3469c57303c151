"""Places for calls that block: threads of our own, some calls at a time, the others in a queue.

A place is free again when its call has really ended, not when nobody waits for it any more, so that a
flood of cancelled calls cannot pile up work; one that is cancelled before it began leaves the queue, and
nothing of it is kept. Threads are started as they are needed and never keep the process from ending. Left
out on purpose: what a call does, and refusing one: over stdio the wire bounds the queue, over HTTP whoever
submits has to look whether it is full.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

MAX_CALLS = 8  # running at once; they share the interpreter, so more would only wait in threads

MAX_WAITING = 256  # calls in the queue over HTTP: one for each connection that there may be


class PooledCall:
    """One call in the pool."""

    __slots__ = ("_drop", "_take_back", "work")

    def __init__(
        self,
        work: Callable[[], object],
        drop: Callable[[], object],
        take_back: Callable[[PooledCall], bool],
    ) -> None:
        """`take_back` takes it out of the queue; False when it is not there any more."""
        self.work = work
        self._drop = drop
        self._take_back = take_back

    def cancel(self) -> None:
        """A call that has not begun never will, and is dropped; one that runs is not touched."""
        if self._take_back(self):
            self._drop()


class CallPool:
    """Runs calls in the order in which they come. Safe in any thread."""

    def __init__(self, places: int = MAX_CALLS) -> None:
        self._places = places
        self._lock = threading.Lock()  # guards all below
        self._came = threading.Condition(self._lock)
        self._ended = threading.Condition(self._lock)
        self._waiting: deque[PooledCall] = deque()
        self._running = 0
        self._threads = 0

    @property
    def is_full(self) -> bool:
        """True when the queue is as long as it may become where nothing else bounds it."""
        return len(self._waiting) >= MAX_WAITING

    def submit(self, work: Callable[[], object], drop: Callable[[], object]) -> PooledCall:
        """Run `work` in a thread; `drop` instead when it is cancelled before. What they raise is lost."""
        call = PooledCall(work, drop, self._take_back)
        with self._lock:
            self._waiting.append(call)
            starts = self._threads < min(self._places, self._running + len(self._waiting))
            self._threads += starts
            self._came.notify()
        if starts:
            threading.Thread(target=self._serve, name="call", daemon=True).start()
        return call

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Until no call runs or waits, at most so long."""
        with self._lock:
            self._ended.wait_for(lambda: not (self._running or self._waiting), patience_seconds)

    def _take_back(self, call: PooledCall) -> bool:
        with self._lock:
            if call not in self._waiting:
                return False
            self._waiting.remove(call)
            self._ended.notify_all()
            return True

    def _serve(self) -> None:
        while True:
            with self._lock:
                while not self._waiting:
                    self._came.wait()
                call = self._waiting.popleft()
                self._running += 1
            try:
                call.work()
            except Exception:  # whoever waits for it has seen to that; the place must not be lost
                pass
            finally:
                del call  # its arguments and answer
                with self._lock:
                    self._running -= 1
                    self._ended.notify_all()
