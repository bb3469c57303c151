"""The Messages API, as Claude Code speaks it: turns of content blocks in, a stream of blocks out.

A tool's answer is a block `tool_result` in a user's turn, whose `content` is a text or a list of blocks.
Requests to count tokens are always answered with one; otherwise the client would count them itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.model_backend import Reply, render_events
from tests.clients.script import Answer, Offered, Request


class MessagesDialect:
    """POST /v1/messages."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        if path.partition("?")[0] != "/v1/messages":
            return None
        blocks = [
            block
            for turn in body["messages"]
            if isinstance(turn["content"], list)
            for block in turn["content"]
        ]
        seen = {
            block["tool_use_id"]: _read_content(block.get("content", ""))
            for block in blocks
            if block["type"] == "tool_result"
        }
        offered = tuple(
            Offered(tool["name"], tool["description"], tool["input_schema"])
            for tool in body.get("tools", [])
            if "input_schema" in tool
        )
        return Request(offered, seen, body)

    def write(self, request: Request, answer: Answer) -> Reply:
        blocks: list[tuple[dict[str, Any], dict[str, Any]]] = [
            (
                {"type": "tool_use", "id": call.id, "name": call.offered.name, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)},
            )
            for call in answer.calls
        ]
        if answer.text:
            blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": answer.text}))
        message = {"id": "msg_0", "type": "message", "role": "assistant", "model": request.body["model"]}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None}
        message |= {"usage": {"input_tokens": 1, "output_tokens": 1}}
        events: list[Mapping[str, Any]] = [{"type": "message_start", "message": message}]
        for index, (block, delta) in enumerate(blocks):
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
            events.append({"type": "content_block_stop", "index": index})
        stop = {"stop_reason": "tool_use" if answer.calls else "end_turn", "stop_sequence": None}
        events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}})
        return render_events([*events, {"type": "message_stop"}])

    def serve(self, path: str) -> Reply | None:
        if path.partition("?")[0] == "/v1/messages/count_tokens":
            return Reply(b'{"input_tokens": 1}', "application/json")
        return None


def _read_content(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", f"[{block['type']}]") for block in content)
