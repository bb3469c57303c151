"""A model on the loopback that speaks a client's dialect, follows a script and keeps all requests.

    with ModelBackend(ResponsesDialect(), Script(...)) as backend:
        run the client with backend.url
    backend.requests[-1].seen["call_0"]

A stream of events is sent in one piece. Requests that the dialect does not know are answered with 404 and
kept in `strays`, by their paths.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self

from tests.clients.script import Answer, Request, Script


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to the client."""

    body: bytes
    media_type: str = "text/event-stream"


class Dialect(Protocol):
    """The way in which one kind of client talks to its model."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        """Return the request to the model in posted data; None when it is something else."""

    def write(self, request: Request, answer: Answer) -> Reply:
        """Return the model's answer to it."""

    def serve(self, path: str) -> Reply | None:
        """Return the reply for another path (a list of models, a count of tokens); None if it is unknown."""


class ModelBackend:
    """A server on a free port of the loopback, from `with` to its end."""

    def __init__(self, dialect: Dialect, script: Script) -> None:
        self._dialect = dialect
        self._script = script
        self.requests: list[Request] = []  # questions to the model, in order
        self.strays: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def reply_to(self, path: str, data: bytes) -> Reply | None:
        """Return the reply to something posted, or fetched when there is no data; None for 404."""
        body = json.loads(data) if data[:1] == b"{" else {}
        request = self._dialect.read(path, body) if body else None
        if request is not None:
            self.requests.append(request)
            return self._dialect.write(request, self._script.answer(request))
        reply = self._dialect.serve(path)
        if reply is None:
            self.strays.append(path)
        return reply

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        backend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self._read_body())

            def _read_body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", "0")))
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def _answer(self, data: bytes) -> None:
                reply = backend.reply_to(self.path, data)
                self.send_response(200 if reply is not None else 404)
                self.send_header("Content-Type", reply.media_type if reply is not None else "text/plain")
                self.send_header("Content-Length", str(len(reply.body) if reply is not None else 0))
                self.end_headers()
                self.wfile.write(reply.body if reply is not None else b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def render_events(events: list[Mapping[str, Any]]) -> Reply:
    """Render events as a stream, each named by its type where it has one."""
    rows = []
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        rows.append(f"{name}data: {json.dumps(event)}\n\n")
    return Reply("".join(rows).encode())
