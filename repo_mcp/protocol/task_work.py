"""The call behind one task: it hands its progress, its questions and its result to the store of tasks.

Left out on purpose: the requests about tasks (`task_methods.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.protocol.calls import CallPool, Outcome, PooledCall, ProgressRelay, submit_tool
from repo_mcp.protocol.frames import is_encodable
from repo_mcp.protocol.messages import encode_result
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Progress, Question, ToolAnswer
from repo_mcp.record_classes import replace
from repo_mcp.text.lines import escape_text

if TYPE_CHECKING:
    from repo_mcp.protocol.messages import Caller
    from repo_mcp.protocol.sampling import Round
    from repo_mcp.protocol.tasks import TaskStore
    from repo_mcp.protocol.tool_model import Tool

MAX_MESSAGE_CHARS = 200  # most characters of the words of a status


class TaskWork:
    """The call behind one task. It is made before its task, which needs to know how to stop it."""

    def __init__(
        self,
        store: TaskStore,
        ask: Callable[[str, Question, Callable[[], bool]], str | None],
        *,
        round_: Round | None,
        modern: bool,
    ) -> None:
        """`ask` asks the client's model until the task is stopped; `round_` has its earlier answers."""
        self._store = store
        self._ask_client = ask
        self._round = round_
        self._modern = modern
        self._task_id = ""
        self._progress: ProgressRelay | None = None
        self._keys: set[str] = set()  # keys of the questions so far; only the call's own thread asks
        self._lock = threading.Lock()  # guards the two below
        self._pooled: PooledCall | None = None
        self._stopped = False

    def begin(
        self,
        task_id: str,
        pool: CallPool,
        tool: Tool,
        arguments: Mapping[str, object],
        caller: Caller,
        progress: ProgressRelay | None,
    ) -> None:
        """Have the tool called. `progress` sends its reports to the client, besides the task's status."""
        self._task_id, self._progress = task_id, progress
        context = CallContext(
            self._is_stopped,
            self._report,
            (caller.name, caller.version),
            self._ask if caller.samples else None,
        )
        try:
            pooled = submit_tool(pool, tool, arguments, context, self._end)
        except RuntimeError:  # no thread for it
            self._end(None)
            return
        with self._lock:
            self._pooled, stopped = pooled, self._stopped
        if stopped:
            pooled.cancel()

    def stop(self) -> None:
        """Stop the call, whose result nobody wants.

        A waiting call is dropped; a running one asks the store.
        """
        with self._lock:
            self._stopped, pooled = True, self._pooled
        if pooled is not None:
            pooled.cancel()

    def _is_stopped(self) -> bool:
        return self._store.is_stopped(self._task_id)

    def _report(self, progress: Progress) -> None:
        send = None if self._progress is None else partial(self._progress.put, progress)
        self._store.report(self._task_id, escape_text(progress.message)[:MAX_MESSAGE_CHARS], send)

    def _ask(self, question: Question) -> str | None:
        if self._round is not None:
            try:
                return self._round.ask(question)
            except AnswerNeeded:
                pass
        return self._ask_client(self._task_id, self._name(question), self._is_stopped)

    def _name(self, question: Question) -> Question:
        """Return the question under a key that this task has not used."""
        key, number = question.key, 1
        while key in self._keys:
            number += 1
            key = f"{question.key}-{number}"
        self._keys.add(key)
        return replace(question, key=key)

    def _end(self, outcome: Outcome) -> None:
        if self._progress is not None:
            self._store.report(self._task_id, "", self._progress.finish)
        result = None
        is_error = False
        if isinstance(outcome, ToolAnswer):
            result, is_error = self._encode(outcome), outcome.is_error
        if result is None:
            message = "internal error"
        else:
            message = "The tool answered with an error." if is_error else ""
        self._store.end(self._task_id, result, is_error=is_error, message=message)

    def _encode(self, answer: ToolAnswer) -> str | None:
        """Return the JSON of the result; None for what cannot be sent."""
        try:
            result = encode_result(answer, modern=self._modern)
        except Exception:  # no number, or a defect: the task must not work for ever
            return None
        return result if is_encodable(result) else None
