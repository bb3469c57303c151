"""The Responses API, as Codex speaks it: a conversation of items in, a stream of items out.

What the model is offered, and so what it has to do, depends on which model Codex takes it for:

    a name that Codex does not know    every tool, as a function in a namespace; it calls it
    one with `tool_search`             nothing but the name and the first words of the server; it searches,
                                       and is offered what was found from then on
    one in code mode                   the same; it runs JavaScript, which has all tools: it prints what their
                                       names and descriptions are, then calls one and prints the result

A tool's answer is an item of type `..._output`, whose `output` is a text or a list of parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.model_backend import Reply, render_events
from tests.clients.script import LAST_WORD, LOOK, Answer, Chosen, Offered, Request

CODE = "exec"  # the tool that runs JavaScript
# What it prints is cut at 10,000 tokens: where there are many tools, their names alone.
LOOK_IN_CODE = """
const found = ALL_TOOLS.filter((tool) => tool.name.startsWith("mcp__"));
text(found.length > 12 ? found.map((tool) => ({ name: tool.name, description: "" })) : found);
"""


class ResponsesDialect:
    """POST .../responses."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        if not path.partition("?")[0].endswith("/responses"):
            return None
        outputs = {
            item["call_id"]: read_output(item["output"])
            for item in body["input"]
            if item["type"] in {"function_call_output", "custom_tool_call_output"}
        }
        seen = {call: text for call, text in outputs.items() if not call.startswith(LOOK)}
        found = [text for call, text in outputs.items() if call.startswith(LOOK)]
        return Request(tuple(_iter_all_offered(body, found)), seen, body)

    def write(self, request: Request, answer: Answer) -> Reply:
        is_code = any(tool["name"] == CODE for tool in iter_tools(request.body) if tool["type"] == "custom")
        look = _look(request, answer.missing, is_code=is_code) if answer.missing else None
        if look is not None and all(item.get("call_id") != look["call_id"] for item in request.body["input"]):
            items = [look]
        elif answer.calls:
            items = [_write_code(call) if is_code else _write_call(call) for call in answer.calls]
        else:
            content = [{"type": "output_text", "text": answer.text or LAST_WORD, "annotations": []}]
            items = [{"type": "message", "role": "assistant", "id": "msg_0", "content": content}]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return render_events(
            [
                {"type": "response.created", "response": {"id": "resp_0"}},
                *({"type": "response.output_item.done", "item": item} for item in items),
                {"type": "response.completed", "response": {"id": "resp_0", "usage": usage}},
            ]
        )

    def serve(self, path: str) -> Reply | None:
        return None


def iter_tools(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every tool of a request, with its namespace, wherever it stands."""
    places = [body, *body["input"]]
    for tool in (tool for place in places for tool in place.get("tools") or []):
        if tool["type"] == "namespace":
            yield from ({**inner, "namespace": tool["name"]} for inner in tool["tools"])
        else:
            yield tool


def read_output(output: str | list[Mapping[str, Any]]) -> str:
    """Return what a tool answered, as the model sees it."""
    if isinstance(output, str):
        return output
    return "".join(part.get("text", f"[{part['type']}]") for part in output)


def _iter_all_offered(body: Mapping[str, Any], found: list[str]) -> Iterator[Offered]:
    for tool in iter_tools(body):
        if tool["type"] == "function":
            yield Offered(tool["name"], tool["description"], tool["parameters"], tool.get("namespace", ""))
    for printed in found:
        for tool in json.loads(printed[printed.index("[") :]):
            yield Offered(tool["name"], tool["description"], {})


def _look(request: Request, missing: tuple[str, ...], *, is_code: bool) -> dict[str, Any] | None:
    """Return how the model finds out which tools there are; None where it cannot."""
    call = LOOK + "_".join(missing)
    if is_code:
        return {"type": "custom_tool_call", "call_id": call, "name": CODE, "input": LOOK_IN_CODE}
    if not any(tool["type"] == "tool_search" for tool in iter_tools(request.body)):
        return None
    # As the instructions name them: parted at the dots, the names are not among the best eight of many tools.
    arguments = {"query": " ".join(missing)}
    return {"type": "tool_search_call", "call_id": call, "execution": "client", "arguments": arguments}


def _write_call(call: Chosen) -> dict[str, Any]:
    namespace = {"namespace": call.offered.namespace} if call.offered.namespace else {}
    arguments = json.dumps(call.arguments)
    item = {"type": "function_call", "call_id": call.id, "name": call.offered.name, "arguments": arguments}
    return {**item, **namespace}


def _write_code(call: Chosen) -> dict[str, Any]:
    source = f"text(await tools.{call.offered.name}({json.dumps(call.arguments)}));"
    return {"type": "custom_tool_call", "call_id": call.id, "name": CODE, "input": source}
