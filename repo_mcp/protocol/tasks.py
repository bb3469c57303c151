"""The store of tasks: calls whose results are fetched later, in either era of the protocol.

A task begins as `working`, may wait for its client (`input_required`), and ends once: `completed`, `failed`
or `cancelled`. Its result is kept for its time to live, counted from its creation. Then the task is
forgotten, and its work, if it still runs, is told to stop. There is no timer: expiry is checked when somebody
asks, and a running call polls `is_stopped`. How many tasks are kept, and how many may be unfinished, is
bounded. Ids come from the system's source of random bytes.

Whichever of cancelling, ending and expiring comes first under the lock counts, and the others change nothing.
Changes and reports are passed on in order, under the lock too, so none overtakes another.

Left out on purpose: the answers to requests, how work is begun and asks its client, and any file: a task
lives no longer than the connection on which it was begun.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass, replace

if TYPE_CHECKING:
    from repo_mcp.protocol.tool_model import Question

MAX_TASKS = 256  # kept at once; the result of each has at most some 64 KiB
MAX_UNFINISHED = 32
MAX_WAITERS = 32  # half of the requests that may be in flight: the others must get through
MIN_TTL_MILLISECONDS = 1_000  # the shortest time: the answer that names a task must not name one that is gone
DEFAULT_TTL_MILLISECONDS = 3_600_000  # an hour
MAX_TTL_MILLISECONDS = 86_400_000  # a day
ID_BYTES = 16
CLOSE_SECONDS = 0.1


class Status(StrEnum):
    """The status of a task."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Return True when the status never changes any more."""
        return self in (Status.COMPLETED, Status.FAILED, Status.CANCELLED)


@dataclass(frozen=True, slots=True)
class Task:
    """One task at one moment."""

    id: str
    number: int  # number in the order of creation, from 1
    status: Status
    created: float  # seconds since the epoch, as the next
    updated: float
    ttl_ms: int  # time to live from its creation
    message: str = ""  # how it stands, in words
    result: str | None = None  # the JSON of what a completed one gave
    is_error: bool = False  # the tool says that it could not do what was asked
    questions: tuple[Question, ...] = ()  # questions to the client while input is required


class TaskUnknown(Exception):
    """Raised for an id that no task has, or not any more."""


class TaskEnded(Exception):
    """The task has ended already."""

    def __init__(self, task: Task) -> None:
        super().__init__(task.status)
        self.task = task


class TooManyTasks(Exception):
    """Raised where no further task can be kept now, or waited for."""


Waiter = Callable[[Task | None], None]  # is given the task when it has ended, None when it is forgotten


@dataclass(slots=True)
class _Entry:
    """A task, the function that stops its work, and those who wait for its end."""

    task: Task
    expires: float  # when it expires, by the clock of the store
    stop: Callable[[], object]  # called when nobody wants the result any more
    waiters: dict[Hashable, Waiter] = field(default_factory=dict)


class TaskStore:
    """The tasks of one connection. Safe in any thread."""

    def __init__(
        self,
        notify: Callable[[Task], object],
        *,
        max_tasks: int = MAX_TASKS,
        max_unfinished: int = MAX_UNFINISHED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep no tasks yet.

        `notify` is called with every change of status, in order; it must not call the store.
        """
        self._notify = notify
        self._max_tasks = max_tasks
        self._max_unfinished = max_unfinished
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}  # entries by id, in the order of creation
        self._expired: deque[str] = deque(maxlen=max_tasks)  # ids, to say so
        self._created = 0
        self._closed = False

    def create(self, ttl_ms: float | None, stop: Callable[[], object]) -> Task:
        """Create a task, working, and return it. `stop` is called once if nobody wants its result any more.

        `ttl_ms` is its time to live in milliseconds; None is the default. Raises TooManyTasks.
        """
        ttl = DEFAULT_TTL_MILLISECONDS if ttl_ms is None else ttl_ms
        ttl = int(min(max(ttl, MIN_TTL_MILLISECONDS), MAX_TTL_MILLISECONDS))
        dropped = self._sweep()
        with self._lock:
            unfinished = sum(not entry.task.status.is_final for entry in self._entries.values())
            full = len(self._entries) >= self._max_tasks or unfinished >= self._max_unfinished
            if not (full or self._closed):
                self._created += 1
                now = time.time()
                task = Task(os.urandom(ID_BYTES).hex(), self._created, Status.WORKING, now, now, ttl)
                self._entries[task.id] = _Entry(task, self._clock() + ttl / 1000, stop)
        _run(dropped)
        if full or self._closed:
            raise TooManyTasks
        return task

    def get(self, task_id: str) -> Task:
        """Return the task as it is now. Raises TaskUnknown, with a reason that the client may see."""
        _run(self._sweep())
        with self._lock:
            return self._find(task_id).task

    def page(self, after: int, limit: int) -> tuple[list[Task], bool]:
        """Return the tasks after number `after`, at most `limit`, oldest first; and True if more follow."""
        _run(self._sweep())
        with self._lock:
            tasks = [entry.task for entry in self._entries.values() if entry.task.number > after]
        return tasks[:limit], len(tasks) > limit

    def wait(self, task_id: str, name: Hashable, waiter: Waiter) -> None:
        """Call `waiter` once: when the task has ended, or now if it has. Raises TaskUnknown, TooManyTasks."""
        _run(self._sweep())
        with self._lock:
            entry = self._find(task_id)
            task = entry.task
            if not task.status.is_final:
                if sum(len(one.waiters) for one in self._entries.values()) >= MAX_WAITERS:
                    raise TooManyTasks
                entry.waiters[name] = waiter
                return
        waiter(task)

    def forget(self, name: Hashable) -> bool:
        """Remove the waiter of this name. Return False if it was already called or does not exist."""
        with self._lock:
            return any(entry.waiters.pop(name, None) is not None for entry in self._entries.values())

    def is_stopped(self, task_id: str) -> bool:
        """Return True when nobody wants the result any more. Cheap: a running call asks all the time."""
        entry = self._entries.get(task_id)
        return entry is None or entry.task.status is Status.CANCELLED or self._clock() >= entry.expires

    def report(self, task_id: str, message: str, send: Callable[[], object] | None = None) -> None:
        """Note how far the work is, and call `send` to notify the client; neither once the task has ended."""
        with self._lock:
            entry = self._entries.get(task_id)
            if entry is None or entry.task.status.is_final:
                return
            entry.task = replace(entry.task, message=message, updated=time.time())
            if send is not None:
                send()

    def ask(self, task_id: str, question: Question) -> bool:
        """Record an open question. Return False when nobody wants the result.

        A key is used once in a task.
        """
        with self._lock:
            entry = self._entries.get(task_id)
            if entry is None or entry.task.status.is_final:
                return False
            self._change(entry, Status.INPUT_REQUIRED, questions=(*entry.task.questions, question))
            return True

    def settle(self, task_id: str, key: str) -> None:
        """Note that a question is answered, or given up."""
        with self._lock:
            entry = self._entries.get(task_id)
            if entry is None or entry.task.status.is_final:
                return
            left = tuple(question for question in entry.task.questions if question.key != key)
            self._change(entry, Status.INPUT_REQUIRED if left else Status.WORKING, questions=left)

    def end(self, task_id: str, result: str | None, *, is_error: bool = False, message: str = "") -> None:
        """End a task with its result; None is a failure. Changes nothing when nobody wants the result."""
        dropped = self._sweep()
        with self._lock:
            entry = self._entries.get(task_id)
            waiters = []
            if entry is not None and not entry.task.status.is_final:
                status = Status.FAILED if result is None else Status.COMPLETED
                waiters = self._finish(entry, status, message, result=result, is_error=is_error)
        _run(dropped)
        _run(waiters)

    def cancel(self, task_id: str, message: str = "") -> Task:
        """Stop the work and return the cancelled task. Raises TaskUnknown; TaskEnded when it has ended."""
        dropped = self._sweep()
        try:
            with self._lock:
                entry = self._find(task_id)
                if entry.task.status.is_final:
                    raise TaskEnded(entry.task)
                waiters = self._finish(entry, Status.CANCELLED, message)
        finally:
            _run(dropped)
        entry.stop()
        _run(waiters)
        return entry.task

    def close(self) -> None:
        """Stop all work without telling the client, which is gone."""
        # Whoever holds the lock may be writing to a client that does not read.
        free = self._lock.acquire(timeout=CLOSE_SECONDS)
        self._closed = True
        entries = list(self._entries.values())
        self._entries.clear()
        if free:
            self._lock.release()
        for entry in entries:
            if not entry.task.status.is_final:
                entry.stop()

    def _find(self, task_id: str) -> _Entry:
        entry = self._entries.get(task_id)
        if entry is None:
            raise TaskUnknown("Task has expired" if task_id in self._expired else "Task not found")
        return entry

    def _change(self, entry: _Entry, status: Status, **more: object) -> None:
        is_new = status is not entry.task.status
        entry.task = replace(entry.task, status=status, updated=time.time(), **more)  # type: ignore[arg-type]
        if is_new:
            self._notify(entry.task)

    def _finish(
        self, entry: _Entry, status: Status, message: str, **more: object
    ) -> list[Callable[[], object]]:
        """End a task, and return the calls of its waiters, to be made when the lock is free."""
        self._change(entry, status, message=message, questions=(), **more)
        waiters, entry.waiters = entry.waiters, {}
        return [partial(waiter, entry.task) for waiter in waiters.values()]

    def _sweep(self) -> list[Callable[[], object]]:
        """Forget what has expired, and return the calls to be made when the lock is free."""
        calls: list[Callable[[], object]] = []
        with self._lock:
            now = self._clock()
            for task_id, entry in list(self._entries.items()):
                if now < entry.expires:
                    continue
                del self._entries[task_id]
                self._expired.append(task_id)
                if not entry.task.status.is_final:
                    calls.append(entry.stop)
                calls += [partial(waiter, None) for waiter in entry.waiters.values()]
        return calls


def _run(functions: Iterable[Callable[[], object]]) -> None:
    for function in functions:
        function()
