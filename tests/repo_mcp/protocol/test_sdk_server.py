"""Calls through the SDK's server: concurrent, bounded, cancelled; over the SDK's own client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import pytest
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.memory import create_client_server_memory_streams

from repo_mcp.protocol import calls
from repo_mcp.protocol.calls import CallPool
from repo_mcp.protocol.sdk_server import build_sdk_server
from repo_mcp.protocol.tool_model import Annotations, CallContext, Progress, Tool, ToolAnswer, Toolset

PATIENCE_SECONDS = 60.0  # a test that needs it has failed


def _tool(name: str, work: Callable[[CallContext], None]) -> Tool:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        work(context)
        return ToolAnswer({"name": name}, f'{{"name":"{name}"}}', is_error=name == "failing")

    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    return Tool(
        name, name.title(), f"about {name}", schema, {"type": "object"}, Annotations(read_only=True), call
    )


def _run(toolset: Toolset, talk: Callable[[ClientSession], Any], max_calls: int = 4) -> None:
    server = build_sdk_server([toolset], "1.2.3", CallPool(max_calls))

    async def main() -> None:
        async with create_client_server_memory_streams() as (near, far), anyio.create_task_group() as tasks:
            tasks.start_soon(server.run, *far, server.create_initialization_options())
            with anyio.fail_after(PATIENCE_SECONDS):
                async with ClientSession(*near) as client:
                    await client.initialize()
                    await talk(client)
            tasks.cancel_scope.cancel()

    anyio.run(main)


def test_tools_are_listed_in_order_with_everything_a_client_wants() -> None:
    names = ["zebra", "failing", "apple"]
    toolset = Toolset("t", tuple(_tool(name, lambda context: None) for name in names), "use them")

    async def talk(client: ClientSession) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == names
        assert listed.next_cursor is None
        first = listed.tools[0]
        assert first.title == "Zebra"
        assert first.output_schema == {"type": "object"}
        assert first.annotations is not None
        assert first.annotations.read_only_hint is True
        assert first.annotations.destructive_hint is False
        assert first.annotations.idempotent_hint is True
        assert first.annotations.open_world_hint is False
        good = await client.call_tool("zebra", {})
        assert (good.structured_content, good.is_error) == ({"name": "zebra"}, False)
        assert (await client.call_tool("failing", {})).is_error
        with pytest.raises(MCPError, match="Unknown tool: nothing"):
            await client.call_tool("nothing", {})

    _run(toolset, talk)


def test_calls_run_at_the_same_time() -> None:
    together = threading.Barrier(4)
    toolset = Toolset("t", (_tool("meet", lambda context: together.wait(PATIENCE_SECONDS) and None),))

    async def talk(client: ClientSession) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(client.call_tool, "meet", {})

    _run(toolset, talk, max_calls=4)


def test_no_more_calls_wait_than_may_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing bounds the calls of a client of /sse: each is a request of its own that is taken at once."""
    monkeypatch.setattr(calls, "MAX_WAITING", 3)
    gate = threading.Event()
    toolset = Toolset("t", (_tool("slow", lambda context: gate.wait(PATIENCE_SECONDS) and None),))
    refused: list[int] = []
    answered: list[object] = []

    async def ask(client: ClientSession) -> None:
        try:
            answered.append(await client.call_tool("slow", {}))
        except MCPError as error:
            refused.append(error.error.code)
            if len(refused) == 5:
                gate.set()

    async def talk(client: ClientSession) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(9):  # one runs, three wait
                tasks.start_soon(ask, client)

    _run(toolset, talk, max_calls=1)
    assert set(refused) == {-32000}
    assert len(answered) + len(refused) == 9
    assert len(answered) in (3, 4)  # the first may still wait when the fourth comes


def test_a_cancelled_call_is_left_alone_stopped_and_keeps_its_place_until_it_ends() -> None:
    running, most = [0], [0]
    lock, reported, finish = threading.Lock(), threading.Event(), threading.Event()

    def work(context: CallContext) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        while not context.cancelled():
            if finish.wait(0.002):
                break
        else:
            reported.set()
            finish.wait(PATIENCE_SECONDS)  # deaf for a while: the thread goes on
        with lock:
            running[0] -= 1

    toolset = Toolset("t", (_tool("slow", work),))

    async def talk(client: ClientSession) -> None:
        for _ in range(6):  # three times as many as there are slots
            with anyio.move_on_after(0.05) as scope:
                await client.call_tool("slow", {})
            assert scope.cancelled_caught
        assert await anyio.to_thread.run_sync(reported.wait, PATIENCE_SECONDS)
        assert running[0] <= 2
        finish.set()
        assert (await client.call_tool("slow", {})).structured_content == {
            "name": "slow"
        }  # the slots are free

    _run(toolset, talk, max_calls=2)
    assert most[0] <= 2


def test_progress_never_falls_and_ends_with_the_answer() -> None:
    def work(context: CallContext) -> None:
        assert context.report is not None
        for done in (10.0, 5.0, 40.0, 100.0):
            context.report(Progress(done, 100.0, "indexing"))

    seen: list[float] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (100.0, "indexing")
        seen.append(done)

    async def talk(client: ClientSession) -> None:
        await client.call_tool("work", {}, progress_callback=on_progress)

    _run(Toolset("t", (_tool("work", work),)), talk)
    assert seen == sorted(seen)
    assert seen[-1] == 100.0


def test_a_call_without_a_token_is_not_asked_for_progress() -> None:
    reports: list[object] = []
    toolset = Toolset("t", (_tool("work", lambda context: reports.append(context.report)),))

    async def talk(client: ClientSession) -> None:
        await client.call_tool("work", {})

    _run(toolset, talk)
    assert reports == [None]
