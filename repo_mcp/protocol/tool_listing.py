"""A tool as `tools/list` shows it in the first era; in the second it has no `execution`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repo_mcp.protocol.frames import JsonObject
    from repo_mcp.protocol.tool_model import Tool


def describe_icon(uri: str) -> JsonObject:
    """Return an icon as tools show it; `uri` is a data: URI."""
    mime_type = uri.removeprefix("data:").partition(",")[0].partition(";")[0]
    return {"mimeType": mime_type, "sizes": ["any"], "src": uri}


def describe_tool(tool: Tool, *, offers_tasks: bool) -> JsonObject:
    """Return a tool as the first era has it."""
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
    if tool.may_be_task and offers_tasks:
        described["execution"] = {"taskSupport": "optional"}
    if tool.icon:
        described["icons"] = [describe_icon(tool.icon)]
    return described | {
        "inputSchema": tool.input_schema,
        "name": tool.name,
        "outputSchema": tool.output_schema,
        "title": tool.title,
    }
