"""Calls as tasks: the requests about them and their answers, in both eras of the protocol.

In the first era, from 2025-11-25, the client asks for a task and may wait for its result:

    tools/call {…, "task": {"ttl": 60000}}  ->  {"task": {"taskId": "…", "status": "working", …}}
    tasks/get, tasks/list, tasks/cancel, tasks/result     notifications/tasks/status when the status changes

In the second, with the extension `io.modelcontextprotocol/tasks`, the client says with every request that it
takes tasks, and the server makes one of each call that may take long. The result comes with `tasks/get`; what
the tool asks the client's model comes there too, and `tasks/update` brings the answer:

    tools/call {…}  ->  {"resultType": "task", "taskId": "…", "status": "working", …}
    tasks/get  ->  {"status": "completed", "result": {…}, …}

One store is behind both: the call runs in a thread of the pool and hands its progress, its questions and its
result to the store. In the first era its progress also goes to the progress token of the request that asked
for the task; in the second it shows only in the words of the status, as the extension knows no other way.
Subscriptions to tasks are left out on purpose.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.protocol.calls import CallPool, ProgressRelay
from repo_mcp.protocol.frames import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonObject,
    Request,
    RequestId,
    encode_error,
    encode_json,
)
from repo_mcp.protocol.messages import (
    TASKS_EXTENSION,
    RequestRefused,
    encode_notification,
    refuse_method,
    refuse_params,
)
from repo_mcp.protocol.sampling import METHOD, PendingAnswers, describe_question, read_answer, relate
from repo_mcp.protocol.task_work import TaskWork
from repo_mcp.protocol.tasks import Status, Task, TaskEnded, TaskStore, TaskUnknown, TooManyTasks
from repo_mcp.protocol.tool_model import Question

if TYPE_CHECKING:
    from repo_mcp.protocol.messages import Answers, Caller
    from repo_mcp.protocol.sampling import Round, Sampler
    from repo_mcp.protocol.tasks import TaskStore
    from repo_mcp.protocol.tool_model import Tool
    from repo_mcp.protocol.wire import Wire

# Age of a task in seconds -> how often to ask about it, in milliseconds: most end soon, the others late.
POLL_MILLISECONDS = ((1.0, 100), (30.0, 500), (float("inf"), 2_000))
RUNNING_TASKS = 4  # tasks that run at once, in slots of their own, so that other calls go on beside them
PAGE_TASKS = 50
POLLED_ANSWER_SECONDS = 60.0  # most time for an answer of a client that has to ask for the question first
MISSING_CAPABILITY = -32021
TOO_MANY_TASKS = -32000  # the specification leaves this code to the server
_CURSOR = re.compile("[0-9]{1,15}")


class TaskMethods:
    """The tasks of one session. Requests are taken by one thread, the reader's."""

    def __init__(self, wire: Wire, answers: Answers, sampler: Sampler, *, modern: bool) -> None:
        """Keep the tasks of a session; of the second era where it is `modern`."""
        self._wire = wire
        self._answers = answers
        self._pool = CallPool(RUNNING_TASKS)
        self._sampler = sampler
        self._modern = modern
        self._store = TaskStore(self._notify_status)
        self._pending = PendingAnswers()
        self._methods: Mapping[str, Callable[[Request], JsonObject | bytes | None]] = (
            {"tasks/get": self._get, "tasks/update": self._update, "tasks/cancel": self._cancel}
            if modern
            else {
                "tasks/get": self._get,
                "tasks/list": self._list,
                "tasks/result": self._wait,
                "tasks/cancel": self._cancel,
            }
        )

    def answer(self, request: Request, caller: Caller) -> bytes | None:
        """Return the answer to a request about tasks; None where the task's end brings it.

        Raises RequestRefused.
        """
        method = self._methods.get(request.method)
        if method is None:
            raise refuse_method(request.method)
        if self._modern and not caller.takes_tasks:
            needed: JsonObject = {"extensions": {TASKS_EXTENSION: {}}}
            message = "Missing required client capability"
            raise RequestRefused(MISSING_CAPABILITY, message, {"requiredCapabilities": needed})
        try:
            given = method(request)
        except TaskUnknown as unknown:
            raise RequestRefused(INVALID_PARAMS, f"Failed to retrieve task: {unknown}") from None
        if isinstance(given, dict):
            return self._answers.result(request.id, given, modern=self._modern)
        return given

    def begin_as_asked(
        self,
        request: Request,
        tool: Tool,
        arguments: Mapping[str, object],
        caller: Caller,
        wanted: Mapping[str, object],
    ) -> None:
        """Call a tool as a task because the client wants it so, and answer with the task.

        `wanted` is what the client wants of it. Raises RequestRefused.
        """
        if not tool.may_be_task:
            message = f"Tool {tool.name} cannot be called as a task: leave out the parameter task"
            raise RequestRefused(METHOD_NOT_FOUND, message)
        if not self.begin(request, tool, arguments, caller, ttl_ms=_read_ttl(wanted)):
            message = "Too many tasks: wait for some to end, cancel some, or leave out the parameter task"
            raise RequestRefused(TOO_MANY_TASKS, message)

    def begin(
        self,
        request: Request,
        tool: Tool,
        arguments: Mapping[str, object],
        caller: Caller,
        *,
        ttl_ms: float | None = None,
        round_: Round | None = None,
    ) -> bool:
        """Call the tool as a task, and answer with the task.

        Return False when no further task can be kept.
        """
        ask = self._ask_by_polling if self._modern else self._ask_at_once
        work = TaskWork(self._store, ask, round_=round_, modern=self._modern)
        try:
            task = self._store.create(ttl_ms, work.stop)
        except TooManyTasks:
            return False
        described = self._describe(task)
        given: JsonObject = {"resultType": "task"} | described if self._modern else {"task": described}
        self._wire.answer(request.id, self._answers.result(request.id, given, modern=self._modern))
        progress = None
        if caller.progress_token is not None and not self._modern:
            progress = ProgressRelay(self._wire.say, caller.progress_token, relate(task.id))
        work.begin(task.id, self._pool, tool, arguments, caller, progress)
        return True

    def forget(self, request_id: RequestId) -> bool:
        """Drop the answer to a request that the client has cancelled.

        Return False when nobody waited for it.
        """
        waited = self._store.forget(request_id)
        if waited:
            self._wire.drop(request_id)
        return waited

    def close(self) -> None:
        """Tell all work to stop: the client is gone."""
        self._store.close()

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Wait until no work runs, at most `patience_seconds`."""
        self._pool.wait_until_idle(patience_seconds)

    # What is asked about tasks

    def _get(self, request: Request) -> JsonObject | bytes:
        task = self._store.get(_read_task_id(request))
        described = self._describe(task)
        if not self._modern:
            return described
        if task.status is Status.FAILED:
            described["error"] = {"code": INTERNAL_ERROR, "message": "internal error"}
        if task.questions:
            described["inputRequests"] = {
                question.key: {"method": METHOD, "params": describe_question(question)}
                for question in task.questions
            }
        more = "" if task.result is None else f',"result":{task.result}'
        return self._answers.result(request.id, described, modern=True, more=more)

    def _list(self, request: Request) -> JsonObject:
        cursor = (request.params or {}).get("cursor")
        after = 0
        if cursor is not None:
            if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor):
                raise RequestRefused(INVALID_PARAMS, "Invalid cursor")
            after = int(cursor)
        tasks, more = self._store.page(after, PAGE_TASKS)
        page: JsonObject = {"nextCursor": str(tasks[-1].number)} if more else {}
        return page | {"tasks": [self._describe(task) for task in tasks]}

    def _wait(self, request: Request) -> None:
        """Answer the request when the task ends, in the thread that ends it."""
        try:
            self._store.wait(_read_task_id(request), request.id, partial(self._give_result, request.id))
        except TooManyTasks:
            raise RequestRefused(
                TOO_MANY_TASKS, "Too many requests are waiting for results: use tasks/get"
            ) from None

    def _give_result(self, request_id: RequestId, task: Task | None) -> None:
        if task is None:
            frame = encode_error(request_id, INVALID_PARAMS, "Failed to retrieve task: Task has expired")
        elif task.result is not None:
            meta = f',"_meta":{encode_json(relate(task.id))}'
            frame = self._answers.stored(request_id, task.result, meta)
        elif task.status is Status.CANCELLED:
            frame = encode_error(request_id, INVALID_PARAMS, "Failed to retrieve result: Task was cancelled")
        else:
            frame = b""
        self._wire.answer(request_id, frame)

    def _cancel(self, request: Request) -> JsonObject:
        try:
            task = self._store.cancel(_read_task_id(request), "The task was cancelled by request.")
        except TaskEnded as ended:
            if self._modern:
                return {}
            message = f"Cannot cancel task: already in terminal status '{self._name_status(ended.task)}'"
            raise RequestRefused(INVALID_PARAMS, message) from None
        return {} if self._modern else self._describe(task)

    def _update(self, request: Request) -> JsonObject:
        task = self._store.get(_read_task_id(request))
        responses = (request.params or {}).get("inputResponses")
        if not isinstance(responses, dict):
            raise refuse_params("inputResponses must be an object")
        for key, response in responses.items():  # what nobody has asked for is nobody's
            self._pending.give((task.id, key), read_answer(response))
        return {}

    # What the call behind a task asks the client, in its thread

    def _ask_at_once(self, task_id: str, question: Question, cancelled: Callable[[], bool]) -> str | None:
        if not self._store.ask(task_id, question):
            return None
        answer = self._sampler.ask(question, cancelled, task_id)
        self._store.settle(task_id, question.key)
        return answer

    def _ask_by_polling(self, task_id: str, question: Question, cancelled: Callable[[], bool]) -> str | None:
        name = (task_id, question.key)
        self._pending.expect(name)  # before the question is visible to the client
        seconds = POLLED_ANSWER_SECONDS if self._store.ask(task_id, question) else 0.0
        _, answer = self._pending.wait(name, seconds, cancelled)
        self._store.settle(task_id, question.key)
        return answer

    # How a task is described

    def _notify_status(self, task: Task) -> None:
        if not self._modern:
            self._wire.say(encode_notification("notifications/tasks/status", self._describe(task)))

    def _describe(self, task: Task) -> JsonObject:
        described: JsonObject = {
            "createdAt": _render_time(task.created),
            "lastUpdatedAt": _render_time(task.updated),
            "pollIntervalMs" if self._modern else "pollInterval": _suggest_poll(task),
            "status": self._name_status(task),
        }
        if task.message:
            described["statusMessage"] = task.message
        return described | {"taskId": task.id, "ttlMs" if self._modern else "ttl": task.ttl_ms}

    def _name_status(self, task: Task) -> str:
        """Return the status; in the first era a task whose tool answers with an error has failed."""
        failed = task.is_error and not self._modern
        return Status.FAILED.value if failed else task.status.value


def _read_ttl(wanted: Mapping[str, object]) -> float | None:
    """Return the time to live that is wanted, in milliseconds. Raises RequestRefused."""
    ttl = wanted.get("ttl")
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or ttl < 0:
        raise refuse_params("task.ttl must be a number of milliseconds")
    return ttl


def _read_task_id(request: Request) -> str:
    task_id = (request.params or {}).get("taskId")
    if not isinstance(task_id, str):
        raise refuse_params("taskId must be a string")
    return task_id


def _suggest_poll(task: Task) -> int:
    age = time.time() - task.created
    return next(poll for below, poll in POLL_MILLISECONDS if age < below)


def _render_time(seconds: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds * 1000) % 1000:03d}Z"
