"""The answers of whole conversations are the SDK's own, in every version of the protocol.

They are so byte for byte, but for the order of keys in lists of tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.messages import HANDSHAKE_VERSIONS, MODERN_VERSION, encode_result
from repo_mcp.protocol.tool_model import (
    Annotations,
    Audio,
    CallContext,
    Notes,
    ResourceLink,
    Tool,
    ToolAnswer,
    Toolset,
)
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.repo import bind_toolset
from tests.repo_mcp.pipe_client import VERSION, ask_session
from tests.repo_mcp.sdk_oracle import ask_sdk, sort_lists

ANSWER = {
    "request_id": "r",
    "ok": True,
    "result": {"score": 12.3457, "none": None, "n": 3},
    "warnings": ["ü\u2028"],
}
CLIENT = {"name": "codex", "version": "0.169", "title": "Codex"}
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": CLIENT}
INITIALIZED = {"method": "notifications/initialized"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {"sampling": {"tools": {}}},
    "io.modelcontextprotocol/clientInfo": CLIENT,
}


def _answer(is_error: bool = False) -> ToolAnswer:
    return ToolAnswer(ANSWER, json.dumps(ANSWER, ensure_ascii=False, separators=(",", ":")), is_error)


BLOCKS = (
    ResourceLink("repo:///docs/a%20b.png", "a b.png", "image/png"),
    ResourceLink(
        "repo:///ü.svg", "ü.svg", "image/svg+xml", "a \u2028 drawing", 12, Notes(("user", "assistant"), 1)
    ),
    ResourceLink("repo:///x", "x", "text/plain", notes=Notes(("user",))),
    Audio("UklGRg==", "audio/wav", Notes(priority=0.25)),
    Audio("", "audio/mpeg"),
)


def test_the_json_of_a_tool_is_sent_as_it_stands() -> None:
    answer = replace(_answer(), json=_answer().text)
    for modern in (False, True):
        assert encode_result(answer, modern=modern) == encode_result(_answer(), modern=modern)
    reported = encode_result(replace(answer, structured={}), modern=False)
    assert reported.endswith(f'"structuredContent":{answer.text}}}')


def _call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    if "rich" in arguments:
        return replace(_answer(), blocks=BLOCKS)
    if "human" in arguments:  # a text that is no JSON, though it may look like it
        text = '{"not": json}\n'
        return ToolAnswer({"format": "human", "text": text}, text, is_error=False)
    return _answer("fail" in arguments)


def _build_toolset(limits: Limits) -> Toolset:
    """Return the real tools, with calls that need no repository, and one with the keys in disorder."""

    def refuse() -> Any:
        raise AssertionError("nothing is opened here")

    real = bind_toolset(limits, refuse)
    schema = {"additionalProperties": False, "type": "object", "$schema": "x", "properties": {}, "title": "t"}
    odd = Tool("odd", "Odd", "d\u2029", schema, schema, Annotations(read_only=False, destructive=True), _call)
    long = replace(odd, name="long", icon=icons.RESEARCH, may_be_task=True)
    return replace(real, tools=(*(replace(tool, call=_call) for tool in real.tools), odd, long))


TOOLSET = _build_toolset(Limits())
# What there is nothing of, with parameters that would do.
NOT_OFFERED: dict[str, dict[str, Any]] = {
    "prompts/list": {},
    "prompts/get": {"name": "x"},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "file:///x"},
    "resources/subscribe": {"uri": "file:///x"},
    "resources/unsubscribe": {"uri": "file:///x"},
    "subscriptions/listen": {"notifications": {}},
    "logging/setLevel": {"level": "info"},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "x"},
        "argument": {"name": "x", "value": "y"},
    },
}


def test_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == HANDSHAKE_VERSIONS
    assert tuple(MODERN_PROTOCOL_VERSIONS) == (MODERN_VERSION,)


def test_instructions_said_early_are_those_of_the_toolset() -> None:
    assert TOOLSET.instructions == instructions.OF_TOOLSETS[TOOLSET.name]
    assert instructions.join_instructions(["repo"]).startswith(f"{TOOLSET.instructions}\n")


def test_how_to_help_a_question_is_said_once_for_the_toolsets_that_take_questions() -> None:
    helped = {
        names: instructions.join_instructions(names.split()).count("(restore_state, load)")
        for names in ("repo", "research", "repo graph research", "graph", "retrieval", "")
    }
    assert helped == {"repo": 1, "research": 1, "repo graph research": 1, "graph": 0, "retrieval": 0, "": 0}


@pytest.mark.parametrize("offers_tasks", [False, True])
@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01", MODERN_VERSION])
@pytest.mark.parametrize("limits", [Limits(), Limits(max_search_hits=7, default_search_hits=3)], ids=str)
def test_handshake_conversation(version: str, limits: Limits, offers_tasks: bool) -> None:
    toolset = _build_toolset(limits)
    params = INITIALIZE | {"protocolVersion": version}
    call = {"name": "repo.search", "arguments": {"query": "x"}}
    frames: list[dict[str, Any]] = [
        {"id": "ü\u2028\n", "method": "initialize", "params": params},
        INITIALIZED,
        {"id": 0, "method": "ping"},
        {"id": 1, "method": "tools/list", "params": {}},
        {"id": 2, "method": "tools/call", "params": call},
        {"id": 3, "method": "tools/call", "params": {"name": "odd", "arguments": {"fail": 1}}},
        {"id": 4, "method": "tools/call", "params": {"name": "no\u202eol"}},
        {"id": 5, "method": "tools/call", "params": {"name": "odd", "arguments": {"rich": 1}}},
        {"id": 6, "method": "tools/call", "params": {"name": "odd", "arguments": {"human": 1}}},
        {"id": 7, "method": "odd/method"},
        *({"id": method, "method": method, "params": params} for method, params in NOT_OFFERED.items()),
    ]
    answers = ask_session(toolset, frames, offers_tasks=offers_tasks)
    expected = ask_sdk([toolset], VERSION, frames, offers_tasks=offers_tasks)
    assert sort_lists(answers) == sort_lists(expected)
    opened = json.loads(answers[0])["result"]
    assert ("tasks" in opened["capabilities"]) == (offers_tasks and opened["protocolVersion"] == "2025-11-25")


@pytest.mark.parametrize("offers_tasks", [False, True])
def test_modern_conversation(offers_tasks: bool) -> None:
    meta = {"_meta": ENVELOPE | {"progressToken": 4}}
    frames: list[dict[str, Any]] = [
        {"id": 0, "method": "server/discover", "params": meta},
        {"id": 1, "method": "tools/list", "params": meta},
        {"id": 2, "method": "tools/call", "params": {"name": "odd", "arguments": {}} | meta},
        {"id": 3, "method": "tools/call", "params": {"name": "odd", "arguments": {"fail": 1}} | meta},
        {"id": 4, "method": "tools/call", "params": {"name": "nope"} | meta},
        {"id": 5, "method": "tools/call", "params": {"name": "odd", "arguments": {"rich": 1}} | meta},
        {"id": 6, "method": "tools/call", "params": {"name": "odd", "arguments": {"human": 1}} | meta},
        {"id": 7, "method": "odd/method", "params": meta},
        {"id": 8, "method": "ping", "params": meta},
        *(
            {"id": method, "method": method, "params": params | meta}
            for method, params in NOT_OFFERED.items()
        ),
    ]
    answers = ask_session(TOOLSET, frames, offers_tasks=offers_tasks)
    expected = ask_sdk([TOOLSET], VERSION, frames, offers_tasks=offers_tasks)
    assert sort_lists(answers) == sort_lists(expected)
    declared = json.loads(answers[0])["result"]["capabilities"]
    assert declared.get("extensions") == ({"io.modelcontextprotocol/tasks": {}} if offers_tasks else None)
