"""One call of a tool whose answer the client waits for: from its request to its answer, or to its cancelling.

Left out on purpose: calls that are asked for now and fetched later (`repo_mcp.protocol.task_methods`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.protocol.call_pool import CallPool, Outcome, PooledCall, submit_tool
from repo_mcp.protocol.progress_relay import ProgressRelay
from repo_mcp.protocol.tool_model import CallContext, Question

if TYPE_CHECKING:
    from repo_mcp.protocol.answers import Answers
    from repo_mcp.protocol.frames import RequestId
    from repo_mcp.protocol.requests import Caller
    from repo_mcp.protocol.round_trips import Round
    from repo_mcp.protocol.sampling import Sampler
    from repo_mcp.protocol.tool_model import Tool, ToolAnswer
    from repo_mcp.protocol.wire import Wire


class AnsweredCall:
    """A call in flight. It ends once: by its answer or by its cancelling, whichever comes first."""

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
        self._ending = threading.Lock()  # taken once: by the answer or by the cancelling, never given back
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
        """End the call because the client waits no more: send nothing, and tell what runs."""
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
