"""Requests that are not as they must be: what the SDK takes is taken, and what is refused says why.

Random parameters of every kind are given to a session and to the SDK's server. Whatever the SDK answers is
answered the same, byte for byte; so is what it refuses with a reason. Where it refuses without one, a
session refuses with the same code and a reason, or serves the request because it does not read what is
wrong. DIFFERENCES is the whole list.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.protocol.messages import MODERN_VERSION
from repo_mcp.protocol.tool_model import Toolset
from tests.deep.sizes import examples
from tests.repo_mcp.pipe_client import CLIENT, ENVELOPE, VERSION, ask_session, build_answer, build_tool
from tests.repo_mcp.sdk_oracle import ask_sdk, sort_lists

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INFO = "io.modelcontextprotocol/clientInfo"
LEVEL = "io.modelcontextprotocol/logLevel"
SPOKEN = "io.modelcontextprotocol/protocolVersion"
UNEXPLAINED = "Invalid request parameters"  # the SDK's one message for what its models refuse
TOOLSET = Toolset(
    "t", (build_tool("still", lambda arguments, context: build_answer({"still": True})),), "use it"
)
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
OPENING = {"id": 0, "method": "initialize", "params": INITIALIZE}
DISCOVER = {"id": 0, "method": "server/discover", "params": {"_meta": ENVELOPE}}
CALL = {"name": "still", "arguments": {}}
SAMPLED = {
    "role": "assistant",
    "content": {"type": "text", "text": "x"},
    "model": "m",
    "stopReason": "endTurn",
}


def _ask(*frames: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the last answer of the session and that of the SDK. They are equal when the bytes are."""
    ours, theirs = sort_lists([ask_session(TOOLSET, frames)[-1], ask_sdk([TOOLSET], VERSION, frames)[-1]])
    parsed: tuple[dict[str, Any], dict[str, Any]] = (json.loads(ours), json.loads(theirs))
    assert (parsed[0] == parsed[1]) == (ours == theirs)
    return parsed


def _ask_one(method: str, params: Any, *, modern: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    frame = {"id": 1, "method": method, "params": params}
    return _ask(frame) if method == "initialize" else _ask(DISCOVER if modern else OPENING, frame)


REFUSED: dict[str, tuple[str, Any, str]] = {
    "no parameters": ("initialize", {}, "protocolVersion"),
    "a version that is a number": ("initialize", INITIALIZE | {"protocolVersion": 1}, "protocolVersion"),
    "no client": (
        "initialize",
        {key: INITIALIZE[key] for key in ("protocolVersion", "capabilities")},
        "clientInfo",
    ),
    "a client that is text": ("initialize", INITIALIZE | {"clientInfo": "x"}, "clientInfo"),
    "a client without a version": (
        "initialize",
        INITIALIZE | {"clientInfo": {"name": "x"}},
        "clientInfo.version",
    ),
    "a list of capabilities": ("initialize", INITIALIZE | {"capabilities": []}, "capabilities"),
    "no capabilities": ("initialize", INITIALIZE | {"capabilities": None}, "capabilities"),
    "sampling that is text": ("initialize", INITIALIZE | {"capabilities": {"sampling": "x"}}, "sampling"),
    "a list of extensions": ("initialize", INITIALIZE | {"capabilities": {"extensions": []}}, "extensions"),
    "meta that is a list": ("initialize", INITIALIZE | {"_meta": []}, "_meta"),
    "a token that is null": ("initialize", INITIALIZE | {"_meta": {"progressToken": None}}, "progressToken"),
    "a ping with odd meta": ("ping", {"_meta": 5}, "_meta"),
    "a ping with an odd token": ("ping", {"_meta": {"progressToken": 1.5}}, "progressToken"),
    "a cursor that is a number": ("tools/list", {"cursor": 5}, "cursor"),
    "a tool that is a number": ("tools/call", {"name": 5}, "name"),
    "no tool": ("tools/call", {}, "name"),
    "arguments that are a list": ("tools/call", CALL | {"arguments": []}, "arguments"),
    "a task that is text": ("tools/call", CALL | {"task": "x"}, "task"),
}


@pytest.mark.parametrize(("method", "params", "field"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_names_the_field(method: str, params: Any, field: str) -> None:
    ours, theirs = _ask_one(method, params, modern=False)
    assert ours["error"]["code"] == theirs["error"]["code"] == -32602
    assert field in ours["error"]["message"]


REFUSED_MODERN: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "no meta": ("tools/list", {}, -32602, "params._meta must be an object"),
    "no capabilities": ("tools/list", {"_meta": {SPOKEN: MODERN_VERSION}}, -32602, CAPABILITIES),
    "no version": ("tools/list", {"_meta": {CAPABILITIES: {}}}, -32602, SPOKEN),
    "a version that is a number": (
        "tools/list",
        {"_meta": ENVELOPE | {SPOKEN: 5}},
        -32602,
        "must be a string",
    ),
    "another version": ("tools/list", {"_meta": ENVELOPE | {SPOKEN: "2027"}}, -32022, "Unsupported protocol"),
    "a method that there is not": ("no/such", {"_meta": ENVELOPE | {INFO: 5}}, -32601, "Method not found"),
    "capabilities that are null": (
        "tools/list",
        {"_meta": ENVELOPE | {CAPABILITIES: None}},
        -32602,
        CAPABILITIES,
    ),
    "a client that is text": ("tools/list", {"_meta": ENVELOPE | {INFO: "x"}}, -32602, INFO),
    "a token that is a list": (
        "tools/list",
        {"_meta": ENVELOPE | {"progressToken": []}},
        -32602,
        "progressToken",
    ),
    "a cursor": ("tools/list", {"_meta": ENVELOPE, "cursor": "x"}, -32602, "cursor"),
    "a state that is a number": (
        "tools/call",
        CALL | {"_meta": ENVELOPE, "requestState": 5},
        -32602,
        "requestState",
    ),
    "responses in a list": (
        "tools/call",
        CALL | {"_meta": ENVELOPE, "inputResponses": []},
        -32602,
        "inputResponses",
    ),
}


@pytest.mark.parametrize(("method", "params", "code", "words"), REFUSED_MODERN.values(), ids=REFUSED_MODERN)
def test_what_is_refused_in_the_second_era_says_why(
    method: str, params: dict[str, Any], code: int, words: str
) -> None:
    ours, theirs = _ask_one(method, params, modern=True)
    assert ours["error"]["code"] == theirs["error"]["code"] == code
    assert words in ours["error"]["message"]
    if theirs["error"]["message"] != UNEXPLAINED:
        assert ours == theirs


# What the two answer otherwise, on purpose: method, parameters, second era or not, our code (None for a
# result) and the SDK's.
DIFFERENCES: dict[str, tuple[str, Any, bool, int | None, int | None]] = {
    # What is not read is not judged: a client is served, whatever it says that it can do beside.
    "inside a capability": (
        "initialize",
        INITIALIZE | {"capabilities": {"roots": {"listChanged": []}}},
        False,
        None,
        -32602,
    ),
    "a capability that is not used": (
        "initialize",
        INITIALIZE | {"capabilities": {"roots": 5}},
        False,
        None,
        -32602,
    ),
    "the client's title": (
        "initialize",
        INITIALIZE | {"clientInfo": CLIENT | {"title": 5}},
        False,
        None,
        -32602,
    ),
    "a key of meta that no UTF-8 can carry": ("ping", {"_meta": {"\ud800": 1}}, False, None, -32602),
    "the level of log messages": ("tools/list", {"_meta": ENVELOPE | {LEVEL: "loud"}}, True, None, -32602),
    "a parameter of the other era": ("tools/call", CALL | {"requestState": 5}, False, None, -32602),
    "a parameter of the first era": ("tools/call", CALL | {"_meta": ENVELOPE, "task": 5}, True, None, -32602),
    "an answer that is none": (
        "tools/call",
        CALL | {"_meta": ENVELOPE, "inputResponses": {"a": 5}},
        True,
        None,
        -32602,
    ),
    # What is not offered is not found, whatever it is asked with.
    "a method that is not offered": ("prompts/get", {"name": 5}, False, -32601, -32602),
    # A token must come back as it was given: 2.0 and true would come back as 2 and 1, or not at all.
    "a token that is 2.0": ("ping", {"_meta": {"progressToken": 2.0}}, False, -32602, None),
    "a token that is true": ("ping", {"_meta": {"progressToken": True}}, False, -32602, None),
}


@pytest.mark.parametrize(
    ("method", "params", "modern", "ours", "theirs"), DIFFERENCES.values(), ids=DIFFERENCES
)
def test_where_the_two_differ(
    method: str, params: Any, modern: bool, ours: int | None, theirs: int | None
) -> None:
    answers = _ask_one(method, params, modern=modern)
    assert [answer.get("error", {}).get("code") for answer in answers] == [ours, theirs]


def test_before_the_session_is_open_only_ping_is_answered() -> None:
    for method, params in (("tools/list", {}), ("tools/call", CALL)):
        ours, theirs = _ask({"id": 1, "method": method, "params": params})
        assert ours["error"]["code"] == theirs["error"]["code"] == -32602
        assert "initialize comes first" in ours["error"]["message"]
    ours, theirs = _ask({"id": 1, "method": "ping"})
    assert ours == theirs
    ours, theirs = _ask({"method": "notifications/initialized"}, {"id": 1, "method": "tools/list"})
    assert ours == theirs


@pytest.mark.parametrize("version", ["\ud800", "2027-01-01", None, 5])
def test_a_version_that_cannot_be_said_is_not_repeated(version: Any) -> None:
    """The SDK's server ends on the first of these."""
    frame = {"id": 1, "method": "initialize", "params": INITIALIZE | {"protocolVersion": version}}
    error = json.loads(ask_session(TOOLSET, [DISCOVER, frame])[-1])["error"]
    known = {"requested": version} if version == "2027-01-01" else {}
    assert (error["code"], error["data"]) == (-32022, {"supported": [MODERN_VERSION]} | known)


# Values in the positions where the SDK's models look, and some where they do not.
_LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1.5, "", "x", "\ud800", [], {}, [1], {"a": {}}, {"a": 1}, 1 << 70]
)
_NAMES = st.sampled_from(
    [
        *("roots", "sampling", "elicitation", "experimental", "extensions", "tasks", "requests"),
        *("createMessage", "io.modelcontextprotocol/tasks", "listChanged", "tools", "form", "name", "icons"),
        *("version", "title", "websiteUrl", "progressToken", "progress_token", "traceparent", "a", "\ud800"),
        *(LEVEL, *ENVELOPE),
    ]
)
_VALUES = st.recursive(_LEAVES, lambda inner: st.dictionaries(_NAMES, inner, max_size=3), max_leaves=6)
_KEYS = st.sampled_from(
    [
        *("protocolVersion", "capabilities", "clientInfo", "_meta", "cursor", "name", "arguments"),
        *("task", "requestState", "inputResponses"),
    ]
)


def _mutate(base: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return `base` with some values replaced, at the top and one level down."""
    deep = st.tuples(st.sampled_from(sorted(base) or [""]), st.dictionaries(_NAMES, _VALUES, max_size=2))

    def apply(change: tuple[dict[str, Any], tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        changed, (key, inner) = base | change[0], change[1]
        if isinstance(changed.get(key), dict):
            changed[key] = changed[key] | inner
        return changed

    return st.tuples(st.dictionaries(_KEYS, _VALUES, max_size=1), deep).map(apply)


RANDOM = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])


def _has_odd_token(params: dict[str, Any]) -> bool:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return isinstance(token, bool | float)


def _check(method: str, params: dict[str, Any], *, modern: bool) -> None:
    ours, theirs = _ask_one(method, params, modern=modern)
    if theirs.get("error", {}).get("message") == UNEXPLAINED:
        assert "result" in ours or ours["error"]["code"] == -32602
    elif _has_odd_token(params):
        assert ours == theirs or ours["error"]["code"] == -32602
    else:
        assert ours == theirs


@RANDOM
@given(_mutate(INITIALIZE))
def test_no_random_opening_is_answered_otherwise(params: dict[str, Any]) -> None:
    _check("initialize", params, modern=False)


@RANDOM
@given(st.sampled_from(["ping", "tools/list"]), _mutate({"_meta": {"progressToken": 1}}))
def test_no_random_request_of_the_first_era_is_answered_otherwise(
    method: str, params: dict[str, Any]
) -> None:
    _check(method, params, modern=False)


@RANDOM
@given(_mutate(CALL | {"_meta": {"progressToken": 1}}))
def test_no_random_call_is_answered_otherwise(params: dict[str, Any]) -> None:
    _check("tools/call", params, modern=False)


@RANDOM
@given(st.sampled_from(["server/discover", "tools/list", "no/such"]), _mutate({"_meta": dict(ENVELOPE)}))
def test_no_random_request_of_the_second_era_is_answered_otherwise(
    method: str, params: dict[str, Any]
) -> None:
    meta = params.get("_meta")
    if isinstance(meta, dict) and meta.get(SPOKEN) == "\ud800":
        return  # the SDK's server ends on it
    _check(method, params, modern=True)


_PARTS = st.sampled_from([*SAMPLED, "text", "type", "_meta", "annotations"])


@st.composite
def _responses(draw: st.DrawFn) -> dict[str, Any]:
    """Return what a client answers a question with, with something in it replaced."""
    response = SAMPLED | draw(st.dictionaries(_PARTS, _VALUES, max_size=1))
    if isinstance(response["content"], dict):
        response["content"] = response["content"] | draw(st.dictionaries(_PARTS, _VALUES, max_size=1))
    return {draw(st.sampled_from(["expansion", "", "\ud800"])): draw(st.one_of(st.just(response), _VALUES))}


@RANDOM
@given(st.one_of(_responses(), _VALUES), st.dictionaries(_KEYS, _VALUES, max_size=1))
def test_no_random_retry_is_answered_otherwise(responses: Any, more: dict[str, Any]) -> None:
    params = CALL | {"inputResponses": responses, "_meta": dict(ENVELOPE)} | more
    meta = params["_meta"]
    if isinstance(meta, dict) and meta.get(SPOKEN) == "\ud800":
        return
    _check("tools/call", params, modern=True)
