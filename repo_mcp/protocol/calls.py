"""Runs calls in a pool of threads, from the request to the answer.

    CallPool       the threads that run calls, and the queue in front of them
    AnsweredCall   a call that a client waits for, with its progress and its cancellation

The pool runs as many calls at a time as there are slots; the others wait in a queue. A slot is free when its
call has really ended, not when nobody waits for it any more, so a flood of cancelled calls cannot pile up
work. A call that is cancelled before it began leaves the queue. Threads are started as they are needed and
never keep the process from ending.

Left out on purpose: the limits of calls (`repo_mcp.protocol.call_guard`); refusing a call because the queue
is full, which over stdio the wire prevents and over HTTP the caller has to check; and calls whose results are
fetched later (`repo_mcp.protocol.task_methods`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.protocol.messages import encode_progress
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Progress, Question, Tool, ToolAnswer
from repo_mcp.threads import REFUSED, start_daemon

if TYPE_CHECKING:
    from repo_mcp.protocol.frames import JsonObject, RequestId
    from repo_mcp.protocol.messages import Answers, Caller
    from repo_mcp.protocol.sampling import Round, Sampler
    from repo_mcp.protocol.wire import Wire


MAX_CALLS = 8  # running at once; they share the interpreter, so more would only wait in threads
MAX_WAITING = 256  # calls in the queue over HTTP: one for each connection that there may be
PROGRESS_SECONDS = 0.2  # shortest time between two notifications of one call

Outcome = ToolAnswer | Question | None  # an answer, what is needed for one, or a failure


class PooledCall:
    """A call that waits or runs in the pool."""

    __slots__ = ("_drop", "_take_back", "work")

    def __init__(
        self, work: Callable[[], object], drop: Callable[[], object], take_back: Callable[[PooledCall], bool]
    ) -> None:
        """Make a call that runs `work`, or `drop` when it is cancelled before that.

        `take_back` takes it out of the queue, and returns False when it is not there.
        """
        self.work = work
        self._drop = drop
        self._take_back = take_back

    def cancel(self) -> None:
        """Drop the call if it has not begun; it then never begins. A running call goes on."""
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
            except Exception:  # the work reports its failures itself; the slot must not be lost
                pass
            finally:
                del call  # releases its arguments and its answer
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
