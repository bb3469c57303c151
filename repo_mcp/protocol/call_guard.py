"""The limits of calls: how many a server takes in a second, and how long one that reads may take.

A server has one guard, which all its toolsets share, so every call passes it: over stdio in either era, over
HTTP, through the SDK, and as a task. A call too many is refused at next to no cost, and the refusal says when
to try again. A call that reads runs in a thread that can be left behind: a file system that hangs (a dead
NFS, FUSE) may block a thread for any time, and whoever waits gets TIMEOUT. The thread is used again if it
comes back. While MAX_STUCK threads are left behind, calls are refused, so that a tree that hangs does not
take a thread for every call. The time in which the client's own model is asked does not count. Calls that
index or research have no time limit: how long they take depends on the tree, they report progress, and the
client can cancel them.

Left out on purpose: how a refusal is rendered and logged, which is as for any other failure.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext, Question
from repo_mcp.record_classes import replace
from repo_mcp.threads import start_daemon

BURST_SECONDS = 10  # as many calls as are allowed in this time may come at once
MAX_STUCK = 32  # threads left behind; each holds some 100 KB
RECORD_SECONDS = 1.0  # Most time for a line of the log while threads are left behind: it may hang too
IDLE_THREADS = 16  # idle threads kept for the next calls; more than calls run at once

Made = TypeVar("Made")
Clock = Callable[[], float]


class TokenBucket:
    """Lets `per_second` calls through in the long run, and a burst of BURST_SECONDS. Safe in any thread."""

    def __init__(self, per_second: int, clock: Clock) -> None:
        self.per_second = per_second
        self._clock = clock
        self._lock = threading.Lock()
        self._most = float(per_second * BURST_SECONDS)
        self._tokens = self._most
        self._filled_at = clock()

    def take(self) -> float:
        """Take a token and return 0.0; without one return the seconds until there is one."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._most, self._tokens + (now - self._filled_at) * self.per_second)
            self._filled_at = now
            if self._tokens < 1.0:
                return (1.0 - self._tokens) / self.per_second
            self._tokens -= 1.0
            return 0.0


class _Work(Generic[Made]):
    """A function that another thread runs, and what came of it."""

    def __init__(self, run: Callable[[], Made]) -> None:
        self._run = run
        self._made: list[Made] = []
        self._raised: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        """Run the function, and keep what it returns or raises."""
        try:
            self._made.append(self._run())
        except BaseException as error:  # A question to the client's model is not an Exception
            self._raised = error

    def take(self) -> Made:
        """Return what the function returned, or raise what it raised. To be called once, when it is done."""
        raised, self._raised = self._raised, None
        if raised is None:
            return self._made[0]
        try:
            raise raised
        finally:
            del raised  # otherwise its frames, and all that they refer to, would live until a collection


class _Threads:
    """Threads for work that may be left behind. They never keep the process from ending."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[_Work[object]]] = []  # the inbox of each idle thread

    def start(self, work: _Work[Made]) -> bool:
        """Run the work in a thread. Returns False when none is idle, and the system refuses another."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            if not start_daemon(threading.Thread(target=self._serve, args=(inbox,), name="guarded")):
                return False
        inbox.put(work)  # type: ignore[arg-type]
        return True

    def _serve(self, inbox: SimpleQueue[_Work[object]]) -> None:
        kept = True
        while kept:
            work = inbox.get()
            work.run()
            with self._lock:
                kept = len(self._idle) < IDLE_THREADS
                if kept:
                    self._idle.append(inbox)
            work.done.set()
            del work  # releases its arguments and its result


class _TimeLeft:
    """The time that one call has left. While the client's model is asked, the clock stands still."""

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._deadline = time.monotonic() + seconds
        self._asking_since: float | None = None
        self._over = False

    def left(self) -> float:
        """Return the seconds left, at least 1 while a question is open."""
        with self._lock:
            if self._asking_since is not None:
                return max(1.0, self._deadline - self._asking_since)
            return self._deadline - time.monotonic()

    def is_over(self) -> bool:
        return self._over

    def end(self) -> bool:
        """Give the call up if its time is over.

        Return False when it is not: a question was begun meanwhile.
        """
        with self._lock:
            self._over = self._asking_since is None and time.monotonic() >= self._deadline
            return self._over

    def wrap(self, ask: Callable[[Question], str | None]) -> Callable[[Question], str | None]:
        """Return `ask` with the clock stopped while it runs.

        An abandoned call asks nothing any more.
        """

        def ask_without_clock(question: Question) -> str | None:
            with self._lock:
                if self._over:
                    return None
                self._asking_since = since = time.monotonic()
            try:
                return ask(question)
            finally:
                with self._lock:
                    self._deadline += time.monotonic() - since
                    self._asking_since = None

        return ask_without_clock


class CallGuard:
    """The limits that the calls of one server are held to. Safe in any thread."""

    def __init__(self, calls_per_second: int, timeout_seconds: float, clock: Clock = time.monotonic) -> None:
        """Limit nothing where a number is 0."""
        self._bucket = TokenBucket(calls_per_second, clock) if calls_per_second else None
        self._timeout_seconds = timeout_seconds
        self._threads = _Threads()
        self._lock = threading.Lock()
        self._stuck: set[_Work[object]] = set()  # left behind; under the lock
        self._hung_record: _Work[bool] | None = None  # the last line of the log that was left behind

    def run(self, work: Callable[[CallContext], Made], context: CallContext, *, has_time_limit: bool) -> Made:
        """Return what `work` returns. Raises TOO_MANY_CALLS, and TIMEOUT where the call has a time limit."""
        self._admit()
        if not has_time_limit or not self._timeout_seconds:
            return work(context)
        time_left = _TimeLeft(self._timeout_seconds)
        guarded = replace(
            context,
            cancelled=lambda: time_left.is_over() or context.cancelled(),
            ask=None if context.ask is None else time_left.wrap(context.ask),
        )
        running = _Work(lambda: work(guarded))
        if not self._threads.start(running):  # an answer without a limit is better than none
            return work(context)
        while not running.done.wait(max(0.0, time_left.left())):
            if time_left.end():
                self._leave_behind(running)
                raise RepoError(
                    ErrorCode.TIMEOUT,
                    f"The call took longer than {self._timeout_seconds:g} seconds and was stopped.",
                    "Ask for less: a narrower name, path or question. If even a small file cannot be opened,"
                    " tell the user that the files may be on a file system that hangs.",
                )
        return running.take()

    def record(self, write: Callable[[], bool], *, apart: bool = False) -> bool:
        """Write a line of the log with `write` and return what that returns; False when it hangs.

        While calls are left behind, or with `apart`, the line is written by another thread, which can be
        left behind too; `apart` is for threads that all calls wait for, such as the reader's. Lines are
        written one after the other: while one hangs, no other takes a thread to wait for it.
        """
        if not (apart or self._count_stuck()):
            return write()
        hung = self._hung_record
        if hung is not None and not hung.done.is_set():
            return False
        writing = _Work(write)
        if not self._threads.start(writing):
            return False
        if writing.done.wait(RECORD_SECONDS):
            return writing.take()
        self._hung_record = writing
        self._leave_behind(writing)
        return False

    def _admit(self) -> None:
        """Raise TOO_MANY_CALLS when this call is one too many."""
        seconds = 0.0 if self._bucket is None else self._bucket.take()
        if self._bucket is not None and seconds:
            raise RepoError(
                ErrorCode.TOO_MANY_CALLS,
                f"More than {self._bucket.per_second:,} calls a second.",
                f"Try again in {max(0.1, seconds):.1f} seconds.",
            )
        stuck = self._count_stuck()
        if stuck >= MAX_STUCK:
            raise RepoError(
                ErrorCode.TOO_MANY_CALLS,
                f"{stuck} calls hang, perhaps on a file system that does not respond.",
                "Try again in 60 seconds, and tell the user.",
            )

    def _leave_behind(self, work: _Work[Made]) -> None:
        with self._lock:
            self._stuck.add(work)  # type: ignore[arg-type]

    def _count_stuck(self) -> int:
        """Return the number of threads that were left behind and have not come back."""
        if not self._stuck:
            return 0
        with self._lock:
            self._stuck = {work for work in self._stuck if not work.done.is_set()}
            return len(self._stuck)


UNGUARDED = CallGuard(0, 0)  # for callers of tools without a server
