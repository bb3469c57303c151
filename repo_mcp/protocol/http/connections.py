"""The connections of HTTP, as uvicorn's protocol: who may hold one, and for how long, by what it has shown.

    state                            at most          ends
    stranger: no good token so far   MAX_STRANGERS    after STRANGER_SECONDS, or as the oldest, for another:
                                                      after HEARD_SECONDS, or at once if there are MAX_BURST
    let in, sending a request        MAX_LET_IN       when it is not complete after REQUEST_SECONDS
    let in, answered or streaming                     when the client takes none of it for ANSWER_SECONDS
    let in, idle                                      after KEEP_ALIVE_SECONDS, or as the oldest, for another

So strangers crowd out strangers only. Where every connection that was let in is busy, one more gets 503. What
has overstayed is cut, not closed: closing would wait for a client that reads nothing.
Left out on purpose: whose token is good (`repo_mcp.protocol.http.guard`), and limits by address: behind the
loopback or a proxy there is only one.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_STRANGERS = 128  # More than connect at once in a burst of clients; each shows its token at once
MAX_BURST = 512  # strangers at any moment, so that file descriptors are left
MAX_LET_IN = 256
HEARD_SECONDS = 0.1  # enough to read what many clients sent when they connected at once
STRANGER_SECONDS = 10.0  # most time from the connection to the headers of a request with the token
REQUEST_SECONDS = 60.0  # most time for a whole request, from its first byte: 4 MiB at 1 Mbit/s take 34
ANSWER_SECONDS = 60.0
KEEP_ALIVE_SECONDS = 30


class Connection(H11Protocol):
    """One connection. `is_let_in` since it showed the token."""

    _numbers = itertools.count()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what uvicorn gives each protocol."""
        super().__init__(*args, **kwargs)
        self.is_let_in = False
        self._is_answering = False
        self._number = 0  # rises with each connection, and each time one becomes idle
        self._life: asyncio.TimerHandle | None = None
        self._sending = _Deadline(self.loop, self.cut)
        self._taking = _Deadline(self.loop, self._end_slow_reader)
        inner = self.app

        async def serve(scope: Any, receive: Any, send: Any) -> None:
            self._is_answering = True
            scope["connection"] = self  # the guard finds it there, and calls `admit`
            await inner(scope, receive, send)

        self.app = serve

    def admit(self) -> bool:
        """Let this connection in, for it has shown the token; another one ends for it if there are too many.

        Return False when none can end, as all are busy.
        """
        if not self.is_let_in:
            others = [other for other in self._list_peers() if other.is_let_in]
            if len(others) >= MAX_LET_IN:
                idle = [other for other in others if not other._is_answering]
                if not idle:
                    return False
                min(idle, key=lambda other: other._number).cut()
            self.is_let_in = True
            self._end_life()
        return True

    def cut(self) -> None:
        """End the connection at once, with all that was not sent yet."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin the life of a stranger; the oldest one ends if there are too many, mostly a moment later."""
        super().connection_made(transport)
        self._number = next(self._numbers)
        self._life = self.loop.call_later(STRANGER_SECONDS, self.cut)
        # Soon after that: a request that was read just now, on a busy machine, is looked at first.
        self.loop.call_later(HEARD_SECONDS, self.loop.call_soon, self._end_oldest_stranger, MAX_STRANGERS)
        self._end_oldest_stranger(MAX_BURST)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and its deadlines."""
        self._end_life()
        self._sending.end()
        self._taking.end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request."""
        super().data_received(data)
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; cut a connection whose client goes on wrongly behind an answer."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.cut()

    def on_response_complete(self) -> None:
        """Continue with the next request, or wait for it."""
        self._is_answering = False
        self._number = next(self._numbers)
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Stop writing: the client does not take what it is sent."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Continue to write: the client has read most of it."""
        self._taking.end()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that was idle for too long."""
        if self.transport.get_write_buffer_size():
            self.cut()
        else:
            super().timeout_keep_alive_handler()

    def _watch(self) -> None:
        is_begun = bool(self.conn.trailing_data[0])
        is_pending = {h11.SEND_BODY: True, h11.IDLE: is_begun}.get(self.conn.their_state, False)
        self._sending.keep(is_pending, REQUEST_SECONDS)
        self._taking.keep(self.transport.get_write_buffer_size() > 0, ANSWER_SECONDS)

    def _end_slow_reader(self) -> None:
        if self.transport.get_write_buffer_size():
            self.cut()

    def _end_life(self) -> None:
        if self._life is not None:
            self._life.cancel()
            self._life = None

    def _end_oldest_stranger(self, limit: int) -> None:
        """End a stranger if there are more than `limit`."""
        strangers = [other for other in self._list_peers() if not other.is_let_in]
        if len(strangers) > limit:
            min(strangers, key=lambda other: other._number).cut()

    def _list_peers(self) -> list[Connection]:
        """Return the connections that were not cut, with this one, in no order."""
        return [
            other
            for other in self.connections
            if isinstance(other, Connection) and not other.transport.is_closing()
        ]


class _Deadline:
    """The time by which whatever is pending must be finished."""

    def __init__(self, loop: asyncio.AbstractEventLoop, miss: Callable[[], None]) -> None:
        self._loop = loop
        self._miss = miss
        self._timer: asyncio.TimerHandle | None = None

    def keep(self, is_pending: bool, seconds: float) -> None:
        """Start the clock for what became pending; keep it running for what still is."""
        if not is_pending:
            self.end()
        elif self._timer is None:
            self._timer = self._loop.call_later(seconds, self._expire)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        self._miss()
