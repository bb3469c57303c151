"""Chat completions, as Copilot speaks to a provider of the user's own: messages in, a stream of deltas out.

A tool's answer is a message of the role `tool`, whose `content` is a text or a list of parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.model_backend import Reply, render_events
from tests.clients.script import Answer, Offered, Request


class ChatDialect:
    """POST .../chat/completions."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        if not path.partition("?")[0].endswith("/chat/completions"):
            return None
        seen = {
            message["tool_call_id"]: _read_content(message["content"])
            for message in body["messages"]
            if message["role"] == "tool"
        }
        functions = [tool["function"] for tool in body.get("tools", []) if tool["type"] == "function"]
        offered = tuple(Offered(one["name"], one["description"], one["parameters"]) for one in functions)
        return Request(offered, seen, body)

    def write(self, request: Request, answer: Answer) -> Reply:
        delta: dict[str, Any] = {"role": "assistant"}
        if answer.text:
            delta["content"] = answer.text
        if answer.calls:
            delta["tool_calls"] = [
                {
                    "index": index,
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.offered.name, "arguments": json.dumps(call.arguments)},
                }
                for index, call in enumerate(answer.calls)
            ]
        ending = "tool_calls" if answer.calls else "stop"
        stream = render_events([_build_chunk(request, delta, None), _build_chunk(request, {}, ending)])
        return Reply(stream.body + b"data: [DONE]\n\n")

    def serve(self, path: str) -> Reply | None:
        return None


def _build_chunk(request: Request, delta: Mapping[str, Any], ending: str | None) -> Mapping[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": ending}
    chunk = {"id": "chat_0", "object": "chat.completion.chunk", "created": 0}
    return chunk | {"model": request.body["model"], "choices": [choice]}


def _read_content(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", f"[{part['type']}]") for part in content)
