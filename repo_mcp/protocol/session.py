"""A session with one client over stdio: every frame from the first to the last, and its answer.

The first request decides the era, once, as it does in the SDK's server: one with an envelope opens the
second era, anything else the first, in which nothing but `ping` is answered until the client is known. A
second `initialize` may change the version. In the second era each request names its version and its client.

Tools are called in the threads of a pool; tasks have threads of their own. All other requests are answered at
once, by the thread that reads; only lists and calls wait until the tools are loaded. Answers come in any
order. Left out on purpose: how a request is read, and the bytes of an answer (both in `messages`).
"""

from __future__ import annotations

import threading
import time

from repo_mcp.protocol.frames import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Notification,
    Request,
    encode_error,
    encode_frame,
)
from repo_mcp.protocol.messages import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSION,
    RESOURCE_METHODS,
    TASKS_VERSION,
    Caller,
    RequestRefused,
    check_cursor,
    check_envelope,
    has_envelope,
    read_call,
    read_caller,
    read_object,
    read_opening,
    read_progress_token,
    read_uri,
    refuse_method,
    refuse_opening,
    refuse_params,
)
from repo_mcp.threads import start_daemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from repo_mcp.protocol.calls import AnsweredCall, CallPool
    from repo_mcp.protocol.client_roots import ClientRoots
    from repo_mcp.protocol.frames import JsonObject, RequestId
    from repo_mcp.protocol.messages import Answers
    from repo_mcp.protocol.sampling import Round, Sampler
    from repo_mcp.protocol.task_methods import TaskMethods
    from repo_mcp.protocol.tool_model import Tool, ToolAnswer
    from repo_mcp.protocol.wire import Valid, Wire

# For a list of files to wait until the repository is open. Claude Code offers no tool before it has that
# list: its first request had all tools when the list came after 1.1 s, and none when it came after 2.1 s.
LIST_SECONDS = 0.1
NOT_OPEN = "Invalid request parameters: the session is not open, initialize comes first"
WRONG_ERA = (
    "this connection serves the handshake protocol era; requests carrying the"
    f" {MODERN_VERSION} envelope are not accepted on it"
)


class Session:
    """One session. `take` is called by one thread, the reader's."""

    def __init__(self, wire: Wire, answers: Answers, roots: ClientRoots | None = None) -> None:
        """`wire` takes the answers that `answers` makes. `roots` where the client may choose them."""
        self._wire = wire
        self._answers = answers
        self._roots = roots
        self._modern: bool | None = None  # the era, once it is decided
        self._version = HANDSHAKE_VERSIONS[-1]  # the version that a client of the first era speaks
        self._client = Caller("", "")  # the client of the first era
        self._is_open = False  # the first era knows its client
        self._ready = threading.Event()  # set once `offer` has been called
        self._tools: Mapping[str, Tool] = {}
        self._find_resources: Callable[[], Mapping[str, Tool]] | None = None
        self._resources: Mapping[str, Tool] = {}  # the tools that answer about files, found on first use
        self._has_files = False  # the roots are open; under the lock, as the three below
        self._waiting: dict[RequestId, Caller] = {}  # requests for the list of files, while nothing is open
        self._was_listed = False  # the client has asked for the list of files
        self._owes_files = False  # the client got an empty list, because nothing was open yet
        self._pool: CallPool | None = None
        self._sampler: Sampler | None = None
        self._task_methods: TaskMethods | None = None
        self._lock = threading.Lock()
        self._calls: dict[RequestId, AnsweredCall] = {}  # begun and not ended, by id; under the lock

    def offer(
        self,
        tools: Mapping[str, Tool],
        pool: CallPool,
        sampler: Sampler,
        find_resources: Callable[[], Mapping[str, Tool]] | None = None,
    ) -> None:
        """Serve these tools.

        Until they are known, calls wait, and so does the list of tools unless it is ready. `find_resources`
        returns the functions that answer requests about files, by method.
        """
        self._find_resources = find_resources
        if not self._answers.has_listing:
            self._answers.set_tools(tools.values())
        self._tools, self._pool, self._sampler = tools, pool, sampler
        self._ready.set()

    def change_schemas(self, tools: Iterable[Tool]) -> None:
        """List the same tools with other schemas from now on, and notify the client."""
        self._answers.set_tools(tools)
        self._wire.say(encode_frame({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))

    def note_open(self) -> None:
        """List files from now on: the roots are open."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
            self._has_files, owed, self._owes_files = True, self._owes_files, False
        for request_id, caller in waiting.items():
            self._submit_about_files(request_id, "resources/list", {}, caller, modern=False)
        if owed:
            self.change_resources()

    def change_resources(self) -> None:
        """Tell a client that has fetched the list of resources that the list has changed."""
        if self._was_listed:
            self._wire.say(encode_frame({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}))

    def take(self, frame: Valid) -> None:
        """Answer a frame, or have a thread answer it. Blocks while the tools are loaded."""
        if isinstance(frame, Request):
            try:
                answer = self._answer(frame, frame.params or {})
            except RequestRefused as refused:
                answer = encode_error(frame.id, refused.code, refused.message, refused.data)
            except Exception:  # a defect: the client must not wait for ever
                answer = b""
            if answer is not None:
                self._wire.answer(frame.id, answer)
        elif not isinstance(frame, Notification):
            if self._roots is not None and self._roots.take(frame):
                return
            if self._sampler is not None:  # without a sampler, nothing was asked
                self._sampler.take(frame)
        elif frame.method == "notifications/cancelled":
            self._cancel_call(frame.params or {})
        elif frame.method == "notifications/initialized":
            self._is_open = True
            self._ask_for_roots()
        elif frame.method == "notifications/roots/list_changed":
            self._ask_for_roots()

    def close(self) -> None:
        """Tell whatever still runs that the client is gone."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        if self._task_methods is not None:
            self._task_methods.close()

    def wait_until_idle(self, patience_seconds: float) -> None:
        """Return when nothing runs any more, or when the time is over."""
        deadline = time.monotonic() + patience_seconds
        for one in (self._pool, self._task_methods):
            if one is not None:
                one.wait_until_idle(max(0.0, deadline - time.monotonic()))

    # Requests: the answer, or None where it comes later, from another thread. Each may raise RequestRefused.

    def _answer(self, request: Request, params: JsonObject) -> bytes | None:
        if self._modern is None:
            self._modern = request.method != "initialize" and has_envelope(params)
            if self._modern and self._roots is not None:  # a server of this era sends no requests
                self._roots.open(declared=False)
        return self._answer_modern(request, params) if self._modern else self._answer_first(request, params)

    def _answer_first(self, request: Request, params: JsonObject) -> bytes | None:
        """Answer a request of the first era."""
        method = request.method
        if method == "initialize":
            self._version, self._client = read_opening(params)
            self._is_open = True
            self._expect_roots()
            return self._answers.initialize(request.id, self._version)
        if has_envelope(params):
            raise RequestRefused(INVALID_REQUEST, WRONG_ERA)
        has_tasks = self._answers.offers_tasks and self._version == TASKS_VERSION
        is_about_tasks = has_tasks and method.startswith("tasks/")
        is_about_files = method in RESOURCE_METHODS and self._answers.schemes
        if not is_about_tasks and not is_about_files and method not in ("ping", "tools/list", "tools/call"):
            raise refuse_method(method)
        if not self._is_open and method != "ping":
            raise RequestRefused(INVALID_PARAMS, NOT_OPEN)
        if is_about_tasks:
            return self._find_task_methods().answer(request, self._client)
        token, client = read_progress_token(params), self._client
        if method == "ping":
            return self._answers.ping(request.id)
        if method == "tools/list":
            return self._list_tools(request, params, modern=False)
        caller = Caller(client.name, client.version, token, samples=client.samples)
        if is_about_files:
            return self._ask_about_files(request, params, caller, modern=False)
        wanted = read_object(params, "task")
        if wanted is None or not has_tasks:
            self._call(request, params, caller)
            return None
        name, arguments = read_call(params)
        self._find_task_methods().begin_as_asked(request, self._get_tool(name), arguments, caller, wanted)
        return None

    def _answer_modern(self, request: Request, params: JsonObject) -> bytes | None:
        """Answer a request of the second era."""
        method = request.method
        if method == "initialize":
            raise refuse_opening(params)
        check_envelope(params)
        is_about_tasks = self._answers.offers_tasks and method.startswith("tasks/")
        is_about_files = method in RESOURCE_METHODS and self._answers.schemes
        known = is_about_tasks or is_about_files or method in ("server/discover", "tools/list", "tools/call")
        if not known:
            raise refuse_method(method)
        caller = read_caller(params)
        if is_about_tasks:
            return self._find_task_methods().answer(request, caller)
        if method == "server/discover":
            return self._answers.discover(request.id)
        if method == "tools/list":
            return self._list_tools(request, params, modern=True)
        if is_about_files:
            return self._ask_about_files(request, params, caller, modern=True)
        self._call(request, params, caller)
        return None

    def _list_tools(self, request: Request, params: JsonObject, *, modern: bool) -> bytes:
        check_cursor(params)
        if not self._answers.has_listing:
            self._ready.wait()
        return self._answers.list_tools(request.id, modern=modern)

    def _ask_about_files(
        self, request: Request, params: JsonObject, caller: Caller, *, modern: bool
    ) -> bytes | None:
        """Answer a request about resources: the templates at once, whatever needs the files in a thread."""
        method = request.method
        arguments: JsonObject = {}
        if method == "resources/read":
            arguments = {"uri": read_uri(params)}
        else:
            check_cursor(params)
        if method == "resources/templates/list":
            from repo_mcp.protocol.resources import describe_templates

            answers = self._answers
            templates = describe_templates(answers.schemes, names_roots=answers.has_client_roots)
            return answers.resources(request.id, {"resourceTemplates": templates}, modern=modern)
        if modern or method == "resources/read" or not self._must_wait(request.id, caller):
            self._submit_about_files(request.id, method, arguments, caller, modern=modern)
        return None

    def _submit_about_files(
        self, request_id: RequestId, method: str, arguments: JsonObject, caller: Caller, *, modern: bool
    ) -> None:
        from repo_mcp.protocol.calls import AnsweredCall
        from repo_mcp.protocol.resources import encode_answer

        self._ready.wait()
        assert self._find_resources is not None
        self._resources = self._resources or self._find_resources()

        def encode(answer: ToolAnswer) -> bytes:
            return encode_answer(self._answers, request_id, answer, modern=modern)

        call = AnsweredCall(self._wire, self._answers, request_id, caller, encode=encode, modern=modern)
        self._submit(call, self._resources[method], arguments)

    def _must_wait(self, request_id: RequestId, caller: Caller) -> bool:
        """Return True for a list of files that must wait until something is open, LIST_SECONDS at most.

        Then the list is empty, and the client is notified when it changes.
        """
        with self._lock:
            self._was_listed = True
            if self._has_files:
                return False
            self._waiting[request_id] = caller
        patience = threading.Timer(LIST_SECONDS, self._list_nothing, (request_id,))
        if not start_daemon(patience):
            self._list_nothing(request_id)
        return True

    def _list_nothing(self, request_id: RequestId) -> None:
        with self._lock:
            if self._waiting.pop(request_id, None) is None:
                return
            self._owes_files = True
        self._wire.answer(request_id, self._answers.resources(request_id, {"resources": []}, modern=False))

    def _expect_roots(self) -> None:
        if self._roots is not None:
            if self._client.has_roots:
                self._answers.expect_roots()
            self._roots.open(declared=self._client.has_roots)

    def _ask_for_roots(self) -> None:
        if self._roots is not None:
            self._roots.ask()

    def _find_task_methods(self) -> TaskMethods:
        if self._task_methods is None:
            from repo_mcp.protocol.task_methods import TaskMethods

            self._ready.wait()
            assert self._sampler is not None
            modern = self._modern is True
            self._task_methods = TaskMethods(self._wire, self._answers, self._sampler, modern=modern)
        return self._task_methods

    # Calls of tools

    def _get_tool(self, name: str) -> Tool:
        self._ready.wait()
        tool = self._tools.get(name)
        if tool is None:
            from repo_mcp.protocol.tool_model import explain_unknown_tool

            raise RequestRefused(INVALID_PARAMS, explain_unknown_tool(name))
        return tool

    def _call(self, request: Request, params: JsonObject, caller: Caller) -> None:
        """Have a tool called, whose thread answers; in the second era perhaps with a task."""
        from repo_mcp.protocol.calls import AnsweredCall

        name, arguments = read_call(params)
        tool, modern, round_ = self._get_tool(name), self._modern is True, None
        if modern:
            round_ = _read_round(params, caller)
            becomes_task = caller.takes_tasks and tool.may_be_task and self._answers.offers_tasks
            if becomes_task and self._find_task_methods().begin(
                request, tool, arguments, caller, round_=round_
            ):
                return
        call = AnsweredCall(
            self._wire,
            self._answers,
            request.id,
            caller,
            sampler=self._sampler if caller.samples and not modern else None,
            round_=round_,
            modern=modern,
        )
        self._submit(call, tool, arguments)

    def _submit(self, call: AnsweredCall, tool: Tool, arguments: JsonObject) -> None:
        with self._lock:
            self._calls[call.request_id] = call
        assert self._pool is not None
        try:
            call.submit(self._pool, tool, arguments, self._forget)
        except RuntimeError:  # no thread for it
            self._forget(call)
            raise

    def _forget(self, call: AnsweredCall) -> None:
        with self._lock:
            if self._calls.get(call.request_id) is call:
                del self._calls[call.request_id]

    def _cancel_call(self, params: JsonObject) -> None:
        given = params.get("requestId")
        if isinstance(given, bool) or not isinstance(given, int | str):
            return
        for request_id in (given, *_list_other_ids(given)):
            if self._cancel(request_id):
                return

    def _cancel(self, request_id: RequestId) -> bool:
        """Cancel the request with an id. Returns False if there is none."""
        with self._lock:
            call = self._calls.pop(request_id, None)
        if call is not None:
            call.cancel()
            return True
        return self._task_methods is not None and self._task_methods.forget(request_id)


def _list_other_ids(request_id: RequestId) -> tuple[RequestId, ...]:
    """Return the other id that a cancelling may mean: clients are known to cancel 7 as "7"."""
    if isinstance(request_id, int):
        return (str(request_id),)
    try:
        return (int(request_id),)
    except ValueError:
        return ()


def _read_round(params: JsonObject, caller: Caller) -> Round | None:
    """Return the round that a call of the second era opens or continues; None if it cannot ask."""
    state = params.get("requestState")
    if state is not None and not isinstance(state, str):
        raise refuse_params("requestState must be a string")
    read_object(params, "inputResponses")
    if not caller.samples:
        return None
    from repo_mcp.protocol.sampling import read_round

    return read_round(params)
