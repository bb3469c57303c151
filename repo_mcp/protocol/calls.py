"""Runs calls: in a pool of threads, within the operator's limits, from the request to the answer.

    CallGuard      how many calls may come in a second, and how long one that reads may take
    CallPool       the threads that run calls, and the queue in front of them
    AnsweredCall   a call that a client waits for, with its progress and its cancellation

A server has one guard, which all its toolsets share, so every call passes it: over stdio in either era, over
HTTP, through the SDK, and as a task. A call too many is refused at next to no cost, and the refusal says when
to try again. A call that reads runs in a thread that can be left behind: a file system that hangs (a dead
NFS, FUSE) may block a thread for any time, and whoever waits gets TIMEOUT. The thread is used again if it
comes back. While MAX_STUCK threads are left behind, calls are refused, so that a tree that hangs does not
take a thread for every call. The time in which the client's own model is asked does not count. Calls that
index or research have no time limit: how long they take depends on the tree, they report progress, and the
client can cancel them.

The pool runs as many calls at a time as there are slots; the others wait in a queue. A slot is free when its
call has really ended, not when nobody waits for it any more, so a flood of cancelled calls cannot pile up
work. A call that is cancelled before it began leaves the queue. Threads are started as they are needed and
never keep the process from ending.

Left out on purpose: how a refusal is rendered and logged, which is as for any other failure; refusing a call
because the queue is full, which over stdio the wire prevents and over HTTP the caller has to check; and calls
whose results are fetched later (`repo_mcp.protocol.task_methods`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.messages import encode_progress
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Progress, Question, Tool, ToolAnswer
from repo_mcp.record_classes import replace
from repo_mcp.threads import REFUSED, start_daemon

if TYPE_CHECKING:
    from repo_mcp.protocol.frames import JsonObject, RequestId
    from repo_mcp.protocol.messages import Answers, Caller
    from repo_mcp.protocol.sampling import Round, Sampler
    from repo_mcp.protocol.wire import Wire


BURST_SECONDS = 10  # as many calls as are allowed in this time may come at once
MAX_STUCK = 32  # threads left behind; each holds some 100 KB
RECORD_SECONDS = 1.0  # for a line of the log while threads are left behind: its directory may hang as well
IDLE_THREADS = 16  # kept for the next calls; more than calls run at once
MAX_CALLS = 8  # running at once; they share the interpreter, so more would only wait in threads
MAX_WAITING = 256  # calls in the queue over HTTP: one for each connection that there may be
PROGRESS_SECONDS = 0.2  # between two notifications of one call

Made = TypeVar("Made")
Clock = Callable[[], float]


class TokenBucket:
    """Lets `per_second` calls through in the long run, and a burst of BURST_SECONDS. Safe in any thread."""

    def __init__(self, per_second: int, clock: Clock = time.monotonic) -> None:
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
        except BaseException as error:  # a question to the client's model is not an Exception
            self._raised = error

    def take(self) -> Made:
        """Return what the function returned, or raise what it raised. To be called once, when it is done."""
        raised, self._raised = self._raised, None
        if raised is None:
            return self._made[0]
        try:
            raise raised
        finally:
            del raised  # else it would keep its frames, and all that they refer to, until a collection


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
            del work  # its arguments and result


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
                    "Ask for less; if this happens again, tell the user that the files may be on a file"
                    " system that hangs.",
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


UNGUARDED = CallGuard(0, 0)  # for whoever calls tools without a server


Outcome = ToolAnswer | Question | None  # an answer, what is needed for one, or a failure


class PooledCall:
    """A call that waits or runs in the pool."""

    __slots__ = ("_drop", "_take_back", "work")

    def __init__(
        self,
        work: Callable[[], object],
        drop: Callable[[], object],
        take_back: Callable[[PooledCall], bool],
    ) -> None:
        """Make a call that runs `work`, or `drop` when it is cancelled before that.

        `take_back` takes it out of the queue, and returns False when it is not there.
        """
        self.work = work
        self._drop = drop
        self._take_back = take_back

    def cancel(self) -> None:
        """Drop the call unless it has begun: then it never will. A running one is not touched."""
        if self._take_back(self):
            self._drop()


class CallPool:
    """Runs calls in the order in which they come. Safe in any thread."""

    def __init__(self, slots: int = MAX_CALLS) -> None:
        self._slots = slots
        self._lock = threading.Lock()  # guards all below
        self._came = threading.Condition(self._lock)
        self._ended = threading.Condition(self._lock)
        self._waiting: deque[PooledCall] = deque()
        self._running = 0
        self._threads = 0

    @property
    def is_full(self) -> bool:
        """Return True when MAX_WAITING calls wait: callers without a limit must refuse the next one."""
        return len(self._waiting) >= MAX_WAITING

    def submit(self, work: Callable[[], object], drop: Callable[[], object]) -> PooledCall:
        """Run `work` in a thread; or `drop`, when the call is cancelled first. What they raise is lost.

        Raises RuntimeError when there is no thread and the system refuses one.
        """
        call = PooledCall(work, drop, self._take_back)
        with self._lock:
            self._waiting.append(call)
            starts = self._threads < min(self._slots, self._running + len(self._waiting))
            self._threads += starts
            self._came.notify()
        if starts:
            thread = threading.Thread(target=self._serve, name="call")
            if not start_daemon(thread) and not self._note_missing_thread(call):
                raise RuntimeError(REFUSED)
        return call

    def _note_missing_thread(self, call: PooledCall) -> bool:
        """Return True when another thread takes the call that one could not be started for."""
        with self._lock:
            self._threads -= 1
            if not self._threads and call in self._waiting:
                self._waiting.remove(call)
                return False
            return True

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Wait until no call runs or waits, at most `patience_seconds`."""
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
            except Exception:  # whoever waits for it has seen to that; the slot must not be lost
                pass
            finally:
                del call  # its arguments and answer
                with self._lock:
                    self._running -= 1
                    self._ended.notify_all()


def submit_tool(
    pool: CallPool,
    tool: Tool,
    arguments: Mapping[str, object],
    context: CallContext,
    end: Callable[[Outcome], object],
) -> PooledCall:
    """Have a thread of the pool call the tool and then `end`, whatever happens.

    A call that is cancelled before it begins is dropped instead, and `end` is not called.
    """

    def drop() -> None:
        if tool.drop is not None:
            tool.drop(arguments, context)

    return pool.submit(lambda: end(run_tool(tool, arguments, context)), drop)


def run_tool(tool: Tool, arguments: Mapping[str, object], context: CallContext) -> Outcome:
    """Return the tool's answer, the question that it asks first, or None for a defect."""
    try:
        return tool.call(arguments, context)
    except AnswerNeeded as needed:
        return needed.question
    except Exception:  # a defect: tools answer whatever happens
        return None


class AnsweredCall:
    """A call in flight. It ends once: when it is answered or when it is cancelled, whichever comes first."""

    def __init__(
        self,
        wire: Wire,
        answers: Answers,
        request_id: RequestId,
        caller: Caller,
        *,
        sampler: Sampler | None = None,
        round_: Round | None = None,
        encode: Callable[[ToolAnswer], bytes] | None = None,
        modern: bool,
    ) -> None:
        """Ask the client's model by `sampler` or in a `round_`; not at all when both are None.

        `encode` gives the frame of an answer to any other method than `tools/call`.
        """
        self.request_id = request_id
        self._wire = wire
        self._answers = answers
        self._caller = caller
        self._sampler = sampler
        self._round = round_
        self._encode_otherwise = encode
        self._modern = modern
        self._ending = threading.Lock()  # taken once and never released: by the answer or by `cancel`
        self._cancelled = threading.Event()
        self._pooled: PooledCall | None = None
        token = caller.progress_token
        self._progress = None if token is None else ProgressRelay(wire.say, token)

    def submit(
        self,
        pool: CallPool,
        tool: Tool,
        arguments: Mapping[str, object],
        forget: Callable[[AnsweredCall], object],
    ) -> None:
        """Have a thread of the pool call the tool. `forget` is called once the call has ended."""
        is_cancelled = self._cancelled.is_set
        ask: Callable[[Question], str | None] | None = None
        if self._round is not None:
            ask = self._round.ask
        elif self._sampler is not None:
            ask = partial(self._sampler.ask, cancelled=is_cancelled)
        report = None if self._progress is None else self._progress.put
        context = CallContext(is_cancelled, report, (self._caller.name, self._caller.version), ask)

        def end(outcome: Outcome) -> None:
            try:
                self._end(outcome)
            finally:
                forget(self)

        self._pooled = submit_tool(pool, tool, arguments, context, end)

    def cancel(self) -> None:
        """End the call because the client no longer waits: send nothing, and cancel its work."""
        if not self._ending.acquire(blocking=False):
            return
        self._cancelled.set()
        if self._progress is not None:
            self._progress.close()
        self._wire.drop(self.request_id)
        if self._pooled is not None:
            self._pooled.cancel()

    def _end(self, outcome: Outcome) -> None:
        """Send the answer; an internal error for None."""
        if not self._ending.acquire(blocking=False):
            return
        if self._progress is not None:
            self._progress.finish()
        try:
            frame = self._encode(outcome)
        except Exception:  # a lone surrogate, or a defect: the client must not wait for ever
            frame = b""
        self._wire.answer(self.request_id, frame)

    def _encode(self, outcome: Outcome) -> bytes:
        if isinstance(outcome, Question):
            if self._round is None:
                return b""
            return self._answers.result(self.request_id, self._round.describe(outcome), modern=True)
        if outcome is not None and self._encode_otherwise is not None:
            return self._encode_otherwise(outcome)
        return b"" if outcome is None else self._answers.call(self.request_id, outcome, modern=self._modern)


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
