"""The sessions of HTTP, as ASGI middleware: how many there are, and which one ends for a new one.

    POST /mcp without a session    opens one, if its answer is a result; else the session is ended again
    one more than the limit        ends the one that was used least recently and answers nothing just now

An open GET stream is no use of a session: nothing is sent on it. The client of a session that was ended
gets 404 and opens another one, as the specification of the transport asks.
Left out on purpose: what a session is. The application behind has them, and ends one at a DELETE.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from repo_mcp.protocol.http_guard import App, Message, Receive, Scope, Send

SESSION_HEADER = b"mcp-session-id"
MAX_SESSIONS = 64
End = Callable[[], Awaitable[None]]
_EVENT_STREAM_ID = re.compile(rb"\bsession_id=([0-9a-f]{32})\b")


@dataclass(slots=True)
class _Session:
    end: End
    under_way: int = 0  # requests that are being answered


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
        for old in self._list_surplus(name):
            await self._sessions.pop(old).end()

    def begin(self, name: str) -> None:
        """Note that a session is asked something. One that is unknown is left alone."""
        session = self._sessions.pop(name, None)
        if session is not None:
            session.under_way += 1
            self._sessions[name] = session

    def finish(self, name: str) -> None:
        """Note that it was answered."""
        session = self._sessions.pop(name, None)
        if session is not None:
            session.under_way = max(0, session.under_way - 1)
            self._sessions[name] = session

    def forget(self, name: str) -> None:
        """Forget a session that has ended."""
        self._sessions.pop(name, None)

    def _list_surplus(self, newest: str) -> list[str]:
        idle = [name for name, session in self._sessions.items() if not session.under_way and name != newest]
        return idle[: max(0, len(self._sessions) - self._limit)]


class SessionKeeper:
    """Middleware in front of streamable HTTP."""

    def __init__(self, app: App, table: SessionTable) -> None:
        """`app` ends a session at a DELETE, and answers 404 for one that it does not have."""
        self._app = app
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        name = next((value for key, value in scope["headers"] if key == SESSION_HEADER), None)
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

        if is_post:
            self._table.begin(name)
        try:
            await self._app(scope, receive, watch)
        finally:
            if is_post:
                self._table.finish(name)
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
