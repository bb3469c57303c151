"""A server of the `research` toolset with further tools: one that is slow, one that asks, one that shows.

Its command line is the server's. Run as a program by tests/repo_mcp/stdio/test_tasks.py.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from repo_mcp import __version__
from repo_mcp.protocol.instructions import join_instructions
from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.tool_model import (
    Annotations,
    Audio,
    CallContext,
    Notes,
    Progress,
    Question,
    ResourceLink,
    Tool,
    ToolAnswer,
    Toolset,
)
from repo_mcp.protocol.wire import Wire, take_standard_streams
from repo_mcp.serving.server_options import build_parser, read_config
from repo_mcp.serving.stdio_server import Server, stop_on_signals
from repo_mcp.serving.toolset_loader import load_toolsets

SCHEMA = {
    "type": "object",
    "properties": {"steps": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}
STEP_SECONDS = 0.02
QUESTION = Question("expansion", "Answer with words alone.", "Words like authentication?", 50)


def _slow(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    """Take `steps` steps and report each."""
    steps = arguments.get("steps", 10)
    assert isinstance(steps, int)
    for done in range(steps):
        if context.cancelled():
            return ToolAnswer({"stopped": True}, '{"stopped":true}', is_error=True)
        if context.report is not None:
            context.report(Progress(done, steps, f"step {done}"))
        time.sleep(STEP_SECONDS)
    return ToolAnswer({"steps": steps}, f'{{"steps":{steps}}}', is_error=False)


def _ask(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    answer = "nobody to ask" if context.ask is None else context.ask(QUESTION) or "refused"
    return ToolAnswer({"answer": answer}, f'{{"answer":"{answer}"}}', is_error=False)


def _show(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    blocks = (
        ResourceLink("repo:///docs/logo.png", "logo.png", "image/png", "The logo", 68, Notes(("user",), 0.5)),
        Audio("UklGRg==", "audio/wav", Notes(("user", "assistant"))),
    )
    return ToolAnswer({"ok": True}, '{"ok":true}', False, blocks)


def _build_tools() -> tuple[Tool, ...]:
    return tuple(
        Tool(
            name,
            name,
            name,
            SCHEMA,
            {"type": "object"},
            Annotations(read_only=True),
            call,
            may_be_task=is_task,
        )
        for name, call, is_task in (("slow", _slow, True), ("ask", _ask, True), ("show", _show, False))
    )


def main() -> int:
    """Serve until the client ends it."""
    config = read_config(build_parser("task-server").parse_args(sys.argv[1:]))
    wire = Wire(take_standard_streams(), leave=os._exit)
    stop_on_signals(wire)
    server = Server(wire, Answers(__version__, join_instructions(config.toolsets), offers_tasks=True))
    server.start()
    loaded_toolsets = load_toolsets(config, lambda warning: None)
    server.offer([*(one.toolset for one in loaded_toolsets), Toolset("test", _build_tools())])
    repositories = [repository for one in loaded_toolsets for repository in one.open()]
    server.begin(repositories)
    try:
        return server.run().exit_code
    finally:
        for repository in repositories:
            repository.close()
        server.close()
