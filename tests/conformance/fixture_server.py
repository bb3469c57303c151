"""The tools that the official conformance suite asks for, served by our transport; not part of the product.

    python -m tests.conformance.fixture_server      # prints the URL and serves until it is ended

The suite cannot send a token, so requests get one here before they reach the guard.
"""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Mapping

import uvicorn

from repo_mcp.protocol.http.guard import App, Receive, Scope, Send
from repo_mcp.protocol.http.options import HttpOptions
from repo_mcp.protocol.http.server import PATH, build_app, open_socket
from repo_mcp.protocol.resources import LIST, NOT_FOUND, READ
from repo_mcp.protocol.sdk_server import build_sdk_server
from repo_mcp.protocol.tool_model import (
    Annotations,
    Audio,
    CallContext,
    JsonSchema,
    Progress,
    ResourceLink,
    Tool,
    ToolAnswer,
    Toolset,
)

TOKEN = "the-token-of-the-fixture-server"
SILENCE = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NO_ARGUMENTS: JsonSchema = {"type": "object", "properties": {}, "additionalProperties": False}
ADDRESS: JsonSchema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
STEPS, STEP_SECONDS = 4, 0.3  # longer than the least time between two notifications


def _say(text: str, *, is_error: bool = False, blocks: tuple[Audio | ResourceLink, ...] = ()) -> ToolAnswer:
    return ToolAnswer({"text": text}, text, is_error, blocks)


def _simple(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    return _say("This is a simple text response for testing.")


def _audio(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    return _say("A sound.", blocks=(Audio(base64.b64encode(SILENCE).decode(), "audio/wav"),))


def _fail(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    return _say("This tool intentionally returns an error for testing", is_error=True)


def _progress(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    for step in range(STEPS):
        if context.report is not None:
            context.report(Progress(step * 100 / (STEPS - 1), 100, f"step {step}"))
        time.sleep(STEP_SECONDS)
    return _say("done")


TOOLS = {
    "test_simple_text": (NO_ARGUMENTS, _simple),
    "test_audio_content": (NO_ARGUMENTS, _audio),
    "test_error_handling": (NO_ARGUMENTS, _fail),
    "test_tool_with_progress": (NO_ARGUMENTS, _progress),
    "json_schema_2020_12_tool": (ADDRESS, _simple),
}
OUTPUT: JsonSchema = {"type": "object", "properties": {"text": {"type": "string"}}}


CONTENTS = {
    "test://static-text": {"mimeType": "text/plain", "text": "The text of a static resource."},
    "test://static-binary": {"blob": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"},
    "test://template/123/data": {"mimeType": "application/json", "text": '{"id":"123"}'},
}


def _list_resources(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    listed = [
        {"mimeType": content["mimeType"], "name": uri.rpartition("/")[2], "uri": uri}
        for uri, content in CONTENTS.items()
    ]
    return ToolAnswer({"resources": listed}, "", is_error=False)


def _read_resource(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
    uri = str(arguments["uri"])
    if uri not in CONTENTS:
        return ToolAnswer({"code": NOT_FOUND, "message": "There is none.", "data": {"uri": uri}}, "", True)
    return ToolAnswer({"contents": [{**CONTENTS[uri], "uri": uri}]}, "", is_error=False)


def _find_resources() -> tuple[Tool, ...]:
    annotations = Annotations(read_only=True)
    methods = {LIST: _list_resources, READ: _read_resource}
    return tuple(
        Tool(name, "", "", NO_ARGUMENTS, OUTPUT, annotations, call) for name, call in methods.items()
    )


def build_toolset() -> Toolset:
    read_only = Annotations(read_only=True)
    return Toolset(
        "conformance",
        tuple(
            Tool(name, name, name, schema, OUTPUT, read_only, call) for name, (schema, call) in TOOLS.items()
        ),
        find_resources=_find_resources,
    )


class _WithToken:
    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]
        await self._app(scope, receive, send)


def main() -> int:
    bound = open_socket("127.0.0.1", 0)
    app = _WithToken(
        build_app(build_sdk_server([build_toolset()], "0"), HttpOptions("127.0.0.1", 0, TOKEN, is_made=False))
    )
    sys.stdout.write(f"http://127.0.0.1:{bound.getsockname()[1]}{PATH}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on")).run(sockets=[bound])
    return 0


if __name__ == "__main__":
    sys.exit(main())
