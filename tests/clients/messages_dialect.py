"""The Messages API, as Claude Code speaks it: turns of content blocks in, a stream of blocks out.

A tool's answer is a block `tool_result` in a user's turn, whose `content` is a text or a list of blocks.
The model may be told no more of a tool than its name: it then has to load it with `ToolSearch`, by name, and
is offered it from then on.
Requests to count tokens are always answered with one; otherwise the client would count them itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.clients.model_backend import Reply, render_events
from tests.clients.script import LOOK, Answer, Offered, Request

SEARCH = "ToolSearch"


class MessagesDialect:
    """POST /v1/messages."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        if path.partition("?")[0] != "/v1/messages":
            return None
        seen = {
            block["tool_use_id"]: _read_content(block.get("content", ""))
            for block in _iter_blocks(body)
            if block["type"] == "tool_result" and not block["tool_use_id"].startswith(LOOK)
        }
        offered = tuple(
            Offered(tool["name"], tool["description"], tool["input_schema"])
            for tool in body.get("tools", [])
            if "input_schema" in tool
        )
        return Request(offered, seen, body)

    def write(self, request: Request, answer: Answer) -> Reply:
        blocks = [_write_call(call.id, call.offered.name, call.arguments) for call in answer.calls]
        looking = _look(request, answer.missing)
        blocks += looking
        if answer.text and not looking:
            blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": answer.text}))
        message = {"id": "msg_0", "type": "message", "role": "assistant", "model": request.body["model"]}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None}
        message |= {"usage": {"input_tokens": 1, "output_tokens": 1}}
        events: list[Mapping[str, Any]] = [{"type": "message_start", "message": message}]
        for index, (block, delta) in enumerate(blocks):
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
            events.append({"type": "content_block_stop", "index": index})
        stop = {"stop_reason": "tool_use" if answer.calls or looking else "end_turn", "stop_sequence": None}
        events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}})
        return render_events([*events, {"type": "message_stop"}])

    def serve(self, path: str) -> Reply | None:
        if path.partition("?")[0] == "/v1/messages/count_tokens":
            return Reply(b'{"input_tokens": 1}', "application/json")
        return None


_Block = tuple[dict[str, Any], dict[str, Any]]  # as it starts, and all of its content


def _write_call(call: str, tool: str, arguments: Mapping[str, object]) -> _Block:
    start = {"type": "tool_use", "id": call, "name": tool, "input": {}}
    return start, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}


def _look(request: Request, missing: Sequence[str]) -> list[_Block]:
    """Return the call that loads every tool of a server and those that are missing, once; [] otherwise."""
    call = LOOK + re.sub(r"\W", "_", "_".join(missing))
    is_made = any(block.get("id") == call for block in _iter_blocks(request.body))
    if not missing or is_made or not any(tool.name == SEARCH for tool in request.offered):
        return []
    words = set(re.findall(r"\w+", "\n".join(block.get("text", "") for block in _iter_blocks(request.body))))
    names = sorted(word for word in words if word.startswith("mcp__") or word in missing)
    return [_write_call(call, SEARCH, {"query": f"select:{','.join(names)}", "max_results": len(names)})]


def _iter_blocks(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of every turn; a turn that is a text is one block."""
    for turn in body["messages"]:
        content = turn["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _read_content(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", f"[{block['type']}]") for block in content)
