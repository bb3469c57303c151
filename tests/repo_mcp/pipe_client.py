"""A client at the other end of real pipes, with a session behind them in threads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from repo_mcp.protocol.calls import CallPool
from repo_mcp.protocol.instructions import join_texts, name_schemes
from repo_mcp.protocol.messages import MODERN_VERSION, Answers
from repo_mcp.protocol.resources import join_resources
from repo_mcp.protocol.sampling import ANSWER_SECONDS, Sampler
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.tool_model import Annotations, CallContext, Tool, ToolAnswer, Toolset, name_tools
from repo_mcp.protocol.wire import StopReason, Streams, Wire

VERSION = "1.2.3"
CLIENT = {"name": "test", "version": "0"}
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": CLIENT,
}
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


def build_tool(
    name: str,
    call: Callable[[Mapping[str, object], CallContext], ToolAnswer],
    drop: Callable[[Mapping[str, object], CallContext], None] | None = None,
    **more: Any,
) -> Tool:
    """Return a tool without arguments."""
    annotations = Annotations(read_only=True)
    return Tool(name, name, name, SCHEMA, {"type": "object"}, annotations, call, drop, **more)


def build_answer(structured: Mapping[str, object], is_error: bool = False) -> ToolAnswer:
    """Return an answer as toolsets make it."""
    return ToolAnswer(
        structured, json.dumps(structured, ensure_ascii=False, separators=(",", ":")), is_error=is_error
    )


def echo(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    """Answer with the given arguments."""
    return build_answer({"client": list(context.client), "arguments": dict(arguments)})


class PipeClient:
    """The client. Closing it ends the server, as the end of input does."""

    def __init__(
        self,
        *tools: Tool,
        slots: int = 2,
        offers_tasks: bool = False,
        answer_seconds: float = ANSWER_SECONDS,
        toolset: Toolset | None = None,
        opens: bool = True,
    ) -> None:
        self.toolset = toolset or Toolset("t", (build_tool("echo", echo), *tools), "use them")
        self.wire_in, self.to_wire = os.pipe()
        from_wire, self.wire_out = os.pipe()
        self.answers = os.fdopen(from_wire, "rb")
        self.wire = Wire(Streams(self.wire_in, self.wire_out), leave=lambda code: None)
        sampler = Sampler(self.wire.say, answer_seconds)
        has_files = self.toolset.find_resources is not None
        answers = Answers(
            VERSION,
            join_texts({self.toolset.name: self.toolset.instructions}),
            offers_tasks=offers_tasks,
            schemes=name_schemes([self.toolset.name]) if has_files else (),
        )
        self.session = Session(self.wire, answers)
        tools = name_tools([self.toolset])
        self.session.offer(tools, CallPool(slots), sampler, lambda: join_resources([self.toolset]))
        if opens:
            self.session.note_open()
        self.wire.start(self.session.take)

    def send(self, *frames: dict[str, Any]) -> None:
        for frame in frames:
            os.write(self.to_wire, json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")

    def read_line(self) -> bytes:
        return self.answers.readline()

    def read(self) -> dict[str, Any]:
        answer = json.loads(self.read_line())
        assert isinstance(answer, dict)
        return answer

    def ask(self, frame: dict[str, Any]) -> bytes:
        self.send(frame)
        return self.read_line()

    def close(self) -> StopReason:
        os.close(self.to_wire)
        reason = self.wire.wait()
        self.session.close()
        self.wire.finish()
        self.answers.close()
        if reason is StopReason.END_OF_INPUT:  # no thread reads or writes any more
            # A server ends with its wire; here hundreds begin in one process.
            wake = (self.wire._wake_read, self.wire._wake_write)
            for fd in (self.wire_in, self.wire_out, *wake):
                os.close(fd)
        return reason


def ask_session(toolset: Toolset, frames: Sequence[dict[str, Any]], **more: Any) -> list[bytes]:
    """Return a session's answer to each request of `frames`, given one after the other."""
    client = PipeClient(toolset=toolset, **more)
    answers = []
    for frame in frames:
        client.send(frame)
        if "id" in frame:
            answers.append(client.read_line())
    client.close()
    return answers
