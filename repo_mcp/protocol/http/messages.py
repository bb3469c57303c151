"""The messages of HTTP, as ASGI middleware: one that the wire over stdio refuses is refused here as well.

The SDK's reader takes NaN, keys that come twice, other encodings than UTF-8 and deep nesting, drops a request
whose id is no string or integer, and answers the rest with the report of its schemas. So what a POST holds is
read by `repo_mcp.protocol.frames` first. A refusal is answered with 400 and a JSON-RPC error.

A session's requests in flight must have ids of their own: the SDK would answer the last of several alone, and
leave the others waiting for ever. Left out on purpose: what a method means.
"""

from __future__ import annotations

from repo_mcp.protocol.frames import INVALID_REQUEST, Dropped, Refusal, Request, encode_error, parse_frame
from repo_mcp.protocol.http.guard import App, Message, Receive, Scope, Send

ID_KEY = "repo_mcp.request_id"  # key of the request's id in a scope
ID_IN_USE = "invalid request: a request with this id is being answered in this session: give another id"
NOT_USABLE = "invalid request: the message can be neither used nor answered: see the JSON-RPC specification"


class StrictMessages:
    """Middleware that lets only strict messages through to `app`. The whole body must come at once."""

    def __init__(self, app: App) -> None:
        """`app` finds the id of a request in its scope, under ID_KEY."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        first = await receive()
        pending = [first]
        if first["type"] == "http.request" and not first.get("more_body", False):
            frame = parse_frame(first.get("body", b""))
            if isinstance(frame, Dropped):
                frame = Refusal(None, INVALID_REQUEST, NOT_USABLE)
            if isinstance(frame, Refusal):
                await refuse_message(send, frame)
                return
            if isinstance(frame, Request):
                scope = {**scope, ID_KEY: frame.id}

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)


async def refuse_message(send: Send, refusal: Refusal) -> None:
    """Answer a POST with a JSON-RPC error."""
    body = encode_error(refusal.id, refusal.code, refusal.message)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})
