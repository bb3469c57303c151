"""Answers given without the SDK are the SDK's own, byte for byte, in every version of the protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.plain_protocol import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSION,
    NOT_OFFERED,
    Answers,
    has_plain_meta,
    is_plain_list,
    read_call,
    read_envelope,
    read_opening,
    refuse_method,
)
from repo_mcp.protocol.session import refuse_tool
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
from tests.repo_mcp.sdk_oracle import ask_sdk

VERSION = "1.2.3"
CONTEXT = CallContext(lambda: False)
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


def _call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    if "rich" in arguments:
        return replace(_answer(), blocks=BLOCKS)
    if "human" in arguments:  # a text that is no JSON, though it may look like it
        text = '{"not": json}\n'
        return ToolAnswer({"format": "human", "text": text}, text, is_error=False)
    return _answer("fail" in arguments)


def _build_toolset(limits: Limits) -> Toolset:
    """The real tools, with calls that need no repository, and one whose schema has its keys in disorder."""

    def refuse() -> Any:
        raise AssertionError("nothing is opened here")

    real = bind_toolset(limits, refuse)
    schema = {"additionalProperties": False, "type": "object", "$schema": "x", "properties": {}, "title": "t"}
    odd = Tool("odd", "Odd", "d\u2029", schema, schema, Annotations(read_only=False, destructive=True), _call)
    long = replace(odd, name="long", icon=icons.RESEARCH, may_be_task=True)
    return replace(real, tools=(*(replace(tool, call=_call) for tool in real.tools), odd, long))


TOOLSET = _build_toolset(Limits())
ANSWERS = Answers(VERSION, TOOLSET.instructions)
ANSWERS.set_tools(TOOLSET.tools)


def test_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == HANDSHAKE_VERSIONS
    assert tuple(MODERN_PROTOCOL_VERSIONS) == (MODERN_VERSION,)


def test_instructions_said_early_are_those_of_the_toolset() -> None:
    assert TOOLSET.instructions == instructions.OF_TOOLSETS[TOOLSET.name]
    assert instructions.join_instructions(["repo"]) == TOOLSET.instructions


@pytest.mark.parametrize("offers_tasks", [False, True])
@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01", MODERN_VERSION])
@pytest.mark.parametrize("limits", [Limits(), Limits(max_search_hits=7, default_search_hits=3)], ids=str)
def test_handshake_conversation(version: str, limits: Limits, offers_tasks: bool) -> None:
    toolset = _build_toolset(limits)
    answers = Answers(VERSION, toolset.instructions, offers_tasks=offers_tasks)
    answers.set_tools(toolset.tools)
    params = INITIALIZE | {"protocolVersion": version}
    opening = read_opening(params)
    assert opening is not None
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
        *({"id": method, "method": method} for method in sorted(NOT_OFFERED)),
    ]
    expected = [
        answers.initialize("ü\u2028\n", opening.version),
        answers.ping(0),
        answers.list_tools(1, modern=False),
        answers.call(2, _answer(), modern=False),
        answers.call(3, _answer(is_error=True), modern=False),
        refuse_tool(4, "no\u202eol"),
        answers.call(5, _call({"rich": 1}, CONTEXT), modern=False),
        answers.call(6, _call({"human": 1}, CONTEXT), modern=False),
        *(refuse_method(method, method) for method in sorted(NOT_OFFERED)),
    ]
    assert ask_sdk([toolset], VERSION, frames, offers_tasks=offers_tasks) == expected
    declared = json.loads(expected[0])["result"]["capabilities"]
    assert ("tasks" in declared) == (offers_tasks and opening.version == "2025-11-25")


@pytest.mark.parametrize("offers_tasks", [False, True])
def test_modern_conversation(offers_tasks: bool) -> None:
    answers = Answers(VERSION, TOOLSET.instructions, offers_tasks=offers_tasks)
    answers.set_tools(TOOLSET.tools)
    meta = {"_meta": ENVELOPE | {"progressToken": 4}}
    frames: list[dict[str, Any]] = [
        {"id": 0, "method": "server/discover", "params": meta},
        {"id": 1, "method": "tools/list", "params": meta},
        {"id": 2, "method": "tools/call", "params": {"name": "odd", "arguments": {}} | meta},
        {"id": 3, "method": "tools/call", "params": {"name": "odd", "arguments": {"fail": 1}} | meta},
        {"id": 4, "method": "tools/call", "params": {"name": "nope"} | meta},
        {"id": 5, "method": "tools/call", "params": {"name": "odd", "arguments": {"rich": 1}} | meta},
        {"id": 6, "method": "tools/call", "params": {"name": "odd", "arguments": {"human": 1}} | meta},
        *({"id": method, "method": method, "params": meta} for method in sorted(NOT_OFFERED)),
    ]
    expected = [
        answers.discover(0),
        answers.list_tools(1, modern=True),
        answers.call(2, _answer(), modern=True),
        answers.call(3, _answer(is_error=True), modern=True),
        refuse_tool(4, "nope"),
        answers.call(5, _call({"rich": 1}, CONTEXT), modern=True),
        answers.call(6, _call({"human": 1}, CONTEXT), modern=True),
        *(refuse_method(method, method) for method in sorted(NOT_OFFERED)),
    ]
    assert ask_sdk([TOOLSET], VERSION, frames, offers_tasks=offers_tasks) == expected
    declared = json.loads(expected[0])["result"]["capabilities"]
    assert declared.get("extensions") == ({"io.modelcontextprotocol/tasks": {}} if offers_tasks else None)


PLAIN_OPENINGS = {
    "codex": INITIALIZE,
    "claude": INITIALIZE | {"capabilities": {"roots": {"listChanged": True}, "elicitation": {"form": {}}}},
    "gemini": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "g", "version": "1"},
    },
    "with token": INITIALIZE | {"_meta": {"progressToken": 0, "x": [1]}},
    "experimental": INITIALIZE | {"capabilities": {"experimental": {"x": {}}}},
    "extensions": INITIALIZE | {"capabilities": {"extensions": {"a/ui": {"mimeTypes": ["text/html"]}}}},
    "tasks": INITIALIZE
    | {
        "capabilities": {"tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}}}}
    },
}


@pytest.mark.parametrize("params", PLAIN_OPENINGS.values(), ids=PLAIN_OPENINGS)
def test_openings_of_clients_are_plain(params: dict[str, Any]) -> None:
    assert read_opening(params) is not None


UNUSUAL_OPENINGS: dict[str, Any] = {
    "nothing": None,
    "empty": {},
    "version number": INITIALIZE | {"protocolVersion": 1},
    "version surrogate": INITIALIZE | {"protocolVersion": "\ud800"},
    "no client": {key: INITIALIZE[key] for key in ("protocolVersion", "capabilities")},
    "no version of the client": INITIALIZE | {"clientInfo": {"name": "x"}},
    "icons": INITIALIZE | {"clientInfo": CLIENT | {"icons": []}},
    "capabilities list": INITIALIZE | {"capabilities": []},
    "capability null": INITIALIZE | {"capabilities": {"roots": None}},
    "capability unknown": INITIALIZE | {"capabilities": {"other": {}}},
    "extension null": INITIALIZE | {"capabilities": {"extensions": {"a/b": None}}},
    "extension surrogate": INITIALIZE | {"capabilities": {"extensions": {"a/b": {"c": ["\ud800"]}}}},
    "tasks otherwise": INITIALIZE | {"capabilities": {"tasks": {"list": {}, "requests": {"tools": {}}}}},
    "list changed 1": INITIALIZE | {"capabilities": {"roots": {"listChanged": 1}}},
    "meta null": INITIALIZE | {"_meta": None},
    "token true": INITIALIZE | {"_meta": {"progressToken": True}},
    "token fraction": INITIALIZE | {"_meta": {"progressToken": 1.5}},
    "token large": INITIALIZE | {"_meta": {"progressToken": 1 << 70}},
    "envelope": INITIALIZE | {"_meta": ENVELOPE},
    "more": INITIALIZE | {"more": 1},
}


@pytest.mark.parametrize("params", UNUSUAL_OPENINGS.values(), ids=UNUSUAL_OPENINGS)
def test_what_is_unusual_is_left_to_the_sdk(params: dict[str, Any] | None) -> None:
    assert read_opening(params) is None


# Values in the places where the SDK's models look, and some where they do not.
_LEAVES = st.sampled_from([None, True, 0, 1.5, "", "x", "\ud800", [], {}, [1], {"a": {}}, {"a": 1}, 1 << 70])
_NAMES = st.sampled_from(
    [
        *(
            "roots",
            "sampling",
            "elicitation",
            "experimental",
            "extensions",
            "tasks",
            "requests",
            "createMessage",
            "io.modelcontextprotocol/tasks",
            "listChanged",
            "tools",
            "form",
            "name",
        ),
        *("icons", "version", "title", "websiteUrl", "progressToken", "progress_token", "traceparent", "a"),
        *("\ud800", "io.modelcontextprotocol/logLevel", *ENVELOPE),
    ]
)
_VALUES = st.recursive(_LEAVES, lambda inner: st.dictionaries(_NAMES, inner, max_size=3), max_leaves=6)
_KEYS = st.sampled_from(
    ["protocolVersion", "capabilities", "clientInfo", "_meta", "cursor", "name", "arguments"]
)


def _mutate(base: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """`base` with some values replaced, at the top and one level down."""
    deep = st.tuples(st.sampled_from(sorted(base) or [""]), st.dictionaries(_NAMES, _VALUES, max_size=2))

    def apply(change: tuple[dict[str, Any], tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        changed, (key, inner) = base | change[0], change[1]
        if isinstance(changed.get(key), dict):
            changed[key] = changed[key] | inner
        return changed

    return st.tuples(st.dictionaries(_KEYS, _VALUES, max_size=1), deep).map(apply)


RANDOM = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RANDOM
@given(_mutate(INITIALIZE))
def test_no_random_opening_is_answered_otherwise(params: dict[str, Any]) -> None:
    opening = read_opening(params)
    if opening is not None:
        frames = [{"id": 1, "method": "initialize", "params": params}]
        assert ask_sdk([TOOLSET], VERSION, frames) == [ANSWERS.initialize(1, opening.version)]


@RANDOM
@given(st.sampled_from(["ping", "tools/list"]), _mutate({"_meta": {"progressToken": 1}}))
def test_no_random_request_of_the_handshake_era_is_answered_otherwise(
    method: str, params: dict[str, Any]
) -> None:
    if has_plain_meta(params) and is_plain_list(params):
        opening = {"id": 0, "method": "initialize", "params": INITIALIZE}
        answers = ask_sdk([TOOLSET], VERSION, [opening, {"id": 1, "method": method, "params": params}])
        expected = ANSWERS.ping(1) if method == "ping" else ANSWERS.list_tools(1, modern=False)
        assert answers[1] == expected


@RANDOM
@given(_mutate({"name": "odd", "arguments": {}, "_meta": {"progressToken": 1}}))
def test_no_random_call_is_answered_otherwise(params: dict[str, Any]) -> None:
    asked = read_call(params)
    if has_plain_meta(params) and asked is not None and asked[0] == "odd":
        opening = {"id": 0, "method": "initialize", "params": INITIALIZE}
        answers = ask_sdk([TOOLSET], VERSION, [opening, {"id": 1, "method": "tools/call", "params": params}])
        assert answers[1] == ANSWERS.call(1, _call(asked[1], CONTEXT), modern=False)


@pytest.mark.parametrize("level", ["debug", "emergency", "loud", None, 5, ["info"]])
def test_a_level_of_log_messages_is_plain_when_it_is_one(level: Any) -> None:
    params = {"_meta": ENVELOPE | {"io.modelcontextprotocol/logLevel": level}}
    (answer,) = ask_sdk([TOOLSET], VERSION, [{"id": 1, "method": "tools/list", "params": params}])
    is_plain = read_envelope(params) is not None
    assert is_plain == (level in ("debug", "emergency"))
    assert (answer == ANSWERS.list_tools(1, modern=True)) == (is_plain or level is None)


@RANDOM
@given(_mutate({"_meta": dict(ENVELOPE)}))
def test_no_random_request_of_the_modern_era_is_answered_otherwise(params: dict[str, Any]) -> None:
    if read_envelope(params) is not None and is_plain_list(params):
        frames = [{"id": 1, "method": "tools/list", "params": params}]
        assert ask_sdk([TOOLSET], VERSION, frames) == [ANSWERS.list_tools(1, modern=True)]


SAMPLED = {
    "role": "assistant",
    "content": {"type": "text", "text": "x"},
    "model": "m",
    "stopReason": "endTurn",
}
_PARTS = st.sampled_from([*SAMPLED, "text", "type", "_meta", "annotations"])


@st.composite
def _responses(draw: st.DrawFn) -> dict[str, Any]:
    """What a client answers a question with, with something in it replaced."""
    response = SAMPLED | draw(st.dictionaries(_PARTS, _VALUES, max_size=1))
    if isinstance(response["content"], dict):
        response["content"] = response["content"] | draw(st.dictionaries(_PARTS, _VALUES, max_size=1))
    return {draw(st.sampled_from(["expansion", "", "\ud800"])): draw(st.one_of(st.just(response), _VALUES))}


@RANDOM
@given(st.one_of(_responses(), _VALUES), st.dictionaries(_KEYS, _VALUES, max_size=1))
def test_no_random_retry_is_answered_otherwise(responses: Any, more: dict[str, Any]) -> None:
    params = {"name": "odd", "arguments": {}, "inputResponses": responses, "_meta": dict(ENVELOPE)} | more
    asked = read_call(params, modern=True)
    if read_envelope(params) is not None and asked is not None and asked[0] == "odd":
        answers = ask_sdk([TOOLSET], VERSION, [{"id": 1, "method": "tools/call", "params": params}])
        assert answers == [ANSWERS.call(1, _call(asked[1], CONTEXT), modern=True)]


def test_a_plain_retry_is_plain() -> None:
    params = {"name": "odd", "inputResponses": {"expansion": SAMPLED}, "requestState": "s"}
    assert read_call(params, modern=True) == ("odd", {})
    assert read_call(params) is None
