"""Where frames arrive: plain requests are answered here, everything else is handed to the SDK.

The state of a conversation is small. Nothing is decided before its first request; a plain `initialize`
or a request with a plain envelope decides the era, anything else gives the whole conversation to the SDK.
From then on plain requests are answered here for as long as the conversation lasts, each unusual one by
the SDK, which is told first how the conversation was opened. A second `initialize` of the first era may
change the version, so that the SDK has what follows it. Whatever concerns tasks, and the client's answers to
questions of ours, are taken here even then: the SDK serves neither.

Tools are called in a pool of threads that the SDK's server uses as well, so that the limit holds for both;
tasks have places of their own.
Left out on purpose: what is plain (`repo_mcp.protocol.plain_protocol`), and the order of answers: there
is none.
"""

from __future__ import annotations

import threading
import time

from repo_mcp.protocol.frames import (
    INVALID_PARAMS,
    MAX_ID_CHARS,
    Notification,
    Request,
    RequestId,
    Response,
    encode_error,
)
from repo_mcp.protocol.plain_protocol import (
    MODERN_VERSION,
    NOT_OFFERED,
    TASKS_VERSION,
    Answers,
    Caller,
    has_envelope,
    has_plain_meta,
    is_plain_list,
    read_any_envelope,
    read_any_opening,
    read_call,
    read_envelope,
    read_opening,
    read_progress_token,
    refuse_method,
)
from repo_mcp.protocol.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from repo_mcp.protocol.answered_call import AnsweredCall
    from repo_mcp.protocol.call_pool import CallPool
    from repo_mcp.protocol.frames import JsonObject
    from repo_mcp.protocol.round_trips import Round
    from repo_mcp.protocol.sampling import Sampler
    from repo_mcp.protocol.task_methods import TaskMethods
    from repo_mcp.protocol.tool_model import Tool
    from repo_mcp.protocol.wire import Valid

    HandOver = Callable[[Sequence[Valid]], None]

# The opening as the SDK is told it has an id that no client's can be, longer than one may be: its answer
# goes nowhere, for the client has it already.
REPLAY_ID = "replayed" * (MAX_ID_CHARS // 8 + 1)
BAD_STATE = "requestState is of another call, or too old: make the call again without it"
_UNDECIDED, _HANDSHAKE, _MODERN, _HANDED_OVER = range(4)


class Session:
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
        self._spoken: str | None = None  # the version, "" before a handshake that was begun otherwise
        self._ready = threading.Event()  # the three below are set
        self._tools: Mapping[str, Tool] = {}
        self._pool: CallPool | None = None
        self._sampler: Sampler | None = None
        self._task_methods: TaskMethods | None = None
        self._lock = threading.Lock()
        self._calls: dict[RequestId, AnsweredCall] = {}  # begun and not ended, by id; under the lock

    def offer(self, tools: Mapping[str, Tool], pool: CallPool, sampler: Sampler) -> None:
        """The tools, once they are known: until then calls wait, and lists that are not ready."""
        if not self._answers.has_listing:
            self._answers.set_tools(tools.values())
        self._tools, self._pool, self._sampler = tools, pool, sampler
        self._ready.set()

    def take(self, frame: Valid) -> None:
        """Answer a frame, or see to it that it is answered."""
        if isinstance(frame, Response) and self._sampler is not None and self._sampler.take(frame):
            return
        if isinstance(frame, Request):
            if not self._answer_task(frame) and (self._state == _HANDED_OVER or not self._answer(frame)):
                self._give_up_plainness(frame)
                self._pass_on(frame)
        elif self._state == _HANDED_OVER:
            self._pass_on(frame)
        elif self._state == _UNDECIDED:
            self._state = _HANDED_OVER
            self._pass_on(frame)
        else:
            self._note(frame)

    def close(self) -> None:
        """The client is gone: what still runs is told."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        if self._task_methods is not None:
            self._task_methods.close()

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Until nothing runs any more, at most so long."""
        deadline = time.monotonic() + patience_seconds
        for one in (self._pool, self._task_methods):
            if one is not None:
                one.wait_until_idle(max(0.0, deadline - time.monotonic()))

    def _pass_on(self, frame: Valid) -> None:
        if isinstance(frame, Notification):
            self._cancel_as_told(frame)
        elif isinstance(frame, Request):
            self._listen(frame)
        opening, self._opening = self._opening, []
        self._hand_over([*opening, frame])
        self._told = True

    def _give_up_plainness(self, frame: Request) -> None:
        """After an unusual request the state may not be what we take it for."""
        if self._state == _UNDECIDED or (self._state == _HANDSHAKE and frame.method == "initialize"):
            self._state = _HANDED_OVER

    def _listen(self, request: Request) -> None:
        """What the SDK will take the conversation for, by a request that it is given."""
        if request.method == "initialize" and self._spoken != MODERN_VERSION:
            opening = read_any_opening(request.params)
            self._spoken, self._client = opening.version, opening.client
        elif self._spoken is None:
            self._spoken = MODERN_VERSION if has_envelope(request.params) else ""

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
        return self._answer_plain(request, self._name_caller(request.params), modern=False)

    def _name_caller(self, params: JsonObject | None) -> Caller:
        """Who asks in the first era: whoever has opened the conversation."""
        client = self._client
        return Caller(client.name, client.version, read_progress_token(params), samples=client.samples)

    def _open(self, request: Request) -> bool:
        if request.method == "initialize":
            opening = read_opening(request.params)
            if opening is None:
                return False
            self._state, self._client, self._spoken = _HANDSHAKE, opening.client, opening.version
            self._opening = [Request(REPLAY_ID, request.method, request.params)]
            self._wire.answer(request.id, self._answers.initialize(request.id, opening.version))
            return True
        caller = read_envelope(request.params)
        if caller is None:
            return False
        self._spoken = MODERN_VERSION
        if not self._answer_task(request) and not self._answer_plain(request, caller, modern=True):
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
            if not self._answers.has_listing:
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

    # Tasks

    def _answer_task(self, request: Request) -> bool:
        """Answer what concerns tasks, whoever answers the rest. False when this does not, or not validly."""
        if not self._answers.offers_tasks:
            return False
        params, is_about_tasks = request.params, request.method.startswith("tasks/")
        if self._spoken == MODERN_VERSION and is_about_tasks:
            caller = read_any_envelope(params)
        elif self._spoken == TASKS_VERSION and not has_envelope(params):
            if request.method == "tools/call":
                return self._begin_as_asked(request)
            caller = self._client if is_about_tasks else None
        else:
            caller = None
        if caller is None:
            return False
        if not self._find_task_methods().answer(request, caller):
            self._wire.answer(request.id, refuse_method(request.id, request.method))
        return True

    def _begin_as_asked(self, request: Request) -> bool:
        """Call a tool as a task because the client wants it so. False for what the SDK must judge."""
        params = request.params or {}
        name, arguments, wanted = params.get("name"), params.get("arguments"), params.get("task")
        if not isinstance(wanted, dict) or not isinstance(name, str):
            return False
        if arguments is not None and not isinstance(arguments, dict):
            return False
        task_methods = self._find_task_methods()
        task_methods.begin_as_asked(request, name, self._tools.get(name), self._name_caller(params), wanted)
        return True

    def _find_task_methods(self) -> TaskMethods:
        if self._task_methods is None:
            from repo_mcp.protocol.task_methods import TaskMethods

            self._ready.wait()
            assert self._sampler is not None
            modern = self._spoken == MODERN_VERSION
            self._task_methods = TaskMethods(self._wire, self._answers, self._sampler, modern=modern)
        return self._task_methods

    # Calls of tools

    def _call(self, request: Request, caller: Caller, modern: bool) -> bool:
        asked = read_call(request.params, modern=modern)
        if asked is None:
            return False
        self._ready.wait()
        name, arguments = asked
        tool = self._tools.get(name)
        if tool is None:
            self._wire.answer(request.id, refuse_tool(request.id, name))
            return True
        round_ = None
        if modern and caller.samples:
            round_ = _read_round(request)
            if round_ is None:
                self._wire.answer(request.id, refuse_state(request.id))
                return True
        if (
            modern
            and caller.takes_tasks
            and tool.may_be_task
            and self._answers.offers_tasks
            and self._find_task_methods().begin(request, tool, arguments, caller, round_=round_)
        ):
            return True
        from repo_mcp.protocol.answered_call import AnsweredCall

        call = AnsweredCall(
            self._wire,
            self._answers,
            request.id,
            caller,
            sampler=self._sampler if caller.samples and not modern else None,
            round_=round_,
            modern=modern,
        )
        with self._lock:
            self._calls[request.id] = call
        assert self._pool is not None
        call.submit(self._pool, tool, arguments, self._forget)
        return True

    def _forget(self, call: AnsweredCall) -> None:
        with self._lock:
            if self._calls.get(call.request_id) is call:
                del self._calls[call.request_id]

    def _cancel_as_told(self, frame: Notification) -> None:
        if frame.method != "notifications/cancelled" or frame.params is None:
            return
        given = frame.params.get("requestId")
        if isinstance(given, bool) or not isinstance(given, int | str):
            return
        for request_id in (given, *_spell_otherwise(given)):
            if self._cancel(request_id):
                return

    def _cancel(self, request_id: RequestId) -> bool:
        """End what is answered under an id. False when there is nothing."""
        with self._lock:
            call = self._calls.pop(request_id, None)
        if call is not None:
            call.cancel()
            return True
        return self._task_methods is not None and self._task_methods.forget(request_id)


def _is_initialized(frame: Notification | Response) -> bool:
    return isinstance(frame, Notification) and frame.method == "notifications/initialized"


def refuse_tool(request_id: RequestId, name: str) -> bytes:
    """The answer to a call of a tool that there is not."""
    from repo_mcp.protocol.tool_model import explain_unknown_tool

    return encode_error(request_id, INVALID_PARAMS, explain_unknown_tool(name))


def _spell_otherwise(request_id: RequestId) -> tuple[RequestId, ...]:
    """The other id that may mean the same request when one is cancelled: the SDK takes "7" for 7 as well."""
    if isinstance(request_id, int):
        return (str(request_id),)
    try:
        return (int(request_id),)
    except ValueError:
        return ()


def _read_round(request: Request) -> Round | None:
    """The round that a call opens or goes on with; None when its state is not good."""
    from repo_mcp.protocol.round_trips import StateRefused, read_round

    try:
        return read_round(request.params or {})
    except StateRefused:
        return None


def refuse_state(request_id: RequestId) -> bytes:
    """The answer to a call that goes on from a state which is not good."""
    return encode_error(request_id, INVALID_PARAMS, BAD_STATE)
