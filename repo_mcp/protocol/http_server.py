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

import uvicorn
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from repo_mcp.protocol.http_guard import App, Guard, Receive, Scope, Send
from repo_mcp.protocol.http_options import HttpOptions

PATH, SSE_PATH, MESSAGES_PATH = "/mcp", "/sse", "/messages/"
MAX_BODY_BYTES = 4 * 1024 * 1024  # of one request: as much as a frame on stdio
MAX_SESSIONS = 64
MAX_CONNECTIONS = 256  # at once; one more is told to come again
IDLE_SECONDS = 1_800.0  # until a session that nobody uses is forgotten
KEEP_ALIVE_SECONDS = 30
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
        max_sessions=MAX_SESSIONS,
    )
    events = SseServerTransport(MESSAGES_PATH, max_request_body_size=MAX_BODY_BYTES)

    @contextlib.asynccontextmanager
    async def live(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    routes = [
        Route(PATH, endpoint=StreamableHTTPASGIApp(manager)),
        Route(SSE_PATH, endpoint=_EventStream(server, events), methods=["GET"]),
        Mount(MESSAGES_PATH, app=events.handle_post_message),
    ]
    return Guard(Starlette(routes=routes, lifespan=live), options.token, options.hosts, options.origins)


class _EventStream:
    """The endpoint that holds the session of an old client for as long as its stream is open."""

    def __init__(self, server: SdkServer[Any], events: SseServerTransport) -> None:
        self._server = server
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._events.connect_sse(scope, receive, send) as (inbound, outbound):
            await self._server.run(inbound, outbound, self._server.create_initialization_options())


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
        ws="none",
        lifespan="on",
        limit_concurrency=MAX_CONNECTIONS,
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
