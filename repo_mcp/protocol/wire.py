"""The stdio wire: standard streams taken private, frames judged, what is valid handed on.

Laws of this file:

- Only frames leave. The wire lives on private duplicates of descriptors 0 and 1; descriptor 0 then reads
  the null device and 1 goes to stderr, so neither a stray print nor a child process can touch it.
- Every request is answered exactly once, or not at all when the client cancelled it. A frame that
  is refused is answered here; an id that is in flight is refused a second time.
- Memory is bounded by not reading: a frame has a cap, requests in flight have a cap, and a request counts
  as in flight until the last byte of its answer is written, so a client that does not read is not read.
- The process ends within two seconds of end of input, a signal, a broken pipe or its parent's death:
  calls in flight get a moment at end of input and are refused then, and a deadline ends the process if
  anything hangs. A client that closes the input while it leaves answers unread is gone after STALL_SECONDS:
  the end of the input lies behind requests that are not read before their answers can be written.

Threads: one reads and judges lines and hands every valid frame on, one watches for the end; answers are
written under one lock by whoever has them. The handshake is answered from here before anything else is
loaded, so this file imports neither dataclasses nor typing: each takes longer than the answer.
Left out on purpose: what the methods mean, and any transport but stdio.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from enum import IntEnum

from repo_mcp.exit_codes import EXIT_DONE, EXIT_INTERRUPTED
from repo_mcp.protocol.frames import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Valid = Request | Notification | Response
    TakeMessage = Callable[[Valid], object]

MAX_IN_FLIGHT = 64  # requests; clients run a handful at once, and each may hold a 64 KiB answer
READ_BYTES = 65_536  # one read: the capacity of a pipe on Linux
DRAIN_SECONDS = 1.2  # time for calls in flight at the end of the input
REFUSING_SECONDS = 0.1  # time for refusing the calls that are left
LAST_WRITE_SECONDS = 0.3  # time for answers that are being written when the server has ended
DEADLINE_SECONDS = 1.5  # time from the first reason to stop to a forced exit; 2 s are promised
STALL_SECONDS = 5.0  # most time for one write after the client has closed the input
WAIT_SECONDS = 0.5  # time of one wait for the end; on Windows a signal is only seen between two waits
WATCH_MILLISECONDS = 250  # how often the parent and the reader of stdout are looked for
TOO_LATE = "the input ended before this call was answered: keep it open until the answer is read"


class StopReason(IntEnum):
    """The reason why a wire came to its end."""

    END_OF_INPUT = 1
    TERMINATED = 2
    INTERRUPTED = 3
    BROKEN_PIPE = 4
    PARENT_GONE = 5

    @property
    def exit_code(self) -> int:
        """Return the exit code: 130 after an interrupt, else 0, for servers end by being stopped."""
        return EXIT_INTERRUPTED if self is StopReason.INTERRUPTED else EXIT_DONE


class Streams:
    """The descriptors of one wire, private to it."""

    __slots__ = ("input_fd", "output_fd")

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self.input_fd = input_fd
        self.output_fd = output_fd


def _duplicate(fd: int) -> int:
    """Return a duplicate above the standard range, which no child inherits."""
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


class _Output:
    """The writing end: whole frames, one at a time, from any thread."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()
        self._closed = False
        self._writing_since: float | None = None  # None: nothing is being written

    def is_stalled(self) -> bool:
        """Return True if one write has lasted longer than STALL_SECONDS."""
        since = self._writing_since
        return since is not None and time.monotonic() - since > STALL_SECONDS

    def write(self, frame: bytes) -> None:
        """Write all of `frame`.

        Blocks while the client does not read. Raises OSError when the pipe is broken.
        """
        rest = memoryview(frame)
        with self._lock:
            if self._closed:
                return
            while rest:
                self._writing_since = time.monotonic()
                rest = rest[os.write(self._fd, rest) :]
            self._writing_since = None

    def close(self, patience_seconds: float) -> None:
        """Stop all writing. Waits at most `patience_seconds` for a frame that is being written."""
        whole = self._lock.acquire(timeout=patience_seconds)
        self._closed = True
        if whole:
            self._lock.release()


class _InFlight:
    """The requests that hold a slot, at most `limit` of them, and the ids still to be answered.

    An id is free again before its answer is written, for a client may use it as soon as it has read the
    answer; its slot only afterwards, for an answer that is not read yet still takes memory.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ids: set[RequestId] = set()
        self._slots = 0
        self._changed = threading.Condition()

    def add(self, request_id: RequestId) -> bool:
        """Wait for a free slot and take it. Return False when the id is in flight already."""
        with self._changed:
            if request_id in self._ids:
                return False
            while self._slots >= self._limit:
                self._changed.wait()
            self._ids.add(request_id)
            self._slots += 1
            return True

    def settle(self, request_id: RequestId) -> bool:
        """Free the id. Return False when it is not in flight: its answer was given."""
        with self._changed:
            settled = request_id in self._ids
            self._ids.discard(request_id)
            return settled

    def settle_all(self) -> list[RequestId]:
        """Free all ids, and return them."""
        with self._changed:
            settled = [*self._ids]
            self._ids.clear()
            return settled

    def free_slot(self) -> None:
        with self._changed:
            self._slots -= 1
            self._changed.notify()

    def wait_until_empty(self, patience_seconds: float) -> None:
        """Wait until every slot is free, at most `patience_seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._slots, patience_seconds)


class Wire:
    """The connection with one client over two descriptors, from the first byte to the exit."""

    def __init__(
        self, streams: Streams, *, leave: Callable[[int], object], max_in_flight: int = MAX_IN_FLIGHT
    ) -> None:
        """Watch for the end. `leave` is called with an exit code if the process outlives the deadline."""
        self._streams = streams
        self._leave = leave
        self._outlet = _Output(streams.output_fd)
        self._in_flight = _InFlight(max_in_flight)
        self._parent = os.getppid()
        self._wake_read, self._wake_write = os.pipe()
        self._reason: StopReason | None = None
        self._ended = threading.Event()
        self._first = threading.Event()  # a frame was handled, or there will be none
        threading.Thread(target=self._watch, name="wire-watch", daemon=True).start()

    def stop(self, reason: StopReason) -> None:
        """Begin the end. Safe from a signal handler: it only writes one byte to a pipe."""
        os.write(self._wake_write, bytes([reason]))

    def start(self, take: TakeMessage) -> None:
        """Read from now on. `take` is given every valid frame, on the reader's thread, and may block."""
        threading.Thread(target=self._read, args=(take,), name="wire-read", daemon=True).start()

    def wait_for_first_frame(self, patience_seconds: float) -> None:
        """Wait until the first frame is taken, at most `patience_seconds`."""
        self._first.wait(patience_seconds)

    def wait(self) -> StopReason:
        """Wait until the session is over, and return why."""
        while not self._ended.wait(WAIT_SECONDS):
            pass
        assert self._reason is not None
        return self._reason

    def finish(self) -> None:
        """Write nothing any more: from here on no frame can be cut."""
        self._outlet.close(LAST_WRITE_SECONDS)

    # Whoever answers

    def answer(self, request_id: RequestId, frame: bytes) -> None:
        """Answer a request in flight; does nothing for one that was answered or cancelled. Blocks.

        An empty frame is an internal error.
        """
        if not self._in_flight.settle(request_id):
            return
        try:
            self._write(frame or encode_error(request_id, INTERNAL_ERROR, "internal error"))
        finally:
            self._in_flight.free_slot()

    def say(self, frame: bytes) -> None:
        """Write a frame that answers nothing. Blocks."""
        self._write(frame)

    def drop(self, request_id: RequestId) -> None:
        """End a request without an answer: the client has cancelled it."""
        if self._in_flight.settle(request_id):
            self._in_flight.free_slot()

    def _write(self, frame: bytes) -> None:
        try:
            self._outlet.write(frame)
        except OSError:
            self.stop(StopReason.BROKEN_PIPE)

    # The end

    def _watch(self) -> None:
        self._reason = reason = self._await_stop()
        deadline = time.monotonic() + DEADLINE_SECONDS
        if reason is StopReason.END_OF_INPUT:
            self._in_flight.wait_until_empty(DRAIN_SECONDS)
            # By another thread: writing blocks while nobody reads.
            refusing = threading.Thread(target=self._refuse_rest, name="wire-refuse", daemon=True)
            refusing.start()
            refusing.join(REFUSING_SECONDS)
        self._ended.set()
        self._first.set()
        time.sleep(max(0.0, deadline - time.monotonic()))
        self._leave(reason.exit_code)

    def _refuse_rest(self) -> None:
        """Refuse the requests that are still in flight: a program that pipes them in would wait in vain."""
        for request_id in self._in_flight.settle_all():
            self._write(encode_error(request_id, INTERNAL_ERROR, TOO_LATE))

    def _await_stop(self) -> StopReason:
        if sys.platform == "win32":  # no poll on pipes, and no parent id that changes
            return StopReason(os.read(self._wake_read, 1)[0])
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        poll.register(self._streams.output_fd, 0)  # tells POLLERR and POLLHUP: nobody reads the answers
        # Also when half of a socket is closed.
        poll.register(self._streams.input_fd, getattr(select, "POLLRDHUP", 0))
        input_closed = False
        while True:
            for fd, event in poll.poll(WATCH_MILLISECONDS):
                if fd == self._wake_read:
                    return StopReason(os.read(fd, 1)[0])
                is_watched = not event & select.POLLNVAL  # a few devices cannot be
                if is_watched and fd == self._streams.output_fd:
                    return StopReason.BROKEN_PIPE
                input_closed |= is_watched
                poll.unregister(fd)
            if input_closed and self._outlet.is_stalled():
                return StopReason.BROKEN_PIPE
            if os.getppid() != self._parent:
                return StopReason.PARENT_GONE

    def _read(self, take: TakeMessage) -> None:
        """Read and judge every line until the input ends or the wire does. Runs on the reader's thread."""
        splitter = LineSplitter()
        reason = StopReason.END_OF_INPUT
        try:
            while data := self._read_some():
                for line in splitter.feed(data):
                    self._judge(line, take)
            if (last := splitter.finish()) is not None:
                self._judge(last, take)
        except Exception:  # the pipe broke, or whoever takes frames went away
            reason = StopReason.BROKEN_PIPE
        self.stop(reason)

    def _read_some(self) -> bytes:
        try:
            return os.read(self._streams.input_fd, READ_BYTES)
        except OSError:  # the terminal or socket went away
            return b""

    def _judge(self, line: bytes | Refusal, take: TakeMessage) -> None:
        """Answer a refused frame and hand the others on. Blocks while too much is in flight."""
        frame: Frame = line if isinstance(line, Refusal) else parse_frame(line)
        if isinstance(frame, Request) and not self._in_flight.add(frame.id):
            frame = Refusal(frame.id, INVALID_REQUEST, "invalid request: this id is already in flight")
        if isinstance(frame, Refusal):
            self._outlet.write(encode_error(frame.id, frame.code, frame.message))
        elif isinstance(frame, Request | Notification | Response):
            take(frame)
        self._first.set()
