"""The session over real pipes: whole conversations answered as the SDK answers them, each request once."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.protocol.messages import MODERN_VERSION
from repo_mcp.protocol.tool_model import CallContext, Progress, Tool, ToolAnswer, Toolset
from tests.deep.sizes import examples
from tests.no_threads import no_threads
from tests.repo_mcp.pipe_client import CLIENT, ENVELOPE, VERSION, PipeClient, ask_session, build_tool, echo
from tests.repo_mcp.sdk_oracle import ask_sdk, drop_explanations, sort_lists

PATIENCE_SECONDS = 60.0  # a test that needs it has failed


def _call(request_id: int | str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": request_id, "method": "tools/call", "params": {"name": name} | more}


INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
MODERN = {"_meta": ENVELOPE}
FRAMES: dict[str, dict[str, Any]] = {
    "initialize": {"method": "initialize", "params": INITIALIZE},
    "initialize another version": {
        "method": "initialize",
        "params": INITIALIZE | {"protocolVersion": "2024-11-05"},
    },
    "initialize a wrong version": {"method": "initialize", "params": INITIALIZE | {"protocolVersion": "1"}},
    "initialize the modern version": {
        "method": "initialize",
        "params": INITIALIZE | {"protocolVersion": MODERN_VERSION},
    },
    "initialize badly": {"method": "initialize", "params": {"protocolVersion": 5}},
    "initialize in an envelope": {"method": "initialize", "params": INITIALIZE | MODERN},
    "ping": {"method": "ping"},
    "ping with a token": {"method": "ping", "params": {"_meta": {"progressToken": "t"}}},
    "list": {"method": "tools/list", "params": {}},
    "list with a cursor": {"method": "tools/list", "params": {"cursor": "x"}},
    "call": {"method": "tools/call", "params": {"name": "echo", "arguments": {"a": [1, None]}}},
    "call without arguments": {"method": "tools/call", "params": {"name": "echo"}},
    "call with null": {"method": "tools/call", "params": {"name": "echo", "arguments": None}},
    "call with a list": {"method": "tools/call", "params": {"name": "echo", "arguments": [1]}},
    "call nothing": {"method": "tools/call", "params": {"name": "nothing"}},
    "call a number": {"method": "tools/call", "params": {"name": 5}},
    "prompts": {"method": "prompts/list"},
    "call with a number": {"method": "tools/call", "params": {"name": "echo", "arguments": 5}},
    "call as a task": {"method": "tools/call", "params": {"name": "echo", "task": {"ttl": 5}}},
    "list with a null": {"method": "tools/list", "params": {"cursor": None}},
    "initialize without params": {"method": "initialize"},
    "initialize with more": {
        "method": "initialize",
        "params": INITIALIZE | {"capabilities": {"x": {}, "roots": None}, "more": 1, "_meta": {"x": 1}},
    },
    "level": {"method": "logging/setLevel", "params": {"level": "info"}},
    "tasks": {"method": "tasks/list"},
    "modern prompts": {"method": "prompts/list", "params": MODERN},
    "modern unknown": {"method": "no/such/method", "params": MODERN},
    "modern tasks": {"method": "tasks/get", "params": MODERN | {"taskId": "x"}},
    "modern call nothing": {"method": "tools/call", "params": MODERN | {"name": "nothing"}},
    "modern call a number": {"method": "tools/call", "params": MODERN | {"name": 5}},
    "initialize after all, with the other era's version": {
        "method": "initialize",
        "params": INITIALIZE | MODERN | {"protocolVersion": MODERN_VERSION},
    },
    "unknown": {"method": "no/such/method"},
    "discover": {"method": "server/discover", "params": MODERN},
    "discover without an envelope": {"method": "server/discover", "params": {}},
    "modern ping": {"method": "ping", "params": MODERN},
    "modern list": {"method": "tools/list", "params": MODERN},
    "modern list with a cursor": {"method": "tools/list", "params": MODERN | {"cursor": "x"}},
    "modern call": {"method": "tools/call", "params": MODERN | {"name": "echo", "arguments": {}}},
    "half an envelope": {
        "method": "tools/list",
        "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN_VERSION}},
    },
    "another envelope": {
        "method": "tools/list",
        "params": {"_meta": ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}},
    },
}
NOTIFICATIONS: dict[str, dict[str, Any]] = {
    "initialized": {"method": "notifications/initialized"},
    "cancelled": {"method": "notifications/cancelled", "params": {"requestId": 77}},
    "unknown notification": {"method": "notifications/other", "params": {}},
}
TOOLSET = Toolset("t", (build_tool("echo", echo),), "use them")
NAMES = [*FRAMES, *NOTIFICATIONS]


def _talk(names: list[str]) -> tuple[list[bytes], list[bytes]]:
    """Return the answers of the session and of the SDK to the same conversation.

    Of refusals that the SDK explains to nobody only the codes are left.
    """
    frames = [
        NOTIFICATIONS[name] if name in NOTIFICATIONS else {"id": number} | FRAMES[name]
        for number, name in enumerate(names)
    ]
    given, expected = ask_session(TOOLSET, frames), ask_sdk([TOOLSET], VERSION, frames)
    return drop_explanations(sort_lists(given), sort_lists(expected))


@pytest.mark.parametrize("first", NAMES)
def test_every_first_frame_and_what_follows(first: str) -> None:
    given, expected = _talk([first, "list", "modern list", "initialize", "call", "modern call", "unknown"])
    assert given == expected


@pytest.mark.parametrize("opening", ["initialize", "discover"])
@pytest.mark.parametrize("second", NAMES)
def test_every_second_frame_and_what_follows(opening: str, second: str) -> None:
    given, expected = _talk([opening, second, "list", "call", "modern list", "modern call", "ping"])
    assert given == expected


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(NAMES), max_size=8))
def test_random_conversations(names: list[str]) -> None:
    given, expected = _talk(names)
    assert given == expected


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def _build_slow(gate: threading.Event) -> tuple[Tool, list[str]]:
    """Return a tool that waits for the gate or its cancelling, and what became of its calls."""
    story: list[str] = []

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        story.append("begun")
        while not gate.wait(0.002) and not context.cancelled():
            pass
        story.append("cancelled" if context.cancelled() else "done")
        return echo(arguments, context)

    return build_tool("slow", call, lambda arguments, context: story.append("dropped")), story


def test_a_cancelled_call_is_stopped_and_not_answered_and_its_id_is_free(gate: threading.Event) -> None:
    slow, story = _build_slow(gate)
    client = PipeClient(slow)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(1, "slow"))
    while not story:
        pass
    client.send({"method": "notifications/cancelled", "params": {"requestId": "1"}})  # "1" means 1 as well
    client.send(_call(1, "echo"))
    assert client.read()["result"]["structuredContent"]["arguments"] == {}
    while len(story) < 2:
        pass
    client.close()
    assert story == ["begun", "cancelled"]


@pytest.mark.parametrize("cancelled", [7, "7"])
def test_of_ids_that_differ_in_type_alone_the_one_that_is_named_is_cancelled(
    gate: threading.Event, cancelled: int | str
) -> None:
    slow, _ = _build_slow(gate)
    client = PipeClient(slow)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(7, "slow"), _call("7", "slow"))
    client.send({"method": "notifications/cancelled", "params": {"requestId": cancelled}})
    client.send({"id": 8, "method": "ping"})
    assert client.read()["id"] == 8
    gate.set()
    assert client.read()["id"] == ("7" if cancelled == 7 else 7)
    client.close()


def test_calls_keep_to_their_slots_and_a_waiting_one_is_dropped(gate: threading.Event) -> None:
    slow, story = _build_slow(gate)
    client = PipeClient(slow, slots=2)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(*(_call(number, "slow") for number in (1, 2, 3, 4)))
    client.send({"id": 5, "method": "ping"})
    assert client.read()["id"] == 5  # nothing waits for the calls
    client.send({"method": "notifications/cancelled", "params": {"requestId": 4}})
    client.send({"id": 6, "method": "ping"})
    assert client.read()["id"] == 6
    assert story == ["begun", "begun", "dropped"]
    gate.set()
    assert sorted(client.read()["id"] for _ in range(3)) == [1, 2, 3]
    client.close()


def test_progress_never_falls_and_ends_with_the_answer() -> None:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        assert context.report is not None
        for done in (10.0, 5.0, 40.0, 100.0):
            context.report(Progress(done, 100.0, "at it"))
        return echo(arguments, context)

    client = PipeClient(build_tool("work", call))
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(1, "work", _meta={"progressToken": "tok"}))
    seen = []
    while "id" not in (answer := client.read()):
        assert answer["method"] == "notifications/progress"
        assert (answer["params"]["progressToken"], answer["params"]["total"]) == ("tok", 100.0)
        seen.append(answer["params"]["progress"])
    assert seen == sorted(seen)
    assert seen[-1] == 100.0
    client.close()


@pytest.mark.parametrize(
    "odd", [ToolAnswer({}, '{"a":"\ud800"}', is_error=False), ToolAnswer({"a": object()}, "", is_error=False)]
)
def test_an_answer_that_cannot_be_encoded_is_an_error_under_the_same_id(odd: ToolAnswer) -> None:
    broken = build_tool("broken", lambda arguments, context: odd)
    client = PipeClient(broken)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(1, "broken"))
    answer = client.read()
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    client.close()


def test_a_tool_that_raises_is_an_error_and_keeps_no_slot() -> None:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        raise ValueError("the contents of a file")

    client = PipeClient(build_tool("broken", call), slots=1)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(1, "broken"), _call(2, "broken"))
    for number in (1, 2):
        answer = client.read()
        assert (answer["id"], answer["error"]) == (number, {"code": -32603, "message": "internal error"})
    client.close()


def test_a_call_for_which_the_system_has_no_thread_is_an_error_and_is_forgotten() -> None:
    client = PipeClient(slots=1)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    with no_threads():
        for number in (1, 2):
            answer = json.loads(client.ask(_call(number, "echo")))
            assert (answer["id"], answer["error"]["code"]) == (number, -32603)
    assert not client.session._calls
    assert "result" in json.loads(client.ask(_call(3, "echo")))
    client.close()


def test_the_client_is_named_in_both_eras() -> None:
    for opening, call in (("initialize", "call"), ("discover", "modern call")):
        given, _ = _talk([opening, call])
        assert json.loads(given[1])["result"]["structuredContent"]["client"] == ["test", "0"]


def test_a_call_in_flight_is_answered_at_end_of_input(gate: threading.Event) -> None:
    slow, story = _build_slow(gate)
    client = PipeClient(slow)
    client.ask({"id": 0, "method": "initialize", "params": INITIALIZE})
    client.send(_call(1, "slow"))
    while not story:
        pass
    threading.Timer(0.1, gate.set).start()
    ended = threading.Thread(target=client.wire.wait)
    os.close(client.to_wire)
    ended.start()
    assert client.read()["id"] == 1
    ended.join(PATIENCE_SECONDS)
    assert not ended.is_alive()
    client.answers.close()
