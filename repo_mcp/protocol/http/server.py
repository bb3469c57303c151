"""The toolsets over HTTP: the SDK's transports behind the guard, several clients at once on one index.

    /mcp               streamable HTTP
    /sse, /messages/   for clients that know nothing newer

Sessions are counted by ASGI middleware:

    POST /mcp without a session    opens one, if its answer is a result; else the session is ended again
    an id that is in use           is refused: the SDK would answer one of the two requests
    one more than the limit        ends the one that was used least recently and answers nothing just now

An open GET stream does not count as use of a session: nothing is sent on it. The client of a session that was
ended gets 404 and opens another one, as the specification of the transport requires. The SDK's application
holds the sessions, and ends one at a DELETE.

Opt-in: only `serve --transport http` imports this file, and with it starlette and uvicorn, which the SDK
depends on. Left out on purpose: TLS (a proxy's work, beyond the loopback interface), and tasks and questions
to the client's model: both belong to one conversation, and here there are many.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import field
from types import FrameType
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from repo_mcp.protocol.frames import INVALID_REQUEST, Refusal, RequestId
from repo_mcp.protocol.http.connections import KEEP_ALIVE_SECONDS, Connection
from repo_mcp.protocol.http.guard import App, Guard, Message, Receive, Scope, Send
from repo_mcp.protocol.http.messages import ID_IN_USE, ID_KEY, StrictMessages, refuse_message
from repo_mcp.protocol.http.options import HttpOptions
from repo_mcp.record_classes import dataclass

PATH, SSE_PATH, MESSAGES_PATH = "/mcp", "/sse", "/messages/"
MAX_BODY_BYTES = 4 * 1024 * 1024  # most bytes of a request: as many as of a frame on stdio
IDLE_SECONDS = 1_800.0  # time after which a session that nobody uses is forgotten
GRACE_SECONDS = 1  # time for open streams at the end
START_POLL_SECONDS = 0.01
SESSION_HEADER = b"mcp-session-id"
LAST_EVENT_HEADER = b"last-event-id"  # no event has an id, so that none can be sent again
MAX_SESSIONS = 64
End = Callable[[], Awaitable[None]]
_EVENT_STREAM_ID = re.compile(rb"\bsession_id=([0-9a-f]{32})\b")


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound and not yet listened to. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
    bound = socket.socket(found[0], socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # on Windows this option lets any other process take the same port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(found[4])
    except OSError:
        bound.close()
        raise
    return bound


def build_app(server: SdkServer[Any], options: HttpOptions) -> App:
    """Return the whole application behind its guard."""
    manager = StreamableHTTPSessionManager(
        server,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=None,  # the table sees to it
    )
    events = SseServerTransport(MESSAGES_PATH)
    table = SessionTable()
    streams = _EventStreams(server, events, table)

    @contextlib.asynccontextmanager
    async def live(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    routes = [
        Route(PATH, endpoint=_limit(SessionKeeper(StreamableHTTPASGIApp(manager), table))),
        Route(SSE_PATH, endpoint=streams, methods=["GET"]),
        Mount(MESSAGES_PATH, app=_limit(streams.take_message)),
    ]
    return Guard(Starlette(routes=routes, lifespan=live), options.token, options.hosts, options.origins)


def _limit(app: App) -> App:
    """Return `app` for messages that are short enough and strict."""
    return RequestBodyLimitMiddleware(StrictMessages(app), MAX_BODY_BYTES)


class _EventStreams:
    """The endpoints of old clients: each has a session for as long as its stream is open."""

    def __init__(self, server: SdkServer[Any], events: SseServerTransport, table: SessionTable) -> None:
        self._server = server
        self._events = events
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name: str | None = None

        async def watch(message: Message) -> None:
            nonlocal name
            if name is None:
                name = find_event_stream(message.get("body", b""))
                if name is not None:
                    await self._table.add(name, end)
            await send(message)

        with anyio.CancelScope() as stream:

            async def end() -> None:
                stream.cancel()

            try:
                async with self._events.connect_sse(scope, receive, watch) as (inbound, outbound):
                    await self._server.run(inbound, outbound, self._server.create_initialization_options())
            finally:
                if name is not None:
                    self._table.forget(name)

    async def take_message(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a POST to one of the sessions."""
        name = find_event_stream(scope["query_string"])
        if name is not None:
            self._table.begin(name)
        try:
            await self._events.handle_post_message(scope, receive, send)
        finally:
            if name is not None:
                self._table.finish(name)


class _Listener(uvicorn.Server):
    """A server that returns after a signal; uvicorn's own raises the signal once more."""

    interrupted = False

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals within the block, then restore their handlers."""
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        before = [signal.signal(number, self._stop) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self.interrupted = self.interrupted or number == signal.SIGINT
        self.should_exit = True


def listen(
    server: SdkServer[Any], options: HttpOptions, bound: socket.socket, started: Callable[[], None]
) -> bool:
    """Serve until a signal. `started` is called when requests are taken. Return True after an interrupt."""
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # because its records quote requests
    logging.getLogger("uvicorn").propagate = False
    config = uvicorn.Config(
        build_app(server, options),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=Connection,
        ws="none",
        lifespan="on",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    listener = _Listener(config)

    async def run() -> None:
        serving = asyncio.create_task(listener.serve(sockets=[bound]))
        while not listener.started and not serving.done():
            await asyncio.sleep(START_POLL_SECONDS)
        if listener.started:
            started()
        await serving

    asyncio.run(run())
    return listener.interrupted


@dataclass(slots=True)
class _Session:
    end: End
    under_way: int = 0  # requests that are being answered
    # Ids of the requests that have one, in the form in which the SDK compares them.
    ids: set[str] = field(default_factory=set)


class SessionTable:
    """The sessions in the order of their last use. At most `limit` stay that answer nothing just now."""

    def __init__(self, limit: int = MAX_SESSIONS) -> None:
        """Begin without any."""
        self._limit = limit
        self._sessions: dict[str, _Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    async def add(self, name: str, end: End) -> None:
        """Add a session, and end those that are too many."""
        self._sessions[name] = _Session(end)
        while (old := self._find_surplus(name)) is not None:  # others come and go while one is ended
            await self._sessions.pop(old).end()

    def begin(self, name: str, request_id: RequestId | None = None) -> bool:
        """Record a request to a session. An unknown session is ignored.

        Returns False, and records nothing, while another one with its id is being answered.
        """
        session = self._sessions.get(name)
        if session is None:
            return True
        if request_id is not None and str(request_id) in session.ids:
            return False
        self._sessions[name] = self._sessions.pop(name)
        session.under_way += 1
        if request_id is not None:
            session.ids.add(str(request_id))
        return True

    def finish(self, name: str, request_id: RequestId | None = None) -> None:
        """Note that it was answered."""
        session = self._sessions.pop(name, None)
        if session is not None:
            session.under_way = max(0, session.under_way - 1)
            if request_id is not None:
                session.ids.discard(str(request_id))
            self._sessions[name] = session

    def forget(self, name: str) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(name, None)

    def _find_surplus(self, newest: str) -> str | None:
        """Return the session to end if there are too many; None if there are not, or if all are busy."""
        if len(self._sessions) <= self._limit:
            return None
        idle = (name for name, one in self._sessions.items() if not one.under_way and name != newest)
        return next(idle, None)


class SessionKeeper:
    """Middleware in front of streamable HTTP."""

    def __init__(self, app: App, table: SessionTable) -> None:
        """`app` ends a session at a DELETE, and answers 404 for one that it does not have."""
        self._app = app
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = [one for one in scope["headers"] if one[0] != LAST_EVENT_HEADER]
        scope = {**scope, "headers": headers}
        name = next((value for key, value in headers if key == SESSION_HEADER), None)
        if name is None:
            await self._open(scope, receive, send)
        else:
            await self._use(name.decode("latin-1"), scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        opening = _Opening()

        async def watch(message: Message) -> None:
            if opening.is_opened_by(message):
                await self._table.add(opening.name, lambda: self._end(scope, opening.name))
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            if opening.name and not opening.is_opened:
                await self._end(scope, opening.name)

    async def _use(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        is_post = scope["method"] == "POST"

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 404:
                self._table.forget(name)
            await send(message)

        request_id = scope.get(ID_KEY)
        if is_post and not self._table.begin(name, request_id):
            await refuse_message(send, Refusal(request_id, INVALID_REQUEST, ID_IN_USE))
            return
        try:
            await self._app(scope, receive, watch)
        finally:
            if is_post:
                self._table.finish(name, request_id)
            if scope["method"] == "DELETE":
                self._table.forget(name)

    async def _end(self, scope: Scope, name: str) -> None:
        """Send the application a DELETE of our own."""

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None:
            return None

        asked = {**scope, "method": "DELETE", "headers": [(SESSION_HEADER, name.encode("latin-1"))]}
        await self._app(asked, receive, send)


class _Opening:
    """The outcome of a request without a session: which one was opened, and whether it stays."""

    def __init__(self) -> None:
        self.name = ""
        self.is_opened = False
        self._body = b""

    def is_opened_by(self, message: Message) -> bool:
        """Return True for the message that brings the result."""
        if message["type"] == "http.response.start":
            headers = dict(message.get("headers", ()))
            if message["status"] < 400:  # the application ends it where it is refused
                self.name = headers.get(SESSION_HEADER, b"").decode("latin-1")
            return False
        if not self.name or self.is_opened:
            return False
        self._body += message.get("body", b"")
        *lines, self._body = self._body.split(b"\n")
        self.is_opened = any(map(_holds_result, lines))
        return self.is_opened


def _holds_result(line: bytes) -> bool:
    field, _, data = line.partition(b":")
    return field == b"data" and data.strip() != b"" and "result" in json.loads(data)


def find_event_stream(text: bytes) -> str | None:
    """Return the session that a query, or the first event of a stream, names; None without one."""
    found = _EVENT_STREAM_ID.search(text)
    return None if found is None else found[1].decode()
