"""A server process that listens on the loopback, and plain requests to it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.forked import START, popen

PROJECT = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 60.0
MOMENT_SECONDS = 0.02
LISTENING = "0A"  # the state of a socket in /proc/net/tcp
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


class HttpServed:
    """One server process that listens."""

    def __init__(self, root: Path, *options: str, start: str = START, **environment: str) -> None:
        """`start` is the program."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(root.parent))
        path = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.popen = popen(
            [sys.executable, "-c", start, "--repo-root", str(root), "--transport", "http", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=kept | places | {"PYTHONPATH": path} | environment,
            cwd=root.parent,
            text=True,
        )
        found = re.search(r"listening on (http://\S+)/mcp", self._read_line())
        assert found is not None
        self.base = found[1]
        self.port = int(self.base.rpartition(":")[2])
        line = "" if "REPO_MCP_HTTP_TOKEN" in environment else self._read_line()
        self.token = line.rpartition(" ")[2].strip() or environment["REPO_MCP_HTTP_TOKEN"]

    def _read_line(self) -> str:
        assert self.popen.stderr is not None
        return self.popen.stderr.readline()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        self.popen.send_signal(number)
        out, err = self.popen.communicate(timeout=PATIENCE_SECONDS)
        return self.popen.returncode, out, err

    def post(self, body: Any, session: str = "") -> tuple[int, str, bytes]:
        """Return the status, the session and the body of the answer, on a connection of its own."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.base}/mcp", data, self.headers(session))
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
                return answer.status, answer.headers.get("mcp-session-id", ""), answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, "", refused.read()

    def headers(self, session: str = "", token: str = "") -> dict[str, str]:
        """Return the headers of a POST."""
        return {
            "Authorization": f"Bearer {token or self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        } | ({"Mcp-Session-Id": session} if session else {})

    def head(self, first: str, *more: str, session: str = "", token: str = "") -> bytes:
        """Return the bytes of a request as far as its body."""
        lines = [f"{key}: {value}" for key, value in self.headers(session, token).items()]
        return "\r\n".join([f"{first} HTTP/1.1", "Host: localhost", *lines, *more, "", ""]).encode()

    def connect(self, data: bytes = b"") -> socket.socket:
        """Return a connection on which `data` was sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)
        connection.sendall(data)
        return connection

    def count_connections(self) -> int:
        """Return the number of connections that the server holds, according to Linux."""
        place = f"/proc/{self.popen.pid}"
        held = set()
        for entry in os.listdir(f"{place}/fd"):
            try:
                held.add(os.readlink(f"{place}/fd/{entry}"))
            except FileNotFoundError:  # closed meanwhile
                pass
        rows = [line.split() for line in Path(f"{place}/net/tcp").read_text().splitlines()[1:]]
        ours = [
            row for row in rows if int(row[1].rpartition(":")[2], 16) == self.port and row[3] != LISTENING
        ]
        return sum(f"socket:[{row[9]}]" in held for row in ours)


def ask(connection: socket.socket, request: bytes) -> bytes:
    """Return the whole answer to a request, which says how long its body is."""
    connection.setblocking(True)
    connection.settimeout(PATIENCE_SECONDS)
    connection.sendall(request)
    found = b""
    while True:
        found += connection.recv(1 << 16)
        head, end, body = found.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        if end and length is not None and len(body) >= int(length[1]):
            return found


def is_ended(connection: socket.socket) -> bool:
    """Return whether the server has closed a connection; it may have sent something before."""
    connection.setblocking(False)
    try:
        while connection.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True
