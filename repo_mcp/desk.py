"""Where frames arrive: plain requests are answered here, everything else is handed to the SDK.

The state of a conversation is small. Nothing is decided before its first request; a plain `initialize`
or a request with a plain envelope decides the era, anything else gives the whole conversation to the SDK.
From then on plain requests are answered here for as long as the conversation lasts, each unusual one by
the SDK, which is told first how the conversation was opened. A second `initialize` of the first era may
change the version, so that the SDK has what follows it.

Tools are called in a pool of threads that the SDK's server uses as well, so that the limit holds for both.
Left out on purpose: what is plain (`repo_mcp.conversation`), and the order of answers: there is none.
"""

from __future__ import annotations

import threading
import time

from repo_mcp.conversation import (
    NOT_OFFERED,
    Answers,
    Caller,
    encode_progress,
    has_plain_meta,
    is_plain_list,
    read_call,
    read_envelope,
    read_opening,
    refuse_method,
)
from repo_mcp.frames import (
    INVALID_PARAMS,
    MAX_ID_CHARS,
    Notification,
    Request,
    RequestId,
    Response,
    encode_error,
)
from repo_mcp.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from repo_mcp.call_pool import CallPool, PooledCall
    from repo_mcp.tool_model import Progress, Tool, ToolAnswer
    from repo_mcp.wire import Valid

    HandOver = Callable[[Sequence[Valid]], None]

PROGRESS_SECONDS = 0.2  # between two notifications of one call
# The opening as the SDK is told it has an id that no client's can be, longer than one may be: its answer
# goes nowhere, for the client has it already.
REPLAY_ID = "replayed" * (MAX_ID_CHARS // 8 + 1)
_UNDECIDED, _HANDSHAKE, _MODERN, _HANDED_OVER = range(4)


class Desk:
    """One conversation. `take` is called by one thread, the reader's."""

    def __init__(self, wire: Wire, answers: Answers, hand_over: HandOver) -> None:
        """`hand_over` gives frames to the SDK, in order; it may block while the SDK is loaded."""
        self._wire = wire
        self._answers = answers
        self._hand_over = hand_over
        self._state = _UNDECIDED
        self._opening: list[Valid] = []  # what the SDK must be told first; emptied when it was
        self._told = False  # the SDK knows of the conversation
        self._client = Caller("", "")
        self._ready = threading.Event()  # the two below are set
        self._tools: Mapping[str, Tool] = {}
        self._pool: CallPool | None = None
        self._lock = threading.Lock()
        self._calls: dict[RequestId, _Call] = {}  # begun and not ended, by id; under the lock

    def offer(self, tools: Mapping[str, Tool], pool: CallPool) -> None:
        """The tools, once they are known: until then requests for them wait."""
        self._answers.set_tools(tools.values())
        self._tools, self._pool = tools, pool
        self._ready.set()

    def take(self, frame: Valid) -> None:
        """Answer a frame, or see to it that it is answered."""
        if self._state == _HANDED_OVER:
            self._pass_on(frame)
        elif isinstance(frame, Request):
            if not self._answer(frame):
                self._give_up_plainness(frame)
                self._pass_on(frame)
        elif self._state == _UNDECIDED:
            self._state = _HANDED_OVER
            self._pass_on(frame)
        else:
            self._note(frame)

    def _pass_on(self, frame: Valid) -> None:
        if isinstance(frame, Notification):
            self._cancel_as_told(frame)
        opening, self._opening = self._opening, []
        self._hand_over([*opening, frame])
        self._told = True

    def _give_up_plainness(self, frame: Request) -> None:
        """After an unusual request the state may not be what we take it for."""
        if self._state == _UNDECIDED or (self._state == _HANDSHAKE and frame.method == "initialize"):
            self._state = _HANDED_OVER

    def _note(self, frame: Notification | Response) -> None:
        """What needs no answer: of interest to the SDK if it knows of the conversation, or will."""
        if isinstance(frame, Notification):
            self._cancel_as_told(frame)
        if self._told:
            self._hand_over([frame])
        elif _is_initialized(frame) and len(self._opening) == 1:
            self._opening.append(frame)

    def _answer(self, request: Request) -> bool:
        """Answer a plain request. False when it is none."""
        if self._state == _UNDECIDED:
            return self._open(request)
        if self._state == _MODERN:
            caller = read_envelope(request.params)
            return caller is not None and self._answer_plain(request, caller, modern=True)
        if request.params is not None and not has_plain_meta(request.params):
            return False
        meta = (request.params or {}).get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        caller = Caller(self._client.name, self._client.version, token)
        return self._answer_plain(request, caller, modern=False)

    def _open(self, request: Request) -> bool:
        if request.method == "initialize":
            opening = read_opening(request.params)
            if opening is None:
                return False
            self._state, self._client = _HANDSHAKE, opening.client
            self._opening = [Request(REPLAY_ID, request.method, request.params)]
            self._wire.answer(request.id, self._answers.initialize(request.id, opening.version))
            return True
        caller = read_envelope(request.params)
        if caller is None or not self._answer_plain(request, caller, modern=True):
            return False
        meta = (request.params or {}).get("_meta")
        self._state = _MODERN
        self._opening = [Request(REPLAY_ID, "server/discover", {"_meta": meta})]
        return True

    def _answer_plain(self, request: Request, caller: Caller, *, modern: bool) -> bool:
        """Answer a request whose `_meta` is plain. False when something else about it is not."""
        request_id, method = request.id, request.method
        if method == "tools/call":
            return self._call(request, caller, modern)
        if not is_plain_list(request.params):
            return False
        if method == "tools/list":
            self._ready.wait()
            frame = self._answers.list_tools(request_id, modern=modern)
        elif method == "server/discover" and modern:
            frame = self._answers.discover(request_id)
        elif method == "ping" and not modern:
            frame = self._answers.ping(request_id)
        elif method in NOT_OFFERED:
            frame = refuse_method(request_id, method)
        else:
            return False
        self._wire.answer(request_id, frame)
        return True

    # Calls of tools

    def _call(self, request: Request, caller: Caller, modern: bool) -> bool:
        asked = read_call(request.params)
        if asked is None:
            return False
        self._ready.wait()
        name, arguments = asked
        tool = self._tools.get(name)
        if tool is None:
            self._wire.answer(request.id, refuse_tool(request.id, name))
            return True
        call = _Call(self._wire, self._answers, request.id, caller, modern)
        with self._lock:
            self._calls[request.id] = call
        assert self._pool is not None
        call.submit(self._pool, tool, arguments, self._forget)
        return True

    def _forget(self, call: _Call) -> None:
        with self._lock:
            if self._calls.get(call.request_id) is call:
                del self._calls[call.request_id]

    def _cancel_as_told(self, frame: Notification) -> None:
        if frame.method != "notifications/cancelled" or frame.params is None:
            return
        given = frame.params.get("requestId")
        if isinstance(given, bool) or not isinstance(given, int | str):
            return
        with self._lock:
            wanted = _correlate(given)
            calls = [call for request_id, call in self._calls.items() if _correlate(request_id) == wanted]
        for call in calls[-1:]:
            call.cancel()
            self._forget(call)


class _Call:
    """One call of a tool, from its request to its answer, or to its cancelling."""

    def __init__(
        self, wire: Wire, answers: Answers, request_id: RequestId, caller: Caller, modern: bool
    ) -> None:
        self.request_id = request_id
        self._wire = wire
        self._answers = answers
        self._caller = caller
        self._modern = modern
        self._ending = threading.Lock()  # taken once: by the answer or by the cancelling, never given back
        self._cancelled = threading.Event()
        self._pooled: PooledCall | None = None
        self._progress = (
            _ProgressRelay(wire, caller.progress_token) if caller.progress_token is not None else None
        )

    def submit(
        self, pool: CallPool, tool: Tool, arguments: Mapping[str, object], forget: Callable[[_Call], None]
    ) -> None:
        """Have the tool called by a thread of the pool."""
        from repo_mcp.tool_model import CallContext

        report = None if self._progress is None else self._progress.put
        context = CallContext(self._cancelled.is_set, report, (self._caller.name, self._caller.version))

        def work() -> None:
            try:
                answer = tool.call(arguments, context)
            except Exception:  # a defect: tools answer whatever happens
                self._end(None)
            else:
                self._end(answer)
            finally:
                forget(self)

        def drop() -> None:
            if tool.drop is not None:
                tool.drop(arguments, context)

        self._pooled = pool.submit(work, drop)

    def _end(self, answer: ToolAnswer | None) -> None:
        """Answer, with an internal error for None."""
        if not self._ending.acquire(blocking=False):
            return
        if self._progress is not None:
            self._progress.send_latest()
        frame = b""
        if answer is not None:
            try:
                frame = self._answers.call(self.request_id, answer, modern=self._modern)
            except ValueError:  # a lone surrogate
                pass
        self._wire.answer(self.request_id, frame)

    def cancel(self) -> None:
        """The client does not wait any more: nothing is sent, and what runs is told."""
        if not self._ending.acquire(blocking=False):
            return
        self._cancelled.set()
        if self._progress is not None:
            self._progress.close()
        self._wire.drop(self.request_id)
        if self._pooled is not None:
            self._pooled.cancel()


class _ProgressRelay:
    """The progress of one call to the client: a few times a second, never falling, never after the answer."""

    def __init__(self, wire: Wire, token: RequestId) -> None:
        self._wire = wire
        self._token = token
        self._latest: Progress | None = None
        self._sent = -1.0
        self._next = 0.0  # time.monotonic
        self._closed = False

    def put(self, progress: Progress) -> None:
        """Take a report, from the call's thread."""
        self._latest = progress
        if time.monotonic() >= self._next:
            self.send_latest()

    def send_latest(self) -> None:
        latest = self._latest
        if latest is not None and latest.done > self._sent and not self._closed:
            self._sent, self._next = latest.done, time.monotonic() + PROGRESS_SECONDS
            self._wire.say(encode_progress(self._token, latest.done, latest.total, latest.message))

    def close(self) -> None:
        self._closed = True


def _is_initialized(frame: Notification | Response) -> bool:
    return isinstance(frame, Notification) and frame.method == "notifications/initialized"


def refuse_tool(request_id: RequestId, name: str) -> bytes:
    """The answer to a call of a tool that there is not."""
    return encode_error(request_id, INVALID_PARAMS, explain_unknown_tool(name))


def explain_unknown_tool(name: str) -> str:
    """What a client is told that calls it."""
    from repo_mcp.tool_model import escape_text

    return f"Unknown tool: {escape_text(name[:64])}. See tools/list"


def _correlate(request_id: RequestId) -> RequestId:
    """Ids that mean the same request when one is cancelled: the SDK takes "7" for 7 as well."""
    try:
        return int(request_id)
    except ValueError:
        return request_id
