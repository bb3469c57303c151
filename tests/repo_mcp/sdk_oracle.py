"""The SDK's own server as the oracle: its answers to the frames of one conversation, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
from mcp.server.lowlevel import NotificationOptions
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from repo_mcp.protocol.frames import end_frame
from repo_mcp.protocol.sdk_server import build_sdk_server
from repo_mcp.protocol.tool_model import Toolset

PATIENCE_SECONDS = 60.0  # a test that waits longer has failed


def ask_sdk(
    toolsets: Sequence[Toolset], version: str, frames: Sequence[dict[str, Any]], *, offers_tasks: bool = False
) -> list[bytes]:
    """Return the answer to each request of `frames`, given one after the other."""

    async def converse() -> list[bytes]:
        server = build_sdk_server(toolsets, version, offers_tasks=offers_tasks)
        to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbound, from_server = anyio.create_memory_object_stream[SessionMessage](16)
        answers: list[bytes] = []
        async with anyio.create_task_group() as tasks:
            options = server.create_initialization_options(NotificationOptions(resources_changed=True))
            tasks.start_soon(server.run, inbound, outbound, options)
            with anyio.fail_after(PATIENCE_SECONDS):
                for frame in frames:
                    kind = JSONRPCRequest if "id" in frame else JSONRPCNotification
                    await to_server.send(SessionMessage(kind.model_validate({"jsonrpc": "2.0"} | frame)))
                    if "id" in frame:
                        answer = (await from_server.receive()).message
                        answers.append(end_frame(answer.model_dump_json(by_alias=True, exclude_unset=True)))
            tasks.cancel_scope.cancel()
        for stream in (to_server, inbound, outbound, from_server):
            stream.close()
        return answers

    return anyio.run(converse)


def sort_lists(answers: Sequence[bytes]) -> list[bytes]:
    """Return the answers, those to `tools/list` with sorted keys, because order means nothing in JSON.

    The SDK orders the keys of schemas by its models, differently in each era of the protocol.
    """
    return [
        json.dumps(json.loads(answer), sort_keys=True).encode() if b'"tools":[' in answer else answer
        for answer in answers
    ]


def drop_explanations(given: list[bytes], expected: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Return both lists, with only the code of errors that both return and the SDK does not explain.

    The SDK has one message for all faults of parameters, which names nothing; ours names the field.
    """
    pairs = [
        (_drop_explanation(ours), _drop_explanation(theirs)) if _explains_nothing(theirs) else (ours, theirs)
        for ours, theirs in zip(given, expected, strict=True)
    ]
    return [ours for ours, _ in pairs], [theirs for _, theirs in pairs]


def _explains_nothing(answer: bytes) -> bool:
    return bool(json.loads(answer).get("error", {}).get("message") == "Invalid request parameters")


def _drop_explanation(answer: bytes) -> bytes:
    frame = json.loads(answer)
    if "error" in frame:
        frame["error"] = frame["error"]["code"]
    return json.dumps(frame).encode()
