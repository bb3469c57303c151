"""The SDK's server behind the wire, loaded in a thread of its own when the first frame is for it.

Most conversations never need it. Frames go in one by one, as messages of the SDK; what comes out is
written to the wire, where an answer that nobody waits for goes nowhere. Left out on purpose: what the
server serves, and which frames it is given.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from repo_mcp.protocol.frames import Notification, RequestId, Response
from repo_mcp.protocol.wire import Wire

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage

    from repo_mcp.protocol.wire import Valid

    Inbound = MemoryObjectReceiveStream["SessionMessage | Exception"]
    Outbound = MemoryObjectSendStream["SessionMessage"]
    RunServer = Callable[[Inbound, Outbound], Awaitable[None]]

CLOSE_SECONDS = 0.3  # for the server to end


class SdkBridge:
    """One connection of the SDK's server. Frames are given by one thread."""

    def __init__(self, wire: Wire, load: Callable[[], RunServer]) -> None:
        """`load` imports and builds the server; it is called once, when it is needed."""
        self._wire = wire
        self._load = load
        self._thread: threading.Thread | None = None
        self._running = threading.Event()
        self._portal: BlockingPortal | None = None  # None as well when the server has ended
        self._to_server: MemoryObjectSendStream[SessionMessage | Exception] | None = None
        self._end: Callable[[], object] | None = None

    def take(self, frames: Sequence[Valid]) -> None:
        """Give frames to the server. Blocks until it has taken them; RuntimeError when it has ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sdk", daemon=True)
            self._thread.start()
        self._running.wait()
        for frame in frames:
            if self._portal is None or self._to_server is None:
                raise RuntimeError("the server has ended")
            self._portal.call(self._to_server.send, self._build_message(frame))

    def close(self) -> None:
        """End the server, if it was loaded."""
        if self._thread is None:
            return
        if self._end is not None:
            try:
                self._end()
            except RuntimeError:  # it has ended already
                pass
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        import anyio

        try:
            anyio.run(self._serve, self._load())
        finally:
            self._portal = None
            self._running.set()

    async def _serve(self, run: RunServer) -> None:
        import anyio
        from anyio.from_thread import BlockingPortal

        to_server, inbound = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outbound, from_server = anyio.create_memory_object_stream["SessionMessage"](0)
        async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
            tasks.start_soon(self._write_messages, from_server)
            with anyio.CancelScope() as scope:
                self._portal, self._to_server = portal, to_server
                self._end = partial(
                    portal.start_task_soon, scope.cancel
                )  # waits for nothing: it may be ending
                self._running.set()
                await run(inbound, outbound)
            self._portal = None
            for stream in (to_server, inbound, outbound):
                stream.close()
            await portal.stop(cancel_remaining=True)
            tasks.cancel_scope.cancel()

    def _build_message(self, frame: Valid) -> SessionMessage:
        from mcp.shared.message import ServerMessageMetadata, SessionMessage
        from mcp_types import JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

        if isinstance(frame, Response):
            return SessionMessage(jsonrpc_message_adapter.validate_python(frame.body, by_name=False))
        body: dict[str, Any] = {"jsonrpc": "2.0", "method": frame.method}
        if frame.params is not None:
            body["params"] = frame.params
        if isinstance(frame, Notification):
            return SessionMessage(JSONRPCNotification.model_validate(body))
        message = JSONRPCRequest.model_validate(body | {"id": frame.id})
        unanswered = partial(self._drop, frame.id)
        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def _drop(self, request_id: RequestId) -> None:
        self._wire.drop(request_id)

    async def _write_messages(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        import anyio
        from anyio import to_thread

        limiter = anyio.CapacityLimiter(1)
        async with messages:
            async for item in messages:
                answered = _answered_id(item.message)
                frame = _encode_message(item.message)
                write = partial(self._wire.say, frame)
                if answered is not None:
                    write = partial(self._wire.answer, answered, frame)
                await to_thread.run_sync(write, abandon_on_cancel=True, limiter=limiter)


def _answered_id(message: JSONRPCMessage) -> RequestId | None:
    """The id of the request that `message` answers; None when it is no answer."""
    from mcp_types import JSONRPCError, JSONRPCResponse

    return message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None


def _encode_message(message: JSONRPCMessage) -> bytes:
    """One frame; none for what the SDK cannot encode, which the wire makes an internal error."""
    from repo_mcp.protocol.frames import end_frame

    try:
        return end_frame(message.model_dump_json(by_alias=True, exclude_unset=True))
    except ValueError:
        return b""
