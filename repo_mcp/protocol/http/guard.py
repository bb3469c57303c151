"""The guard in front of the SDK's HTTP transports, as ASGI middleware: it lets in who may speak.

A request is looked at in this order, and the first that is wrong ends it, before a byte of its body is read:

    method   GET, POST or DELETE                                              else 405
    Host     once, and one of the names under which the server is reached     else 421
    Origin   none, or that of a page under one of those names                 else 403
    token    once, `Authorization: Bearer …`, compared in constant time       else 401
    room     the connection is let in from here on, if there is room for it   else 503

A page of another site that a browser shows sends its own Origin, and one that has its name point to this
machine (DNS rebinding) sends its own Host: neither is let in, even with a token that it has got hold of.
Left out on purpose: CORS answers, for pages have no business here, and users: a token is the operator's.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
METHODS = frozenset({"GET", "POST", "DELETE"})
_HOST = re.compile(r"(?:([A-Za-z0-9._-]{1,255})|\[([0-9A-Fa-f:.]{2,45})\])(?::[0-9]{1,5})?")
MIN_TOKEN_CHARS = 16
MAX_TOKEN_CHARS = 512


def is_loopback(host: str) -> bool:
    """Return True for an address or name that only this machine reaches."""
    return host.lower() in LOOPBACK or host.startswith("127.")


def is_usable_token(token: str) -> bool:
    """Return True for a token that fits into a header and is too long to be guessed."""
    return MIN_TOKEN_CHARS <= len(token) <= MAX_TOKEN_CHARS and all("!" <= char <= "~" for char in token)


def split_host(header: str) -> str | None:
    """Return the name in a Host header, in lower case, without port and brackets; None without one."""
    found = _HOST.fullmatch(header)
    return None if found is None else (found[1] or found[2]).lower()


class Guard:
    """Middleware that lets only permitted requests through to `app`."""

    def __init__(self, app: App, token: str, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        """Permit requests with `token`. `hosts` are names of this server besides the loopback's, `origins`
        those of pages.
        """
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(host.lower().strip("[]") for host in (*LOOPBACK, *hosts))
        self._origins = frozenset(origin.lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or pass on an event of the server."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self.find_refusal(scope["method"], scope["headers"])
        connection = scope.get("connection")  # `repo_mcp.protocol.http.connections` puts it there
        if refusal is None and connection is not None and not connection.admit():
            refusal = 503, "All connections are busy: try again in a moment."
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def find_refusal(self, method: str, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """Return the status and the words for a request that may not pass; None for one that may."""
        given: dict[bytes, list[str]] = {}
        for name, value in headers:
            given.setdefault(name.lower(), []).append(value.decode("latin-1"))
        if method not in METHODS:
            return 405, "Only GET, POST and DELETE are served."
        hosts = [split_host(one) for one in given.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "This host name is not allowed: see --allow-host."
        origins = given.get(b"origin", [])
        if len(origins) > 1 or not all(map(self._is_allowed_origin, origins)):
            return 403, "Pages of this origin are not served."
        if not self._has_token(given.get(b"authorization", [])):
            return (
                401,
                "A bearer token is required: yours, or the one that the server printed when it started.",
            )
        return None

    def _is_allowed_origin(self, origin: str) -> bool:
        if origin.lower() in self._origins:
            return True
        scheme, separator, host = origin.partition("://")
        return bool(separator) and scheme in ("http", "https") and split_host(host) in self._hosts

    def _has_token(self, values: list[str]) -> bool:
        if len(values) != 1:
            return False
        import hmac  # loads a large library, which the list of tools over stdio need not wait for

        scheme, _, token = values[0].partition(" ")
        same = hmac.compare_digest(token.strip().encode("latin-1"), self._token)
        return same and scheme.lower() == "bearer"


async def _refuse(send: Send, status: int, words: str) -> None:
    body = f"{words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    if status == 405:
        headers.append((b"allow", ", ".join(sorted(METHODS)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
