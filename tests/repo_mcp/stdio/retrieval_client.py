"""A server of the `retrieval` toolset as a client meets it: a real process, asked one thing at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.forked import START, popen
from tests.growth import HANG_SECONDS
from tests.repo_mcp.lean_answers import read_answer

PROJECT = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = HANG_SECONDS  # after which a silent server is killed, and the test fails


def build_environment(home: Path, **variables: str) -> dict[str, str]:
    """Return the environment that a client gives a server: few variables, and a home of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"HOME": str(home), "PYTHONPATH": str(PROJECT)} | variables


class RetrievalClient:
    """One server process."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], cwd: Path, protocol: str = "2025-06-18"
    ) -> None:
        self.process = popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=cwd,
        )
        self._killer = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        self._killer.daemon = True
        self._killer.start()
        self._count = 0
        self.initialized = self.ask(
            "initialize",
            {
                "protocolVersion": protocol,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        )["result"]
        self.send({"method": "notifications/initialized"})
        self.listed = {tool["name"]: tool for tool in self.ask("tools/list", {})["result"]["tools"]}

    def send(self, frame: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._count:
                return answer
        assert self.process.stderr is not None
        raise AssertionError(f"the server ended: {self.process.stderr.read().decode()}")

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Make one call, and check what holds for every answer."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        envelope: dict[str, Any] = result["structuredContent"]
        (block,) = result["content"]
        assert block["text"] == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
        assert result.get("isError", False) == ("error" in envelope)
        whole: dict[str, Any] = read_answer(self.listed[tool]["outputSchema"], envelope)
        return whole

    def close(self) -> str:
        """End the server as a client does, and return what it wrote to standard error."""
        try:
            _, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
            assert self.process.returncode == 0
            return errors.decode()
        finally:
            self._killer.cancel()
            self.process.kill()


def start_retrieval(docs: Path, code: Path, home: Path, *options: str) -> RetrievalClient:
    """Start a server over two roots, given in the environment."""
    home.mkdir(exist_ok=True)
    environment = build_environment(home, DOCS_ROOT=str(docs), CODE_ROOT=str(code))
    command = [sys.executable, "-c", START, "--toolsets", "retrieval", *options]
    return RetrievalClient(command, environment, home)
