"""What a bound tool does beside its call: the line of one that was cancelled before it began."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import cast

import pytest

from repo_mcp.audit.log import AuditLog, LoggedCall
from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import call_guard
from repo_mcp.protocol.call_guard import CallGuard
from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer
from repo_mcp.toolsets.binding import Binding, Call, Entry, find_plain_writer
from tests.repo_mcp.pipe_client import SCHEMA, PipeClient, build_answer

PATIENCE_SECONDS = 60.0  # a test that needs it has failed
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


class Tree:
    """The files of a repository, as the log needs them."""

    def name_path(self, path: str) -> str:
        return path


class Asked:
    """The repository that the tools ask."""

    tree = Tree()


class HangingLog:
    """A log in a directory that does not answer."""

    keep_text = False

    def __init__(self, hangs: threading.Event) -> None:
        self.hangs = hangs
        self.begun: list[LoggedCall] = []

    def digest(self, text: str) -> str:
        return text

    def write(self, call: LoggedCall) -> bool:
        self.begun.append(call)
        return self.hangs.wait(PATIENCE_SECONDS)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def build_tools(gate: threading.Event, log: HangingLog) -> tuple[Tool, ...]:
    """Return one tool that works until the gate opens, and has no limit of time."""

    def run(asked: Asked, arguments: object, context: CallContext) -> str:
        gate.wait(PATIENCE_SECONDS)
        return "done"

    def answer(call: Call[Asked, str]) -> ToolAnswer:
        return build_answer({"done": call.run()})

    entry = Entry("slow", "Slow", "Slow.", SCHEMA, SCHEMA, run)
    opened = (Asked(), cast("AuditLog", log))
    return Binding(Limits(), lambda: opened, answer, find_plain_writer, "", guard=CallGuard(0, 0)).bind(
        [entry]
    )


def test_cancelling_what_waits_does_not_wait_for_a_log_that_hangs(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that reads cancels: while it waits nothing is answered, not even a ping."""
    monkeypatch.setattr(call_guard, "RECORD_SECONDS", 0.05)
    log = HangingLog(threading.Event())
    client = PipeClient(*build_tools(gate, log), slots=1)
    try:
        client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
        for number in (1, 2, 3):
            client.send({"id": number, "method": "tools/call", "params": {"name": "slow"}})
        for number in (2, 3):
            client.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        client.send({"id": 4, "method": "ping"})
        assert client.read()["id"] == 4
        assert [call.error_code for call in log.begun] == ["cancelled"]  # and no thread for the other
        assert not log.hangs.is_set()
    finally:
        log.hangs.set()
        gate.set()
        client.close()
