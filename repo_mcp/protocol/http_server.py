"""The toolsets over HTTP: the SDK's transports behind the guard, several clients at once on one index.

    /mcp               streamable HTTP
    /sse, /messages/   for clients that know nothing newer

Opt-in: only `serve --transport http` imports this file, and with it starlette and uvicorn, which the SDK
brings along. Left out on purpose: TLS (a proxy's work, for who leaves the loopback), and tasks and questions
to the client's model: both belong to one conversation, and here there are many.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import FrameType
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from repo_mcp.protocol.http_connections import KEEP_ALIVE_SECONDS, Connection
from repo_mcp.protocol.http_guard import App, Guard, Message, Receive, Scope, Send
from repo_mcp.protocol.http_options import HttpOptions
from repo_mcp.protocol.http_sessions import SessionKeeper, SessionTable, find_event_stream

PATH, SSE_PATH, MESSAGES_PATH = "/mcp", "/sse", "/messages/"
MAX_BODY_BYTES = 4 * 1024 * 1024  # of one request: as much as a frame on stdio
IDLE_SECONDS = 1_800.0  # until a session that nobody uses is forgotten
GRACE_SECONDS = 1  # for open streams, at the end
START_POLL_SECONDS = 0.01


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound and not yet listened to. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
    bound = socket.socket(found[0], socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it lets any other process take the same port
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
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=None,  # the table sees to it
    )
    events = SseServerTransport(MESSAGES_PATH, max_request_body_size=MAX_BODY_BYTES)
    table = SessionTable()
    streams = _EventStreams(server, events, table)

    @contextlib.asynccontextmanager
    async def live(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    routes = [
        Route(PATH, endpoint=SessionKeeper(StreamableHTTPASGIApp(manager), table)),
        Route(SSE_PATH, endpoint=streams, methods=["GET"]),
        Mount(MESSAGES_PATH, app=streams.take_message),
    ]
    return Guard(Starlette(routes=routes, lifespan=live), options.token, options.hosts, options.origins)


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
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # its records quote requests
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
