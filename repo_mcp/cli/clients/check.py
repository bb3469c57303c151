"""Start the server as a client would, and ask it for its tools.

The command and its arguments come from the entry and run without a shell. The environment holds the few
variables that Codex passes on and those of the entry. The working directory is the repository where the
server is to find it there, and elsewhere is not. The time measured is what a person waits for: from starting
the process to the answer.

Left out on purpose: calling tools, which are only listed. Only this program is started, nothing of a
repository: of an entry that was in a file before, only the parts that we would write ourselves are used.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time

from repo_mcp import __version__
from repo_mcp.cli.clients.clients import Server
from repo_mcp.config.environment import list_client_variables
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text

PATIENCE_SECONDS = 30.0  # most time for each answer; Codex waits this long for a server to start
LEAVE_SECONDS = 15.0  # normally under half a second, unless the machine is overloaded
_SAID_CHARS = 400
REPOSITORY = "The repository is "  # how the sentence on the served repository begins
# Codex queries its model after about a second, with the tools that it knows by then.
COMFORTABLE_SECONDS = 0.8


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of starting a server."""

    fault: str  # what is wrong; empty when all is well
    tools: tuple[str, ...] = ()
    server: str = ""  # the name that the server gives itself
    initialize_ms: float = 0.0  # milliseconds from starting it to the answer to `initialize`
    list_ms: float = 0.0  # milliseconds from starting it to the list of tools
    said: str = ""  # the last text that it wrote on standard error
    root: str = ""  # the sentence of its instructions on the repository that it serves


class _NoAnswer(Exception):
    """The server did not answer; the message says how."""


def try_server(server: Server, protocol: str, here: str = "") -> Trial:
    """Start a server, open a session in `protocol`, list its tools, end it. Never raises for its faults.

    `here` is the directory that the client is started in.
    """
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            [server.command, *server.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=here if here and server.finds_root else os.path.abspath(os.sep),
            env=list_client_variables() | dict(server.environment),
        )
    except OSError as error:
        return Trial(f"it could not be started: {error.strerror}")
    conversation = _Conversation(process)
    try:
        return _talk(conversation, protocol, started)
    except _NoAnswer as fault:
        return Trial(str(fault), said=conversation.end())
    finally:
        conversation.end()


def _talk(conversation: _Conversation, protocol: str, started: float) -> Trial:
    hello: dict[str, object] = {
        "protocolVersion": protocol,
        "capabilities": {},
        "clientInfo": {"name": "repo-mcp init", "version": __version__},
    }
    opened = conversation.ask(1, "initialize", hello)
    initialize_ms = 1000 * (time.perf_counter() - started)
    conversation.send({"method": "notifications/initialized"})
    listed = conversation.ask(2, "tools/list", {})
    list_ms = 1000 * (time.perf_counter() - started)
    try:
        tools = tuple(str(tool["name"]) for tool in listed["tools"])  # type: ignore[attr-defined]
        server = "{name} {version}".format(**opened["serverInfo"])  # type: ignore[arg-type]
        said = str(opened.get("instructions", ""))
    except (TypeError, KeyError):
        raise _NoAnswer("its answers are not valid MCP") from None
    if conversation.leave() != 0:
        raise _NoAnswer("it did not exit cleanly when its standard input was closed")
    root = said[said.rfind(REPOSITORY) :] if REPOSITORY in said else ""
    return Trial("" if tools else "it lists no tools", tools, server, initialize_ms, list_ms, root=root)


class _Conversation:
    """A session with one process over its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._said: list[bytes] = []
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._listen, self._read_stderr)
        ]
        for reader in self._readers:
            reader.start()

    def ask(self, number: int, method: str, params: dict[str, object]) -> dict[str, object]:
        """Return the result of a request. Raises `_NoAnswer` when it does not come, or is an error."""
        self.send({"id": number, "method": method, "params": params})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
                answer = json.loads(line)
            except queue.Empty:
                break
            except ValueError:
                what = "it wrote something that is not an MCP message" if line else "it exited"
                raise _NoAnswer(f"{what} when it was sent {method}") from None
            if isinstance(answer, dict) and answer.get("id") == number:
                result = answer.get("result")
                if not isinstance(result, dict):
                    raise _NoAnswer(f"it refused {method}")
                return result
        raise _NoAnswer(f"it did not answer {method} within {PATIENCE_SECONDS:.0f} seconds")

    def send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:  # the server has exited; what it wrote before is still to be read, and says more
            pass

    def leave(self) -> int | None:
        """Close the process's input and return its exit code, or None when it does not end in time."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> str:
        """Kill the process if it still runs. Return the end of its standard error."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(LEAVE_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except OSError:  # unwritten data has no reader any more
                    pass
        return escape_text(b"".join(self._said).decode("utf-8", "replace").strip()[-_SAID_CHARS:])

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while data := self._process.stderr.read1(4096):  # type: ignore[attr-defined]
            self._said = [*self._said[-8:], data]
