"""Places for calls that block: threads of our own, some calls at a time, the others in a queue.

A place is free again when its call has really ended, not when nobody waits for it any more, so that a
flood of cancelled calls cannot pile up work. Threads are started as they are needed and never keep the
process from ending. Left out on purpose: what a call does, and a limit of the queue: the wire bounds it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

MAX_CALLS = 8  # running at once; they share the interpreter, so more would only wait in threads


class PooledCall:
    """One call in the pool."""

    __slots__ = ("_begun", "_drop", "_work")

    def __init__(self, work: Callable[[], object], drop: Callable[[], object]) -> None:
        self._work = work
        self._drop = drop
        self._begun = threading.Lock()  # taken once: by the call as it begins, or by who cancels it before

    def run(self) -> None:
        """Run it, unless it was cancelled before."""
        if self._begun.acquire(blocking=False):
            self._work()

    def cancel(self) -> None:
        """A call that has not begun never will, and is dropped; one that runs is not touched."""
        if self._begun.acquire(blocking=False):
            self._drop()


class CallPool:
    """Runs calls in the order in which they come. Safe in any thread."""

    def __init__(self, places: int = MAX_CALLS) -> None:
        self._places = places
        self._waiting: SimpleQueue[PooledCall] = SimpleQueue()
        self._lock = threading.Condition()  # guards the two below
        self._threads = 0
        self._unfinished = 0

    def submit(self, work: Callable[[], object], drop: Callable[[], object]) -> PooledCall:
        """Run `work` in a thread; `drop` instead when it is cancelled before. What they raise is lost."""
        call = PooledCall(work, drop)
        with self._lock:
            self._unfinished += 1
            starts = self._threads < min(self._places, self._unfinished)
            self._threads += starts
        self._waiting.put(call)
        if starts:
            threading.Thread(target=self._serve, name="call", daemon=True).start()
        return call

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Until no call runs or waits, at most so long."""
        with self._lock:
            self._lock.wait_for(lambda: not self._unfinished, patience_seconds)

    def _serve(self) -> None:
        while True:
            call = self._waiting.get()
            try:
                call.run()
            except Exception:  # whoever waits for it has seen to that; the place must not be lost
                pass
            finally:
                del call  # its arguments and answer
                with self._lock:
                    self._unfinished -= 1
                    self._lock.notify_all()
