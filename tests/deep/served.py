"""A real server process over pipes, as short as a test needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
START = "from repo_mcp.server import main; raise SystemExit(main())"
PATIENCE_SECONDS = 60.0


class Served:
    """One server; a call at a time."""

    def __init__(self, root: Path, data: Path, *options: str, **environment: str) -> None:
        words = [sys.executable, "-c", START, "--repo-root", str(root), "--data-dir", str(data), "--no-watch"]
        self.popen = subprocess.Popen(
            [*words, "--workers", "1", "--no-last-bundle", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root.parent,
            env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
            start_new_session=True,
        )
        self._next = 0
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "deep", "version": "0"},
            },
        )

    def send(self, method: str, params: dict[str, Any]) -> int:
        """Send a request; its id."""
        self._next += 1
        frame = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        assert self.popen.stdin is not None
        self.popen.stdin.write(json.dumps(frame).encode() + b"\n")
        self.popen.stdin.flush()
        return self._next

    def receive(self) -> dict[str, Any]:
        """The next frame. EOFError when the server is gone; it is killed when nothing comes for a minute."""
        assert self.popen.stdout is not None
        killer = threading.Timer(PATIENCE_SECONDS, self.popen.kill)
        killer.start()
        try:
            line = self.popen.stdout.readline()
        finally:
            killer.cancel()
        if not line:
            raise EOFError
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request."""
        number = self.send(method, params)
        while (frame := self.receive()).get("id") != number:
            pass
        return frame

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The envelope of a call."""
        frame = self.ask("tools/call", {"name": tool, "arguments": arguments})
        found: dict[str, Any] = frame["result"]["structuredContent"]
        return found

    def kill(self) -> None:
        """End the whole group of processes at once, as the system does when memory runs out."""
        os.killpg(self.popen.pid, 9)
        self.popen.wait()

    def count_descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.popen.pid}/fd"))

    def measure_memory(self) -> int:
        """Resident bytes."""
        for line in Path(f"/proc/{self.popen.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        return 0

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.popen.poll() is None:
            self.kill()
        for pipe in (self.popen.stdin, self.popen.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                pass
