"""A tool as `tools/list` shows it, with its keys in the order of the SDK's models."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from repo_mcp.protocol.frames import JsonObject
    from repo_mcp.protocol.tool_model import Tool

_SCHEMA_KEYS = ("$schema", "properties", "required", "type")
_MODERN_INPUT_KEYS = ("$schema", "type")
_MODERN_OUTPUT_KEYS = ("$schema",)


def describe_icon(uri: str) -> JsonObject:
    """Return an icon as tools show it. `uri` is a data: URI."""
    mime_type = uri.removeprefix("data:").partition(",")[0].partition(";")[0]
    return {"mimeType": mime_type, "sizes": ["any"], "src": uri}


def describe_tool(tool: Tool, *, modern: bool, offers_tasks: bool) -> JsonObject:
    """Return one tool as the list of one era shows it."""
    hints = tool.annotations
    described: JsonObject = {
        "annotations": {
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
            "readOnlyHint": hints.read_only,
            "title": tool.title,
        },
        "description": tool.description,
    }
    if tool.may_be_task and offers_tasks and not modern:
        described["execution"] = {"taskSupport": "optional"}
    if tool.icon:
        described["icons"] = [describe_icon(tool.icon)]
    return described | {
        "inputSchema": _order(tool.input_schema, _MODERN_INPUT_KEYS if modern else _SCHEMA_KEYS),
        "name": tool.name,
        "outputSchema": _order(tool.output_schema, _MODERN_OUTPUT_KEYS if modern else _SCHEMA_KEYS),
        "title": tool.title,
    }


def _order(schema: Mapping[str, object], declared: tuple[str, ...]) -> JsonObject:
    """Return the schema with its `declared` keys first, in the order of the SDK's model."""
    first = [key for key in declared if key in schema]
    return {key: schema[key] for key in [*first, *(key for key in schema if key not in first)]}
