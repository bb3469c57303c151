"""The stdio wire: standard streams taken private, frames judged, what is valid handed to the SDK.

Laws of this file:

- Only frames leave. The wire lives on private duplicates of descriptors 0 and 1; descriptor 0 then reads
  the null device and 1 goes to stderr, so neither a stray print nor a child process can touch it.
- Every request is answered exactly once, or not at all when the client cancelled it. A frame that
  is refused is answered here; an id that is in flight is refused a second time.
- Memory is bounded by not reading: a frame has a cap, requests in flight have a cap, and a request counts
  as in flight until the last byte of its answer is written, so a client that does not read is not read.
- The process ends within two seconds of end of input, a signal, a broken pipe or its parent's death:
  calls in flight get a moment at end of input, and a deadline ends the process if anything hangs.

Threads: one reads and judges lines, one watches for the end; answers are written from worker threads
under one lock. The seam for handshake answers that are stored rather than computed is `_take`: the one
place through which every frame passes, on the reader's thread, before the SDK is needed.
Left out on purpose: what the methods mean, and any transport but stdio.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from repo_mcp.frames import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    TOO_LONG,
    Frame,
    LineSplitter,
    Notification,
    Refusal,
    Request,
    RequestId,
    Response,
    encode_error,
    parse_frame,
)

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage

    Inbound = MemoryObjectReceiveStream["SessionMessage | Exception"]
    Outbound = MemoryObjectSendStream["SessionMessage"]
    RunServer = Callable[[Inbound, Outbound], Awaitable[None]]

MAX_IN_FLIGHT = 64  # requests; clients run a handful at once, and each may hold a 64 KiB answer
READ_BYTES = 65_536  # one read: the capacity of a pipe on Linux
DRAIN_SECONDS = 0.8  # what calls in flight are given at end of input
LAST_WRITE_SECONDS = 0.3  # for answers that are being written when the server has ended
DEADLINE_SECONDS = 1.5  # from the first reason to stop to a forced exit: 2 s are promised
WATCH_MILLISECONDS = 250  # how often the parent and the reader of stdout are looked for


class StopReason(IntEnum):
    """Why the wire came to its end."""

    END_OF_INPUT = 1
    TERMINATED = 2
    INTERRUPTED = 3
    BROKEN_PIPE = 4
    PARENT_GONE = 5

    @property
    def exit_code(self) -> int:
        """What the process returns: 130 when it was interrupted, else 0: being stopped is a server's end."""
        return 130 if self is StopReason.INTERRUPTED else 0


@dataclass(frozen=True, slots=True)
class Streams:
    """The descriptors of one wire, private to it."""

    input_fd: int
    output_fd: int


def _duplicate(fd: int) -> int:
    """A duplicate above the standard range, which no child inherits."""
    if sys.platform == "win32":
        import msvcrt

        duplicate = os.dup(fd)
        msvcrt.setmode(duplicate, os.O_BINARY)  # text mode would turn "\n" into "\r\n"
        return duplicate
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)


def take_standard_streams() -> Streams:
    """Move the wire to private descriptors and point 0 at the null device, 1 at stderr.

    Raises OSError when standard input or output is closed.
    """
    streams = Streams(_duplicate(0), _duplicate(1))
    null_fd = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_fd, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed: nothing may be said there either
        os.dup2(null_fd, 1)
    if null_fd > 2:
        os.close(null_fd)
    return streams


class _Outlet:
    """The writing end: whole frames, one at a time, from whichever thread."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()

    def write(self, frame: bytes) -> None:
        """Write all of `frame`; blocks while the client does not read. OSError when the pipe is broken."""
        rest = memoryview(frame)
        with self._lock:
            while rest:
                rest = rest[os.write(self._fd, rest) :]


class _InFlight:
    """The requests that hold a place, at most `limit` of them, and the ids still to be answered.

    An id is free again before its answer is written, for a client may use it as soon as it has read the
    answer; its place only afterwards, for an answer that is not read yet still takes memory.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ids: set[RequestId] = set()
        self._places = 0
        self._changed = threading.Condition()

    def add(self, request_id: RequestId) -> bool:
        """Wait for a free place and take it; False when the id is in flight already."""
        with self._changed:
            if request_id in self._ids:
                return False
            self._changed.wait_for(lambda: self._places < self._limit)
            self._ids.add(request_id)
            self._places += 1
            return True

    def settle(self, request_id: RequestId) -> bool:
        """Give up the id; False when it is not in flight: its answer was given."""
        with self._changed:
            settled = request_id in self._ids
            self._ids.discard(request_id)
            return settled

    def free_place(self) -> None:
        with self._changed:
            self._places -= 1
            self._changed.notify()

    def __len__(self) -> int:
        with self._changed:
            return self._places


class Wire:
    """One client connection over two descriptors, from the first byte to the exit."""

    def __init__(
        self, streams: Streams, *, leave: Callable[[int], object], max_in_flight: int = MAX_IN_FLIGHT
    ) -> None:
        """`leave` is called with an exit code when the deadline passes and the process is still there."""
        self._streams = streams
        self._leave = leave
        self._outlet = _Outlet(streams.output_fd)
        self._in_flight = _InFlight(max_in_flight)
        self._parent = os.getppid()
        self._wake_read, self._wake_write = os.pipe()
        self._reason: StopReason | None = None
        self._finish: Callable[[StopReason], object] | None = None  # set while the SDK is served
        self._state = threading.Lock()
        threading.Thread(target=self._watch, name="wire-watch", daemon=True).start()

    def stop(self, reason: StopReason) -> None:
        """Begin the end. Safe from a signal handler: it only writes one byte to a pipe."""
        os.write(self._wake_write, bytes([reason]))

    async def serve(self, run: RunServer) -> StopReason:
        """Serve one connection with `run`, the SDK's server over a pair of streams; returns why it ended."""
        import anyio
        from anyio.from_thread import BlockingPortal

        to_server, inbound = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outbound, from_server = anyio.create_memory_object_stream["SessionMessage"](0)
        try:
            async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
                tasks.start_soon(self._write_messages, from_server)
                with anyio.CancelScope() as scope:
                    finish = partial(self._finish_serving, to_server, scope)
                    if self._attach(partial(portal.start_task_soon, finish)):
                        reader = partial(self._read, portal, to_server)
                        threading.Thread(target=reader, name="wire-read", daemon=True).start()
                        await run(inbound, outbound)
                for stream in (to_server, inbound, outbound):
                    stream.close()
                tasks.cancel_scope.deadline = anyio.current_time() + LAST_WRITE_SECONDS
                await portal.stop(cancel_remaining=True)
        finally:
            self.stop(StopReason.END_OF_INPUT)  # whatever ended this: from here on the deadline runs
        return self._reason or StopReason.END_OF_INPUT

    def _attach(self, finish: Callable[[StopReason], object]) -> bool:
        """From here on a stop is told to the event loop; False when there was one before."""
        with self._state:
            self._finish = finish
            return self._reason is None

    async def _finish_serving(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception], scope: Any, reason: StopReason
    ) -> None:
        """End the SDK's server: at end of input after calls in flight had their moment, otherwise at once."""
        import anyio

        if reason is StopReason.END_OF_INPUT:
            with anyio.move_on_after(DRAIN_SECONDS):
                while len(self._in_flight):
                    await anyio.sleep(0.005)
            to_server.close()
        else:
            scope.cancel()

    def _watch(self) -> None:
        reason = self._await_stop()
        with self._state:
            self._reason = reason
            finish = self._finish
        if finish is not None:
            try:
                finish(reason)
            except RuntimeError:  # the event loop has ended already
                pass
        time.sleep(DEADLINE_SECONDS)
        self._leave(reason.exit_code)

    def _await_stop(self) -> StopReason:
        if sys.platform == "win32":  # no poll on pipes, and no parent id that changes
            return StopReason(os.read(self._wake_read, 1)[0])
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        poll.register(self._streams.output_fd, 0)  # tells POLLERR and POLLHUP: nobody reads the answers
        while True:
            for fd, event in poll.poll(WATCH_MILLISECONDS):
                if fd == self._wake_read:
                    return StopReason(os.read(fd, 1)[0])
                if not event & select.POLLNVAL:
                    return StopReason.BROKEN_PIPE
                poll.unregister(fd)  # a device that cannot be watched
            if os.getppid() != self._parent:
                return StopReason.PARENT_GONE

    def _read(
        self, portal: BlockingPortal, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """The reader's thread: every line to `_take`, until the input ends or the wire does."""
        splitter = LineSplitter()
        deliver = partial(portal.call, to_server.send)
        reason = StopReason.END_OF_INPUT
        try:
            while data := self._read_some():
                for line in splitter.feed(data):
                    self._take(TOO_LONG if line is None else parse_frame(line), deliver)
            if (last := splitter.finish()) is not None:
                self._take(parse_frame(last), deliver)
        except Exception:  # the pipe broke, or the server went away while a frame was handed over
            reason = StopReason.BROKEN_PIPE
        self.stop(reason)

    def _read_some(self) -> bytes:
        try:
            return os.read(self._streams.input_fd, READ_BYTES)
        except OSError:  # the terminal or socket went away
            return b""

    def _take(self, frame: Frame, deliver: Callable[[SessionMessage], object]) -> None:
        """Answer a refused frame; hand the others to the server. Blocks while too much is in flight."""
        if isinstance(frame, Request) and not self._in_flight.add(frame.id):
            frame = Refusal(frame.id, INVALID_REQUEST, "invalid request: this id is in flight already")
        if isinstance(frame, Refusal):
            self._outlet.write(encode_error(frame.id, frame.code, frame.message))
        elif isinstance(frame, Request | Notification | Response):
            deliver(self._build_message(frame))

    def _build_message(self, frame: Request | Notification | Response) -> SessionMessage:
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
        unanswered = partial(self._settle_unanswered, frame.id)
        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def _settle_unanswered(self, request_id: RequestId) -> None:
        """A request the client cancelled ends without an answer."""
        if self._in_flight.settle(request_id):
            self._in_flight.free_place()

    async def _write_messages(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        import anyio
        from anyio import to_thread

        limiter = anyio.CapacityLimiter(1)
        async with messages:
            async for item in messages:
                answered = _answered_id(item.message)
                if answered is not None and not self._in_flight.settle(answered):
                    continue  # its answer was given: never two
                frame = _encode_message(item.message, answered)
                try:
                    await to_thread.run_sync(
                        self._outlet.write, frame, abandon_on_cancel=True, limiter=limiter
                    )
                except OSError:
                    self.stop(StopReason.BROKEN_PIPE)
                    return
                if answered is not None:
                    self._in_flight.free_place()


def _answered_id(message: JSONRPCMessage) -> RequestId | None:
    """The id of the request that `message` answers; None when it is no answer."""
    from mcp_types import JSONRPCError, JSONRPCResponse

    return message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None


def _encode_message(message: JSONRPCMessage, answered: RequestId | None) -> bytes:
    """One frame. What the SDK cannot encode becomes an internal error under the same id, never silence."""
    try:
        frame = message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8") + b"\n"
    except ValueError:
        return b"" if answered is None else encode_error(answered, INTERNAL_ERROR, "internal error")
    # Some clients end a line at U+2028 and U+2029 too; inside JSON they only stand in strings.
    return frame.replace(b"\xe2\x80\xa8", rb"\u2028").replace(b"\xe2\x80\xa9", rb"\u2029")
