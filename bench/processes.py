"""Start and measure other processes: servers over stdio, and the memory and time that a program takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PATIENCE_SECONDS = 300.0  # a process that lives longer is killed, and the benchmark fails
SAMPLE_SECONDS = 0.05
SHOWN_ERROR_CHARS = 2_000
KIBIBYTE = 1024
PROC = Path("/proc")
PROJECT = Path(__file__).resolve().parents[1]
START_SERVER = "from repo_mcp.server import main; raise SystemExit(main())"
# A bare Python process that answers one line: no server in Python can start sooner.
BARE_PYTHON = "import json, sys; json.loads(sys.stdin.readline()); print(json.dumps({'id': 0}), flush=True)"
# The SDK's own server with one tool that does nothing: what a first call costs without us.
SDK_SERVER = """
import anyio, mcp_types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def list_tools(context, params):
    return mcp_types.ListToolsResult(tools=[mcp_types.Tool(name="hello", input_schema={"type": "object"})])

async def call_tool(context, params):
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text="hello")])

async def main():
    server = Server("bench", version="0", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (inbound, outbound):
        await server.run(inbound, outbound, server.create_initialization_options())

anyio.run(main)
"""
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


class Peer:
    """A process that answers each line with a line."""

    def __init__(
        self, *arguments: str, patience_seconds: float = PATIENCE_SECONDS, code: Path = PROJECT
    ) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=build_environment(code),
            cwd=code,  # which Python's -c and -m look in first
        )
        self._killer = threading.Timer(patience_seconds, self._popen.kill)
        self._killer.daemon = True
        self._killer.start()
        self._requests = 0

    @property
    def process_id(self) -> int:
        """Return the process's number, to look at its memory."""
        return self._popen.pid

    def send(self, message: dict[str, Any]) -> None:
        """Write one line."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self._popen.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; notifications of the server are skipped."""
        self._requests += 1
        self.send({"id": self._requests, "method": method, "params": params})
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            answer: dict[str, Any] = json.loads(line)
            if "method" not in answer:
                return answer
        raise AssertionError("the process ended without an answer")

    def handshake(self) -> None:
        """Introduce a client."""
        self.ask("initialize", INITIALIZE)
        self.send({"method": "notifications/initialized"})

    def call_anything(self, name: str) -> dict[str, Any]:
        """Return the result of a tool without arguments."""
        result = self.ask("tools/call", {"name": name, "arguments": {}})["result"]
        assert isinstance(result, dict)
        return result

    def search(self, query: str) -> dict[str, Any]:
        """Return the answer of repo.search. Raises AssertionError when it is an error."""
        params = {"name": "repo.search", "arguments": {"query": query}}
        result = self.ask("tools/call", params)["result"]
        assert isinstance(result, dict)
        assert not result.get("isError"), result
        return result

    def close(self) -> None:
        """End the process."""
        self._killer.cancel()
        for stream in (self._popen.stdin, self._popen.stdout):
            assert stream is not None
            stream.close()
        self._popen.wait()


def build_environment(code: Path = PROJECT) -> dict[str, str]:
    """Return our environment with a checkout first on the path, whose modules may be compiled and kept."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own | {"PYTHONPATH": str(code)}


def spawn_server(
    root: Path,
    data_dir: Path,
    *options: str,
    patience_seconds: float = PATIENCE_SECONDS,
    code: Path = PROJECT,
) -> Peer:
    """Start the server of a checkout as a client does."""
    given = ("--repo-root", str(root), "--data-dir", str(data_dir), *options)
    return Peer("-c", START_SERVER, *given, patience_seconds=patience_seconds, code=code)


@dataclass(frozen=True, slots=True)
class Watched:
    """The figures of a program that has ended, and of the processes that it started."""

    output: str  # standard output
    started: float  # time.monotonic(), which all processes share
    wall_seconds: float
    cpu_seconds: float  # user and system; of the processes that were waited for
    peak_mb: float  # resident at one time, summed: pages they share count more than once; 0 where unknown


def run_and_watch(command: Sequence[str]) -> Watched:
    """Run a program to its end. Raises RuntimeError with the end of its standard error when it fails."""
    peak = 0
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        cpu_before, started = _sum_child_seconds(), time.monotonic()
        with subprocess.Popen(command, stdout=output, stderr=errors, env=build_environment()) as process:
            while process.poll() is None:
                peak = max(peak, sum(read_memory(one)["VmRSS"] for one in _iter_family(process.pid)))
                with suppress(subprocess.TimeoutExpired):
                    process.wait(SAMPLE_SECONDS)
        wall, cpu = time.monotonic() - started, _sum_child_seconds() - cpu_before
        texts = [_read_all(file) for file in (output, errors)]
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}\n{texts[1][-SHOWN_ERROR_CHARS:]}")
    return Watched(texts[0], started, wall, cpu, peak / 1e6)


def _read_all(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _sum_child_seconds() -> float:
    """Return the CPU seconds of this process's children that have ended, and of their children."""
    times = os.times()
    return times.children_user + times.children_system


def can_read_memory() -> bool:
    """Return whether this system shows the memory of other processes: Linux does."""
    return (PROC / "self" / "status").is_file()


def read_memory(process_id: int) -> dict[str, int]:
    """Return the VmRSS (now) and VmHWM (its peak) of a process in bytes; zeros when it is gone."""
    sizes = {"VmRSS": 0, "VmHWM": 0}
    try:
        text = (PROC / str(process_id) / "status").read_text()
    except OSError:
        return sizes
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in sizes:
            sizes[name] = int(value.split()[0]) * KIBIBYTE
    return sizes


def _iter_family(process_id: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield process_id
    try:
        tasks = list((PROC / str(process_id) / "task").iterdir())
        children = " ".join((task / "children").read_text() for task in tasks).split()
    except OSError:
        return
    for child in children:
        yield from _iter_family(int(child))
