"""The scripted model, asked in both dialects without a client."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.clients.messages_dialect import MessagesDialect
from tests.clients.model_backend import ModelBackend
from tests.clients.responses_dialect import ResponsesDialect
from tests.clients.script import LAST_WORD, Call, Offered, Request, Script, Step

SCRIPT = Script(Step(Call("repo.search", {"query": "tide"})), Step(Call("repo.status"), Call("search")))
TOOLS = tuple(Offered(name, "", {}) for name in ("mcp__x__repo_search", "repo-repo-status", "search"))


def ask(backend: ModelBackend, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of the reply."""
    request = urllib.request.Request(backend.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        rows = answer.read().decode().splitlines()
    return [json.loads(row.removeprefix("data: ")) for row in rows if row.startswith("data: ")]


def test_steps_follow_what_was_seen() -> None:
    first = SCRIPT.answer(Request(TOOLS, {}, {}))
    assert [(call.id, call.offered.name) for call in first.calls] == [("call_0", "mcp__x__repo_search")]
    second = SCRIPT.answer(Request(TOOLS, {"call_0": "x"}, {}))
    assert [(call.id, call.offered.name) for call in second.calls] == [
        ("call_1", "repo-repo-status"),
        ("call_2", "search"),  # rather than the longer one, which ends so too
    ]
    assert SCRIPT.answer(Request(TOOLS, {"call_0": "x", "call_1": "y"}, {})).calls == second.calls
    assert SCRIPT.answer(Request(TOOLS, {f"call_{place}": "" for place in range(3)}, {})).text == LAST_WORD


def test_a_request_without_the_tools_gets_the_last_word() -> None:
    assert SCRIPT.answer(Request((), {}, {})).text == LAST_WORD


def test_a_conversation_in_responses() -> None:
    tools = [
        {"type": "namespace", "name": "mcp__repo", "description": "", "tools": [
            {"type": "function", "name": "repo_search", "description": "d", "parameters": {}}
        ]},
        {"type": "web_search"},
    ]  # fmt: skip
    with ModelBackend(ResponsesDialect(), Script(SCRIPT.steps[0])) as backend:
        _, called, _ = ask(backend, "/v1/responses", {"input": [], "tools": tools})
        item = called["item"]
        assert (item["namespace"], item["name"], item["call_id"]) == ("mcp__repo", "repo_search", "call_0")
        assert json.loads(item["arguments"]) == {"query": "tide"}
        output = {
            "type": "function_call_output",
            "call_id": "call_0",
            "output": [{"type": "x", "text": "hit"}],
        }
        _, said, _ = ask(backend, "/v1/responses", {"input": [item, output], "tools": tools})
        assert said["item"]["content"][0]["text"] == LAST_WORD
        assert [dict(request.seen) for request in backend.requests] == [{}, {"call_0": "hit"}]
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            ask(backend, "/v1/other", {})
        caught.value.close()
        assert backend.strays == ["/v1/other"]


def test_a_conversation_in_messages() -> None:
    tools = [{"name": "mcp__repo__repo_search", "description": "d", "input_schema": {}}, {"name": "other"}]
    with ModelBackend(MessagesDialect(), Script(SCRIPT.steps[0])) as backend:
        body = {"model": "m", "tools": tools, "messages": [{"role": "user", "content": "Find it"}]}
        events = ask(backend, "/v1/messages?beta=true", body)
        assert events[1]["content_block"]["name"] == "mcp__repo__repo_search"
        assert json.loads(events[2]["delta"]["partial_json"]) == {"query": "tide"}
        assert events[-2]["delta"]["stop_reason"] == "tool_use"
        block = {"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "hit"}]}
        body["messages"] += [{"role": "user", "content": [block]}]  # type: ignore[operator]
        events = ask(backend, "/v1/messages?beta=true", body)
        assert events[2]["delta"]["text"] == LAST_WORD
        assert backend.requests[-1].seen == {"call_0": "hit"}
