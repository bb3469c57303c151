"""Questions of tools to the client's own model: asked by the wire or in rounds."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import mcp_types
import pytest

from repo_mcp.protocol import sampling
from repo_mcp.protocol.sampling import MAX_ANSWER_CHARS, Sampler, read_answer
from repo_mcp.protocol.tool_model import CallContext, Question, Tool, ToolAnswer, Toolset
from tests.repo_mcp.pipe_client import CLIENT, ENVELOPE, VERSION, PipeClient, build_answer, build_tool
from tests.repo_mcp.sdk_oracle import ask_sdk

PATIENCE_SECONDS = 60.0  # a test that needs it has failed
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
EXPANSION = Question("expansion", "be brief", "words like \u2028 x?", 100)
SUMMARY = Question("summary", "be exact", "in one line?", 300)
MODERN = {"_meta": ENVELOPE | {CAPABILITIES: {"sampling": {}}}}
UNUSUAL = {"unusual": 1}  # a parameter that no version knows


def _build_asking(*questions: Question) -> Tool:
    """Return a tool that says what it was answered, and how often it was called for that."""
    calls: list[object] = []

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        calls.append(arguments)
        if context.ask is None:
            return build_answer({"asks": False})
        return build_answer({"answers": [context.ask(one) for one in questions], "calls": len(calls)})

    return build_tool("asking", call)


def _say(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"}


def _open(*tools: Tool, sampling: bool = True, **more: Any) -> PipeClient:
    client = PipeClient(*tools, **more)
    capabilities = {"sampling": {}} if sampling else {}
    params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": CLIENT}
    client.ask({"id": "open", "method": "initialize", "params": params})
    return client


def _call(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": "asking", "arguments": {}} | more}


def _structured(answer: dict[str, Any]) -> Any:
    return answer["result"]["structuredContent"]


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_the_first_era_asks_by_a_request_of_its_own(more: dict[str, Any]) -> None:
    client = _open(_build_asking(EXPANSION, SUMMARY))
    client.send(_call(1, **more))
    for question, text in ((EXPANSION, "a b"), (SUMMARY, "c")):
        asked = client.read()
        params = mcp_types.CreateMessageRequest.model_validate(asked).params
        assert (params.system_prompt, params.max_tokens) == (question.system, question.max_tokens)
        assert params.messages[0].content.text == question.text  # type: ignore[union-attr]
        assert isinstance(asked["id"], str)
        client.send({"id": asked["id"], "result": _say(text)})
    assert _structured(client.read()) == {"answers": ["a b", "c"], "calls": 1}
    client.close()


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_a_client_that_cannot_be_asked_is_not(more: dict[str, Any]) -> None:
    client = _open(_build_asking(EXPANSION), sampling=False)
    client.send(_call(1, **more))
    assert _structured(client.read()) == {"asks": False}
    client.close()


REFUSALS: list[dict[str, Any]] = [
    {"error": {"code": -1, "message": "the user said no"}},
    {"result": {}},
    {"result": _say("  ")},
    {"result": _say("") | {"content": {"type": "image", "data": "", "mimeType": "image/png"}}},
    {"result": _say("\ud800")},
]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_is_no_answer(refusal: dict[str, Any]) -> None:
    client = _open(_build_asking(EXPANSION))
    client.send(_call(1))
    client.send({"id": client.read()["id"]} | refusal)
    assert _structured(client.read())["answers"] == [None]
    client.close()


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_an_answer_that_does_not_come_in_time_is_withdrawn(more: dict[str, Any]) -> None:
    client = _open(_build_asking(EXPANSION), answer_seconds=0.1)
    client.send(_call(1, **more))
    asked = client.read()["id"]
    withdrawn = client.read()
    assert (withdrawn["method"], withdrawn["params"]["requestId"]) == ("notifications/cancelled", asked)
    assert _structured(client.read())["answers"] == [None]
    client.send({"id": asked, "result": _say("late")}, {"id": 77, "result": {}}, {"id": 5, "method": "ping"})
    assert client.read() == {"jsonrpc": "2.0", "id": 5, "result": {}}
    client.close()


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_a_cancelled_call_waits_no_more(more: dict[str, Any]) -> None:
    ended = threading.Event()

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        assert context.ask is not None
        assert context.ask(EXPANSION) is None
        ended.set()
        return build_answer({})

    client = _open(build_tool("asking", call), answer_seconds=10 * PATIENCE_SECONDS)
    client.send(_call(1, **more))
    asked = client.read()["id"]
    client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert client.read()["params"]["requestId"] == asked
    assert ended.wait(PATIENCE_SECONDS)
    assert client.ask({"id": 2, "method": "ping"}) == b'{"jsonrpc":"2.0","id":2,"result":{}}\n'
    client.close()


def test_answers_find_their_questions() -> None:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        assert context.ask is not None
        text = str(arguments["n"])
        return build_answer({"asked": text, "answer": context.ask(Question("q", "", text, 5))})

    client = _open(build_tool("asking", call), slots=4)
    for number in range(4):
        client.send(_call(number, arguments={"n": number}))
    asked = [client.read() for _ in range(4)]
    for one in reversed(asked):
        client.send({"id": one["id"], "result": _say(one["params"]["messages"][0]["content"]["text"] * 2)})
    answers = [client.read() for _ in range(4)]
    assert {answer["id"] for answer in answers} == {0, 1, 2, 3}
    for answer in answers:
        assert _structured(answer) == {"asked": str(answer["id"]), "answer": str(answer["id"]) * 2}
    client.close()


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (_say("x"), "x"),
        (_say(" x\n"), "x"),
        (_say("x" * (MAX_ANSWER_CHARS + 9)), "x" * MAX_ANSWER_CHARS),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]},
            "a\nb",
        ),
        ({"content": [{"type": "tool_use", "text": "a"}, 5, None, {"type": "text", "text": 5}]}, None),
        ({"content": "x"}, None),
        ({"content": {"text": "x"}}, None),
        ([], None),
        (None, None),
        ("x", None),
    ],
)
def test_only_text_is_an_answer(result: object, text: str | None) -> None:
    assert read_answer(result) == text


# The second era


def _ask_rounds(
    client: PipeClient, answers: dict[str, Any], **more: Any
) -> tuple[dict[str, Any], list[list[str]]]:
    """Call as a client does that answers what it is asked; the last answer, and what was asked."""
    asked: list[list[str]] = []
    given: dict[str, Any] = {}
    for number in range(9):
        client.send(_call(number, **MODERN, **given, **more))
        answer = client.read()
        if answer.get("result", {}).get("resultType") != "input_required":
            return answer, asked
        result = mcp_types.InputRequiredResult.model_validate(answer["result"])
        assert result.input_requests is not None
        asked.append(list(result.input_requests))
        given = {
            "requestState": answer["result"]["requestState"],
            "inputResponses": {key: answers[key] for key in result.input_requests if key in answers},
        }
    raise AssertionError("it asks for ever")


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_the_second_era_asks_in_rounds(more: dict[str, Any]) -> None:
    client = PipeClient(_build_asking(EXPANSION, SUMMARY))
    answers = {"expansion": _say("a b"), "summary": _say("c"), "another": _say("d")}
    answer, asked = _ask_rounds(client, answers, **more)
    assert asked == [["expansion"], ["summary"]]
    assert _structured(answer) == {"answers": ["a b", "c"], "calls": 3}
    client.close()


@pytest.mark.parametrize("given", [{}, {"expansion": _say("")}, {"other": _say("x")}])
@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_a_client_that_does_not_answer_has_refused(more: dict[str, Any], given: dict[str, Any]) -> None:
    client = PipeClient(_build_asking(EXPANSION))
    answer, asked = _ask_rounds(client, given, **more)
    assert (asked, _structured(answer)["answers"]) == ([["expansion"]], [None])
    client.close()


def test_answers_are_taken_without_a_state_too() -> None:
    client = PipeClient(_build_asking(EXPANSION))
    client.send(_call(1, **MODERN, inputResponses={"expansion": _say("a")}))
    assert _structured(client.read()) == {"answers": ["a"], "calls": 1}
    client.close()


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_a_client_of_the_second_era_that_cannot_be_asked_is_not(more: dict[str, Any]) -> None:
    client = PipeClient(_build_asking(EXPANSION))
    client.send(_call(1, _meta=ENVELOPE, **more))
    assert _structured(client.read()) == {"asks": False}
    client.close()


def _get_state(client: PipeClient) -> str:
    client.send(_call(0, **MODERN))
    state = client.read()["result"]["requestState"]
    assert isinstance(state, str)
    return state


@pytest.mark.parametrize("more", [{}, UNUSUAL], ids=["known", "unknown"])
def test_a_state_is_good_for_its_call_alone(more: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    client = PipeClient(_build_asking(EXPANSION))
    state = _get_state(client)
    tampered = state[:-6] + ("A" if state[-6] != "A" else "B") + state[-5:]
    calls = [{"requestState": bad} for bad in ("", "x", "ü", tampered, state[:40], "A" * 300_000)]
    calls.append({"requestState": state, "arguments": {"other": 1}})
    for number, params in enumerate(calls):
        client.send(_call(number, **(MODERN | params | more)))
        answer = client.read()
        assert answer["error"]["code"] == -32602, params
        assert answer["error"]["message"].startswith("requestState belongs to another call"), params
    client.send(_call(50, **MODERN, requestState=state, **more))
    assert "result" in client.read()
    monkeypatch.setattr(sampling, "STATE_SECONDS", -1.0)
    client.send(_call(51, **MODERN, requestState=_get_state(client), **more))
    assert client.read()["error"]["code"] == -32602
    client.close()


def test_a_state_is_not_kept_by_the_server_and_shows_no_key() -> None:
    client = PipeClient(_build_asking(EXPANSION))
    states = {_get_state(client) for _ in range(3)}
    assert sampling._KEY.hex() not in json.dumps(sorted(states))
    client.close()


def test_a_question_is_written_as_the_sdk_writes_it() -> None:
    tool = _build_asking(EXPANSION)
    client = PipeClient(tool)
    given = json.loads(client.ask(_call(1, **MODERN)))
    (expected,) = ask_sdk([Toolset("t", (tool,), "")], VERSION, [_call(1, **MODERN)])
    wanted = json.loads(expected)
    for answer in (given, wanted):
        answer["result"]["requestState"] = "…"
    assert json.dumps(given) == json.dumps(wanted)  # the keys in the same order
    client.close()


def test_a_call_that_is_cancelled_already_neither_asks_nor_takes_back() -> None:
    said: list[bytes] = []
    assert Sampler(said.append).ask(SUMMARY, lambda: True) is None
    assert said == []
